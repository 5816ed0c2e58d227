"""DVC that parses no text twice finds and writes what DVC does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from dvc.utils.serialize import _yaml

from pipelines.dvc_quick import kept, once

PARAMS = "a: {b: [1, 2], c: x}\nd: 0.5 # why\n"


def test_a_text_is_parsed_once_and_everyone_has_a_copy() -> None:
    asked = []

    def counted(text: str, path: str, typ: str = "safe") -> Any:
        asked.append(text)
        return _yaml.parse_yaml(text, path, typ)

    parse = once(counted)
    first = parse(PARAMS, "params.yaml")
    first["a"]["b"].append(3)
    assert parse(PARAMS, "other.yaml") == {"a": {"b": [1, 2], "c": "x"}, "d": 0.5} and len(asked) == 1
    assert parse(PARAMS.replace("0.5", "0.6"), "params.yaml")["d"] == 0.6 and len(asked) == 2


def test_a_damaged_text_is_named_by_its_file() -> None:
    parse = once(_yaml.parse_yaml)
    for name in ("one.yaml", "two.yaml"):
        with pytest.raises(_yaml.YAMLFileCorruptedError, match=name):
            parse("a: [1\n", name)


def test_files_are_written_as_dvc_writes_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stage by stage, an entry of the list of runs between, a value that is said twice, an edit by another program."""
    steps: list[dict[str, Any]] = [
        {"one": {"cmd": "haymaker stage one", "params": {"params.yaml": {"a.b": [1, 2], "long": "word " * 40}}}},
        {"two": {"cmd": "haymaker stage two", "params": {"params.yaml": {"a.b": [1, 2], "none": None, "on": "yes"}}}},
        {"one": {"cmd": "haymaker stage one", "outs": [{"path": "data/raw/x", "md5": "0123e4567", "size": 7}]}},
    ]

    def written(folder: Path) -> bytes:
        folder.mkdir()
        lock = folder / "dvc.lock"
        for number, step in enumerate(steps):
            _yaml.dump_yaml(folder / f"run{number}", step)
            with _yaml.modify_yaml(lock) as data:
                data.setdefault("stages", {}).update(step)
            if number == 1:
                lock.write_text("# edited\n" + lock.read_text())
        return lock.read_bytes()

    plain = written(tmp_path / "plain")
    parse, dump = kept(_yaml.parse_yaml_for_update, _yaml._dump)
    monkeypatch.setattr(_yaml, "parse_yaml_for_update", parse)
    monkeypatch.setattr(_yaml, "_dump", dump)
    assert written(tmp_path / "quick") == plain and plain.startswith(b"# edited")


def test_what_was_just_written_is_not_parsed() -> None:
    asked = []
    parse, dump = kept(lambda text, path: asked.append(text), _yaml._dump)
    with Path("/dev/null").open("w") as stream:
        dump(data := {"a": 1}, stream)
    assert parse("a: 1\n", "dvc.lock") is data and not asked
    assert parse("a: 2\n", "dvc.lock") is None and asked == ["a: 2\n"]
