"""Cleaning, rule by rule, on small exact examples."""

from __future__ import annotations

from collections import Counter

import pytest

from corpora.stores.sentences.clean import CleaningParams, paragraphs, sentences
from corpora.stores.sentences.split import splitter

BARE = CleaningParams(front_matter=False)
ONE = "The old mill stood by the river, and nobody had turned its wheel for years."
TWO = "She walked down to the water and waited there until the evening came."


def clean(text: str, rules: CleaningParams = BARE) -> tuple[list[str], dict[str, int]]:
    dropped: Counter[str] = Counter()
    found = list(paragraphs(text, rules, dropped))
    return found, {reason: count for reason, count in dropped.items() if count}


@pytest.mark.parametrize(
    ("block", "reason"),
    [
        ("  [ 214 ]  ", "page_number"),
        ("CHAPTER IV. In which the hero goes home.", "heading"),
        ("THE LAST VOYAGE.", "heading"),
        ("[Illustration: The mill by the river.]", "editorial"),
        ("Year    Wheat    Rye\n1801    12       14\n1802    13       11", "table"),
    ],
)
def test_what_is_not_prose_is_left_out_and_counted(block: str, reason: str) -> None:
    assert clean(f"{ONE}\n\n{block}\n\n{TWO}") == ([ONE, TWO], {reason: 1})


def test_what_is_prose_stays() -> None:
    blocks = [
        "“Yes.”",
        "No one came, and so,",
        "Mr. Brown paid 12 shillings for it on the 3rd of May 1801.",
        "MARY said nothing to him.",
    ]
    assert clean("\n\n".join([ONE, *blocks, TWO])) == ([ONE, *blocks, TWO], {})


def test_gutenberg_frames_go() -> None:
    text = (
        "The Project Gutenberg EBook of Nothing.\n\nProduced by Somebody of whom nobody has ever heard a word.\n\n"
        f"*** START OF THIS PROJECT GUTENBERG EBOOK NOTHING ***\n\n{ONE}\n\n{TWO}\n\n"
        "*** END OF THIS PROJECT GUTENBERG EBOOK NOTHING ***\n\nUpdated editions will replace the previous one, and so on."
    )
    for each in (text, text.replace("THIS", "THE"), text.replace("\n", "\r\n")):
        assert clean(each)[0] == [ONE, TWO]


def test_front_matter_goes_up_to_the_first_running_text() -> None:
    prose = " ".join([ONE, TWO])
    text = "\n\n".join(["NOTHING", "by Nobody", "London, 1801.", "CONTENTS", prose, "Short one.", prose])
    found, dropped = clean(text, CleaningParams())
    assert found == [prose, "Short one.", prose]
    assert dropped == {"front_matter": 4}
    assert clean("Short one.\n\nShort two.", CleaningParams())[0] == ["Short one.", "Short two."], "no prose: all stays"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_and_wraps_do_not_matter(end: str) -> None:
    text = f"The old mill stood by the river,\nand nobody had turned\nits wheel for years.\n\n  \n{TWO}\n"
    assert clean(text.replace("\n", end))[0] == [ONE, TWO]


def test_marks_inside_a_paragraph() -> None:
    assert clean("He went [Pg 12] home to _his_ own house {13} that day.") == (
        ["He went home to his own house that day."],
        {"inline_page_number": 2},
    )
    assert clean("A snake_case word and _two words_ stay in the line.")[0] == [
        "A snake_case word and two words stay in the line."
    ]


def test_sentences_and_what_is_hardly_letters() -> None:
    dropped: Counter[str] = Counter()
    text = f"{ONE} Mr. Brown and Dr. Smith met her there. 12 + 13 = 25 (31 - 6); 7 * 8. {TWO}"
    found = [(ONE, 0), ("Mr. Brown and Dr. Smith met her there.", 0), (TWO, 0)]
    assert list(sentences(text, BARE, dropped)) == found
    assert dropped["not_prose"] == 1


@pytest.mark.parametrize(
    ("name", "text", "wanted"),
    [
        ("punkt", "Is it? It is! “Go.” He went.", ["Is it?", "It is!", "“Go.”", "He went."]),
        ("punkt", "He saw Mr. Hill at 3 p.m. and left.", ["He saw Mr. Hill at 3 p.m. and left."]),
        ("punkt", "“Are you timid, Mr. Lorry?” He ran.", ["“Are you timid, Mr. Lorry?”", "He ran."]),
        ("punkt", "“Lorry, look (Mrs. Hill!).” He ran.", ["“Lorry, look (Mrs. Hill!).”", "He ran."]),
        ("punkt", "He saw an old LMr. Then Mr.", ["He saw an old LMr.", "Then Mr."]),
        ("cjk", "你好。“去吧！”他說。走了嗎？走了", ["你好。", "“去吧！”", "他說。", "走了嗎？", "走了"]),
        ("cjk", "「好！」『真的？』是……的；完\n另一行", ["「好！」", "『真的？』", "是……", "的；", "完", "另一行"]),
        ("cjk", "涨了３．５％。好", ["涨了３．５％。", "好"]),
        ("lines", "one\ntwo\n\nthree", ["one", "two", "three"]),
        *((name, "", []) for name in ("punkt", "cjk", "lines")),
    ],
)
def test_splitters(name: str, text: str, wanted: list[str]) -> None:
    assert [text[a:b].strip() for a, b in splitter(name)(text)] == wanted


def test_a_speech_keeps_its_tag() -> None:
    """Punkt cuts after the question mark; with short sentences kept, something could be hidden before "he asked."."""
    text = '"Where is it?" he asked. "Gone!" cried the old man, "gone for ever!" and he sat down. Nobody spoke.'
    rules = CleaningParams(front_matter=False, min_letter_share=0.3)
    assert [sentence for sentence, _ in sentences(text, rules, Counter())] == [
        '"Where is it?" he asked.',
        '"Gone!" cried the old man, "gone for ever!" and he sat down.',
        "Nobody spoke.",
    ]
