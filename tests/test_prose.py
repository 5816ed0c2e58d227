"""Odd phrases per file may not rise (tests/prose.py); tests/golden/prose.json has the known counts."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from haymaker.core.files.yaml_file import read_yaml
from tests.prose import hits, odd_in_prompts

ROOT = Path(__file__).parents[1]
KNOWN = ROOT / "tests/golden/prose.json"
_FOLDERS = ("haymaker", "worlds", "corpora", "generators", "pipelines", "devtools", "docs")
_WRITE = "HAYMAKER_GOLDEN"
_PROMPTS = ("generators/**/*.yaml", "corpora/choices/prompt.yaml", "haymaker/scoring/judges/judge.yaml")
_NO_PROMPTS = {
    "words",
    "oracles",
    "pools.yaml",
    "filler.yaml",
    "de.yaml",
}  # words of filler sentences, phrases of events, German
_NO_INSTRUCTIONS = {"decoys", "statement"}  # sentences hidden in the text


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


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for key, each in value.items() if isinstance(value, dict) else enumerate(value if isinstance(value, list) else ()):
        if key not in _NO_INSTRUCTIONS:
            yield from _texts(each)


def test_what_models_read_is_plain_english() -> None:
    files = [path for pattern in _PROMPTS for path in ROOT.glob(pattern) if not _NO_PROMPTS & set(path.parts)]
    assert len(files) > 15
    odd = {path.name: odd_in_prompts(_texts(read_yaml(path))) for path in files}
    assert {name: found for name, found in odd.items() if found} == {}


def test_odd_prompts_are_found() -> None:
    now = ["Behind each answer stands the number of one passage.", "Reply with the number alone."]
    assert len(odd_in_prompts(now)) == 3
    assert len(odd_in_prompts(_texts({"a": now, "decoys": now, "b": {"statement": now[0], "c": now[1]}}))) == 4


def test_hits_are_found(tmp_path: Path) -> None:
    odd, plain = tmp_path / "odd.py", tmp_path / "plain.md"
    odd.write_text('"""What stands beside it."""\n# nobody asks\n', encoding="utf-8")
    plain.write_text("The file contains rows.\n```\nwhat stands beside it\n```\n", encoding="utf-8")
    assert hits(odd) == 4 and hits(plain) == 0
