"""Simulated programs: they run, every function of them, and calls keep the rule that they state."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from corpora.sources import create
from corpora.sources.base import FetchContext
from haymaker.core.errors import BuildError
from tests.errors import refused
from worlds.programs.build import programs, words

RUN = """
import importlib, inspect, pkgutil, sys
for trade in sys.argv[1:]:
    package, things = importlib.import_module(trade), {}
    modules = {info.name: importlib.import_module(f"{trade}.{info.name}") for info in pkgutil.iter_modules(package.__path__) if info.name != "__main__"}
    for name, module in modules.items():
        for kind in vars(module).values():
            if inspect.isclass(kind) and kind.__module__ == module.__name__ and not kind.__name__.endswith("Book"):
                things[name] = [kind(f"number {n}", n, 40 - n, 3 * n, 7, 90) for n in (1, 20, 39)]
    calls = 0
    for name, module in modules.items():
        for made in [each for each in vars(module).values() if getattr(each, "__module__", "") == module.__name__]:
            if inspect.isclass(made) and made.__name__.endswith("Book"):
                [(plural, kept)] = [(key, value) for key, value in things.items() if name in (f"{key[:-1]}_book", f"{key[:-2]}_book", f"{key[:-3]}y_book")]
                book = made("a title")
                for each in kept:
                    book.add(each)
                things[f"book of {name}"] = [book]
                for method in ("total", "by_name", "over"):
                    [call] = [getattr(book, key) for key in dir(book) if method in key]
                    call(*range(3, 3 + len(inspect.signature(call).parameters)))
                    calls += 1
    for name, module in modules.items():
        for made in [each for each in vars(module).values() if inspect.isfunction(each) and each.__module__ == module.__name__]:
            first = things[f"book of {name[:-7]}_book"] if name.endswith("_report") else things[name]
            for each in first:
                made(each, *range(5, 4 + len(inspect.signature(made).parameters)))
            calls += 1
    print(trade, calls)
"""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("programs")
    for file in programs(5, {"test": len(words()["trades"])}):
        (root / file.path).parent.mkdir(parents=True, exist_ok=True)
        (root / file.path).write_text(file.text, encoding="utf-8")
    return root


def test_every_function_of_every_program_runs(written: Path) -> None:
    """Of each of four things: eight functions, three methods, two reports."""
    trades = sorted(words()["trades"])
    done = subprocess.run(
        [sys.executable, "-B", "-c", RUN, *trades], cwd=written, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert done.stdout.split("\n")[:-1] == [f"{trade} {4 * 13}" for trade in trades]


def test_plurals_are_spelt_as_english_spells_them(written: Path) -> None:
    """ "A book of lorrys." stood in 205 rows."""
    texts = {path.relative_to(written).as_posix(): path.read_text(encoding="utf-8") for path in written.glob("*/*.py")}
    assert [name for name, text in texts.items() if re.search(r"[b-df-hj-np-tv-xz]ys(?![a-z])", name + text)] == []
    assert texts["quarry/lorry_book.py"].startswith('"""A record book of lorries.') and "garage/batteries.py" in texts
    assert {"quarry/drills.py", "vineyard/bottles.py", "orchard/presses.py", "archive/boxes.py"} < texts.keys()


@pytest.fixture(scope="module")
def trees(written: Path) -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(written.glob("*/*.py"))}


def test_calls_keep_the_rule(trees: dict[Path, ast.Module]) -> None:
    """First argument by place, all others by name, in the order of the definition: so the definition alone decides a call."""
    calls = 0
    defined = {
        (path.parent, node.name): [arg.arg for arg in node.args.args]
        for path, tree in trees.items()
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
    }
    for path, tree in trees.items():
        for node in ast.walk(tree) if path.name.endswith("_book.py") else ():
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and (path.parent, node.func.id) in defined
            ):
                names = defined[path.parent, node.func.id]
                assert [keyword.arg for keyword in node.keywords] == names[1:] and len(node.args) == 1
                calls += 1
    assert calls == 3 * 4 * len(words()["trades"])


def test_more_programs_change_no_other() -> None:
    few, many = programs(3, {"test": 2, "train": 1}), programs(3, {"test": 6, "train": 5})
    assert {file.path: file for file in few}.items() <= {file.path: file for file in many}.items()
    assert {file.path.split("/")[0] for file in many if file.split == "test"}.isdisjoint(
        {file.path.split("/")[0] for file in many if file.split == "train"}
    )
    assert programs(4, {"test": 2}) != programs(3, {"test": 2})
    with refused(BuildError, "", 28):
        programs(3, {"test": 20, "train": 9})


def test_the_source_gives_what_it_wrote(tmp_path: Path, context: FetchContext) -> None:
    source = create("code", "simulated_programs", {"seed": 2, "programs": {"test": 2, "train": 1}}, where="w")
    source.fetch(tmp_path / "raw", context)
    assert source.verify(tmp_path / "raw", context) == []
    assert source.code_files(tmp_path / "raw") == programs(2, {"test": 2, "train": 1})


@pytest.fixture
def context(tmp_path: Path) -> FetchContext:
    return FetchContext(None, tmp_path / "work", tmp_path / "sources.lock.json")
