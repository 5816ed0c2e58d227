"""Odd phrases per file may not rise (tests/prose.py); tests/golden/prose.json has the known counts."""

from __future__ import annotations

import json
import os
from pathlib import Path

from tests.prose import hits

ROOT = Path(__file__).parents[1]
KNOWN = ROOT / "tests/golden/prose.json"
_FOLDERS = ("haymaker", "worlds", "corpora", "generators", "pipelines", "devtools", "docs")
_WRITE = "HAYMAKER_GOLDEN"


def _counts() -> dict[str, int]:
    files = [
        *ROOT.glob("*.md"),
        *(path for folder in _FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in (".py", ".md")),
    ]
    found = {path.relative_to(ROOT).as_posix(): hits(path) for path in sorted(files) if path.name != "CHANGELOG.md"}
    return {name: count for name, count in found.items() if count}


def test_no_file_has_more_odd_phrases_than_before() -> None:
    found = _counts()
    if os.environ.get(_WRITE) == "write":
        KNOWN.write_text(json.dumps(found, indent=0) + "\n", encoding="utf-8")
    known = json.loads(KNOWN.read_text(encoding="utf-8"))
    more = {name: (known.get(name, 0), count) for name, count in found.items() if count > known.get(name, 0)}
    assert not more, f"plain words, please (CONTRIBUTING.md, Prose ratchet): {more}"


def test_a_better_file_lowers_its_limit() -> None:
    found, known = _counts(), json.loads(KNOWN.read_text(encoding="utf-8"))
    better = {name: (count, found.get(name, 0)) for name, count in known.items() if found.get(name, 0) < count}
    assert not better, f"{_WRITE}=write pytest tests/test_prose.py lowers these: {better}"


def test_hits_are_found(tmp_path: Path) -> None:
    odd, plain = tmp_path / "odd.py", tmp_path / "plain.md"
    odd.write_text('"""What stands beside it."""\n# nobody asks\n', encoding="utf-8")
    plain.write_text("The file contains rows.\n```\nwhat stands beside it\n```\n", encoding="utf-8")
    assert hits(odd) == 4 and hits(plain) == 0
