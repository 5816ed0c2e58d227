"""CONTRIBUTING.md followed to the letter in a scratch copy: a metric, a source, a task, a suite, and a release that is verified."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from generators.generated.vocabulary import noise
from tests.pipelines import tiny

_BLOCK = re.compile(r"^```(?P<kind>\w+)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"`((?:haymaker|generators|corpora|tests)/[\w/]+\.(?:py|json))`")
_FOLDERS = ("haymaker", "worlds", "corpora", "generators", "pipelines", "devtools")


def _recipes() -> list[tuple[str, str, str]]:
    """(kind of block, file it is for, text), in order; a file is named in the words before its block."""
    page = (tiny.ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    found = []
    for block in _BLOCK.finditer(page[page.index("## Add a metric") : page.index("## Rules")]):
        start = page.index("## Add a metric") + block.start()
        named = _FILE.findall(page[:start])
        kind, body = block["kind"], block["body"]
        if kind == "diff":
            first, _, body = body.partition("\n")
            named = [first.removeprefix("--- ")]
        found.append((kind, named[-1] if named else "", body))
    return found


def _follow(root: Path) -> None:
    """Write every file and make every change."""
    for kind, file, body in _recipes():
        path = root / file
        if kind in ("python", "json"):
            assert not path.exists(), f"{file} is there already"
            path.write_text(body, encoding="utf-8")
        elif kind == "diff":
            kept = [line[1:] for line in body.splitlines() if line.startswith(" ")]
            added = [line[1:] for line in body.splitlines() if line.startswith("+")]
            lines = path.read_text(encoding="utf-8").splitlines()
            at = lines.index(kept[-1]) + 1
            path.write_text("\n".join([*lines[:at], *added, *lines[at:]]) + "\n", encoding="utf-8")


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout's code with all recipes followed."""
    root = tmp_path_factory.mktemp("contributing") / "scratch"
    tiny.make(root)
    for folder in _FOLDERS:
        shutil.copytree(tiny.ROOT / folder, root / folder, ignore=shutil.ignore_patterns("__pycache__"))
    (root / "tests/metrics").mkdir(parents=True)
    _follow(root)
    return root


def _run(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], cwd=root, env=tiny.environment(PYTHONPATH=str(root)), capture_output=True, text=True,
        timeout=300, check=False,
    )  # fmt: skip


_NOTES = {"kind": "csv", "path": "notes.csv", "splits": {"test": 80, "train": 20}} | {
    "text_column": "body",
    "id_column": "id",
}
_READ = """
import json, sys
from pathlib import Path
from corpora.sources import create
from corpora.sources.base import FetchContext
from haymaker.scoring.metrics import get
from pipelines.project import Project

for case in json.loads(Path("tests/metrics/contains.json").read_text()):
    assert get(case["metric"]).function(case["output"], case) == case["expected"]
options = json.loads(sys.argv[1])
source, raw = create("notes", options.pop("kind"), options, where="w"), Path("raw")
source.fetch(raw, FetchContext(None, Path("cache"), Path("sources.lock.json")))
print(*(each.doc_id for batch in source.batches(raw) for each in source.read(raw, batch)))
print(*Project(Path()).with_release("passkey").params.suites["passkey"].tasks)
"""
_STAGES = """
from pathlib import Path
from pipelines import stages
from pipelines.project import Project
for name in stages.STAGES:
    stages.run(Project(Path()), name)
"""


def test_metric_source_and_task_of_the_page_work(scratch: Path) -> None:
    """What the slow test below uses in a release, in one process and without one."""
    shutil.copyfile(tiny.ROOT / "params/demo.yaml", scratch / "params/demo.yaml")
    parameters = next(body for kind, _, body in _recipes() if kind == "yaml")
    (scratch / "params/passkey.yaml").write_text(parameters, encoding="utf-8")
    (scratch / "notes.csv").write_text("id,body\na,One.\nb,Two.\n", encoding="utf-8")
    done = _run(scratch, "-c", _READ, json.dumps(_NOTES))
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["a b", "number"]


@pytest.mark.slow
def test_source_and_task_make_a_release_that_is_verified(scratch: Path) -> None:
    sentences = noise(6000, "contributing")
    pages = [" ".join(sentences[i : i + 200]) for i in range(0, len(sentences), 200)]
    lines = ["id,body", *(f'page-{i},"{page}"' for i, page in enumerate(pages))]
    (scratch / "notes.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    values = tiny.params() | {"sources": {"notes": _NOTES}, "corpora": {"novels": {"source": "notes"}}}
    values["suites"] = {
        "passkey": {"background": "novels", "tasks": {"number": {"lengths": {"4k": 2}}}},
        "synthetic": {"tasks": {"code_run_deep": {"lengths": {"4k": 3}}}},
    }
    tiny.write_params(scratch, values)
    done = _run(scratch, "-c", _STAGES)
    assert done.returncode == 0 and "5 rows verified, 0 failures" in done.stderr, done.stderr
    data = scratch / "data/releases/tiny/data"
    tables = {path.parent.relative_to(data).as_posix() for path in data.rglob("*.parquet")}
    assert tables == {"passkey/number/4k", "synthetic/code_run_deep/4k"}
