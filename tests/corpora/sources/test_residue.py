"""What the making of a collection left in its texts is taken out, and nothing else."""

from __future__ import annotations

from functools import partial

import pytest

from corpora.sources import lsht
from corpora.sources.formats.text_cleanup import (
    unglued,
    unspaced,
    without_credits,
    without_link,
    without_noises,
    without_pictures,
    without_wiki_marks,
)

PAGE = "Gallery\nFile:Port of Algeciras.jpg|Port\nImage:Papworth.jpg\nThe port. See File: menu.\nFile:a.svg"
AGENCY = "常州喜人\n喜人 |||| 常州喜人|||||||| 本网讯 12月，变电||||所投运。|||| 占地"


@pytest.mark.parametrize(
    ("clean", "text", "kept"),
    [
        (without_noises, "But uh {disfmarker} we do {vocalsound} think .", "But uh we do think ."),
        (without_noises, "a set {1, 2}  of two", "a set {1, 2} of two"),
        (without_noises, "...", "..."),
        (without_pictures, PAGE, "Gallery\nThe port. See File: menu."),
        (without_pictures, "Profile: a man.", "Profile: a man."),
        (unspaced, "讯( 特 约 记 者 番、效益", "讯( 特约记者番、效益"),
        (unspaced, "主演黄志忠 大侦探霍桑", "主演黄志忠 大侦探霍桑"),
        (unspaced, "第 2 章 安装", "第 2 章 安装"),
        (partial(lsht._line, where="here"), AGENCY, "常州喜人 本网讯 12月，变电所投运。 占地"),
    ],
)
def test_sounds_pictures_spaces_between_letters_and_bars_are_taken_out(clean, text: str, kept: str) -> None:
    assert clean(text) == kept


@pytest.mark.parametrize(
    ("article", "left"),
    [
        ("kidnapping. {{Update}} As of October", "kidnapping. As of October"),
        ("ran {{convert|5|km|mi}} and '''won''' it", "ran and won it"),
        ("with [[Padmini|P. Amma]] and [[Asha Parekh]]", "with P. Amma and Asha Parekh"),
        ("63&nbsp;million.<ref name=a>page 3</ref> More.<ref name=a/> End", "63 million. More. End"),
        (r"as {{\bf x}}_k, \frac{{a}}{{b}}, {{x}} and a[[1]]", r"as {{\bf x}}_k, \frac{{a}}{{b}}, {{x}} and a[[1]]"),
    ],
)
def test_marks_of_a_wiki_are_taken_out_of_an_article(article: str, left: str) -> None:
    assert without_wiki_marks(article) == left


def test_paragraphs_that_lost_the_break_between_them_have_it_again() -> None:
    text = 'It had more votes.Frye won. Of 9 kg (20 lb).One is "so".Two.. Three at St.Louis, a Ph.D. of example.Com in main.py.'
    assert unglued(text, "|") == (
        'It had more votes.|Frye won. Of 9 kg (20 lb).|One is "so".|Two.|Three at St.Louis, a Ph.D. of example.|Com in main.py.'
    )
    text = 'She said "go at once.They left.Police asked them "to clear the streets."Waste was not collected."Here," he said.'
    assert unglued(text, "|").split("|") == [
        'She said "go at once.', "They left.", 'Police asked them "to clear the streets."', "Waste was not collected.", '"Here," he said.',
    ], "one missing mark moves no mark of the following paragraphs"  # fmt: skip


@pytest.mark.parametrize(
    ("begins", "ends"),
    [
        (
            "Produced by Ada Boll and the Online\nTeam at http://example.org\n\n\n",
            "\n\nEnd of the Project Gutenberg EBook of It",
        ),
        (
            "Transcribed from the 1915 edition by Bo, email\nbo@example.org\n\n",
            "\n\nEnd of Project Gutenberg's It, by Bo\n",
        ),
        (
            "E-text prepared by Bo\n\n",
            "\n\nTranscriber's Note:\n\n    Errors are corrected.\n\n\nEnd of Project Gutenberg's It",
        ),
        ("", ""),
    ],
)
def test_who_made_the_electronic_text_is_no_part_of_a_book(begins: str, ends: str) -> None:
    book = "IT\n\n  [Picture: Book cover]\n\nProduced by a lamp, light [Illustration] fell.\n\nThe End"
    whole = "IT\n\n\n\nProduced by a lamp, light [Illustration] fell.\n\nThe End"
    assert without_credits(begins + book + ends).strip() == whole


@pytest.mark.parametrize(
    ("summary", "kept"),
    [
        ("It ended. Click here for more.", "It ended."),
        ('He said "so." (Watch video of the protest here.)', 'He said "so."'),
        ("It ended. Click for the list, with R. Kelly.", "It ended."),
        ("Click by click it ended. She left.", "Click by click it ended. She left."),
        ("It ended. Read aloud, it is short.", "It ended. Read aloud, it is short."),
    ],
)
def test_links_to_other_pages_are_no_part_of_a_summary(summary: str, kept: str) -> None:
    assert without_link(summary) == kept
