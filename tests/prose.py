"""Find odd phrases in prose: `python -m tests.prose PATH` prints those of a file or folder.

A correct and clear sentence may contain one.
"""

from __future__ import annotations

import io
import re
import sys
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Count:
    """Odd phrases and words of texts."""

    hits: int = 0
    words: int = 0

    def __add__(self, other: Count) -> Count:
        return Count(self.hits + other.hits, self.words + other.words)

    @property
    def per_1000(self) -> float:
        """Odd phrases per 1,000 words."""
        return 1000 * self.hits / max(self.words, 1)


def odd(line: str) -> list[str]:
    """Return the odd phrases of a line."""
    return [found[0] for pattern in _COMPILED for found in pattern.finditer(line.strip())]


def count(lines: Iterable[str]) -> Count:
    """Count the odd phrases and words of lines of prose."""
    return sum((Count(len(odd(line)), len(line.split())) for line in lines), Count())


def prose(path: Path) -> Iterator[str]:
    """Yield the lines of prose of a file: Markdown, docstrings and comments of Python, comments of YAML."""
    return _READERS[path.suffix](path)


def _markdown(path: Path) -> Iterator[str]:
    is_code = False
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.lstrip().startswith("```"):
            is_code = not is_code
        elif not is_code:
            yield re.sub(r"`[^`]*`", "CODE", line)


def _python(path: Path) -> Iterator[str]:
    """Docstrings are strings that begin a statement."""
    begins = True
    for token in tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline):
        if token.type == tokenize.COMMENT:
            yield token.string.lstrip("# ")
        elif token.type == tokenize.STRING and begins:
            yield from token.string.strip("r\"'").splitlines()
        if token.type not in (tokenize.NL, tokenize.COMMENT):
            begins = token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)


def _yaml(path: Path) -> Iterator[str]:
    for line in path.read_text(encoding="utf-8").splitlines():
        if found := re.search(r"(?:^|\s)#\s*(.*)", line):
            yield found[1]


_READERS = {".md": _markdown, ".py": _python, ".yaml": _yaml}


def odd_in_prompts(texts: Iterable[str]) -> list[str]:
    """Return the odd phrases in texts that models read, each with its text."""
    never = [_ONLY_IN_PROMPTS, *(PATTERNS[name] for name in NEVER_IN_PROMPTS)]
    patterns = [re.compile(pattern, re.IGNORECASE) for pattern in never]
    return [f"{hit[0]!r} in {text!r}" for text in texts for pattern in patterns for hit in pattern.finditer(text)]


def files(path: Path) -> list[Path]:
    """Return the files with prose at a path: the file itself, or those below a folder."""
    found = sorted(path.rglob("*")) if path.is_dir() else [path]
    return [each for each in found if each.suffix in _READERS]


def main() -> None:
    """Print every odd phrase of the files and folders in the arguments, and their number per 1,000 words."""
    found = [each for name in sys.argv[1:] for each in files(Path(name))]
    lines = [(path, line) for path in found for line in prose(path)]
    for path, line in lines:
        for phrase in odd(line):
            print(f"{path}: {phrase!r} in {line.strip()!r}")
    print(f"{count(line for _, line in lines).per_1000:.1f} per 1,000 words")


if __name__ == "__main__":
    main()
