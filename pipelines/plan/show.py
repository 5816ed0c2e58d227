"""Print the plan of a release."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.markup import escape
from rich.table import Table as Grid

from corpora.stores.passages.cost import CARDS, CORE_FLOPS, PIECES, UTILISATION
from haymaker.core.files.json_output import write_json_or_print
from haymaker.core.lengths import length_order
from haymaker.core.progress import duration, megabytes, out, say
from pipelines.plan import calibrate as calibration
from pipelines.plan import licence_limits
from pipelines.plan import plan as planning
from pipelines.plan.retrieval import Retrieval
from pipelines.project import Project

_NAMED = 6  # tasks that a line names


def show(
    project: Project,
    price: float,
    json_file: Path | None = None,
    *,
    per_table: bool,
    calibrate: bool = False,
    machines: int = 1,
) -> None:
    """Print the plan of the project's parameters, or write it as JSON; raise an error if the disk is too small."""
    speed = calibration.factor() if calibrate else 1.0
    plan = planning.make_plan(project, speed, machines)
    write_json_or_print(json_file, as_json(project, plan, price))
    release = project.params.release
    out.print(
        f"[bold]{release.name} {release.version}[/]  ({escape(project.file)}, {release.edition} edition, seed {release.seed})",
        markup=True,
    )
    if plan.rounded:
        say(plan.rounded)
    out.print(_lengths(plan, price))
    for line in _output_budgets(plan):
        out.print(line)
    if per_table:
        widest = max(len(table.config) for table in plan.tables)
        for table in plan.tables:
            variants = plan.variants[table.suite, table.task]
            shared = f" ({table.rows // variants:,} questions, {variants} rows each)" if variants > 1 else ""
            out.print(
                f"  {table.config:<{widest}} {table.split:<6} {table.rows:>8,} rows{shared}  {plan.titles[table.suite, table.task]}"
            )
    for suite, task, why in plan.left_out:
        out.print(f"left out: {suite} {task} ({why})")
    out.print(_sources(plan))
    for line in licence_limits.lines(plan.publishing):
        out.print(line)
    for corpus in plan.retrieval.corpora:
        vectors = f", vectors {corpus.cost.dense_bytes / 1e9:,.2f} GB ({corpus.model})" if corpus.model else ""
        what = (
            f"whole articles, as long as about {corpus.passages:,} passages"
            if corpus.whole
            else f"about {corpus.passages:,}"
        )
        out.print(
            f"passages {corpus.name}: {what}; store {corpus.cost.store_bytes / 1e9:,.2f} GB, words "
            f"{corpus.cost.lexical_bytes / 1e9:,.2f} GB{vectors}; memory {corpus.cost.memory_bytes / 1e9:,.1f} GB"
        )
    for line in _vectors(plan.retrieval):
        out.print(line)
    if plan.retrieval.mined_bytes:
        out.print(f"retrieval sets: about {plan.retrieval.mined_bytes / 1e9:,.2f} GB")
    rates = (
        f"this machine at {speed:.2f} times the speed of the reference machine"
        if calibrate
        else "generation rates measured here by `haymaker dev bench`, the others built in"
        if plan.measured
        else "built-in rates; use --calibrate to measure this machine"
    )
    of = "" if machines == 1 else f" on {machines} machines like this one"
    out.print(f"minutes with {plan.workers} workers{of} ({rates}):")
    for stage, seconds in plan.seconds.items():
        out.print(f"  {stage:<11} {duration(seconds)}")
    out.print(f"  {'total':<11} {duration(sum(plan.seconds.values()))}")
    if machines > 1:
        out.print(
            f"needs Ray on all of them; only one downloads, simulates texts, starts stages, joins shards and uses its GPUs: "
            f"{duration(sum(plan.seconds.get(stage, 0) for stage in planning.NOT_SHARED))} of the time"
        )
    out.print(f"disk: about {megabytes(plan.release_bytes)} release, {megabytes(plan.disk_bytes)} while building")
    out.print(f"one pass of every prompt at {price:g} per million tokens: {plan.price(price):,.2f}")
    planning.check_disk(project, plan)


