"""Stage validate: check the declared rules of all tasks on the finished files, and write reports and plots for DVC."""

from __future__ import annotations

import json
import statistics
from collections import Counter
from pathlib import Path
from typing import Any

from generators.inputs import KINDS
from generators.spec import Row
from generators.suite import ReleaseSuite
from haymaker.core.errors import CheckFailed, ReleaseError
from haymaker.core.files.disk import remove, sha256_file, sha256_once, write_json, write_text
from haymaker.core.lengths import length_order, length_tokens
from haymaker.core.progress import say
from haymaker.core.rng import digest
from haymaker.core.rows.parquet import REBUILD, read_row_groups, rows_by_column
from haymaker.core.rows.schema import arrow_schema
from haymaker.releases.shortcut_limits import lines
from pipelines.checks.plots import pictures
from pipelines.checks.row_checks import Findings, RowChecks, across, uncollected
from pipelines.checks.row_digest import logical_digest
from pipelines.checks.shortcuts.measure_tables import measured
from pipelines.execution.executor import Job, forget_others
from pipelines.execution.executor import run as execute
from pipelines.execution.worker_state import payload, suite_of
from pipelines.project import RELEASES, Project
from pipelines.stages import inputs, records
from pipelines.stages.stage_table import versions


def run(project: Project, *, fresh: bool = False) -> tuple[dict[str, str], dict[str, Any]]:
    """Check every file of the release and write data/reports/<release>/.

    Args:
        project: the project.
        fresh: check all files again, including files already checked by the same rules.

    Raises:
        CheckFailed: a row fails a check; the report is written first.
    """
    is_whole = _check_inputs(project)
    expected = _expected(project)
    jobs = _jobs(project, expected)
    findings, facts, asked = Findings(), {}, dict[str, set[str]]()
    fresh = fresh or not is_whole
    shards = execute(jobs, project.work, title="validate", unit="bytes", fresh=fresh)
    for job, done in zip(jobs, shards, strict=True):
        facts[job.payload["file"]] = done.result["file"]
        asked.setdefault(_table_of(job.payload["file"]), set()).update(done.result["asked"])
        _add(findings, done.result)
    across(findings, project.built_suites())
    report = _report(findings, facts) | {"questions": {table: len(groups) for table, groups in sorted(asked.items())}}
    if not report["failures"]:
        report["shortcuts"] = measured(
            project, facts, versions(project, "validate")["validate"], fresh=fresh
        )  # only for rows that passed
    _write(project, report, findings, facts)
    forget_others(project.work, _work(project), jobs)
    if report["failures"]:
        for done in shards:
            if done.result["failures"]:
                remove(done.folder)  # the next run checks these files again, with other code perhaps
        raise CheckFailed(
            f"{report['failures']} checks failed; the first one is {findings.failures[0]}",
            where=project.name_of(project.reports / "validate.json"), fix="read the report, fix the cause, then haymaker run",
        )  # fmt: skip
    for table, rows in expected.items():
        found = sum(f["rows"] for name, f in facts.items() if name.startswith(f"{table}-"))
        if found != rows:
            raise ReleaseError(f"has {found} rows, not {rows}", where=_place(project, table), fix=REBUILD)
    say(f"  {report['rows']:,} rows verified, 0 failures, {findings.checked['recounted']:,} rows tokenised again")
    for line in lines(report["shortcuts"]):
        say(f"  {line}")
    return {}, {}


def _check_inputs(project: Project) -> bool:
    """Check that the inputs are unchanged and return whether all are here. Missing inputs are printed, not required."""
    uses = dict.fromkeys(use for built in project.built_suites() for use in built.uses())
    lacking = [use for use in uses if not project.inputs.is_here(use)]
    inputs.check(project, uses.keys() - lacking)
    for use in lacking:
        say(f"  {use.kind} {use.name}: not here, {KINDS[use.kind].compared} not compared with it")
    return not lacking


def _expected(project: Project) -> Counter[str]:
    """Return table (suite/task/length/split) -> number of rows that the parameters request."""
    expected: Counter[str] = Counter()
    for built in project.built_suites():
        for table in built.tables():
            expected[f"{table.suite}/{table.task}/{table.length}/{table.split}"] += table.rows
    return expected


