"""LooGLE with types: every repair and every refused record by heart, both forms of its files, the sample counted."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.sources.base import Source
from corpora.sources.document_source import text_id
from corpora.sources.loogle import LoogleTypedMirror
from corpora.sources.loogle_questions import NO_ORDER, SHORT, SORTS, TIMELINE
from corpora.sources.loogle_text import listed, mended, numbered, order_of, place_of
from haymaker.core.errors import SourceError
from haymaker.core.rows.source_records import DocumentQuestion
from tests.corpora.conftest import Held
from tests.corpora.sources.test_documents import documents, fetched, written
from tests.errors import refused

READING, RETRIEVAL, _, COMPUTATION = SORTS
TEXT = "Ada Boll met Erdoğan in Şanlıurfa near the\u00a0Zona. Then Ayşe wrote.It rose by 6.3 at Gölbaşı, said Jóen to Jáen."
EVENTS = "Put these in order:\n1. It fell.\n2.It rose ;\n3) It stood"


def pair(question: object = "Who met?", answer: object = "Ada.", sort: str = READING, evidence: object = ()) -> dict:
    return {"Q": question, "A": answer, "type": sort, "S": list(evidence) if isinstance(evidence, tuple) else evidence}


ALL = [pair(f"What {sort}?", sort=sort) for sort in SORTS if sort != TIMELINE] + [pair(EVENTS, "3,1,2", TIMELINE)]


def record(pairs: object, text: str = TEXT, title: str = "T") -> dict[str, object]:
    return {"input": text, "title": title, "qa_pairs": repr(pairs), "output": "None"}


SCRIPT = record([pair("Whose script?")], "INT. A SCRIPT\nDAY", "C")


def files(long: list[dict], short: list[dict] | None = None, cloze: list[dict] | None = None) -> dict[str, object]:
    given_short = [record([{"Q": "Who rose?", "A": "It", "S": "It rose."}], "Short text.", "S")]
    return {
        "longdep_qa.jsonl": long,
        "shortdep_qa.jsonl": given_short if short is None else short,
        "shortdep_cloze.jsonl": [SCRIPT | {"qa_pairs": "none"}] if cloze is None else cloze,
    }


def asked(folder: Path, *pairs: dict, text: str = TEXT) -> tuple[list[DocumentQuestion], Counter[str]]:
    written(folder, files([record(list(pairs), text)]))
    return LoogleTypedMirror().repaired(folder, "longdep")


@pytest.mark.parametrize(
    ("given", "wanted", "counted"),
    [
        ("Erdo?an and ?anl?urfa", "Erdoğan and Şanlıurfa", {"letters_put_back": 2}),
        ("G?lba?? fell", "Gölbaşı fell", {"letters_put_back": 1}),
        ("near the?Zona", "near the Zona", {"letters_put_back": 1}),
        ("J?en", "J?en", {"letters_lost": 1}),  # two words of the document are like it
        ("Ax?el", "Ax?el", {"letters_lost": 1}),  # none is
        ("Ada? Yes", "Ada? Yes", {}),  # a word of the document, and a question mark
        ("area.?\nNext:?\nLast.?", "area.\nNext:\nLast.", {"question_marks_taken_out": 3}),
        ("for?\nattending", "for\nattending", {"question_marks_taken_out": 1}),
        ("11：30、noon；then", "11:30, noon; then", {"full_width_marks": 3}),
        ("《A》", '"A"', {"full_width_marks": 2}),
        ("Who (3-5 can be listed)?", "Who?", {"advice_taken_out": 1}),
        ("as it is.", "as it is.", {}),
    ],
)
def test_what_was_lost_is_put_right(given: str, wanted: str, counted: dict[str, int]) -> None:
    counts = Counter[str]()
    assert (mended(given, TEXT, counts), +counts) == (wanted, Counter(counted))
    assert mended(wanted, TEXT, Counter()) == wanted, "done once, nothing is left to do"


@given(st.text("ab ?.\n", max_size=40), st.text("aäb ğ.", max_size=40))
def test_a_text_without_holes_is_left_alone(text: str, whole: str) -> None:
    bare = text.replace("?", "")
    assert mended(bare, whole, Counter()) == bare
    assert len(mended(text, whole, Counter())) <= len(text)


def test_timelines_have_one_form(tmp_path: Path) -> None:
    roman = "Order:\nI. It fell\nII. It rose\nIII. IV-House was made\nIV. It stood"
    found, counts = asked(
        tmp_path,
        pair(EVENTS, "3,1,2", TIMELINE),
        pair(roman, "IV, II;I  III.", TIMELINE),
        pair("Order now:?\na. x\nb. y\nc. z", "c->a->b", TIMELINE),
        pair("Order: 1. x 2. y 3. z", "231", TIMELINE),
        pair("Sort:\n1. x\n2. y", "2,1", RETRIEVAL),
        pair(EVENTS + "?", "3,1", TIMELINE),
        pair(EVENTS + "!", "3,1,1", TIMELINE),
        pair("What came first?", "It fell", TIMELINE),
    )
    assert [(each.text, each.answers) for each in found] == [
        ("Put these in order:\n1. It fell.\n2. It rose\n3. It stood", ("3, 1, 2",)),
        ("Order:\n1. It fell\n2. It rose\n3. IV-House was made\n4. It stood", ("4, 2, 1, 3",)),
        ("Order now:\n1. x\n2. y\n3. z", ("3, 1, 2",)),
        ("Order:\n1. x\n2. y\n3. z", ("2, 3, 1",)),
        ("Sort:\n1. x\n2. y", ("2, 1",)),
    ]
    assert {each.sort for each in found} == {TIMELINE} and {each.kind for each in found} == {"qa"}
    assert (counts[NO_ORDER], counts[f"timeline_under_{RETRIEVAL}"]) == (3, 1)


@given(st.permutations(range(1, 8)), st.sampled_from(", >"))
def test_any_order_is_read_however_it_is_written(order: list[int], between: str) -> None:
    events = [f"event {number}" for number in order]
    for marks in ("1234567", ("I", "II", "III", "IV", "V", "VI", "VII"), "ABCDEFG"):
        text = "Order:\n" + "\n".join(f"{mark}. {event}" for mark, event in zip(marks, events, strict=True))
        assert numbered(text) == ("Order:", events)
        assert order_of(between.join(marks[number - 1] for number in order), 7) == tuple(order)
    assert numbered(f"Order:\n{listed(events)}") == ("Order:", events)


def test_what_is_no_order_and_no_option() -> None:
    for answer in ("", "1", "1,2", "1,2,2", "1,2,4", "0,1,2", "first 1, 2, 3", "I,II,IIII"):
        assert order_of(answer, 3) == (), answer
    places = [place_of(answer, 3) for answer in ("0", "4", "seven", "", "3", "c", "(B)", "2.")]
    assert places == [0, 0, 0, 0, 3, 3, 2, 2]


def test_a_program_in_place_of_questions_is_not_run(tmp_path: Path) -> None:
    line = record([]) | {"qa_pairs": f"open({str(tmp_path / 'made')!r}, 'w')"}
    written(tmp_path, files([line]))
    with refused(SourceError, "longdep_qa.jsonl:1", "'qa_pairs'"):
        LoogleTypedMirror().document_questions(tmp_path, "longdep")
    assert not (tmp_path / "made").exists()


def later(record_: dict[str, object], pairs: list[dict]) -> list[dict]:
    """The same in the later form: a question a line."""
    names = {"Q": "question", "A": "answer", "S": "evidence", "type": "type"}
    return [
        {"context": record_["input"], "title": record_["title"], "id": number} | {names[key]: pair[key] for key in pair}
        for number, pair in enumerate(pairs)
    ]


def summed_up(source: Source, raw: Path) -> list[object]:
    return [documents(source, raw), *(source.document_questions(raw, name) for name in source.document_sets())]


def test_both_forms_are_read_alike_and_a_document_of_two_files_is_one(tmp_path: Path, context) -> None:
    first = files([record(ALL), SCRIPT], [record([{"Q": "Who rose?", "A": "It", "S": "It rose."}])])
    second = first | {
        "longdep_qa.jsonl": [*later(record(ALL), ALL), *later(SCRIPT, [pair("Whose script?")])],
        "shortdep_qa.jsonl": later(record([]), [{"Q": "Who rose?", "A": "It", "S": "It rose."}]),
    }
    written(tmp_path, {"mine.jsonl": "{}\n"})
    one, raw = fetched(tmp_path / "one", context, "loogle", first, replies=str(tmp_path / "mine.jsonl"))
    assert (raw / "replies.jsonl").read_text() == "{}\n" and one.local_inputs() == [tmp_path / "mine.jsonl"]
    two, other = fetched(tmp_path / "two", context, "loogle", second)
    assert summed_up(one, raw) == summed_up(two, other)
    assert [document.title for document in documents(one, raw)] == ["T", "C"]
    (short,) = one.document_questions(raw, "shortdep")
    assert (short.sort, short.doc_id, short.evidence) == (SHORT, text_id(TEXT), ("It rose.",))
    by_kind = [one.document_questions(raw, name) for name in ("longdep_articles", "longdep_scripts", "scripts")]
    assert [len(found) for found in by_kind] == [4, 1, 1]
    assert {each.doc_id for each in by_kind[1]} == {each.doc_id for each in by_kind[2]} and not by_kind[2][0].text


@pytest.mark.real
def test_the_sample(held: Held) -> None:
    source, raw = held("loogle_typed_mirror")
    assert isinstance(source, LoogleTypedMirror)
    texts = {document.doc_id: document for document in documents(source, raw)}
    (long, counts), (short, none), (scripts, _) = (source.repaired(raw, name) for name in source.document_sets())
    assert Counter(each.sort for each in long) == {READING: 7, RETRIEVAL: 12, COMPUTATION: 6, TIMELINE: 3}
    assert counts == {
        "full_width_marks": 8, "question_marks_taken_out": 20, "letters_put_back": 27, "letters_lost": 2, "footnotes_taken_out": 1, "advice_taken_out": 1,
        "answers_of_several_lines": 4, "answers_that_were_numbers_of_options": 1, f"amount_under_{READING}": 1,
        f"amount_under_{RETRIEVAL}": 1, "answers_known_to_be_wrong": 15,
    }  # fmt: skip
    assert (len(short), none, {each.sort for each in short}) == (76, {"answers_known_to_be_wrong": 4}, {SHORT})
    articles = {each.doc_id for each in (*long, *short)}
    assert (len(articles), len({each.doc_id for each in scripts} - articles), len(texts)) == (9, 5, 14)
    assert sum(len(each.evidence) for each in long) == 84 and sum(len(each.evidence) for each in short) == 76
    timelines = [each.answers for each in long if each.sort == TIMELINE]
    # By the days of two articles, from the first event to the last; each order is its own inverse, so it also says ranks.
    assert timelines == [("2, 1, 3",), ("3, 5, 1, 4, 2",), ("2, 1, 3",)]
    (choice,) = [each for each in long if each.kind == "choice"]
    assert (choice.answers, choice.choices) == (("five",), ("seven", "six", "five", "four"))
    said = {answer for each in long for answer in each.answers}
    assert not any("?" in answer or "\n" in answer for answer in said)
