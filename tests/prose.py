"""Odd phrases in prose: docstrings, comments and Markdown. A place to look, not a judge."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from pathlib import Path

PATTERNS = {
    "things that speak": r"\b(stands?|stood)\b|\b(is|are) (told|said|asked)\b|\b(file|table|line|row|page|name|key)s? (says?|tells?|knows?)\b",
    "old words": r"\b(beside|anew|mend(s|ed|ing)?|seldom|likewise|thereof|gives? way|takes? turns|goes on|go on)\b",
    "behind for after": r"\bbehind (it|them|the|an?|each|every|this|that)\b",
    "alone for only": r"\b(it|them|that|these|those|rows?|files?|texts?|name|one) alone\b",
    "pronoun for noun": r"\b(that|those) of (an?|the|its|their|all|each|one)\b|\bthose (that|which|who)\b|\bwho(ever)? (asks|reads|wants|knows)\b",
    "clause for noun": r"\b(of|to|by|from|for|with) (what|which|whom)\b|^(What|Who|Whose|Which) ",
    "where for if": r"\bwhere (it|they|one|none|nobody|nothing|several|some|few|an?) \w+",
    "negation": r"\b(nobody|no one)\b|\bnothing but\b",
    "chain": r";[^;]*;",
}
NEVER_IN_PROMPTS = ("things that speak", "old words", "behind for after", "alone for only", "negation")
_ONLY_IN_PROMPTS = r"\b(number|letter|text|answer) alone\b|\bbears? (it|them) out\b|\bsums? up\b|\bwhatever else\b"
_COMPILED = [re.compile(pattern) for pattern in PATTERNS.values()]


def hits(path: Path) -> int:
    """Return how many odd phrases a file has."""
    lines = _markdown(path) if path.suffix == ".md" else _python(path)
    return sum(len(pattern.findall(line.strip())) for line in lines for pattern in _COMPILED)


def _markdown(path: Path) -> Iterator[str]:
    is_code = False
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.lstrip().startswith("```"):
            is_code = not is_code
        elif not is_code:
            yield re.sub(r"`[^`]*`", "CODE", line)


def _python(path: Path) -> Iterator[str]:
    source = path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            yield from (ast.get_docstring(node, clean=False) or "").splitlines()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string.lstrip("# ")


def odd_in_prompts(texts: Iterable[str]) -> list[str]:
    """Return the odd phrases in texts that models read, each with its text."""
    odd = [_ONLY_IN_PROMPTS, *(PATTERNS[name] for name in NEVER_IN_PROMPTS)]
    patterns = [re.compile(pattern, re.IGNORECASE) for pattern in odd]
    return [f"{hit[0]!r} in {text!r}" for text in texts for pattern in patterns for hit in pattern.finditer(text)]
