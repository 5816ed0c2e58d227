"""DVC that parses no text twice finds and writes what DVC does."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import dpath
import pytest
from dulwich.repo import Repo
from dvc.utils.serialize import _yaml

from pipelines import dvc_quick
from pipelines.dvc_quick import by_stages, by_steps, kept, once, read_once

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
    parse, dump = kept(_yaml.parse_yaml_for_update, by_stages(_yaml._dump))
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


def test_what_stages_share_is_written_out_in_each() -> None:
    """An anchor of one stage would have the name of another's: readers warn of it."""
    shared = {"8k": 10}
    noted = {"schema": "2.0", "stages": {name: {"params": {"a": shared, "b": shared}} for name in ("one", "two")}}
    by_stages(_yaml._dump)(noted, text := io.StringIO())
    assert "&" not in text.getvalue() and "*" not in text.getvalue()
    assert _yaml.parse_yaml(text.getvalue(), "") == noted


def test_stages_are_written_one_by_one_as_they_are_together() -> None:
    """In a dvc.lock that begins empty; one that changes, one that goes, values that YAML quotes or wraps."""
    dump, asked = by_stages(lambda data, stream: (asked.append(data), _yaml._dump(data, stream))), []  # type: ignore[var-annotated]
    data: dict[str, Any] = {"schema": "2.0", "stages": {}}
    stages = data["stages"]
    for name in ("one", "two@a", "three"):
        stages[name] = {
            "cmd": f"haymaker stage {name}",
            "params": {"long": "word " * 40, "1": 1, "on": "yes", "n": None},
        }
        assert _text(dump, data) == _text(_yaml._dump, data)
    stages["one"]["outs"] = [{"path": "data: x", "size": 7, "md5": "0123e4567"}]
    assert _text(dump, data) == _text(_yaml._dump, data)
    del stages["three"]
    assert _text(dump, data) == _text(_yaml._dump, data)
    assert len(asked) == 5, "the schema once, each stage once, and one that has changed"


def _text(dump: Any, data: Any) -> str:
    text = io.StringIO()
    dump(data, text)
    return text.getvalue()


def test_a_key_with_dots_is_found_as_dvc_finds_it() -> None:
    values = {"a": {"b": {"c": [1]}, "b2": None}, "d.e": 3}
    get = by_steps(dpath.get)
    for key in ("a", "a.b", "a.b.c", "a.b2", "a.b.c.0"):
        assert get(values, key, separator=".") == dpath.get(values, key, separator=".")
    for key in ("a.x", "d.e", "a.b.c.1", "a.b*"):
        with pytest.raises((KeyError, ValueError)):
            dpath.get(values, key, separator=".")
        with pytest.raises((KeyError, ValueError)):
            get(values, key, separator=".")


def test_what_git_tracks_is_read_again_when_it_has_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = Repo.init(str(tmp_path))
    asked = []
    opened = read_once(lambda repo: asked.append(repo) or Repo.open_index(repo))
    for name in ("one", "two"):
        (tmp_path / name).write_text(name)
        repo.get_worktree().stage([name])
        assert name.encode() in opened(repo) and name.encode() in opened(repo)
    assert len(asked) == 2


def test_a_dvc_without_such_functions_is_left_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_yaml, "parse_yaml", before := _yaml.parse_yaml)
    dvc_quick._replace(lambda *each: each, "dvc.utils.serialize._yaml.parse_yaml", "dvc.utils.serialize._yaml.gone")
    dvc_quick._replace(once, "dvc.gone.parse_yaml")
    assert _yaml.parse_yaml is before
    dvc_quick._replace(once, "dvc.utils.serialize._yaml.parse_yaml")
    assert _yaml.parse_yaml is not before
