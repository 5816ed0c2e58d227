"""Prepared documents: where evidence is found and where not, by heart; what cannot be asked is counted; files that changed are named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpora.stores.documents.evidence import prepare
from corpora.stores.documents.store import DocumentParams, Documents
from corpora.stores.sentences.store import Background
from corpora.tokenizers import tokenizer
from haymaker.core.errors import CorpusError
from haymaker.core.rows.source_records import Document, DocumentQuestion, KeyPoint
from tests.errors import refused
from tests.generators.documents import small

TEXT = """THE MILL

Ada Boll came to _Wessex_
in May. "Yes." She came in May, and nobody saw her.

| year | sacks |
| 1801 | 17 |

Mr. Orrin counted 4127 sacks that day. It was cold. The miller's cat was called Tobermory. It was cold.

Tom Reed met Ada Boll at the old bridge. The old bridge fell."""
UNITS = [
    "\n\nTHE MILL", "\n\nAda Boll came to Wessex in May.", ' "Yes."', " She came in May, and nobody saw her.",
    "\n\n| year | sacks | | 1801 | 17 |", "\n\nMr. Orrin counted 4127 sacks that day.", " It was cold.",
    " The miller's cat was called Tobermory.", " It was cold.", "\n\nTom Reed met Ada Boll at the old bridge.",
    " The old bridge fell.",
]  # fmt: skip


def question(name: str, answers: tuple[str, ...] = ("x1",), *, text: str = "", **more: Any) -> DocumentQuestion:
    fields = {"doc_id": "d", "split": "test", "kind": "qa", "text": text or f"What is {name}?", **more}
    return DocumentQuestion(question_id=name, answers=answers, **fields)


def located(folder: Path, *questions: DocumentQuestion, text: str = TEXT) -> tuple[list[Any], dict[str, int]]:
    """(id, evidence, units) of what can be asked of one document, and the counts."""
    built = small.write(folder, [Document("d", "D", "test", text)], questions)
    return [(each.source.question_id, each.evidence, each.units) for each in built.questions], built.meta[
        "questions_left_out"
    ]


def units(store: Background) -> list[str]:
    return [bytes(store.text[a:b]).decode() for a, b in zip(store.byte_at, store.byte_at[1:], strict=False)]


def test_nothing_that_a_document_says_is_dropped(tmp_path: Path) -> None:
    """The sums of a store with two tokenizers are those of the text itself."""
    small.write(tmp_path, [Document("d", "D", "test", TEXT)], [question("a")], tokenizers=("tekken", "gpt2"))
    store = Documents(tmp_path / "documents/books").store
    assert units(store) == UNITS
    assert sum(store.meta["dropped"].values()) == 0, "the sentence that comes twice is there twice"
    for each in map(tokenizer.load, ("tekken", "gpt2")):
        assert store.tokens_at(each.fingerprint)[store.size] == each.count("".join(UNITS))


def test_lines_are_paragraphs_where_nothing_is_wrapped(tmp_path: Path) -> None:
    """But a line that goes on with a sentence is none; and of a text with short lines each may be verse, or wrapped."""
    long = "It was a long day, " * 10 + "and a hot one."
    text = f"1 Introduction\n{long}\n{long} Hence\n. It follows\nthat so.\n\nby Ada\nTHE END"
    documents = [Document("d", "D", "test", text), Document("e", "E", "test", "One\ntwo.\n\n\nThree.")]
    small.write(tmp_path, documents, [question("a")])
    found = "".join(units(Documents(tmp_path / "documents/books").store)).split("\n\n")[1:]
    told = f"{long} Hence . It follows that so."
    assert found == ["1 Introduction", long, told, "by Ada", "THE END", "One two.", "Three."]


def test_notes_and_spaces_stay_as_they_were(tmp_path: Path) -> None:
    """What a corpus drops as editorial is part of a document, and a sentence ends only at white space; a lost space comes back."""
    text = "[1] The witness said NO!!! twice.\n\n[Illustration: The mill.]\n\n* * * * *\n\nIt was “use of force.”The Council met. It rose."
    small.write(tmp_path, [Document("d", "D", "test", text)], [question("a")])
    store = Documents(tmp_path / "documents/books").store
    assert "".join(units(store)).strip() == text.replace("”The", "” The")
    assert units(store)[-2:] == [" The Council met.", " It rose."]


EVIDENCE = {
    ("Mr. Orrin counted 4127 sacks that day.",): ((5, 6),),
    ("was called Tobermory",): ((7, 8),),
    ("Ada Boll came to _Wessex_\nin May.",): ((1, 2),),
    ("that day. It was cold. The miller's cat",): ((5, 8),),
    ("The old bridge fell.", '"Yes." She came'): ((2, 4), (10, 11)),
    ("called Tobermory.", "The miller's cat was"): ((7, 8),),
    ("It was cold.",): ((6, 7),),  # in two places
    ("was cold. Tom Reed met",): ((8, 10),),  # over the end of a paragraph
    ("Mr. Orrin counted 4128 sacks.", "The old bridge fell."): (),
}


def test_evidence_by_heart(tmp_path: Path) -> None:
    asked = [question(f"q{i}", evidence=evidence) for i, evidence in enumerate(EVIDENCE)]
    found, counts = located(tmp_path, *asked, question("said", ("Tom Reed",), evidence=("Tom met Ada.",)))
    assert found == [
        *((f"q{i}", "verified" if place else "unknown", place) for i, place in enumerate(EVIDENCE.values())),
        ("said", "aligned", ((9, 10),)),
    ]
    assert counts == {"evidence_not_found": 2, "evidence_stands_in_several_places": 1}


PLACES = {
    ("Tom Reed",): (9, 10),
    ("tom  REED!",): (9, 10),
    ("the Tom Reed",): (9, 10),
    ("Ada Boll",): None,  # two places
    ("Tobermory",): (7, 8),  # one word, long and once
    ("met",): None,  # one word, short
    ("a cat",): None,  # an article is no word of its own
    ("4127",): (5, 6),
    ("17",): None,
    ("Tom Ree",): None,  # whole words
    ("yes she came",): (2, 4),  # over a sentence end
    ("nobody knows", "4127 sacks"): (5, 6),  # the first that stands alone
    ("The Mill",): None,  # one short word behind an article
}


def test_answers_are_looked_for_where_there_is_no_evidence(tmp_path: Path) -> None:
    found, _ = located(tmp_path, *(question(f"q{i}", answers) for i, answers in enumerate(PLACES)))
    assert found == [
        (f"q{i}", "aligned" if place else "unknown", (place,) if place else ())
        for i, place in enumerate(PLACES.values())
    ]


def test_what_cannot_be_asked_is_counted(tmp_path: Path) -> None:
    choice = {"kind": "choice", "choices": ("A", "B")}
    found, counts = located(
        tmp_path,
        question("good", ("The", "Wessex")),
        question("missing", doc_id="elsewhere"),
        question("wordless", ("The", "...")),
        question("none", ()),
        question("again", text="what is GOOD"),
        question("silent", text="?!"),
        question("letter", ("A",), text="Which?", **choice),
        question("not among them", ("C",), text="Which one?", **choice),
        question("twice", ("A",), text="Which two?", kind="choice", choices=("A", "A ", "B")),
        question("sum", (), kind="summary", references=("A mill.",)),
        question("no sum", (), kind="summary"),
        question("empty", doc_id="void"),
    )
    assert [name for name, *_ in found] == ["good", "letter", "sum"]
    assert counts == {
        "answers_without_words": 1, "asked_twice": 1, "choices_unclear": 2, "document_missing": 2, "no_answer_with_words": 2,
        "no_question": 1, "no_reference": 1,
    }  # fmt: skip


def test_answers_that_a_metric_reads_as_nothing_are_gone(tmp_path: Path) -> None:
    """docs/defects/helmet.md D10: 'The' would be right whatever is said; docs/defects/helmet.md D9: of choices it is the letter
    that counts, so 'A' stays."""
    built = small.write(
        tmp_path,
        [Document("d", "D", "test", TEXT)],
        [question("a", ("The", "Wessex", "A")), question("b", ("A",), kind="choice", choices=("A", "B"))],
    )
    assert [each.source.answers for each in built.questions] == [("Wessex",), ("A",)]


def test_a_question_of_another_split_and_documents_without_questions_are_refused(tmp_path: Path) -> None:
    with refused(CorpusError, "", "'a'", "'d'"):
        small.write(tmp_path / "b", [Document("d", "D", "test", TEXT)], [question("a", split="train")])
    with refused(CorpusError, "", "no_answer_with_words", 1):
        small.write(tmp_path / "c", [Document("d", "D", "test", TEXT)], [question("a", ("the",))])


def test_two_documents_of_one_text_count_as_one(tmp_path: Path) -> None:
    """docs/defects/helmet.md D8: ids may share a book."""
    documents = [Document(name, name, "test", text) for name, text in (("d", TEXT), ("e", TEXT), ("f", TEXT + " Not."))]
    built = small.write(tmp_path, documents, [question(name, doc_id=name) for name in "def"])
    first, second, third = (each.text for each in built.questions)
    assert first == second != third


def test_key_points_are_where_their_evidence_stands(tmp_path: Path) -> None:
    """One that stands nowhere is counted, and then nobody knows of any of them."""
    first, last = "It was cold.", "She came in May."
    document = Document("d", "D", "test", f"{first} Ann was ill. She wept. {last}")

    def told(name: str, *evidence: str) -> tuple[Any, Any]:
        points = tuple(
            KeyPoint(f"Point {n}.", (), "simulated", (text,) if text else ()) for n, text in enumerate(evidence)
        )
        asked = question("s", (), kind="summary", references=("All.",), key_points=points)
        built = small.write(tmp_path / name, [document], [asked])
        assert Documents(tmp_path / name / "documents/books").all == built.questions
        return built.questions[0].told, built.report["questions_left_out"]

    assert told("all", last, f"{first} Ann was ill.") == (((3, 4), (0, 2)), {})
    assert told("one nowhere", last, "It was hot.") == ((), {"key_point_not_found": 1})
    assert told("nobody knows", "", "") == ((), {})


def test_damage_is_named(tmp_path: Path) -> None:
    small.write(tmp_path, [Document("d", "D", "test", TEXT)], [question("q", ("Wessex",))])
    path = tmp_path / "documents/books/questions.jsonl"
    good = path.read_bytes()
    path.write_bytes(good.replace(b"Wessex", b"Mercia"))
    with refused(CorpusError, "documents/books/questions.jsonl", "changed"):
        Documents(path.parent).verify()
    path.write_bytes(good)
    meta = path.with_name("meta.json")
    meta.write_text(meta.read_text().replace('"questions_version"', '"none"'))
    with refused(CorpusError, "documents/books", "questions"):
        Documents(path.parent)


@pytest.fixture(scope="module")
def long_store(tmp_path_factory: pytest.TempPathFactory) -> Background:
    folder = tmp_path_factory.mktemp("long")
    made, questions = small.document("test", 5)
    small.write(folder, [made], questions)
    return Documents(folder / "documents/books").store


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_stretch_of_a_document_is_found_where_it_stands(long_store: Background, data: st.DataObject) -> None:
    """Evidence that is cut out anywhere, in the middle of words too, lies inside the sentences that are named."""
    text = "".join(units(long_store))
    start = data.draw(st.integers(0, len(text) - 80))
    quote = text[start : start + data.draw(st.integers(25, 400))].strip()
    entry = long_store.documents[0]
    query = DocumentQuestion("x", entry.doc_id, "test", "qa", "What?", ("zzzz",), (), (quote,))
    (found,), _ = prepare(long_store, [query], DocumentParams(source="library", set="all").clean)
    (first, last) = found.units[0]
    folded = " ".join(quote.split())
    inside, less, fewer = (
        " ".join("".join(units(long_store)[a:b]).split())
        for a, b in ((first, last), (first + 1, last), (first, last - 1))
    )
    assert found.evidence == "verified"
    assert folded in inside and folded not in less and folded not in fewer
