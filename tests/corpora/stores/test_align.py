"""Evidence in other words: the place is found, its offset and score are kept, and what is too unlike stays unknown."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.stores.documents.align import Words
from corpora.stores.documents.store import Documents
from haymaker.core.rows.source_records import Document
from tests.corpora.conftest import Held
from tests.corpora.sources.test_documents import documents
from tests.corpora.stores.test_documents import TEXT, question
from tests.generators.documents import small

WHOLE = (
    "The first wall of the town began to rise in the year 62.\n\nMany a mason[12] came from Erdoğan's valley to build the second one, "
    "which was longer. A flood took the northern gate away in 1301. Nobody mended the northern gate for a hundred years, and sheep "
    "went in and out.\n\nThe second wall was longer, and a mason came to mend it in 1402."
)


@pytest.mark.parametrize(
    ("told", "found", "score"),
    [
        ("A flood took the northern gate away in 1301.", ["A flood took the northern gate away in 1301"], 1.0),
        ("a Flood took the Northern gate away[3] in 1301", ["A flood took the northern gate away in 1301"], 1.0),
        ("Many a mason came from Erdo?an's valley", ["Many a mason[12] came from Erdoğan's valley"], 0.97),
        (
            "A flood took the northern gate away in 1301. The first wall of the town began to rise in the year 62.",
            ["A flood took the northern gate away in 1301", "The first wall of the town began to rise in the year 62"],
            1.0,
        ),
        ("(Walls) A flood took the northern gate away in 1301", ["A flood took the northern gate away in 1301"], 0.9),
        ("A mason came to mend it", ["a mason came to mend it"], 1.0),  # not where "a mason came" stands first
        ("Sheep and cattle are sold on Fridays at the market of the next town", [], 0.6),
    ],
)
def test_the_place_most_like_a_text(told: str, found: list[str], score: float) -> None:
    place = Words(WHOLE).place(told, 0.85)
    assert [WHOLE[first:last] for first, last in place.spans] == found
    assert place.score == pytest.approx(score, abs=0.07) if found else place.score < 0.7


@given(st.data())
def test_any_stretch_of_words_is_wholly_found_where_the_same_words_stand(data: st.DataObject) -> None:
    words = WHOLE.replace("[12]", "").split()
    first = data.draw(st.integers(0, len(words) - 6))
    stretch = words[first : data.draw(st.integers(first + 6, len(words)))]
    place = Words(WHOLE).place(" ".join(stretch).upper(), 0.85)
    assert place.score == 1.0
    found = " ".join(WHOLE[a:b] for a, b in place.spans).replace("[12]", "")
    letters = [[char for char in text.casefold() if char.isalnum()] for text in (found, " ".join(stretch))]
    assert letters[0] == letters[1]


@given(st.text("ab c.…[1]\n", max_size=60), st.text("ab c.…[1]\n", max_size=60))
def test_scores_and_spans_of_any_text(told: str, whole: str) -> None:
    place = Words(whole).place(told, 0.5)
    assert 0 <= place.score <= 1 and place == Words(whole).place(told, 0.5)
    assert all(0 <= first < last <= len(whole) for first, last in place.spans)


ASKED = (
    question("verbatim", evidence=("Mr. Orrin counted 4127 sacks that day.", "called Tobermory")),
    question("other words", evidence=("Mister Orrin counted 4127 sacks that day", "The old bridge fell.")),
    question("half", evidence=("The old bridge fell.", "Nothing of this is told there at all")),
    question("said", ("Tom Reed",), evidence=("Nothing of this is told there at all",)),
    question("none", ("Tom Reed",)),
)


def test_how_far_evidence_is_known(tmp_path: Path) -> None:
    built = small.write(tmp_path, [Document("d", "D", "test", TEXT)], ASKED, fuzzy_match_threshold=0.85)
    found = Documents(tmp_path / "documents/books")
    assert found.all == built.questions
    assert [(each.evidence, each.units) for each in found.all] == [
        ("verified", ((5, 6), (7, 8))),
        ("aligned", ((5, 6), (10, 11))),
        ("unknown", ()),
        ("unknown", ()),
        ("aligned", ((9, 10),)),
    ]
    text = bytes(found.store.text).decode()
    verbatim, other, half, said, none = (each.aligned for each in found.all)
    assert [score for _, score in verbatim] == [1.0, 1.0] and 0.85 <= other[0][1] < 1 and other[1][1] == 1.0
    assert [text[at:].split(" ")[0] for at, _ in (*verbatim, *other)] == ["Mr.", "called", "Mr.", "The"]
    assert (half[1][0], said[0][0], none) == (-1, -1, ()) and half[1][1] < 0.85
    assert built.meta["questions_left_out"] == {"evidence_aligned": 1, "evidence_not_found": 2}


@pytest.mark.real
@pytest.mark.parametrize(
    ("name", "at_least", "evidence"),
    [
        (
            "longdep",
            {1.0: 69, 0.98: 76, 0.95: 80, 0.85: 82, 0.7: 83},
            {"aligned": 15, "unknown": 2, "verified": 11},
        ),
    ],
)
def test_evidence_of_loogle(
    held: Held, tmp_path: Path, name: str, at_least: dict[float, int], evidence: dict[str, int]
) -> None:
    source, raw = held("loogle_typed_mirror")
    asked = source.document_questions(raw, name)
    of = {question.doc_id for question in asked}
    there = [each for each in documents(source, raw) if each.doc_id in of]
    built = small.write(tmp_path / "built", there, asked, fuzzy_match_threshold=0.85)
    scores = [score for each in built.questions for _, score in each.aligned]
    assert {least: sum(score >= least for score in scores) for least in at_least} == at_least
    assert Counter(each.evidence for each in built.questions) == evidence
    assert all(bool(each.units) == (each.evidence != "unknown") for each in built.questions)
