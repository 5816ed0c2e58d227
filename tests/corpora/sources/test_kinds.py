"""Kinds of sources are found by reading the files of the folder: that must come to what importing them all would say."""

from __future__ import annotations

import importlib
import pkgutil

from corpora import sources
from corpora.sources.base import Source


def test_what_is_read_is_what_the_classes_say():
    modules = [importlib.import_module(f"corpora.sources.{m.name}") for m in pkgutil.iter_modules(sources.__path__)]
    classes = [each for module in modules for each in vars(module).values() if isinstance(each, type)]
    said = {each.kind for each in classes if issubclass(each, Source) and each.kind}
    assert sources.kinds() == sorted(said)
    assert all(sources.source_class(kind).kind == kind for kind in said)
