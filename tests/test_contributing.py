"""CONTRIBUTING.md followed to the letter in a scratch copy: a metric, a source, a task, a suite, and a release that is verified."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from generators.synthetic.vocabulary import noise
from tests.pipelines import tiny

_BLOCK = re.compile(r"^```(?P<kind>\w+)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"`((?:haymaker|generators|corpora|tests)/[\w/]+\.(?:py|json))`")
_FOLDERS = ("haymaker", "worlds", "corpora", "generators", "pipelines", "devtools")
_WRITTEN = (
    "haymaker/scoring/metrics/contains.py",
    "tests/metrics/contains.json",
    "corpora/sources/csv_table.py",
    "generators/passkey.py",
)
_CHANGED = ("versions.yaml", "generators/synthetic/code.py", "generators/suite.py")


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


def _follow(root: Path) -> tuple[list[str], list[str]]:
    """Write every file and make every change; (files written, files changed)."""
    written, changed = [], []
    for kind, file, body in _recipes():
        path = root / file
        if kind in ("python", "json"):
            assert not path.exists(), f"{file} is there already"
            path.write_text(body, encoding="utf-8")
            written.append(file)
        elif kind == "diff":
            kept = [line[1:] for line in body.splitlines() if line.startswith(" ")]
            added = [line[1:] for line in body.splitlines() if line.startswith("+")]
            lines = path.read_text(encoding="utf-8").splitlines()
            at = lines.index(kept[-1]) + 1
            path.write_text("\n".join([*lines[:at], *added, *lines[at:]]) + "\n", encoding="utf-8")
            changed.append(file)
    return written, changed


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout's code with all recipes followed."""
    root = tmp_path_factory.mktemp("contributing") / "scratch"
    tiny.make(root)
    for folder in _FOLDERS:
        shutil.copytree(tiny.ROOT / folder, root / folder, ignore=shutil.ignore_patterns("__pycache__"))
    (root / "tests/metrics").mkdir(parents=True)
    written, changed = _follow(root)
    assert (tuple(written), tuple(changed)) == (_WRITTEN, _CHANGED)
    return root


def _run(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], cwd=root, env=tiny.environment(PYTHONPATH=str(root)), capture_output=True, text=True,
        timeout=300, check=False,
    )  # fmt: skip


def test_the_example_of_a_benchmark_is_short() -> None:
    example = next(body for kind, file, body in _recipes() if file == "generators/passkey.py")
    assert len(example.splitlines()) <= 60


def test_the_metric_scores_its_cases(scratch: Path) -> None:
    code = (
        "import json; from pathlib import Path; from haymaker.scoring.metrics import get\n"
        "cases = json.loads(Path('tests/metrics/contains.json').read_text())\n"
        "print([get(c['metric']).function(c['output'], c) == c['expected'] for c in cases])"
    )
    done = _run(scratch, "-c", code)
    assert done.stdout.strip() == "[True, True]", done.stderr


_RUN = ("-m", "haymaker.cli.main", "run")
_STAGES = """
from pathlib import Path
from pipelines import stages
from pipelines.project import Project
for name in stages.STAGES:
    stages.run(Project(Path()), name)
"""


def _built(root: Path, release: str, *arguments: str) -> tuple[str, set[str]]:
    """What was said, and the tables that were made."""
    done = _run(root, *arguments)
    assert done.returncode == 0, done.stderr
    data = root / "data/releases" / release / "data"
    return done.stderr, {path.parent.relative_to(data).as_posix() for path in data.rglob("*.parquet")}


_READ = """
from pathlib import Path
from pipelines.project import Project
print(*Project(Path()).with_release("passkey").params.suites["passkey"].tasks)
"""


@pytest.fixture
def page(scratch: Path) -> Path:
    """The scratch copy with the release of the page."""
    shutil.copyfile(tiny.ROOT / "params/demo.yaml", scratch / "params/demo.yaml")
    parameters = next(body for kind, _, body in _recipes() if kind == "yaml")
    (scratch / "params/passkey.yaml").write_text(parameters, encoding="utf-8")
    return scratch


def test_the_release_of_the_page_has_the_task(page: Path) -> None:
    done = _run(page, "-c", _READ)
    assert done.stdout.split() == ["number"], done.stderr


@pytest.mark.slow
def test_the_suite_makes_the_release_of_the_page(page: Path) -> None:
    printed, tables = _built(page, "passkey", *_RUN, "passkey")
    assert "8 rows verified, 0 failures" in printed
    assert "above their limits" not in printed
    assert tables == {"passkey/number/4k", "passkey/number/32k"}


def test_source_and_task_make_a_release_that_is_verified(scratch: Path) -> None:
    """Stage by stage in one process; the slow test before this one sees that `haymaker run` does the same."""
    sentences = noise(6000, "contributing")
    pages = [" ".join(sentences[i : i + 200]) for i in range(0, len(sentences), 200)]
    lines = ["id,body", *(f'page-{i},"{page}"' for i, page in enumerate(pages))]
    (scratch / "notes.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    notes = {
        "kind": "csv",
        "path": "notes.csv",
        "splits": {"test": 80, "train": 20},
        "text_column": "body",
        "id_column": "id",
    }
    values = tiny.params() | {"sources": {"notes": notes}, "corpora": {"novels": {"source": "notes"}}}
    values["suites"] = {
        "passkey": {"background": "novels", "tasks": {"number": {"lengths": {"4k": 2}}}},
        "synthetic": {"tasks": {"code_run_deep": {"lengths": {"4k": 3}}}},
    }
    tiny.write_params(scratch, values)
    printed, tables = _built(scratch, "tiny", "-c", _STAGES)
    assert "5 rows verified, 0 failures" in printed
    assert tables == {"passkey/number/4k", "synthetic/code_run_deep/4k"}


def test_the_page_is_as_our_own_code_has_to_be(scratch: Path) -> None:
    shutil.copyfile(tiny.ROOT / "pyproject.toml", scratch / "pyproject.toml")
    written = [file for file in _WRITTEN if file.endswith(".py")]
    for check in (["check"], ["format", "--check"]):
        done = _run(scratch, "-m", "ruff", *check, *written)
        assert done.returncode == 0, done.stdout
