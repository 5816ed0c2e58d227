"""Stage generate: one suite's rows as Parquet, in fixed shards that survive a kill and a change elsewhere."""

from __future__ import annotations

import importlib.metadata
import json
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import astuple
from pathlib import Path
from typing import Any

from corpora.tokenizers.tokenizer import COUNTING_VERSION
from generators.inputs import READ_BY_TASKS
from generators.spec import Candidate, Table
from generators.suite import ReleaseSuite, release_suite
from generators.task import MEASURED
from haymaker.files import disk_errors, link_or_copy, replace_folder, write_json
from haymaker.rng import digest
from haymaker.sample import arrow_schema
from pipelines import records
from pipelines.executor import Job
from pipelines.executor import run as execute
from pipelines.integrity import demand_inputs
from pipelines.missing import demand_some
from pipelines.parquet import read_row_groups, shard_bounds, write_rows
from pipelines.progress import say
from pipelines.project import LEFT_OUT, PHRASES, Project
from pipelines.workers import payload, suite_of


def run(project: Project, name: str) -> None:
    """Build data/releases/<release>/data/<suite>/, and in data/reports/<release>/: generate-<suite>.json (counts) and tables/<suite>.json.

    What becomes a row is chosen here, once; workers are told.
    """
    built = release_suite(name, project.inputs)
    demand_some(built)
    demand_inputs(project, built.uses())
    work = project.work / "generate" / project.params.release.name / name
    tables = built.tables()
    selections = {table.key: built.select(table).selection() for table in tables}
    jobs, names = [], {}
    for table in tables:
        for job, file in _jobs(project, built, table):
            jobs.append(job)
            names[job.key] = file
    done = execute(jobs, work, title=f"generate {name}", unit="tokens")
    target = project.release / "data" / name
    with disk_errors(target):
        staging = work / ".staging.tmp"
        shutil.rmtree(staging, ignore_errors=True)
        staging.mkdir(parents=True, exist_ok=True)
        for shard in done:
            link_or_copy(shard.folder / "rows.parquet", staging / names[shard.key])
        replace_folder(staging, target)
        _forget_stale(work, set(names))
    totals = {key: sum(shard.result[key] for shard in done) for key in ("rows", "tokens", "text_bytes")}
    files = {names[shard.key]: shard.files["rows.parquet"] for shard in done}
    measures = built.measures(lambda table: _measured(target, table))
    made_by = records.made_by(project, f"generate@{name}")
    left_out = {LEFT_OUT: built.left_out} if built.left_out else {}
    words = {PHRASES: found} if (found := built.word_files()) else {}
    noted = {
        "tables": selections, "files": files, **_provenance(built), "tokenizers": _tokenizers(project), **measures, **words,
        **left_out, **made_by,
    }  # fmt: skip
    write_json(project.reports / "tables" / f"{name}.json", noted)
    # The same questions are left out at every length: count them once per task and part.
    once = {(table.task, table.part): selections[table.key]["dropped"] for table in tables}
    dropped = sum((Counter(counts) for counts in once.values()), Counter[str]())
    missing = sum(len(selection["missing"]) for selection in selections.values())
    counts = {**totals, "missing_groups": missing, "left_out": dropped, **measures}
    write_json(project.reports / f"generate-{name}.json", counts)
    say(f"  {totals['rows']:,} rows, {totals['tokens']:,} tokens, {len(done)} files")
    for task, why in built.left_out.items():
        say(f"  {task}: left out ({why})")


def _measured(folder: Path, table: Table) -> Iterator[dict[str, Any]]:
    """A table's rows, with what measures are made from."""
    for file in sorted((folder / table.task / table.bucket).glob(f"{table.part}-*.parquet")):
        for rows in read_row_groups(file, MEASURED):
            yield from rows.to_pylist()


def _provenance(built: ReleaseSuite) -> dict[str, dict[str, Any]]:
    """What the rows are made of: kind -> name -> its facts; for sources, all that anything came from, as it was noted there."""
    found: dict[str, dict[str, Any]] = {kind: {} for kind in READ_BY_TASKS}
    for use in built.uses():
        opened = built.inputs.open(use)
        found["sources"] |= opened.provenance
        if use.kind != "sources":
            found[use.kind][use.name] = opened.facts
    return found


def _tokenizers(project: Project) -> dict[str, str]:
    """Name -> fingerprint of those that counted; the card says it, and a changed one is a changed record for what follows."""
    params = project.params.tokenizer
    names = dict.fromkeys((params.release, *params.also))
    return {name: found.fingerprint for name, found in zip(names, project.inputs.tokenizers, strict=True)}


def _jobs(project: Project, built: ReleaseSuite, table: Table) -> list[tuple[Job, str]]:
    """Jobs of a table with the file each becomes; the key changes with anything that changes the bytes."""
    params = project.params
    bounds = shard_bounds(table.rows, table.typical_tokens, params.parquet.shard_mb)
    writer = [params.parquet.model_dump(), importlib.metadata.version("pyarrow"), arrow_schema().names]
    material = json.dumps([built.fingerprint(table), writer, COUNTING_VERSION], sort_keys=True)
    mark = digest(material, size=8).hex()
    jobs = []
    for i, (first, last) in enumerate(bounds):
        chosen = [astuple(candidate) for candidate in built.candidates(table, first, last)]
        sent = payload(project, table=astuple(table), rows=(first, last), candidates=chosen)
        cost = float((last - first) * table.typical_tokens)
        job = Job(f"{table.key}-{mark}-{i:05d}", "pipelines.stages.generate:shard", sent, cost, kin=table.task)
        jobs.append((job, f"{table.task}/{table.bucket}/{table.part}-{i:05d}-of-{len(bounds):05d}.parquet"))
    return jobs


def _forget_stale(work: Path, wanted: set[str]) -> None:
    """Remove shards of parameters that are no longer asked for."""
    for folder in work.iterdir():
        if folder.is_dir() and folder.name not in wanted:
            shutil.rmtree(folder, ignore_errors=True)


def shard(sent: dict[str, Any], folder: Path) -> dict[str, int]:
    """One file of rows."""
    table = Table(*sent["table"])
    built = suite_of(sent, table.suite)
    chosen = [Candidate(*each) for each in sent["candidates"]]
    rows = built.rows(table, chosen, *sent["rows"])
    return write_rows(rows, folder / "rows.parquet", built.inputs.params.parquet)