def as_json(project: Project, plan: planning.Plan, price: float) -> dict[str, Any]:
    """Return the figures of a plan (docs/reference/command-line.md)."""
    release = project.params.release
    return {
        "name": release.name,
        "version": release.version,
        "edition": release.edition,
        "seed": release.seed,
        "params_file": project.file,
        "rows": plan.rows,
        "prompt_tokens": plan.tokens,
        "price_per_million_prompt_tokens": price,
        "cost": plan.price(price),
        "release_bytes": plan.release_bytes,
        "disk_bytes": plan.disk_bytes,
        "workers": plan.workers,
        "stage_seconds": plan.seconds,
        "tables": [
            {
                "suite": table.suite,
                "task": table.task,
                "length": table.length,
                "split": table.split,
                "config": table.config,
                "rows": table.rows,
                "prompt_tokens": table.rows * table.typical_tokens,
            }
            for table in plan.tables
        ],
        "left_out": [{"suite": suite, "task": task, "reason": why} for suite, task, why in plan.left_out],
        "sources": [
            {key: source[key] for key in ("name", "title", "licence", "edition", "bytes", "optional")}
            for source in plan.sources
        ],
    }


def _vectors(retrieval: Retrieval) -> Iterator[str]:
    """Yield lines about the time to compute the vectors, on cores and GPUs, from the operations of the encoder."""
    for model, size in retrieval.models.items():
        yield f"model {model}: about {size / 1e6:,.0f} MB downloaded"
    if flops := retrieval.dense_flops:
        cards = ", ".join(f"{name} {_hours(flops / peak / UTILISATION)}" for name, peak in CARDS.items())
        yield (
            f"vectors: {flops:.2g} floating-point operations ({PIECES} word pieces a passage): {_hours(flops / CORE_FLOPS)} of one core; "
            f"with one card at {UTILISATION:.0%} of its peak: {cards}"
        )


def _hours(seconds: float) -> str:
    return f"{seconds / 3600:,.1f} h" if seconds < 360_000 else f"{seconds / 3600:,.0f} h"


def _output_budgets(plan: planning.Plan) -> Iterator[str]:
    """Yield lines about output token budgets that are larger than the tasks need."""
    for tokens in sorted(set(plan.rooms.values())):
        tasks = [" ".join(task) for task, room in plan.rooms.items() if room == tokens]
        named = ", ".join(tasks) if len(tasks) <= _NAMED else f"{len(tasks)} of {len(plan.titles)} tasks"
        yield f"room for the answer: {tokens:,} tokens in every row of {named}"


def _lengths(plan: planning.Plan, price: float) -> Grid:
    grid = Grid(box=None, padding=(0, 2, 0, 0))
    for name in ("length", "tasks", "rows", "tokens", "cost"):
        grid.add_column(name, justify="left" if name == "length" else "right")
    for length in sorted({table.length for table in plan.tables}, key=length_order):
        tables = [table for table in plan.tables if table.length == length]
        rows = sum(table.rows for table in tables)
        tokens = sum(table.rows * table.typical_tokens for table in tables)
        grid.add_row(
            length, str(len({t.task for t in tables})), f"{rows:,}", f"{tokens:,}", f"{tokens / 1e6 * price:,.2f}"
        )
    grid.add_section()
    grid.add_row("all", "", f"{plan.rows:,}", f"{plan.tokens:,}", f"{plan.price(price):,.2f}")
    return grid


def _sources(plan: planning.Plan) -> Grid:
    grid = Grid(box=None, padding=(0, 2, 0, 0))
    for name in ("source", "what", "fetched", "licence"):
        grid.add_column(name)
    for source in plan.sources:
        how = (
            "written here"
            if source["edition"] == "simulated"
            else "from the mirror"
            if source["mirror"]
            else "of your own"
            if source["local"]
            else "downloaded"
        )
        how += ", optional" if source["optional"] else ""
        grid.add_row(source["name"], source["title"], f"{source['bytes'] / 1e6:,.0f} MB {how}", source["licence"])
        if source["obtain"]:
            grid.add_row("", source["obtain"], "", "")
    return grid
