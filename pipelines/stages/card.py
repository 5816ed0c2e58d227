"""Stage card: README.md and manifest.json of the release, from what validate proved."""

from __future__ import annotations

from hashlib import sha256
from importlib import resources
from typing import Any

import yaml

from corpora import sources
from generators.babilong.retrieval import KS, UNITS
from generators.inputs import READ_BY_TASKS
from generators.marathon import leaks
from generators.spec import Check
from generators.suite import ReleaseSuite
from haymaker.buckets import bucket_order, is_natural
from haymaker.errors import ReleaseError
from haymaker.files import json_text, read_json, write_text
from haymaker.rng import digest
from pipelines import missing, records
from pipelines.manifest import CARD, MANIFEST
from pipelines.progress import say
from pipelines.project import LEFT_OUT, Project
from pipelines.shortcuts.figures import LIMITS, above

CARD_VERSION = 9
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def run(project: Project) -> None:
    """Write data/release/README.md and data/release/manifest.json."""
    manifest, readme = _texts(project)
    write_text(project.release / MANIFEST, manifest)
    write_text(project.release / CARD, readme)
    say(f"  data/release/README.md: {len(_configs(project.built_suites()))} configs")


def demand(project: Project) -> None:
    """Card and manifest are what the parameters, the tables and the proof make.

    Raises:
        ReleaseError: one of them is not.
    """
    for name, text in zip((MANIFEST, CARD), _texts(project), strict=True):
        place = project.release / name
        if not place.is_file() or place.read_bytes() != text.encode():
            what = "not what the parameters and the proved files make"
            raise ReleaseError(what, where=f"data/release/{name}", fix="haymaker run builds it again")


def _texts(project: Project) -> tuple[str, str]:
    """Manifest and card."""
    for path in (project.reports / "validate.json", project.reports / "files.json"):
        if not path.is_file():
            raise ReleaseError("not validated yet", where=str(path), fix="haymaker run")
    report = read_json(project.reports / "validate.json", "rows", "checked", "failed", "fill_percent")
    files = read_json(project.reports / "files.json", "files")["files"]
    manifest = _manifest(project, files)
    text = json_text(manifest)
    return text, _readme(project, manifest, report, sha256(text.encode()).hexdigest())


def canary(project: Project) -> str:
    """A string to search training data for: one per release name and version."""
    release = project.params.release
    raw = digest("canary", release.name, release.version).hex()
    return f"haymaker-canary-{raw[:8]}-{raw[8:12]}-{raw[12:16]}-{raw[16:20]}-{raw[20:]}"


def _manifest(project: Project, files: dict[str, Any]) -> dict[str, Any]:
    params = project.params
    tokenizers = read_json(project.data / "tokenizers" / "tokenizers.json", "tokenizers")["tokenizers"]
    return {
        "name": params.release.name,
        "version": params.release.version,
        "seed": params.release.seed,
        "edition": params.release.edition,
        "canary": canary(project),
        **records.made_by(project, "card"),
        "tokenizers": [
            {"name": name, "fingerprint": tokenizers[name]["fingerprint"]}
            for name in dict.fromkeys((params.tokenizer.release, *params.tokenizer.also))
        ],
        "suites": {s.name: {name: e.spec.version for name, e in s.built().items()} for s in project.built_suites()},
        **_left_out(project),
        **{kind: _inputs(project, kind) for kind in READ_BY_TASKS},
        "files": {f"data/{name}": facts for name, facts in files.items()},
    }


def _left_out(project: Project) -> dict[str, Any]:
    """Suite -> task -> why there is no row of it; nothing where every task is there."""
    found = {built.name: built.left_out for built in project.built_suites() if built.left_out}
    return {LEFT_OUT: found} if found else {}


def _inputs(project: Project, what: str) -> dict[str, Any]:
    """Prepared inputs of a kind of all suites, as generate recorded them."""
    found: dict[str, Any] = {}
    for suite in sorted(project.params.suites):
        found |= read_json(project.reports / "tables" / f"{suite}.json", what)[what]
    return found


def _configs(suites: list[ReleaseSuite]) -> dict[str, dict[str, Any]]:
    """Config name -> what a reader should know; one config per bucket, so that nobody fetches more than he reads."""
    configs: dict[str, dict[str, Any]] = {}
    for built in suites:
        for table in built.tables():
            config = configs.setdefault(
                table.config, {"suite": table.suite, "task": table.task, "bucket": table.bucket, "parts": {}}
            )
            config["parts"][table.part] = table.rows
    return configs


def _front_matter(project: Project, rows: int) -> dict[str, Any]:
    release = project.params.release
    configs: list[dict[str, Any]] = [
        {
            "config_name": name,
            "data_files": [
                {"split": part, "path": f"data/{c['suite']}/{c['task']}/{c['bucket']}/{part}-*.parquet"}
                for part in c["parts"]
            ],
        }
        for name, c in _configs(project.built_suites()).items()
    ]
    configs[0] = {"config_name": configs[0]["config_name"], "default": True, "data_files": configs[0]["data_files"]}
    return {
        "pretty_name": release.title,
        "language": [release.language],
        "license": _licence(project),
        "task_categories": ["question-answering"],
        "tags": ["long-context", "benchmark", "haymaker", f"{release.edition}-edition"],
        "size_categories": [next((name for limit, name in _SIZES if rows < limit), "n>1M")],
        "configs": configs,
    }


