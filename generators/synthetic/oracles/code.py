"""Oracle of code_run: interprets additions and calls in the syntax trees of the called functions, without executing them."""

from __future__ import annotations

import ast
import re

_CODE = re.compile(r"<code>\n(.*)\n</code>", re.DOTALL)
_FUNCTION = re.compile(r"def (\w+)\(x\): return \S")
_CALL = re.compile(r"What does (\w+)\((-?[0-9]+)\) return\?\nAnswer:\Z")


def run(prompt: str) -> list[str]:
    """Return the value of the requested call.

    Raises:
        ValueError: no code or question, a name twice, a call of nothing, or anything but additions and calls.
    """
    code, call = _CODE.search(prompt), _CALL.search(prompt)
    if not (code and call):
        raise ValueError("no code between its tags, or no question after it")
    functions: dict[str, str] = {}
    for number, line in enumerate(code[1].split("\n"), 1):
        found = _FUNCTION.match(line)
        if found is None:
            raise ValueError(f"line {number} is not a function of one line")
        if functions.setdefault(found[1], line) is not line:
            raise ValueError(f"{found[1]} is defined twice")
    name, value, added = call[1], int(call[2]), 0
    for _ in range(len(functions) + 1):
        callee, more = _step(functions, name)
        added += more
        if callee is None:
            return [str(value + added)]
        name = callee
    raise ValueError("the calls never end")


def _body(line: str) -> ast.expr | None:
    """Return the returned expression of a one-line function."""
    match ast.parse(line).body:
        case [
            ast.FunctionDef(args=ast.arguments(args=[ast.arg(arg="x")]), body=[ast.Return(value=ast.expr() as body)])
        ]:
            return body
    return None


def _step(functions: dict[str, str], name: str) -> tuple[str | None, int]:
    """Return the function called with x (None for x itself) and the number added to it."""
    if name not in functions:
        raise ValueError(f"{name} is not defined")
    match _body(functions[name]):
        case ast.BinOp(left=left, op=op, right=ast.Constant(value=int() as more)):
            if not isinstance(op, ast.Add | ast.Sub):
                raise ValueError("neither addition nor subtraction")
            added = more if isinstance(op, ast.Add) else -more
            match left:
                case ast.Name(id="x"):
                    return None, added
                case ast.Call(func=ast.Name(id=callee), args=[ast.Name(id="x")], keywords=[]):
                    return callee, added
    raise ValueError(f"{name} does more than add and call")
