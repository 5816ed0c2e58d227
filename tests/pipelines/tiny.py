"""A project as small as a project can be and still have everything: two splits, four lengths, three placements."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from generators.inputs import KINDS
from haymaker.core.files.disk import sha256_file, write_json
from haymaker.core.files.yaml_file import mapping
from pipelines import stages
from pipelines.expanded import expanded
from pipelines.project import Project
from pipelines.stages.stage_table import STAGES
from tests.errors import Fix, refused_line

ROOT = Path(__file__).parents[2]
PARAMS: dict[str, Any] = {
    "release": {
        "name": "tiny",
        "version": "0.1.0",
        "title": "Tiny",
        "seed": 7,
        "edition": "simulated",
        "language": "en",
        "reserved_template_tokens": 64,
        "reserved_output_tokens": None,
    },
    "tokenizer": {"release": "tekken", "also": []},
    "parquet": {"zstd_level": 1, "row_group_mb": 1, "shard_mb": 64},
    "validation": {"full_recount_max_length": "64k", "recount_sample_per_file": 1},
    "sources": {
        "stories": {
            "kind": "simulated_babi",
            "seed": 3,
            "tasks": ["qa1", "qa2", "qa3"],
            "questions": {"test": 60, "train": 60},
        },
        "novels": {"kind": "simulated_novels", "seed": 3, "novels": {"test": 3, "train": 1}, "words": 6000},
    },
    "corpora": {
        "books": {
            "source": "novels",
            "language": "en",
            "clean": {"min_tokens": 10, "max_tokens": 512, "decontaminate": ["babi"]},
        }
    },
    "suites": {
        "babilong": {
            "questions": "stories",
            "background": "books",
            "placement": "uniform",
            "lengths": {
                "0k": {"test": 8, "train": 5},
                "1k": {"test": 6, "train": 4},
                "4k": {"test": 6, "train": 4},
                "16k": 2,
            },
            "tasks": {
                "qa1": {},
                "qa2": {"lengths": {"0k": 8, "4k": 5}},
                "qa3": {"lengths": {"1k": 4}},
                "qa1_quarter": {"base": "qa1", "placement": "quarter", "lengths": {"1k": 8, "4k": 8}},
                "qa1_grid": {"base": "qa1", "placement": "grid", "depths": 3, "lengths": {"4k": 6}},
            },
        },
    },
}
"""Rows per config and part are written a second time, by hand, in test_stages.py."""


def params(**changes: Any) -> dict[str, Any]:
    """The tiny parameters with values set by dotted path: `params(**{"release.seed": 8})`; None takes a key away.

    Blocks that are not there are made.
    """
    out = deepcopy(PARAMS)
    for path, value in changes.items():
        *folders, last = path.split(".")
        at = out
        for folder in folders:
            at = at.setdefault(folder, {})
        if value is None:
            del at[last]
        else:
            at[last] = deepcopy(value)
    return out | {kind: {} for kind in KINDS if kind not in out}  # DVC asks for each


def shipped(name: str) -> dict[str, Any]:
    """The values of params/NAME.yaml, with those that it extends."""
    return mapping(expanded(ROOT, f"params/{name}.yaml"), name=name)


def write_params(root: Path, values: Mapping[str, Any] | str) -> None:
    """params.yaml and params/tiny.yaml, the same bytes."""
    text = values if isinstance(values, str) else yaml.safe_dump(dict(values), sort_keys=False)
    (root / "params").mkdir(exist_ok=True)
    for file in (root / "params.yaml", root / "params/tiny.yaml"):
        file.write_text(text, encoding="utf-8")


def make(root: Path, **changes: Any) -> Project:
    """A project folder with the repository's own dvc.yaml and versions.yaml."""
    root.mkdir(parents=True, exist_ok=True)
    for name in ("dvc.yaml", "versions.yaml"):
        shutil.copyfile(ROOT / name, root / name)
    (root / ".dvc").mkdir(exist_ok=True)
    config = (ROOT / ".dvc/config").read_text(encoding="utf-8")
    (root / ".dvc/config").write_text(config.replace("[core]", "[core]\n    no_scm = true"), encoding="utf-8")
    write_params(root, params(**changes))
    return Project(root)


def run(project: Project, *only: str) -> None:
    """All stages, or those named, in this process."""
    for name in only or STAGES:
        stages.run(Project(project.root), name)