def _licence(project: Project) -> str:
    """The Hub's identifier when all sources share one that it knows, else "other" (the table says which)."""
    licences = {sources.info(source.kind).licence for source in project.params.sources.values()}
    known = {"CC0-1.0": "cc0-1.0", "Apache-2.0": "apache-2.0", "MIT": "mit"}
    return known.get(next(iter(licences)), "other") if len(licences) == 1 else "other"


def _readme(project: Project, manifest: dict[str, Any], report: dict[str, Any], checksum: str) -> str:
    from jinja2 import Environment, StrictUndefined

    suites = [built for built in project.built_suites() if built.tables()]
    template = resources.files("pipelines").joinpath("card.md.j2").read_text(encoding="utf-8")
    environment = Environment(
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701
    )
    return environment.from_string(template).render(
        front_matter=yaml.safe_dump(
            _front_matter(project, report["rows"]), sort_keys=False, allow_unicode=True, width=120
        ),
        release=project.params.release,
        manifest=manifest,
        checksum=checksum,
        report=report,
        tokenizer=manifest["tokenizers"][0],
        suites=[_suite_section(project, built, report) for built in suites],
        checks=[
            (c.name, c.value, report["checked"].get(c.name, 0), report["failed"].get(c.name, 0))
            for c in Check
            if report["checked"].get(c.name)
        ],
        fills=sorted(report["fill_percent"].items(), key=lambda item: bucket_order(item[0])),
        left_out=[(s, t, why.replace("|", "\\|")) for s, t, why in missing.lines(project.built_suites())],
        outputs=[built.suite.title.partition(":")[0] for built in suites if any(t.of_output for t in built.tables())],
        natural=any(is_natural(table.bucket) for built in suites for table in built.tables()),
        continued=any(not entry.spec.chat for built in suites for entry in built.built().values()),
        example=next((name, next(iter(c["parts"]))) for name, c in _configs(suites).items()),
    )


def _retrieval(project: Project, built: ReleaseSuite) -> list[tuple[str, str, list[str]]]:
    """(task, unit, per bucket: percent of rows with all facts among the best 1, 5, 10 and 20), where it was measured."""
    noted = read_json(project.reports / "tables" / f"{built.name}.json")
    buckets = sorted({table.bucket for table in built.tables()}, key=bucket_order)
    return [
        (task, unit, [_percents(by_bucket[b][unit]) if b in by_bucket else "" for b in buckets])
        for task, by_bucket in noted.get("retrieval", {}).items()
        for unit in UNITS
    ]


def _percents(shares: dict[str, float]) -> str:
    return " / ".join(f"{100 * shares[f'all@{k}']:.0f}" for k in KS)


def _shortcuts(report: dict[str, Any], built: ReleaseSuite) -> list[list[str]]:
    """Task, bucket, metric, what each cheat gets, rows: per table of a suite whose shortcuts were measured."""
    by_task, cells = report.get("baselines", {}).get(built.name, {}), []
    for task, bucket in dict.fromkeys((table.task, table.bucket) for table in built.tables()):
        if figures := by_task.get(task, {}).get(bucket):
            measured = [_shortcut(figures, name) for name in LIMITS]
            cells.append(
                [task, bucket, f"`{figures['metric']}`" if figures["metric"] else "-", *measured, str(figures["rows"])]
            )
    return cells


def _shortcut(figures: dict[str, Any], name: str) -> str:
    """Score, in brackets the share of rows whose answer stood there, and the mark of what is above its limit."""
    found = figures[name]
    cells = [f"{found['score']:.1f}"] if "score" in found else []
    cells += [f"({found['found']:.0f})"] if "found" in found else []
    return " ".join([*cells, *(["⚠"] if above(figures, name) else [])]) or "-"


def _leaks(project: Project, built: ReleaseSuite) -> list[list[str]]:
    """Task, bucket, what guesses by question and options alone get, questions; where it was measured."""
    noted = read_json(project.reports / "tables" / f"{built.name}.json").get(leaks.MEASURE, {})
    places = dict.fromkeys((table.task, table.bucket) for table in built.tables())
    return [
        [task, bucket, *leaks.shown(found)] for task, bucket in places if (found := noted.get(task, {}).get(bucket))
    ]


def _suite_section(project: Project, built: ReleaseSuite, report: dict[str, Any]) -> dict[str, Any]:
    tables = built.tables()
    buckets = sorted({table.bucket for table in tables}, key=bucket_order)
    rows = {(t.task, t.bucket): "" for t in tables}
    for t in tables:
        rows[t.task, t.bucket] += (
            f"{' + ' if rows[t.task, t.bucket] else ''}{t.rows}{'' if t.part == 'test' else ' ' + t.part}"
        )
    tasks = list(dict.fromkeys(table.task for table in tables))
    skips: dict[tuple[str, str], list[str]] = {}
    for task in tasks:
        for check, why in built.entries[task].spec.skips.items():
            skips.setdefault((check.name, why), []).append(task)
    return {
        "title": built.suite.title,
        "buckets": buckets,
        "tasks": [(t, built.entries[t].spec.title, [rows.get((t, b), "") for b in buckets]) for t in tasks],
        "metrics": list(dict.fromkeys(m for t in tasks for m in built.entries[t].spec.metrics)),
        "skips": [(check, "every task" if ts == tasks else ", ".join(ts), why) for (check, why), ts in skips.items()],
        "retrieval": _retrieval(project, built),
        "shortcuts": _shortcuts(report, built),
        "limits": LIMITS,
        "leaks": _leaks(project, built),
        "leak_limits": leaks.LIMITS,
    }
