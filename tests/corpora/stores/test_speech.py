"""No sentence of a speech is a unit without the quotation marks of the speech."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from corpora.stores.sentences.build import build_batch, merge
from corpora.stores.sentences.clean import CleaningParams, sentences
from corpora.stores.sentences.speech import is_balanced, marks_of, without_announcements
from corpora.stores.sentences.store import Background, CorpusParams
from corpora.tokenizers import tokenizer
from haymaker.core.rows.source_records import Document

RULES = CleaningParams(front_matter=False, headings=False, min_letter_share=0.3)


def whole(text: str, rules: CleaningParams = RULES) -> list[str]:
    """The balanced pieces of a text: the others are left out of a store."""
    pieces = [sentence for sentence, _ in sentences(text, rules, Counter())]
    return [piece for piece in pieces if is_balanced(piece, marks_of(text))]


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ('He rose. "Oh! You came," he said. "Sit down. Eat." She sat.', ["He rose.", '"Oh! You came," he said.', '"Sit down. Eat."', "She sat."]),
        ("“Oh! I see. You came.” She sat.", ["“Oh! I see. You came.”", "She sat."]),
        ('"No," said he; "nor I. Never!" He went. He ran.', ['"No," said he; "nor I. Never!"', "He went.", "He ran."]),
        ('He said--"Go. Run!" and he ran. I ran.', ['He said--"Go. Run!" and he ran.', "I ran."]),
        ('It was in 1850" of it. He had 6" of it. So it was.', ['It was in 1850" of it.', 'He had 6" of it.', "So it was."]),
        # a speech over several paragraphs: only the last one closes it
        ("“Dear sir. I write.\n\n“It rains. It pours.\n\n“Yours. Tom.” She read it.", ["“Yours. Tom.”", "She read it."]),
        ("Sit. I write.” She read it. “Oh. Ah.”", ["She read it.", "“Oh. Ah.”"]),  # opened in an earlier paragraph
        ('He rose. "Sit. I write. "Sit. Write," he said. She sat.', ["He rose.", "She sat."]),  # a mark was lost
        ("Er ging. „Komm! Es ist spät.“ Sie kam.", ["Er ging.", "„Komm! Es ist spät.“", "Sie kam."]),
    ],
)  # fmt: skip
def test_a_speech_is_one_unit(text: str, units: list[str]) -> None:
    assert whole(text) == units


@pytest.mark.parametrize("opening", ["'", "‘"])
def test_single_marks_are_told_from_apostrophes(opening: str) -> None:
    """British editions; "'tis", "the boys' hats" and "goin'" are no marks."""
    closing = "’" if opening == "‘" else "'"
    text = "'Tis late. 'No,' said the boys' aunt. 'I can't go. I'm goin' home. 'Tis late, boys.' He ran. The boys' hats fell. 'Oh! “Ah,” is it?'"
    units = ["'Tis late.", "'No,' said the boys' aunt.", "'I can't go. I'm goin' home. 'Tis late, boys.'", "He ran.", "The boys' hats fell.", "'Oh! “Ah,” is it?'"]  # fmt: skip
    styled = [re.sub(r"(?<!\w)'(?!Tis)(?=\w)", opening, each).replace("'", closing) for each in (text, *units)]
    assert whole(styled[0]) == styled[1:]


@pytest.mark.parametrize(
    ("sentences", "kept", "left"),
    [
        ([("Then he said:", 0), ("“No.”", 1), ("She turned away.", 2)], [0, 2], [2]),
        ([("Then he said:", 0), ("She turned away.", 2)], [0, 1], [1]),  # of paragraph 1 nothing is a sentence
        ([("Then he said:", 0), ("“No, never.”", 1)], [0, 1], [0, 1]),
        ([("It read thus:", 0), ("Then he says,", 1), ("“No.”", 2)], [0, 1], []),
        ([("He went.", 0), ("Then he says,", 1)], [0, 1], [0]),
    ],
)
def test_what_announces_a_speech_goes_with_it(
    sentences: list[tuple[str, int]], kept: list[int], left: list[int]
) -> None:
    assert without_announcements(sentences, kept) == left


def test_a_store_leaves_out_speech_without_a_half_and_every_unit_adds_up(tmp_path: Path) -> None:
    said = '"Oh! I never thought that you would come to see me here again," said the miller to his guest at the door.'
    half = '"Sit down here by the fire and tell me everything that you have seen. Nothing must be left out of it.'
    text = f"{said}\n\n{half}\n\nHe laughed and laughed until his sides were sore."
    params, counters = CorpusParams(source="books", clean=RULES), [tokenizer.load("tekken")]
    batch = tmp_path / "batch"
    batch.mkdir()
    result = build_batch([Document("book", "Book", "test", text)], params, counters, batch)
    assert {why: count for why, count in result["dropped"].items() if count} == {"half_of_a_speech": 1}
    merge([(batch, result)], params, counters, tmp_path / "store", {})
    store = Background(tmp_path / "store")
    whole = bytes(store.text).decode()
    assert whole == f" {said} He laughed and laughed until his sides were sore."
    assert store.tokens_at(counters[0].fingerprint)[-1] == counters[0].count_part(whole)


@pytest.mark.real
def test_real_books_keep_every_speech_whole(mirror: Path) -> None:
    """A book with curly marks: every unit has as many opening as closing ones, and hardly any text is lost."""
    text = (mirror / "pg19" / "test" / "1400.txt").read_text(encoding="utf-8")[:300_000]
    units = whole(text, CleaningParams())
    assert not [each for each in units if each.count("“") != each.count("”")]
    assert sum(re.search("“[^”]*[.!?] [A-Z]", each) is not None for each in units) > 50  # several sentences
    assert sum(map(len, units)) > 0.9 * len(text)