def _jobs(project: Project, expected: Counter[str]) -> list[Job]:
    """Return one job per file.

    Raises:
        ReleaseError: a table is missing, or a table is not in the parameters.
    """
    root = project.release / "data"
    files = sorted(path.relative_to(root).as_posix() for path in root.rglob("*.parquet"))
    present = {_table_of(name) for name in files}
    for table in sorted(set(expected) ^ present):
        what, fix = ("not in the parameters", "haymaker run") if table in present else ("missing", REBUILD)
        raise ReleaseError(what, where=_place(project, table), fix=fix)
    suites = {built.name: built for built in project.built_suites()}
    return [_job(project, suites[name.partition("/")[0]], name) for name in files]


def _job(project: Project, built: ReleaseSuite, name: str) -> Job:
    """Return the job that checks one file. Unchanged files under unchanged rules have the same key and are reused."""
    path, known = project.release / "data" / name, (records.read(project, "generate") or {"files": {}})["files"]
    sha256 = sha256_once(path)
    if known.get(project.name_of(path), sha256) != sha256:
        raise ReleaseError("changed since it was built", where=project.name_of(path), fix=REBUILD)
    rules = [project.params.validation.model_dump(), versions(project, "validate"), _fingerprint(built, name)]
    mark = digest(sha256, json.dumps(rules, sort_keys=True), size=8).hex()
    return Job(
        f"{_work(project)}/{name.replace('/', '-')}-{mark}",
        "pipelines.stages.validate:check_file",
        payload(project, file=name, sha256=sha256),
        float(path.stat().st_size),
        kin="/".join(name.split("/")[:2]),
    )


def _fingerprint(built: ReleaseSuite, name: str) -> Any:
    """Return a fingerprint of everything the rows of a file are made from, or None if an input is missing."""
    _suite, task, length, file = name.split("/")
    found = [
        each
        for each in built.tables()
        if (each.task, each.length, each.split) == (task, length, file.partition("-")[0])
    ]
    is_here = all(built.inputs.is_here(use) for use in built.task(task).uses())
    return built.fingerprint(found[0]) if found and is_here else None


def _work(project: Project) -> str:
    return f"validate/{project.params.release.name}"


def _place(project: Project, name: str) -> str:
    """Return the path of a file or table of the release for error messages."""
    return project.name_of(project.release / "data" / name)


def _table_of(file: str) -> str:
    """Return suite/task/length/split for a file name."""
    folder, _, name = file.rpartition("/")
    return f"{folder}/{name.partition('-')[0]}"


# ------------------------------------------------------------------------------------------------------------ one file


