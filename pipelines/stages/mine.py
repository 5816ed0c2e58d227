"""Build retrieval sets for the stage retrieve: gold passages and hard negatives, in shards reused after a kill."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpora.retrieval.index import RETRIEVERS, open_searcher
from corpora.retrieval.mining import MINED_RULES_VERSION
from corpora.retrieval.mining.miner import in_keyed_order
from corpora.retrieval.mining.params import SPLITS, MiningParams
from corpora.retrieval.mining.report import Outcome, report, summary
from corpora.retrieval.mining.search import SHARD_QUESTIONS
from corpora.retrieval.mining.similarity import table
from corpora.stores.mined import MINED_VERSION, join_mined
from corpora.stores.passages.store import Passages
from generators.inputs import Use
from haymaker.core.errors import ParamsError
from haymaker.core.files.disk import read_json, write_json, write_text
from haymaker.core.rng import digest
from haymaker.core.rows.source_records import Question, Split
from pipelines.execution.executor import Done, Job, complete
from pipelines.execution.executor import run as execute
from pipelines.execution.worker_state import payload
from pipelines.project import Project
from pipelines.stages import inputs
from pipelines.stages.mine_shards import HITS, MINED, params_of, yardsticks

_MINED_TOGETHER = 8  # questions per shard, and the most work that a killed run loses per worker
_Way = Generator[list[Job], list[Done], None]  # yields the jobs to run next and receives their results


@dataclass(frozen=True)
class _Set:
    """A retrieval set to build; `fingerprints` identify the retriever."""

    project: Project
    name: str
    params: MiningParams
    store: Passages
    fingerprints: dict[str, Any]
    fingerprint: str

    @property
    def use(self) -> Use:
        return Use("retrieval_sets", self.name)

    @property
    def reads(self) -> tuple[Use, ...]:
        return Use("sources", self.params.questions), Use("passages", self.params.passages)

    def questions(self, split: Split) -> list[Question]:
        """Return all questions of a split, in keyed order."""
        inputs, source = self.project.inputs, self.params.questions
        found = inputs.source(source).questions(inputs.raw(source), self.params.set, split)
        return in_keyed_order(found, inputs.params.release.stream_key, "mine", self.name, split)

    def job(self, step: str, split: Split, *numbers: int, **more: Any) -> Job:
        """Return the job of one shard of a step (`search` or `mine`); the numbers are part of its key."""
        sent = payload(self.project, set=self.name, mark=self.fingerprint, **more)
        key = "-".join([step, split, *(f"{number:05d}" for number in numbers)])
        place = f"mine/{self.use.kind}/{self.name}-{self.fingerprint}/{key}"
        function = f"pipelines.stages.mine_shards:{step}_shard"
        return Job(
            place,
            function,
            sent,
            float(len(sent["questions"])),
            gpu=step == "search" and "dense" in RETRIEVERS[self.params.retriever],
        )


def build(project: Project, names: Iterable[str]) -> inputs.Kept:
    """Build the named retrieval sets; finished sets are reused."""
    every = {each.use: each for each in (_open(project, name) for name in names)}
    found, unfinished = inputs.split_finished(project, {use: each.fingerprint for use, each in every.items()})
    open_ = [every[use] for use in unfinished]
    inputs.check(project, {use for each in open_ for use in each.reads})
    outcomes = {each.name: _outcomes(each) for each in open_}
    _side_by_side(
        project,
        [_mine(each, outcome, questions) for each in open_ for outcome, questions in outcomes[each.name]],
    )
    for each in open_:
        found[each.use] = _joined(each, [outcome for outcome, _ in outcomes[each.name]])
        inputs.forget_old(project, "mine", each.use)
    return found


def _outcomes(each: _Set) -> list[tuple[Outcome, list[Question]]]:
    """Return an empty outcome and the questions for every requested split."""
    asked = {split: each.questions(split) for split in SPLITS if split in each.params.count}
    _check_known(each.name, each.params, asked)
    return [(Outcome(split, each.params.count[split]), questions) for split, questions in asked.items()]


def _joined(each: _Set, outcomes: Sequence[Outcome]) -> Done:
    """Write the finished set: its questions, counts and passage similarities."""

    def fill(folder: Path) -> dict[str, Any]:
        counts = report(outcomes, each.params)
        files = [file for outcome in outcomes for file in outcome.files]
        join_mined(files, folder / inputs.STORE, _meta(each, counts), shown=each.params.include_released_passages)
        write_text(folder / "similarity.csv", table(one["figures"] for outcome in outcomes for one in outcome.kept))
        again = sum(
            outcome.second_searches for outcome in outcomes
        )  # kept out of the set: a GPU's last digits may differ
        more = {"second_searches": again} if again else {}
        reasons = "".join(
            f"; {count:,} left out: {reason.replace('_', ' ')}" for reason, count in counts["dropped"].items()
        )
        text = summary(counts, each.params, len(each.store)) + reasons
        write_json(folder / "counts.json", {**counts, "short": len(counts["short"]), **more})
        return {"summary": text}

    return complete(inputs.key(each.use, each.fingerprint), each.project.work, fill)


def _open(project: Project, name: str) -> _Set:
    """Open a set and compute the fingerprint of everything that determines its result."""
    given, params = project.inputs, params_of(project.inputs, name)
    store = Passages(project.data / "corpora" / params.passages)
    index = project.data / "indexes" / params.passages
    models = {"retriever": open_searcher(index, store, params.retriever).fingerprint}
    material = [
        params.model_dump_json(),
        given.params.release.stream_key,
        given.source_digest(params.questions),
        store.digest,
        *store.meta["tokenizers"],
        json.dumps(models, sort_keys=True),
        *yardsticks(index),
    ]
    fingerprint = digest(name, *material, MINED_RULES_VERSION, MINED_VERSION, size=6).hex()
    return _Set(project, name, params, store, models, fingerprint)


def _check_known(name: str, params: MiningParams, asked: dict[Split, list[Question]]) -> None:
    """Check that every excluded question id exists in the set."""
    unknown = set(params.exclude_ids) - {question.question_id for questions in asked.values() for question in questions}
    if unknown:
        splits = " and ".join(asked)
        raise ParamsError(
            f"{params.questions} has no question {min(unknown)!r} in {splits}",
            where=f"retrieval_sets.{name}.exclude_ids",
            fix="correct the id, or remove it from the list",
        )


def _side_by_side(project: Project, parts: Iterable[_Way]) -> None:
    """Run generators of jobs in parallel: a round runs the next jobs of all, so small splits need not wait."""
    waiting = {way: jobs for way in parts if (jobs := next(way, None))}
    while waiting:
        jobs = [job for each in waiting.values() for job in each]
        done = iter(execute(jobs, project.work, title="mine", unit="questions"))
        for way, jobs in list(waiting.items()):
            try:
                waiting[way] = way.send([next(done) for _ in jobs])
            except StopIteration:
                del waiting[way]


def _mine(mined_set: _Set, outcome: Outcome, questions: list[Question]) -> _Way:
    """Search and mine shards of a split until enough questions are kept or all are used.

    The kept questions are always the first usable ones in keyed order, however many shards run at a time.
    """
    shards = [questions[at : at + SHARD_QUESTIONS] for at in range(0, len(questions), SHARD_QUESTIONS)]
    searched, jobs, split = 0, list[Job](), outcome.split
    while outcome.lacking and (jobs or searched < len(shards)):
        if not jobs:
            some = range(searched, min(searched + -(-outcome.lacking // SHARD_QUESTIONS), len(shards)))
            found = yield [mined_set.job("search", split, i, questions=shards[i]) for i in some]
            for i, done in zip(some, found, strict=True):
                jobs += _mining_jobs(mined_set, split, i, shards[i], done)
                outcome.second_searches += done.result["again"] or 0
            searched = some.stop
        now = _enough(jobs, outcome.likely())
        for done in (yield jobs[:now]):
            outcome.take(done.result, done.folder / MINED)
        jobs = jobs[now:]
    outcome.check_some(mined_set.name, mined_set.params)


def _mining_jobs(
    mined_set: _Set, split: Split, shard: int, questions: Sequence[Question], found: Done
) -> Iterator[Job]:
    """Yield the mining jobs of a searched shard: a few questions each, with the rows of their hits (None: no gold)."""
    for at in range(0, len(questions), _MINED_TOGETHER):
        span, hits = slice(at, at + _MINED_TOGETHER), found.folder / HITS
        yield mined_set.job(
            "mine", split, shard, at, questions=questions[span], rows=found.result["rows"][span], hits=hits
        )


def _enough(jobs: Sequence[Job], questions: int) -> int:
    """Return how many of the jobs are needed to cover a number of searched questions."""
    for number, job in enumerate(jobs, 1):
        questions -= sum(row is not None for row in job.payload["rows"])
        if questions <= 0:
            return number
    return len(jobs)


def _meta(mined_set: _Set, counts: dict[str, Any]) -> dict[str, Any]:
    """Return the metadata of the mined file."""
    params, store = mined_set.params, mined_set.store
    corpus = mined_set.project.params.passages[params.passages]["source"]
    sources = {
        params.questions: read_json(mined_set.project.inputs.raw(params.questions) / "SOURCE.json"),
        corpus: store.meta["source"],
    }
    return {
        "set": mined_set.name,
        "summary": summary(counts, params, len(store)),
        "params": params.model_dump(mode="json"),
        **mined_set.fingerprints,
        "passages": {"name": params.passages, "digest": store.digest, "passages": len(store)},
        "tokenizers": store.meta["tokenizers"],
        "sources": {name: {k: v for k, v in facts.items() if k != "files"} for name, facts in sources.items()},
        **counts,
    }
