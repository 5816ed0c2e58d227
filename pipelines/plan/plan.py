"""Estimate size and cost of a release from its parameters, without network or data."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from corpora import sources
from corpora.sources.transport.mirror import mirror_sums
from generators import room
from generators.spec import Entry, Table
from haymaker.core.errors import EnvironmentProblem
from pipelines.checks.shortcuts.measure_tables import measured_tables
from pipelines.checks.shortcuts.measure_tables import tokens as shortcut_tokens
from pipelines.execution.executor import worker_count
from pipelines.plan import licence_limits as plan_publishing
from pipelines.plan import retrieval as plan_retrieval
from pipelines.plan import sizes
from pipelines.project import Project
from pipelines.stages import optional_sources
from pipelines.stages.stage_table import STAGES

# Rates of one core of an AMD EPYC, from whole runs of demo and mirror; `haymaker dev bench` measures this machine.
DEFAULT_RATES = {
    "background_bytes_per_s": 0.6e6,
    "generate_tokens_per_s": {"1": 15e6, "3": 10e6, "9": 6e6},
    "validate_tokens_per_s": {"babilong": 6e6, "": 3e6},  # "": suites with passages, shots or documents to check
    "shortcuts_tokens_per_s": 2e6,
    "simulated_bytes_per_s": 3e6,
    "download_bytes_per_s": 20e6,
}
NOT_SHARED = (
    "download",
    "starting",
)  # depends on the network and the start of programs, not on processors
_NAMED = 3  # tasks that a line about rounding names
_STAGE_SECONDS = 2.0  # start a program with its worker processes and open the inputs
_PARQUET_TEXT = 1.6  # bytes of text per byte of compressed Parquet
_STORE_FACTOR = 1.45  # size of a background store relative to its text: adds offsets and prefix sums


@dataclass(frozen=True)
class Plan:
    """Size and cost estimates of a release.

    Attributes:
        tables: tables to build.
        rows: total number of rows.
        tokens: total number of tokens.
        release_bytes: Parquet on disk.
        disk_bytes: required free disk space: release, stores, raw files and downloads.
        seconds: time per stage, with `workers`.
        sources: name, title, licence, bytes to download, how to obtain.
        retrieval: passages, indexes and mined questions.
        workers: assumed number of workers on all machines.
        measured: whether the rates come from `haymaker dev bench` on this machine.
        left_out: (suite, task, reason) of requested tasks that are known to be unavailable.
        publishing: sources and tasks that need a flag when publishing.
        titles: (suite, task) -> title, with a note on simulated rows.
        rooms: (suite, task) -> output token budget, if it is larger than the task needs.
        variants: (suite, task) -> number of rows that share a question, such as the orders of its options.
        rounded: one line about numbers of rows that were rounded up, or an empty string.
    """

    tables: list[Table]
    rows: int
    tokens: int
    release_bytes: int
    disk_bytes: int
    seconds: dict[str, float]
    sources: list[dict[str, Any]]
    retrieval: plan_retrieval.Retrieval
    workers: int
    measured: bool
    left_out: list[tuple[str, str, str]]
    publishing: plan_publishing.LicenceLimits
    titles: dict[tuple[str, str], str]
    rooms: dict[tuple[str, str], int]
    variants: dict[tuple[str, str], int]
    rounded: str

    def price(self, per_million: float) -> float:
        """Return the cost of sending every prompt once, at a price per million tokens."""
        return self.tokens / 1e6 * per_million


def make_plan(project: Project, speed: float = 1.0, machines: int = 1) -> Plan:
    """Return the plan for the project's parameters.

    Args:
        project: the project.
        speed: speed of this machine relative to the reference (calibrate.py).
        machines: number of such machines, with Ray; work without shards takes as long as on one.

    Raises:
        SourceError: a source needs the mirror, but the given folder is not one; or a local file is missing.
    """
    params = project.params
    for name in (name for name, given in params.sources.items() if not given.optional):
        project.inputs.source(name).check_local(project.data / "raw" / name)
    rates, measured = _rates(project)
    suites = project.suites()
    tables = [table for built in suites for table in built.tables()]
    rows = sum(table.rows for table in tables)
    tokens = sum(table.rows * table.typical_tokens for table in tables)
    release_bytes = sizes.release_bytes(suites, params.parquet.zstd_level)
    used = [_source(project, name) for name in params.sources]
    context = project.fetch_context()
    if context.mirror and any(source["mirror"] for source in used):
        mirror_sums(context)
    downloads = sum(s["bytes"] for s in used if s["edition"] == "real" and not s["mirror"] and not s["local"])
    workers = worker_count() * machines
    retrieval = plan_retrieval.make(project, workers)
    downloads += sum(retrieval.models.values())
    raw = sum(s["bytes"] for s in used) + sum(retrieval.models.values())
    text = int(sum(s["bytes"] * s["text_factor"] for s in used if "documents" in s["roles"]))
    generate_rate = rates["generate_tokens_per_s"][str(sizes.nearest_level(params.parquet.zstd_level))]
    seconds = {
        "download": downloads / rates["download_bytes_per_s"]
        + sum(s["bytes"] for s in used if s["edition"] == "simulated") / rates["simulated_bytes_per_s"],
        "prepare": text * (1 + len(params.tokenizer.also) * 0.2) / rates["background_bytes_per_s"] / workers
        + retrieval.seconds.get("passages", 0),
        "retrieve": sum(needed for part, needed in retrieval.seconds.items() if part != "passages"),
        "generate": tokens / generate_rate / workers,
        "validate": (
            sum(_validate_seconds(table, rates) for table in tables)
            + sum(map(shortcut_tokens, measured_tables(tables))) / rates["shortcuts_tokens_per_s"]
        )
        / workers,
        "starting": _STAGE_SECONDS * len(STAGES),
    }
    seconds = {stage: needed if stage in NOT_SHARED else needed / speed for stage, needed in seconds.items()}
    disk = 2 * int(
        release_bytes + text * _STORE_FACTOR + raw + retrieval.disk_bytes
    )  # batches and their results exist at the same time
    tasks = [(built, entry) for built in suites for entry in built.built().values()]
    budgets = {(b.name, e.name): room.asked(e, project.params.release) for b, e in tasks}
    return Plan(
        tables, rows, tokens, release_bytes, disk, seconds, used, retrieval, workers, measured, optional_sources.left_out_lines(suites),
        plan_publishing.make(project, suites),
        titles={(b.name, e.name): e.spec.titled(e.settings, simulated=b.simulated(e.name)) for b, e in tasks},
        rooms={entry: tokens for entry, tokens in budgets.items() if tokens},
        variants={(b.name, e.name): e.settings.variants for b, e in tasks},
        rounded=_rounded([entry for _, entry in tasks]),
    )  # fmt: skip


def check_disk(project: Project, plan: Plan) -> None:
    """Check that the disk is large enough.

    Raises:
        EnvironmentProblem: the plan needs more than the free space (existing files of the data folder count as free).
    """
    found = (path.stat() for path in project.data.rglob("*.*") if path.is_file())
    have = sum({stat.st_ino: stat.st_size for stat in found}.values())  # hard links count once
    free = shutil.disk_usage(project.root).free
    if free + have < plan.disk_bytes:
        raise EnvironmentProblem(
            f"needs about {plan.disk_bytes / 1e9:.1f} GB, but only {free / 1e9:.1f} GB are free", where=str(project.data),
            fix="free disk space, or request fewer rows in " + project.file,
        )  # fmt: skip


def _rounded(entries: Sequence[Entry[Any]]) -> str:
    """Return one line about the numbers of rows that were rounded up, or an empty string."""
    found = [
        (e, ", ".join(f"{asked:,} to {rows:,}" for asked, rows in e.rounded.items())) for e in entries if e.rounded
    ]
    tasks = [f"{e.where} {said} ({e.settings.variants} {e.settings.shared_by})" for e, said in found]
    more = f"; and {len(tasks) - _NAMED} more tasks" if len(tasks) > _NAMED else ""
    return f"note: numbers of rows rounded up to whole questions: {'; '.join(tasks[:_NAMED])}{more}" if tasks else ""


def _validate_seconds(table: Table, rates: dict[str, Any]) -> float:
    by_suite = rates["validate_tokens_per_s"]
    return table.rows * table.typical_tokens / float(by_suite.get(table.suite, by_suite[""]))


def _source(project: Project, name: str) -> dict[str, Any]:
    given = project.params.sources[name]
    source = sources.create(name, given.kind, given.options, where=f"sources.{name}")
    info = source.info
    return {
        "name": name,
        "title": info.title,
        "licence": source.licence_words(),
        "edition": info.edition,
        "roles": info.roles,
        "bytes": source.download_bytes(),
        "text_factor": _PARQUET_TEXT if given.kind in ("pg19", "parquet", "hub") else 1.0,
        "mirror": given.kind.endswith("_mirror") or '"mirror:' in json.dumps(given.options, default=str),
        "local": bool(source.local_inputs()),
        "obtain": info.obtain,
        "optional": given.optional,
    }


def _rates(project: Project) -> tuple[dict[str, Any], bool]:
    """Return the rates from `haymaker dev bench` on this machine and True, or the built-in rates and False."""
    try:
        measured = json.loads((project.work / "bench.json").read_text(encoding="utf-8"))["rates"]
        generate = {str(level): float(measured["generate_tokens_per_s"][str(level)]) for level in sizes.ZSTD_RATIO}
    except (OSError, ValueError, KeyError, TypeError):
        return DEFAULT_RATES, False
    return {**DEFAULT_RATES, "generate_tokens_per_s": generate}, True