def check_file(sent: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Run all row checks on one file; return findings, checksum, logical digest, totals and question groups."""
    name = sent["file"]
    built = suite_of(sent, name.split("/")[0])
    rules = built.inputs.params.validation
    all_up_to = length_tokens(rules.full_recount_max_length) or 0

    def recount(row: Row, index: int) -> bool:
        return (row["length_tokens"] or 0) <= all_up_to or index < rules.recount_sample_per_file

    place = Path(RELEASES) / built.inputs.params.release.name / "data" / name
    path, place = sent["data"] / place, f"data/{place}"
    sha256 = sha256_file(path)
    if sent["sha256"] not in (None, sha256):
        raise ReleaseError("changed since it was built", where=place, fix=REBUILD)
    checks = RowChecks(built, built.inputs.tokenizers, recount)
    findings, totals = Findings(), Counter[str]()
    digests, asked = [], set[str]()
    try:
        for table in read_row_groups(path):
            if table.schema != arrow_schema():
                raise ReleaseError("the schema differs from the schema of this version", where=name, fix=REBUILD)
            with uncollected():
                rows = rows_by_column(table)
                digests.append(logical_digest(rows))
                for row in rows:
                    checks.look(row, totals["rows"], findings)
                    checks.remember(row, findings)
                    asked.add(row["group_id"])
                    totals["rows"] += 1
                    totals["tokens"] += row["prompt_tokens"]
    except (OSError, ValueError, NotImplementedError, KeyError) as error:  # the errors of pyarrow for a damaged file
        raise ReleaseError(f"damaged: {error}", where=place, fix=REBUILD) from None
    file = {
        "sha256": sha256,
        "bytes": path.stat().st_size,
        "logical_digest": digest(*digests).hex(),
        **totals,
    }
    return {"file": file, "asked": sorted(asked), **{k: _plain(v) for k, v in vars(findings).items()}}


def _plain(value: Any) -> Any:
    """Convert sets and dictionary keys to types that JSON supports."""
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    return sorted(value) if isinstance(value, set) else value


def _add(total: Findings, result: dict[str, Any]) -> None:
    total.checked.update(result["checked"])
    total.failed.update(result["failed"])
    total.failures += result["failures"]
    for length, unused in result["unused"].items():
        total.unused[length] += unused
    for table, unused in result["unfilled"].items():
        total.unfilled[table] += unused
    total.depths.update({int(k): v for k, v in result["depths"].items()})
    for task, labels in result["labels"].items():
        total.labels[task].update(labels)
    for group, by_length in result["ranges"].items():
        total.ranges[group].update(by_length)
    total.questions += [tuple(q) for q in result["questions"]]
    for of in ("documents", "marks"):
        for name, found in result[of].items():
            getattr(total, of)[name].update(found)


# ------------------------------------------------------------------------------------------------------------- reports


def _report(findings: Findings, facts: dict[str, Any]) -> dict[str, Any]:
    return {
        "rows": sum(f["rows"] for f in facts.values()),
        "tokens": sum(f["tokens"] for f in facts.values()),
        "bytes": sum(f["bytes"] for f in facts.values()),
        "failures": sum(findings.failed.values()),
        "checked": dict(sorted(findings.checked.items())),
        "failed": dict(sorted(findings.failed.items())),
        "fill_percent": {
            length: {"min": _fill(length, max(unused)), "median": _fill(length, statistics.median(unused))}
            for length, unused in findings.unused.items()
        },
        "unfilled": {
            table: {"rows": len(unused), "min": _fill(table.rpartition("/")[2], max(unused))}
            for table, unused in sorted(findings.unfilled.items())
        },
    }


def _fill(length: str, unused: float) -> float:
    return round(100 * (1 - unused / (length_tokens(length) or 1)), 4)


def _write(project: Project, report: dict[str, Any], findings: Findings, facts: dict[str, Any]) -> None:
    reports = project.reports
    write_json(reports / "validate.json", {**report, "files": facts, "first_failures": findings.failures})
    write_json(reports / "metrics.json", _in_short(report, facts))
    for name, text in (_tables(findings) | pictures(findings)).items():
        write_text(reports / "plots" / name, text)


def _in_short(report: dict[str, Any], facts: dict[str, Any]) -> dict[str, float]:
    """Return the main figures for one line of `dvc metrics show`: few columns with short names."""
    found = {"MB": round(report["bytes"] / 1e6, 1), "failed": report["failures"], "files": len(facts)}
    fills = [fill["min"] for fill in report["fill_percent"].values()]
    return found | ({"fill": min(fills)} if fills else {}) | {"rows": report["rows"], "tokens": report["tokens"]}


def _tables(findings: Findings) -> dict[str, str]:
    """Return the data of the plots: file name -> CSV."""
    unused = [
        f"{length}: {tokens},{count}"
        for length in sorted(findings.unused, key=length_order)
        for tokens, count in sorted(Counter(findings.unused[length]).items())
    ]
    depth = [f"{k / 10:.1f}-{(k + 1) / 10:.1f},{findings.depths[k]}" for k in range(10)]
    labels = [
        f'"{task} {_quoted(label)}",{count}'
        for task in sorted(findings.labels, key=lambda t: (len(t), t))
        for label, count in sorted(findings.labels[task].items())
    ]
    listed = {
        "fill": ["unused_tokens,rows", *unused],
        "depth": ["depth,rows", *depth],
        "labels": ["label,rows", *labels],
    }
    return {f"{name}.csv": "\n".join(lines) + "\n" for name, lines in listed.items()}


def _quoted(label: str) -> str:
    """Escape a label for a quoted CSV field."""
    return label.replace('"', '""')