def run_alone(project: Project, *only: str) -> None:
    """The same, and no stage starts processes of its own: for fixtures that live longer than a test."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HAYMAKER_WORKERS", "1")
        run(project, *only)


def version_of(part: str) -> int:
    """The number that must be raised when the bytes of a part change; `generate` stands for the rows of every suite."""
    numbers: Any = yaml.safe_load((ROOT / "versions.yaml").read_text(encoding="utf-8"))
    for name in part.split("."):
        numbers = numbers[name] if isinstance(numbers, dict) else numbers
    return int(numbers)


def hold_golden(file: Path, part: str, digests: Mapping[str, str], test: str) -> None:
    """Bytes behind a key of versions.yaml are those of tests/golden, under the same number; HAYMAKER_GOLDEN=write renews them.

    Parts are listed in the order of the pipeline: mend the first that fails, the later ones depend on it.
    """
    fresh = {"version": version_of(part), "digests": dict(digests)}
    known = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    if os.environ.get("HAYMAKER_GOLDEN") == "write":  # one process at a time: pytest without -n
        write_json(file, known | {part: fresh})
        return
    assert fresh == known.get(part), (
        f"bytes of {part} changed. If that is meant: raise {part} in versions.yaml and its constant, then "
        f"HAYMAKER_GOLDEN=write pytest {test}"
    )


def digests(root: Path, below: str = "data/releases/tiny") -> dict[str, str]:
    """Relative path -> SHA-256 of every file below a folder."""
    folder = root / below
    return {p.relative_to(folder).as_posix(): sha256_file(p) for p in sorted(folder.rglob("*")) if p.is_file()}


def environment(**more: str | None) -> dict[str, str]:
    """What a program started by a test sees: our programs first, no mirror, no network library that phones home."""
    out = {k: v for k, v in os.environ.items() if not k.startswith(("HAYMAKER_", "PYTEST_"))}
    out |= {
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]),
        "PYTHONPATH": str(ROOT),
        "HAYMAKER_WORKERS": "1",
        "DVC_NO_ANALYTICS": "1",
        "HF_HUB_OFFLINE": "1",
        "PYTHONWARNINGS": "ignore",
    }
    for key, value in more.items():
        out.pop(key, None)
        if value is not None:
            out[key] = value
    return out


def haymaker(root: Path, *arguments: str, timeout: float = 240, **more: str | None) -> subprocess.CompletedProcess[str]:
    """The real program in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "haymaker.cli.main", *arguments],
        cwd=root,
        env=environment(**more),
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def called(root: Path, *arguments: str, **more: str | None) -> subprocess.CompletedProcess[str]:
    """The program's entry point in this process, for what needs no process of its own: ten times as quick."""
    from haymaker.cli import main

    out, err, code = io.StringIO(), io.StringIO(), 0
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.chdir(root)
        patch.setattr(sys, "argv", ["haymaker", *arguments])
        for name in [name for name in os.environ if name.startswith("HAYMAKER_")]:
            patch.delenv(name)
        for name, value in ({"HAYMAKER_WORKERS": "1"} | more).items():
            patch.setenv(name, value) if value is not None else patch.delenv(name, raising=False)
        try:
            main.main()
        except SystemExit as stop:
            code = int(stop.code or 0)
    return subprocess.CompletedProcess([], code, out.getvalue(), err.getvalue())


def one_line(
    result: subprocess.CompletedProcess[str], where: str = "", *values: object, fix: Fix = "", code: int = 2
) -> str:
    """The one line in which a program said what is wrong, at this place, with these values and fixes; anything more or less is a failure."""
    text = result.stderr
    assert result.returncode == code, (result.returncode, text, result.stdout)
    assert "Traceback" not in text + result.stdout
    lines = text.strip().splitlines()
    mine = [line for line in lines if line.startswith("haymaker: ")]
    assert len(mine) == 1 and lines[-1] == mine[0], text
    refused_line(mine[0], where, *values, fix=fix)
    return mine[0]


def leftovers(root: Path) -> list[str]:
    """Half-written things under a final name, or temporary things left behind."""
    return [p.relative_to(root).as_posix() for p in root.rglob("*") if p.name.endswith((".tmp", ".new"))]


def copy(source: Path, target: Path) -> Project:
    """A project of one's own to damage (no hard links: damage must not reach the original)."""
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("work"))
    return Project(target)
