"""Stage generate: write the rows of all suites as Parquet, in shards reusable after a kill or an unrelated change."""

from __future__ import annotations

import importlib.metadata
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import astuple
from pathlib import Path
from typing import Any

from corpora.tokenizers.tokenizer import COUNTING_VERSION
from generators.inputs import READ_BY_TASKS
from generators.spec import Candidate, Table
from generators.suite import ReleaseSuite
from generators.task import MEASURED
from haymaker.core.files.disk import link_or_copy, remove, write_json
from haymaker.core.progress import say
from haymaker.core.rng import digest
from haymaker.core.rows.parquet import read_row_groups, shard_bounds, write_rows
from haymaker.core.rows.schema import arrow_schema
from haymaker.releases.manifest import LEFT_OUT
from pipelines.execution.executor import Done, Job, finished_shards, forget_others
from pipelines.execution.executor import run as execute
from pipelines.execution.worker_state import payload, suite_of
from pipelines.project import PHRASES, Project
from pipelines.stages import inputs
from pipelines.stages.optional_sources import check_some_left

_ROWS = "rows.parquet"
_SHARD_VERSION = 3  # version of the result that a shard returns with its rows


def run(project: Project) -> tuple[dict[str, str], dict[str, Any]]:
    """Build data/releases/<release>/data/ and data/reports/<release>/tables/<suite>.json.

    The candidates are selected once, in this process, and sent to the workers.
    """
    suites = project.suites()
    for built in suites:
        check_some_left(built)
    inputs.check(project, {use for built in suites for use in built.uses()})
    jobs, files = [], {}
    for built in suites:
        for table in built.tables():
            for job, file in _jobs(project, built, table):
                jobs.append(job)
                files[job.key] = file
    done = execute(jobs, project.work, title="generate", unit="tokens")
    data = project.release / "data"
    for folder in (data, project.reports / "tables"):
        remove(folder)
    known = {}
    for shard in done:
        link_or_copy(shard.folder / _ROWS, data / files[shard.key])
        known[project.name_of(data / files[shard.key])] = str(shard.files[_ROWS]["sha256"])
    forget_others(project.work, _work(project), jobs)
    for built in suites:
        _report(project, built, [shard for shard in done if files[shard.key].startswith(f"{built.name}/")])
    return known, {PHRASES: {built.name: built.word_files() for built in suites}}


def _report(project: Project, built: ReleaseSuite, done: Sequence[Done]) -> None:
    """Write tables/<suite>.json: the selection with reasons for rejection, and provenance and measures of the rows."""
    data = project.release / "data" / built.name
    chosen = [shard.result["selection"] for shard in done if shard.result["selection"]]
    selections = {table.key: each for table, each in zip(built.tables(), chosen, strict=True)}
    totals = {key: sum(shard.result[key] for shard in done) for key in ("rows", "tokens", "text_bytes")}
    # The same questions are left out at every length: count them once per task and split.
    once = {(table.task, table.split): selections[table.key]["dropped"] for table in built.tables()}
    dropped = sum((Counter(counts) for counts in once.values()), Counter[str]())
    missing = sum(len(selection["missing"]) for selection in selections.values())
    left_out = {LEFT_OUT: built.left_out} if built.left_out else {}
    words = {PHRASES: found} if (found := built.word_files()) else {}
    noted = {
        "tables": selections, "counts": {**totals, "missing_groups": missing, "left_out": dropped}, **_provenance(built),
        "tokenizers": _tokenizers(project), **built.measures(lambda table: _measured(data, table)), **words, **left_out,
    }  # fmt: skip
    write_json(project.reports / "tables" / f"{built.name}.json", noted)
    say(f"  {built.name}: {totals['rows']:,} rows, {totals['tokens']:,} tokens, {len(done)} files")
    for task, why in built.left_out.items():
        say(f"  {built.name} {task}: left out ({why})")


def _measured(folder: Path, table: Table) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table with the columns that the measures use."""
    for file in sorted((folder / table.task / table.length).glob(f"{table.split}-*.parquet")):
        for rows in read_row_groups(file, MEASURED):
            yield from rows.to_pylist()


def _provenance(built: ReleaseSuite) -> dict[str, dict[str, Any]]:
    """Return the provenance of the rows: kind -> name -> facts; `sources` includes the sources of prepared inputs."""
    found: dict[str, dict[str, Any]] = {kind: {} for kind in READ_BY_TASKS}
    for use in built.uses():
        opened = built.inputs.open(use)
        found["sources"] |= opened.provenance
        if use.kind != "sources":
            found[use.kind][use.name] = opened.facts
    return found


def _tokenizers(project: Project) -> dict[str, str]:
    """Return name -> fingerprint of the release tokenizers. The card prints them; a change reruns later stages."""
    params = project.params.tokenizer
    names = dict.fromkeys((params.release, *params.also))
    return {name: found.fingerprint for name, found in zip(names, project.inputs.tokenizers, strict=True)}


def _jobs(project: Project, built: ReleaseSuite, table: Table) -> list[tuple[Job, str]]:
    """Return the jobs of a table and their output files; a job key changes with anything that changes the bytes.

    Candidates are selected only if a shard is missing; the first shard stores the selection.
    """
    params = project.params
    bounds = shard_bounds(table.rows, table.typical_tokens, params.parquet.shard_mb)
    writer = [params.parquet.model_dump(), importlib.metadata.version("pyarrow"), arrow_schema().names]
    material = json.dumps([built.fingerprint(table), writer, COUNTING_VERSION, _SHARD_VERSION], sort_keys=True)
    key = f"{_work(project)}/{built.name}/{table.key}-{digest(material, size=8).hex()}"
    is_kept = all(finished_shards(project.work, f"{key}-{i:05d}") for i in range(len(bounds)))
    jobs = []
    for i, (first, last) in enumerate(bounds):
        chosen = [] if is_kept else [astuple(candidate) for candidate in built.candidates(table, first, last)]
        selection = None if is_kept or i else built.select(table).selection()
        sent = payload(project, table=astuple(table), rows=(first, last), candidates=chosen, selection=selection)
        cost = float((last - first) * table.typical_tokens)
        job = Job(f"{key}-{i:05d}", "pipelines.stages.generate:shard", sent, cost, kin=f"{built.name}/{table.task}")
        file = f"{built.name}/{table.task}/{table.length}/{table.split}-{i:05d}-of-{len(bounds):05d}.parquet"
        jobs.append((job, file))
    return jobs


def _work(project: Project) -> str:
    return f"generate/{project.params.release.name}"


def shard(sent: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Write one file of rows; return its counts and, for the first shard of a table, the selection."""
    table = Table(*sent["table"])
    built = suite_of(sent, table.suite)
    chosen = [Candidate(*each) for each in sent["candidates"]]
    rows = built.rows(table, chosen, *sent["rows"])
    counts = write_rows(rows, folder / _ROWS, built.inputs.params.parquet)
    return {**counts, "selection": sent["selection"]}
