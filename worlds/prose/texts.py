"""The data files of the novels: word fields, and the rules that put words together.

A word file has `[field]` lines, each followed by words; "_" joins words that belong together. A rule file has `@name` lines,
each followed by alternatives, one a line. In an alternative `{x}` calls a rule, a word field or a function of the teller,
`{x/form}` asks for a word form, `{B:x}` lets B act, `{m:x}` some man,
`{l:x}` some man who is alive, `<a|b>` chooses in place, `<=a|b>` takes
the place in the list that the choice before it took, `[winter|autumn !rain]` at the start says when it
may be used, and a star before a word marks the verb that takes the form its rule was asked for. In speech " // " hands the
word to the other person, and "B: " lets B begin.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from haymaker.core.errors import CorpusError

Guard = tuple[tuple[int, ...], int]  # groups of tags (one of each must hold), and the tags that must not

TAGS = (
    *"winter spring summer autumn morning afternoon evening night fine dull rain wind snow fog frost heat".split(),
    *"man woman young middle old gentle plain proud kind hot cautious merry sad shrewd frank".split(),
    *"bman bwoman bgentle bplain kin warm cold indoors outdoors town feast good bad sorrow".split(),
)
_BITS = {tag: 1 << i for i, tag in enumerate(TAGS)}
_WORDS = ("nouns.txt", "verbs.txt", "modifiers.txt", "names.txt")
_RULES = ("setting.txt", "people.txt", "mind.txt", "talk.txt", "plot.txt", "daily.txt", "banks.txt", "numbers.txt")


def mask(tags: list[str]) -> int:
    """Tags as bits.

    Raises:
        CorpusError: a tag is none of TAGS.
    """
    out = 0
    for tag in tags:
        if tag not in _BITS:
            raise CorpusError(f"the novel grammar has no tag {tag!r}; the tags are {', '.join(TAGS)}")
        out |= _BITS[tag]
    return out


def data_lines(name: str) -> list[str]:
    """Lines of a data file of this package, without comments."""
    text = files(__package__).joinpath(name).read_text(encoding="utf-8")
    return [line for line in text.split("\n") if not line.startswith("#")]


@cache
def lexicon() -> dict[str, list[str]]:
    """Word fields by name, each word once."""
    fields: dict[str, list[str]] = {}
    now: list[str] = []
    for file in _WORDS:
        for line in data_lines(file):
            if line.startswith("["):
                now = fields.setdefault(line.strip()[1:-1], [])
            else:
                now.extend(word.replace("_", " ") for word in line.split())
    return {name: list(dict.fromkeys(words)) for name, words in fields.items()}


def _guarded(line: str) -> tuple[Guard, str]:
    if not line.startswith("["):
        return ((), 0), line
    head, _, text = line[1:].partition("] ")
    terms = head.split()
    wanted = tuple(mask(term.split("|")) for term in terms if not term.startswith("!"))
    return (wanted, mask([term[1:] for term in terms if term.startswith("!")])), text


_LOCAL = re.compile(r"\b([Tt]he) \{n\.calling\}('s|)(?!/)")
_SUBJECT = re.compile(r"(^|; |\. |, and |, but )\{B\}")


def _marked(line: str) -> str:
    """The line with the marks of speech, the tradesmen of the place, and the places where B is the subject, as slots."""
    line = _LOCAL.sub(lambda m: f"{{{m[1]}.{'trade' if m[2] else 'local'}}}{m[2]}", line)
    line = line.rstrip().replace("B: ", "{start}").replace(" // ", "{turn}")
    return _SUBJECT.sub(r"\1{B1}", line)


@cache
def rules() -> dict[str, list[tuple[Guard, str]]]:
    """Alternatives of every rule, each with its guard."""
    out: dict[str, list[tuple[Guard, str]]] = {}
    for file in _RULES:
        now: list[tuple[Guard, str]] = []
        for line in data_lines(file):
            if line.startswith("@"):
                now = out.setdefault(line[1:].strip(), [])
            elif line.strip():
                guard, text = _guarded(line)
                now.append((guard, _marked(text)))
    return out
