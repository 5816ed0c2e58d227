"""Mutation check: damage functions that decide what a row or a score is, one at a time, and see whether a test fails.

`python -m devtools.mutations [NUMBER...]` runs all functions of mutations.yaml, or those with these numbers, in a copy of the checkout.
"""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from haymaker.core.files.yaml_file import read_yaml
from haymaker.core.rng import Stream

ROOT = Path(__file__).parents[1]
_COMPARISONS: dict[type, type] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_OPERATORS: dict[type, type] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
_NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}

Damage = Callable[[], None]


def _damages(function: ast.AST) -> Iterator[Damage]:
    """Yield every single change that is tried: comparisons, operators, numbers, conditions, min/max, any/all, lost statements."""
    for node in ast.walk(function):
        if isinstance(node, ast.Compare) and type(node.ops[0]) in _COMPARISONS:
            yield partial(node.ops.__setitem__, 0, _COMPARISONS[type(node.ops[0])]())
        elif isinstance(node, ast.BinOp | ast.BoolOp) and type(node.op) in _OPERATORS:
            yield partial(setattr, node, "op", _OPERATORS[type(node.op)]())
        elif isinstance(node, ast.Constant) and type(node.value) is int:
            yield partial(setattr, node, "value", node.value + 1)
        elif isinstance(node, ast.If | ast.IfExp | ast.While):
            yield partial(setattr, node, "test", ast.UnaryOp(ast.Not(), node.test))
        elif isinstance(node, ast.Name) and node.id in _NAMES:
            yield partial(setattr, node, "id", _NAMES[node.id])
        elif isinstance(node, ast.comprehension) and node.ifs:
            yield node.ifs.clear
        body: list[ast.stmt] = getattr(node, "body", []) if isinstance(node, ast.stmt) else []
        for index, statement in enumerate(body):
            if isinstance(statement, ast.Assign | ast.AugAssign | ast.Raise):
                yield partial(body.__setitem__, index, ast.Pass())


def damaged(source: str, name: str, draw: Stream) -> tuple[str, str]:
    """Return the damaged file and the first changed line of the function `name`."""
    tree = ast.parse(source)
    function = next(n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == name)
    before = ast.unparse(function).splitlines()
    draw.choice(list(_damages(function)))()
    ast.fix_missing_locations(tree)
    after = ast.unparse(function).splitlines()
    changed = next(f"{old.strip()} -> {new.strip()}" for old, new in zip(before, after, strict=True) if old != new)
    return ast.unparse(tree), changed


def main() -> None:
    """Print one line for each function: the damage, and the test that failed."""
    listed = read_yaml(ROOT / "devtools/mutations.yaml")
    functions = [(each, tests) for tests, of in listed["functions"].items() for each in of]
    wanted = set(map(int, sys.argv[1:])) or range(1, len(functions) + 1)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "copy")
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(copy)], check=True)
        for number in sorted(wanted):
            function, tests = functions[number - 1]
            path, name = function.split(":")
            whole = (copy / path).read_text(encoding="utf-8")
            text, change = damaged(whole, name, Stream(listed["seed"], function))
            (copy / path).write_text(text, encoding="utf-8")
            sys.stdout.write(f"{number} {function}: {change}\n    {_caught(copy, tests.split())}\n")
            sys.stdout.flush()
            (copy / path).write_text(whole, encoding="utf-8")
            shutil.rmtree(copy / "data/work", ignore_errors=True)


def _caught(copy: Path, tests: list[str]) -> str:
    """Return the name of the first test that fails, or NOT CAUGHT."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", *(f"tests/{each}" for each in tests)]
    environment = {**os.environ, "PYTHONPATH": str(copy)}
    ran = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, check=False)
    failed = [line for line in ran.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return failed[0] if failed else "NOT CAUGHT" if ran.returncode == 0 else ran.stdout[-300:]


if __name__ == "__main__":
    main()
