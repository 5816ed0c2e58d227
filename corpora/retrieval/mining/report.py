"""What became of the questions of a set: counts for people, for DVC and for the file's own metadata."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from corpora.retrieval.mining.locate import NOT_IN_CORPUS, Located
from corpora.retrieval.mining.params import MiningParams
from corpora.retrieval.mining.similarity import Sums
from corpora.stores.mined import MinedQuestion, found_at_once
from haymaker.core.errors import CorpusError
from haymaker.core.rows.source_records import Split

Record = dict[str, Any]
_WORDS = {"released": "as their publisher found them"}


def record(located: Located, mined: MinedQuestion | None, figures: Sums) -> Record:
    """Return facts of one question besides its row, as JSON."""
    out = {
        "id": located.question.question_id,
        "dropped": located.dropped,
        "missing": located.missing,
        "unknown": located.unknown,
        "figures": figures,
    }
    if mined is not None:
        out |= {
            "distractors": len(mined.distractors),
            "removed": mined.removed,
            "searched": mined.searched,
            "shown": mined.shown,
        }
        if mined.kind == "bridge":
            out["answer_rank"] = mined.gold.rank[0]
    return out


@dataclass
class Outcome:
    """Outcome of the questions of one split, in their keyed order, up to the last one needed.

    Attributes:
        split: the split.
        wanted: number of questions wanted.
        records: one per processed question.
        files: mined files, and number of questions to take from each.
        second_searches: of FAISS indexes that returned all they can (corpora/retrieval/faiss_flat.py).
    """

    split: Split
    wanted: int
    records: list[Record] = field(default_factory=list)
    files: list[tuple[Path, int]] = field(default_factory=list)
    second_searches: int = 0

    @property
    def kept(self) -> list[Record]:
        """Records of the questions that stay."""
        return [each for each in self.records if not each["dropped"]]

    @property
    def lacking(self) -> int:
        """Questions that are still wanted."""
        return self.wanted - sum(count for _, count in self.files)

    def likely(self) -> int:
        """Searched questions to mine next, by the share that was kept so far."""
        kept = self.wanted - self.lacking
        return -(-self.lacking * len(self.records) // kept) if kept else self.lacking

    def take(self, records: Sequence[Record], file: Path) -> None:
        """Add a shard; questions beyond those wanted are as if never looked at."""
        taken = 0
        for each in records:
            if taken == self.lacking:
                break
            taken += not each["dropped"]
            self.records.append(each)
        self.files.append((file, taken))

    def check_some(self, name: str, params: MiningParams) -> None:
        """Check that at least one question is usable; else raise CorpusError with the reasons."""
        if self.kept:
            return
        where, total = f"retrieval_sets.{name}", len(self.records)
        if not total:
            raise CorpusError(
                f"set {params.set!r} has no questions of split {self.split}",
                where=where,
                fix=f"remove {self.split} from count",
            )
        counts = Counter(each["dropped"] for each in self.records)
        reasons = ", ".join(f"{reason} {count:,}" for reason, count in sorted(counts.items()))
        what = (
            "the gold passages are not in the corpus"
            if set(counts) == {NOT_IN_CORPUS}
            else f"no question can be used ({reasons})"
        )
        raise CorpusError(
            f"{what}: tried all {total:,} questions of split {self.split}", where=where,
            fix=f"check that passages.{params.passages} is the corpus that these questions were written for",
        )  # fmt: skip


def report(outcomes: Sequence[Outcome], params: MiningParams) -> dict[str, Any]:
    """Return counts of a set.

    asked, questions       per split
    dropped, removed       reason -> questions, passages
    missing_evidence       pieces of evidence or answer groups without a passage
    searched               passages
    distractors            min, median and max per test or dev question
    short                  question -> distractors, if fewer than wanted
    shown                  if requested: distractors of publishers, and pieces that the corpus does not have
    bridges                if any: questions of two hops, and those for which one hop is enough
    """
    kept = [each for outcome in outcomes for each in outcome.kept]
    dropped = Counter(each["dropped"] for outcome in outcomes for each in outcome.records if each["dropped"])
    removed = sum((Counter(each["removed"]) for each in kept), Counter[str]())
    tested = [each for outcome in outcomes if outcome.split != "train" for each in outcome.kept] or kept
    found = [each["distractors"] for each in tested]
    return {
        "asked": {outcome.split: outcome.wanted for outcome in outcomes},
        "questions": {outcome.split: len(outcome.kept) for outcome in outcomes},
        "dropped": dict(sorted(dropped.items())),
        "missing_evidence": sum(each["missing"] for each in kept),
        "searched": sum(each["searched"] for each in kept),
        "removed": dict(sorted(removed.items())),
        "distractors": {"min": min(found), "median": statistics.median(found), "max": max(found)},
        "short": {
            each["id"]: each["distractors"]
            for outcome in outcomes
            for each in outcome.kept
            if each["distractors"] < params.wanted(outcome.split)
        },
        **({"shown": _shown(kept)} if params.include_released_passages else {}),
        **({"bridges": _bridges(ranks)} if (ranks := [e["answer_rank"] for e in kept if "answer_rank" in e]) else {}),
    }


def _bridges(ranks: Sequence[int | None]) -> dict[str, int]:
    """Count bridge questions, those whose answering passage is found first, and those among the first few (one hop)."""
    return {
        "questions": len(ranks),
        "answer_first": sum(rank == 0 for rank in ranks),
        "single_hop": sum(map(found_at_once, ranks)),
    }


def _shown(kept: Sequence[Record]) -> dict[str, int]:
    """Count distractors of publishers, questions without any, and their pieces outside the corpus."""
    return {
        "distractors": sum(each["shown"] for each in kept),
        "questions_without": sum(not each["shown"] for each in kept),
        NOT_IN_CORPUS.removeprefix("gold_"): sum(each["unknown"] for each in kept),
    }


def summary(counts: dict[str, Any], params: MiningParams, passages: int) -> str:
    """One line for people."""
    questions = " and ".join(f"{count:,} {split}" for split, count in counts["questions"].items())
    found = counts["distractors"]
    line = f"{questions} questions, {found['min']:,} to {found['max']:,} distractors each, from {passages:,} passages ({_WORDS.get(params.retriever, params.retriever)})"
    return f"{line}; {len(counts['short']):,} questions have fewer than wanted" if counts["short"] else line
