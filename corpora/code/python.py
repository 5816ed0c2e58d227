"""Python files by `ast`: definitions, imports of other files of the project, whole statements on one line.

Not covered: `import a.b` used as `a.b.name`, names imported by `*`, names that a file binds again (a parameter with the
name of an import). No line that depends on these is requested.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from corpora.code.model import Asked, names_in

_BLOCKS = (ast.If, ast.For, ast.While, ast.With, ast.AsyncFor, ast.AsyncWith)
_NOT_ASKED = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Pass, ast.Break,
              ast.Continue, ast.Global, ast.Nonlocal, ast.Try, ast.Match)  # fmt: skip
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEEPEST = 400  # blocks in blocks
_HOLDERS = (ast.stmt, ast.ExceptHandler, ast.match_case)


@dataclass(frozen=True, slots=True)
class Import:
    """A name that an import binds.

    Attributes:
        local: the name in this file.
        module: dotted, without the leading dots counted in `level`.
        name: the name imported from the module; empty for the module itself.
        level: leading dots of a relative import.
        line: end of the import.
        last: one past the last line in its scope (function or file).
        is_top: whether other files can import it from this one.
    """

    local: str
    module: str
    name: str
    level: int
    line: int
    last: int
    is_top: bool


class PythonFile:
    """A parsed file with line feeds as line ends; raises SyntaxError if Python cannot parse it."""

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                self._tree = ast.parse(text)
            except (ValueError, RecursionError, MemoryError) as error:  # a NUL, or brackets a thousand deep
                raise SyntaxError(str(error)) from None
        if _depth(self._tree) > _DEEPEST:
            raise SyntaxError("its blocks are too deep")

    @cached_property
    def defined(self) -> dict[str, tuple[int, int]]:
        """Name -> lines of its definition at the top level, inside of `if` and `try` too."""
        found: dict[str, tuple[int, int]] = {}
        for node in _top(self._tree.body):
            first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))]) - 1
            for name in _bound(node):
                found.setdefault(name, (first, node.end_lineno or node.lineno))
        return found

    @cached_property
    def imports(self) -> list[Import]:
        """Every name that is bound by an import and by nothing else."""
        found = list(self._imports(self._tree, len(self.lines), is_top=True))
        bound = Counter(each.local for each in found)
        return [each for each in found if bound[each.local] == 1 and each.local not in self._rebound]

    def _imports(self, parent: ast.AST, last: int, *, is_top: bool) -> Iterator[Import]:
        for node in ast.iter_child_nodes(parent):
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    local = alias.asname or alias.name
                    yield Import(local, node.module or "", alias.name, node.level, _end(node), last, is_top)
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    if alias.asname or "." not in alias.name:
                        local = alias.asname or alias.name
                        yield Import(local, alias.name, "", 0, _end(node), last, is_top)
            elif isinstance(node, _FUNCTIONS):
                yield from self._imports(node, _end(node), is_top=False)
            elif isinstance(node, _HOLDERS):  # never into expressions, which may be thousands deep
                yield from self._imports(node, last, is_top=is_top and not isinstance(node, ast.ClassDef))

    def told_by(self, name: str) -> set[str]:
        """Return names that a definition binds: parameters, methods, attributes; for an object those of its class."""
        first, last = self.defined[name]
        if re.match(r"\s*(@|def |class |async )", self.lines[first]):
            return self._bound_in(first, last)
        kinds = names_in("\n".join(self.lines[first:last])) & self.defined.keys()
        return set().union(*(self._bound_in(*self.defined[kind]) for kind in (*kinds, name)))

    def _bound_in(self, first: int, last: int) -> set[str]:
        return {name for line, name in self._bound if first <= line < last}

    @cached_property
    def _bound(self) -> list[tuple[int, str]]:
        """Return line and name of all bindings, attributes included, imports excluded."""
        found = [(node.lineno - 1, node.id) for node in self._names if not isinstance(node.ctx, ast.Load)]
        for node in self._nodes:
            if isinstance(node, ast.arg):
                found.append((node.lineno - 1, node.arg))
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                found.append((node.lineno - 1, node.attr))
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.ExceptHandler):
                found.append((node.lineno - 1, node.name or ""))
        return found

    @cached_property
    def _rebound(self) -> set[str]:
        """Return names that the file binds other than by imports."""
        return {name for _, name in self._bound}

    @cached_property
    def _nodes(self) -> list[ast.AST]:
        return list(ast.walk(self._tree))

    @cached_property
    def _names(self) -> list[ast.Name]:
        return [node for node in self._nodes if isinstance(node, ast.Name)]

    @cached_property
    def loads(self) -> dict[str, list[tuple[int, str]]]:
        """Return name -> lines that read it, in order, each with the attribute accessed there, if any."""
        attributes = {id(n.value): n.attr for n in self._nodes if isinstance(n, ast.Attribute)}
        found: dict[str, list[tuple[int, str]]] = {}
        for node in self._names:
            found.setdefault(node.id, []).append((node.lineno - 1, attributes.get(id(node), "")))
        return {name: sorted(places) for name, places in found.items()}

    @cached_property
    def asked(self) -> tuple[Asked, ...]:
        """Return statements, and heads of blocks, that fill a line of their own.

        Excluded are lines with new names of functions and classes, docstrings, and lines without names.
        """
        bound: dict[str, int] = {}
        for node in sorted(self._names, key=lambda node: node.lineno):
            if not isinstance(node.ctx, ast.Load):
                bound.setdefault(node.id, node.lineno)
        statements = [node for node in self._nodes if isinstance(node, ast.stmt)]
        starts = Counter(node.lineno for node in statements)
        found = (self._asked(node, bound) for node in statements)
        return tuple(
            sorted((each for each in found if each and starts[each.line + 1] == 1), key=lambda each: each.line)
        )

    def _asked(self, node: ast.stmt, bound: dict[str, int]) -> Asked | None:
        if isinstance(node, _NOT_ASKED) or (not isinstance(node, _BLOCKS) and node.end_lineno != node.lineno):
            return None
        parts = [part for each in _head(node) for part in ast.walk(each)]
        if max((getattr(part, "end_lineno", 0) or 0 for part in parts), default=node.lineno) != node.lineno:
            return None
        if not any(isinstance(part, ast.Name) for part in parts):
            return None
        names = frozenset(_identifiers(parts))
        new = frozenset(name for name in names if bound.get(name) == node.lineno)
        constants = [part.value for part in parts if isinstance(part, ast.Constant)]
        quoted = frozenset(
            name for each in constants if not isinstance(each, bool | None) for name in names_in(str(each))
        )
        return Asked(node.lineno - 1, self.lines[node.lineno - 1], names, new, quoted)


def _depth(tree: ast.Module) -> int:
    """Return the depth of nested blocks, an `elif` inside its `if`; counted without recursion."""
    deepest = 0
    left: list[tuple[int, ast.AST]] = [(0, node) for node in tree.body]
    while left:
        depth, node = left.pop()
        deepest = max(deepest, depth)
        left += [(depth + 1, each) for each in ast.iter_child_nodes(node) if isinstance(each, _HOLDERS)]
    return deepest


def _top(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements that a module runs, inside of `if`, `try` and `with` too."""
    for node in body:
        yield node
        for name in ("body", "orelse", "finalbody"):
            if isinstance(node, ast.If | ast.Try | ast.With):
                yield from _top(getattr(node, name, ()))
        for handler in getattr(node, "handlers", ()):
            yield from _top(handler.body)


def _bound(node: ast.stmt) -> Iterator[str]:
    """Names that a statement of a module defines, imports left out."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    for target in targets:
        yield from (each.id for each in ast.walk(target) if isinstance(each, ast.Name))


def _head(node: ast.stmt) -> list[ast.AST]:
    """Return the children of a statement without the statements of its block."""
    return [each for each in ast.iter_child_nodes(node) if not isinstance(each, ast.stmt)]


def _end(node: ast.AST) -> int:
    """Return the last line, counted from 1; 0 for nodes without a place (operators)."""
    nested = (getattr(each, "end_lineno", 0) or 0 for each in ast.walk(node))
    return max(nested, default=0)


def _identifiers(parts: Iterable[ast.AST]) -> Iterator[str]:
    for part in parts:
        if isinstance(part, ast.Name):
            yield part.id
        elif isinstance(part, ast.Attribute):
            yield part.attr
        elif isinstance(part, ast.keyword | ast.arg) and part.arg:
            yield part.arg
