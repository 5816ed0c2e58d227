"""Speech of which a half was left out keeps no mark."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpora.stores.sentences.build import build_batch, merge
from corpora.stores.sentences.clean import CleaningParams
from corpora.stores.sentences.speech import halved, without_announcements
from corpora.stores.sentences.store import Background, CorpusParams
from corpora.tokenizers import tokenizer
from haymaker.core.rows.source_records import Document


def taken(sentences: list[str], kept: list[int]) -> list[str]:
    """The kept sentences without their halved marks."""
    out = dict(zip(kept, (sentences[i] for i in kept), strict=True))
    for i, at in sorted(halved([(each, 0) for each in sentences], kept), reverse=True):
        out[i] = out[i][:at] + out[i][at + 1 :]
    return [out[i] for i in kept]


@pytest.mark.parametrize(
    ("sentences", "kept", "left"),
    [
        (['"Oh!', 'You came," he said.'], [1], ["You came, he said."]),
        (['"You came.', 'Oh!"'], [0], ["You came."]),
        (['"Oh!', "So you came.", 'Sit down."'], [1, 2], ["So you came.", "Sit down."]),
        (['"Oh!', 'You came," he said.'], [0, 1], ['"Oh!', 'You came," he said.']),
        (['"No," said he; "nor', 'I."'], [0], ['"No," said he; nor']),
        (["“Oh!", "You came.”"], [1], ["You came."]),
        (['"It goes on in the next paragraph.', "No."], [0], ['"It goes on in the next paragraph.']),
        (['Never," said he.', "No."], [0], ["Never, said he."]),
        (['He had 6" of it.'], [0], ['He had 6" of it.']),
    ],
)
def test_marks_without_their_other_half(sentences: list[str], kept: list[int], left: list[str]) -> None:
    assert taken(sentences, kept) == left


@pytest.mark.parametrize(
    ("sentences", "kept", "left"),
    [
        ([("Then he said:", 0), ("“No.”", 1), ("She turned away.", 2)], [0, 2], [2]),
        ([("Then he said:", 0), ("She turned away.", 2)], [0, 1], [1]),  # of paragraph 1 nothing is a sentence
        ([("Then he said:", 0), ("“No, never.”", 1)], [0, 1], [0, 1]),
        ([("It read thus:", 0), ("Then he says,", 1), ("“No.”", 2)], [0, 1], []),
        ([("He went.", 0), ("Then he says,", 1)], [0, 1], [0]),
        ([("He went.", 0), ("“No.”", 1)], [0], [0]),
    ],
)
def test_what_announces_a_speech_goes_with_it(
    sentences: list[tuple[str, int]], kept: list[int], left: list[int]
) -> None:
    assert without_announcements(sentences, kept) == left


def test_a_store_has_no_announcement_of_what_is_too_short(tmp_path: Path) -> None:
    said = "He laughed and laughed until his sides were sore, and then after a long while he said to the miller:"
    last = "She turned away from the mirror and went slowly down to the garden where nobody was."
    params = CorpusParams(source="books", clean=CleaningParams(front_matter=False, headings=False))
    document = Document("book", "Book", "test", f"{said}\n\n“Let us go.”\n\n{last}")
    result = build_batch([document], params, [tokenizer.load("tekken")], tmp_path)
    assert (tmp_path / "text.bin").read_text(encoding="utf-8") == f" {last}"
    assert result["dropped"]["announces_what_is_left_out"] == 1


def test_a_store_counts_what_it_took_off_and_every_unit_adds_up(tmp_path: Path) -> None:
    text = '"Oh! I never thought that you would come to see me here again," said the miller to his guest at the door. He laughed and laughed until his sides were sore.'
    clean = CleaningParams(front_matter=False, headings=False)
    params, counters = CorpusParams(source="books", clean=clean), [tokenizer.load("tekken")]
    batch = tmp_path / "batch"
    batch.mkdir()
    result = build_batch([Document("book", "Book", "test", text)], params, counters, batch)
    assert {why: count for why, count in result["dropped"].items() if count} == {"half_of_a_speech": 1, "not_prose": 1}
    merge([(batch, result)], params, counters, tmp_path / "store", {})
    store = Background(tmp_path / "store")
    whole = bytes(store.text).decode()
    assert whole.startswith(" I never thought that you would come to see me here again, said the miller")
    assert store.tokens_at(counters[0].fingerprint)[-1] == counters[0].count_part(whole)
