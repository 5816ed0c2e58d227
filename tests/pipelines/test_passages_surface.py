"""Gold and distractors of one release have one surface: no mark of the file that a passage came from tells them apart."""

from __future__ import annotations

import gzip
import re
from collections import Counter
from pathlib import Path

import pytest

from corpora.retrieval.mining.locate import locate
from corpora.sources import create, reviews
from corpora.sources.base import FetchContext
from corpora.stores.passages.cut import CutParams, cut
from haymaker.core.rows.source_records import Article, Evidence, Paragraph, Passage, Question
from haymaker.core.text.normalize import clean
from pipelines.stages.passages import passages_of
from tests.corpora.retrieval.mining_material import make_store, passage

TORN = "Teutberga( died 875) , who" + '`s " Oath" was  won ( ) .'.replace("`", "'")
WHOLE = 'Teutberga (died 875), who\'s "Oath" was won.'
MARKS = {
    "space in brackets": r"[(\[]\s|\s[)\]]",
    "empty brackets": r"\s\(\W*\)",
    "bracket at the word before": r"\w\( ",
    "space before a mark": r"\s[,;:](?=\s)",
    "quotes of TeX": r"``|''",
    "two quotes": '""',
    "curly quotes": "[\u2018\u2019\u201c\u201d]",
    "opening quote at the word before": r"\w\" [A-Z][^\".]*\"",
    "torn hyphen": r"\w- \w(?!nd |r |o )|[a-z] - [a-z]",
    "torn contraction": r"\w n't\b|\w 's ",
    "sign before a space": r"[$£€] \d|\w# \d",
    "slash before a space": r"\s[A-Za-z.'-]+/ [A-Za-z]",
    "wide or double space": r"  |[\u00a0\u2000-\u200b\u202f]",
    "what has no width": "[\u00ad\u200b\u200e\u200f\ufeff]",
    "note of an editor": r"\[(?:citation needed|edit)\]",
}


def _ready_made(folder: Path, rules: CutParams) -> list[Passage]:
    """What becomes of the passage TORN of a file in DPR's form."""
    folder.mkdir()
    quoted = TORN.replace('"', '""')
    (folder / "psgs_w100.tsv.gz").write_bytes(gzip.compress(f'id\ttext\ttitle\n1\t"{quoted}"\tT\n'.encode()))
    source = create("dpr", "dpr_passages", {"url": folder.as_uri()}, where="dpr")
    source.fetch(folder / "raw", FetchContext(None, folder / "downloads", folder / "lock.json"))
    (batch,) = source.batches(folder / "raw")
    return list(passages_of(source, folder / "raw", batch, rules, Counter()))


def test_ready_made_passages_and_articles_come_clean_unless_told_otherwise(tmp_path: Path) -> None:
    for normalize, text in ((True, WHOLE), (False, TORN)):
        rules = CutParams(min_words=1, normalize=normalize)
        (found,) = cut(Article("1", "T", (Paragraph("title", "T"), Paragraph("text", TORN))), rules, Counter())
        assert found.text == f"T\n{text}" and found.end - found.start == len(found.text)
        assert [each.text for each in _ready_made(tmp_path / str(normalize), rules)] == [text]
    assert "normalize" not in CutParams().model_dump(mode="json"), (
        "stores and fingerprints of other text keep their bytes"
    )


def test_evidence_is_found_in_cleaned_passages(tmp_path: Path) -> None:
    torn = "The oath( of 875) did n't last, said Lothar."
    store = make_store(tmp_path / "store", [passage(0, "Another."), passage(1, clean(torn), title="Oath")])
    question = Question(
        "q", "test", "Who?", "single", answers=("Lothar",), evidence=(Evidence(title="Oath", text=torn),)
    )
    assert [gold.passage for gold in locate(question, store).gold] == [1]


@pytest.mark.real
def test_no_mark_tells_the_gold_of_the_mirror(tmp_path: Path, mirror: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before: "( " in 0 to 1 % of the gold of NQ and 18 % of the others, " )" in 10 % of HotpotQA's gold and 1 %."""
    monkeypatch.setattr(reviews, "FOLDER", tmp_path / "none")  # the rates are of all published passages
    context, sides = FetchContext(mirror, tmp_path / "downloads", tmp_path / "lock.json"), dict[str, list[str]]()
    for name in ("wikipedia", "nq", "popqa", "hotpotqa"):
        source, raw = create(name, f"{name}_mirror", {}, where=name), tmp_path / name
        source.fetch(raw, context)
        if name == "wikipedia":
            found = (passages_of(source, raw, batch, CutParams(), Counter()) for batch in source.batches(raw)[::4])
            sides[name] = [each.text for passages in found for each in passages]
        else:
            asked = source.questions(raw, name, "test")[:300]
            sides[name] = [clean(evidence.text) for question in asked for evidence in question.evidence]
    assert len(sides["wikipedia"]) > 5_000
    for mark, pattern in MARKS.items():
        for side, texts in sides.items():
            assert sum(bool(re.search(pattern, text)) for text in texts) <= 0.01 * len(texts), (mark, side)
