"""Kinds of sources are found by reading the files of the folder: that must come to what importing them all would say."""

from __future__ import annotations

import importlib
import pkgutil
import shutil
from pathlib import Path

import pytest

from corpora import sources
from corpora.sources.base import Source
from haymaker.core.errors import ParamsError
from tests.errors import refused


def test_what_is_read_is_what_the_classes_say():
    modules = [importlib.import_module(f"corpora.sources.{m.name}") for m in pkgutil.iter_modules(sources.__path__)]
    classes = [each for module in modules for each in vars(module).values() if isinstance(each, type)]
    said = {each.kind for each in classes if issubclass(each, Source) and each.kind}
    assert sources.kinds() == sorted(said)
    assert all(sources.source_class(kind).kind == kind for kind in said)


def test_a_file_in_the_folder_is_enough_and_one_kind_twice_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    folder = Path(shutil.copytree(sources._FOLDER, tmp_path / "sources"))
    monkeypatch.setattr(sources, "_FOLDER", folder)
    (folder / "ours.py").write_text('class Ours(Source):\n    kind: ClassVar[str] = "ours"\n', encoding="utf-8")
    assert sources._places.__wrapped__()["ours"] == "ours"
    (folder / "theirs.py").write_text('class Theirs(Source):\n    kind: ClassVar[str] = "ours"\n', encoding="utf-8")
    with refused(ParamsError, "corpora/sources", "'ours'", "ours.py", "theirs.py"):
        sources._places.__wrapped__()
