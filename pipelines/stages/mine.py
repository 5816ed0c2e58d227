"""Stage mine: gold and hard negatives of one set of questions, searched and filtered in fixed shards that survive a kill."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpora.retrieval.cross_encoder import CrossEncoderScorer
from corpora.retrieval.index import RETRIEVERS, open_searcher, verify_index
from corpora.retrieval.mining import MINED_RULES_VERSION
from corpora.retrieval.mining.params import SPLITS, MiningParams
from corpora.retrieval.mining.report import Outcome, report, summary
from corpora.retrieval.mining.sample import in_keyed_order
from corpora.retrieval.mining.search import SHARD_QUESTIONS
from corpora.retrieval.mining.similarity import table
from corpora.retrieval.snapshots import fetch
from corpora.stores.mined import MINED_VERSION, join_mined
from corpora.stores.passages.store import Passages
from generators.inputs import KINDS, Use
from haymaker.errors import ParamsError
from haymaker.files import read_json, remove, write_json, write_text
from haymaker.records import Question, Split
from haymaker.rng import digest
from pipelines.executor import Done, Job
from pipelines.executor import run as execute
from pipelines.integrity import demand_inputs
from pipelines.progress import say
from pipelines.project import Project
from pipelines.stages.mine_shards import HITS, MINED, params_of, yardsticks
from pipelines.workers import payload

_MINED_TOGETHER = 8  # questions of a shard: what a killed run loses at most per worker
_Way = Generator[
    list[Job], list[Done], None
]  # it names the jobs that it needs done next, and is sent what came of them


@dataclass(frozen=True)
class _Set:
    """One set of questions on its way through the stage; `fingerprints` are those of the models that found and filtered its passages."""

    project: Project
    name: str
    params: MiningParams
    store: Passages
    fingerprints: dict[str, Any]
    work: Path

    def questions(self, part: Split) -> list[Question]:
        """All questions of a part, in keyed order."""
        inputs, source = self.project.inputs, self.params.questions
        found = inputs.source(source).questions(inputs.raw(source), self.params.set, part)
        return in_keyed_order(found, inputs.params.release.stream_key, "mine", self.name, part)

    def job(self, step: str, part: Split, *numbers: int, **more: Any) -> Job:
        """A shard of one step; the numbers name it."""
        sent = payload(self.project, set=self.name, mark=self.work.name, **more)
        function = f"pipelines.stages.mine_shards:{step}_shard"
        key = "-".join([step, part, *(f"{number:05d}" for number in numbers)])
        return Job(key, function, sent, float(len(sent["questions"])), gpu=self._loads_model(step))

    def _loads_model(self, step: str) -> bool:
        """Whether a shard of the step computes with a model."""
        if step == "mine":
            return self.params.filter.cross_encoder is not None
        return "dense" in RETRIEVERS[self.params.retriever]

    def run(self, jobs: Sequence[Job]) -> list[Done]:
        """Do jobs, or take up what an earlier run did of them."""
        step = jobs[0].key.partition("-")[0]
        return execute(jobs, self.work, title=f"{step} {self.name}", unit="questions")


def run(project: Project, name: str) -> None:
    """Write data/mined/<name>.parquet, data/counts/mine-<name>.json and data/counts/similarity-<name>.csv."""
    mined_set = _open(project, name)
    asked = {part: mined_set.questions(part) for part in SPLITS if part in mined_set.params.count}
    _demand_known(name, mined_set.params, asked)
    outcomes = [Outcome(part, mined_set.params.count[part]) for part in asked]
    _side_by_side(mined_set, [_mine(mined_set, each, asked[each.part]) for each in outcomes])
    counts = report(outcomes, mined_set.params)
    target = KINDS["mined"].path(project.data, name)
    files = [file for outcome in outcomes for file in outcome.files]
    join_mined(files, target, _meta(mined_set, counts), shown=mined_set.params.shown)
    figures = table(each["figures"] for outcome in outcomes for each in outcome.kept)
    write_text(project.counts / f"similarity-{name}.csv", figures)
    again = sum(outcome.second_searches for outcome in outcomes)  # not of the file: a GPU's last digits may differ
    more = {"second_searches": again} if again else {}
    write_json(project.counts / f"mine-{name}.json", {**counts, "short": len(counts["short"]), **more})
    for old in mined_set.work.parent.iterdir():  # those of other parameters too, left by a run that was stopped
        if old.name.rpartition("-")[0] == name:
            remove(old)
    say(f"  {summary(counts, mined_set.params, len(mined_set.store))}")
    for reason, count in counts["dropped"].items():
        say(f"  {count:,} questions left out: {reason.replace('_', ' ')}")


def _open(project: Project, name: str) -> _Set:
    """Inputs of the stage, verified; everything that decides the result names the work folder."""
    inputs, params = project.inputs, params_of(project.inputs, name)
    demand_inputs(project, [Use("sources", params.questions)])
    store = Passages(project.data / "corpora" / params.passages)
    store.verify()
    index = project.data / "indexes" / params.passages
    verify_index(index, store)
    fingerprints = {"retriever": open_searcher(index, store, params.retriever).fingerprint}
    if params.filter.cross_encoder:
        fetch(params.filter.cross_encoder, project.fetch_context())
        fingerprints["cross_encoder"] = CrossEncoderScorer(params.filter.cross_encoder).fingerprint
    material = [
        params.model_dump_json(),
        inputs.params.release.stream_key,
        inputs.source_digest(params.questions),
        store.digest,
        *store.meta["tokenizers"],
        json.dumps(fingerprints, sort_keys=True),
        *yardsticks(index),
    ]
    key = digest(name, *material, MINED_RULES_VERSION, MINED_VERSION, size=6).hex()
    return _Set(project, name, params, store, fingerprints, project.work / "mine" / f"{name}-{key}")


def _demand_known(name: str, params: MiningParams, asked: dict[Split, list[Question]]) -> None:
    """A question that is left out by name is one of the set."""
    unknown = set(params.left_out) - {question.question_id for questions in asked.values() for question in questions}
    if unknown:
        parts = " and ".join(asked)
        raise ParamsError(
            f"{params.questions} has no question {min(unknown)!r} in {parts}",
            where=f"mined.{name}.left_out",
            fix="correct the id, or take it out of the list",
        )


def _side_by_side(mined_set: _Set, parts: Iterable[_Way]) -> None:
    """Go ways to their ends: what each needs done next is done together, so that a small part waits for no other."""
    waiting = {way: jobs for way in parts if (jobs := next(way, None))}
    while waiting:
        done = iter(mined_set.run([job for jobs in waiting.values() for job in jobs]))
        for way, jobs in list(waiting.items()):
            try:
                waiting[way] = way.send([next(done) for _ in jobs])
            except StopIteration:
                del waiting[way]


def _mine(mined_set: _Set, outcome: Outcome, questions: list[Question]) -> _Way:
    """Search and mine shards of questions of a part until as many are kept as wanted, or there are no more.

    What is kept does not depend on how many shards are run at a time: it is the first that can be kept in keyed order.
    """
    shards = [questions[at : at + SHARD_QUESTIONS] for at in range(0, len(questions), SHARD_QUESTIONS)]
    searched, jobs, part = 0, list[Job](), outcome.part
    while outcome.lacking and (jobs or searched < len(shards)):
        if not jobs:
            some = range(searched, min(searched + -(-outcome.lacking // SHARD_QUESTIONS), len(shards)))
            found = yield [mined_set.job("search", part, i, questions=shards[i]) for i in some]
            for i, done in zip(some, found, strict=True):
                jobs += _mining_jobs(mined_set, part, i, shards[i], done)
                outcome.second_searches += done.result["again"] or 0
            searched = some.stop
        now = _enough(jobs, outcome.likely())
        for done in (yield jobs[:now]):
            outcome.take(done.result, done.folder / MINED)
        jobs = jobs[now:]
    outcome.demand_some(mined_set.name, mined_set.params)


def _mining_jobs(mined_set: _Set, part: Split, shard: int, questions: Sequence[Question], found: Done) -> Iterator[Job]:
    """Jobs of a searched shard: a few questions each, with the rows of their hits (None: no gold, so not searched)."""
    for at in range(0, len(questions), _MINED_TOGETHER):
        span, hits = slice(at, at + _MINED_TOGETHER), found.folder / HITS
        yield mined_set.job(
            "mine", part, shard, at, questions=questions[span], rows=found.result["rows"][span], hits=hits
        )


def _enough(jobs: Sequence[Job], questions: int) -> int:
    """How many of the jobs hold so many questions that were searched."""
    for number, job in enumerate(jobs, 1):
        questions -= sum(row is not None for row in job.payload["rows"])
        if questions <= 0:
            return number
    return len(jobs)


def _meta(mined_set: _Set, counts: dict[str, Any]) -> dict[str, Any]:
    """What the mined file says of itself."""
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
