"""Packages of simulated code: things with measures, books that add them up, reports on books, a main module that runs all of it.

Every program keeps one rule, which it says itself: the first argument by place, all others by name in the order of the definition.
So what a call looks like is decided by the definition in another file, and by nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from haymaker.core.errors import BuildError
from haymaker.core.files.yaml_file import read_yaml
from haymaker.core.rng import Stream
from haymaker.core.rows.source_records import CodeFile, Split
from worlds.prose import morphology

_FIELDS = 5  # of a thing, besides its name
_MEASURES = 6  # of a thing
_RULE = "Each call passes the first argument by position and all others by keyword, in the order of the function definition."


Part = Literal["test", "train"]


@dataclass(frozen=True, slots=True)
class Measure:
    """A function on a thing.

    Attributes:
        name: of the function.
        word: what it works out.
        roles: its parameters after the thing, each with the name that callers use for it.
        field, other: of the thing, that it reads.
        form: of its body.
    """

    name: str
    word: str
    roles: tuple[tuple[str, str], ...]
    field: str
    other: str
    form: str


@dataclass(frozen=True, slots=True)
class Thing:
    """A kind of thing that a program keeps.

    Attributes:
        name: singular, as in names of variables.
        fields: whole numbers that each has.
        measures: functions on it.
        kept, told: those of them that its book uses, and its report.
    """

    name: str
    fields: tuple[str, ...]
    measures: tuple[Measure, ...]
    kept: tuple[Measure, ...]
    told: tuple[Measure, ...]

    @property
    def kind(self) -> str:
        """Name of its class."""
        return "".join(word.capitalize() for word in self.name.split("_"))

    @property
    def one(self) -> str:
        """One of them, in words."""
        return f"{'an' if self.name[0] in 'aeiou' else 'a'} {_said(self.name)}"

    @property
    def plural(self) -> str:
        """Name of a list of them."""
        return morphology.plural(self.name)


@cache
def words() -> dict[str, Any]:
    """The banks."""
    return read_yaml(Path(__file__).with_name("words.yaml"))


def programs(seed: int, counts: Mapping[Part, int]) -> list[CodeFile]:
    """Files of all programs, each program wholly of one split.

    Args:
        seed: of the programs.
        counts: programs of split test and of split train; more of one split change none that were there before.

    Raises:
        BuildError: more programs than there are trades.
    """
    trades = Stream(seed, "programs", "trades").shuffled(sorted(words()["trades"]))
    test, train = counts.get("test", 0), counts.get("train", 0)
    if test + train > len(trades):
        raise BuildError(
            f"{test + train} programs are requested, but there are only {len(trades)} trades", fix="request fewer"
        )
    found = [file for trade in trades[:test] for file in program(seed, trade, "test")]
    return found + [file for trade in trades[::-1][:train] for file in program(seed, trade, "train")]


def program(seed: int, trade: str, split: Split) -> Iterator[CodeFile]:
    """The files of one program."""
    things = [_thing(Stream(seed, "programs", trade, name), name) for name in words()["trades"][trade]]
    yield CodeFile(f"{trade}/__init__.py", split, _package(trade))
    for thing in things:
        draws = Stream(seed, "programs", trade, thing.name, "text")
        yield CodeFile(f"{trade}/{thing.plural}.py", split, _module(trade, thing, draws))
        yield CodeFile(f"{trade}/{thing.name}_book.py", split, _book(trade, thing, draws))
        yield CodeFile(f"{trade}/{thing.name}_report.py", split, _report(trade, thing, draws))
    yield CodeFile(f"{trade}/__main__.py", split, _main(trade, things))


def _thing(draws: Stream, name: str) -> Thing:
    bank = words()
    fields = tuple(draws.sample(bank["fields"], _FIELDS))
    measures = []
    for word, form in zip(
        draws.sample(bank["measures"], _MEASURES), draws.shuffled(sorted(bank["forms"])), strict=True
    ):
        field, other = draws.sample(fields, 2)
        names = [(draws.choice(bank["roles"][role]), role) for role in bank["forms"][form]["roles"]]
        roles = tuple(draws.shuffled(names))
        measures.append(Measure(f"{name}_{word}", word, roles, field, other, form))
    mixed = draws.shuffled(measures)  # no measure is called in two places, or the one would tell the other
    return Thing(name, fields, tuple(measures), tuple(mixed[:3]), tuple(mixed[3:5]))


def _package(trade: str) -> str:
    return f'"""Records and calculations of the {_said(trade)}.\n\n{_RULE}\n"""\n'


def _said(name: str) -> str:
    return name.replace("_", " ")


def _module(trade: str, thing: Thing, draws: Stream) -> str:
    """The class of a thing, and its measures."""
    name, fields = thing.name, "".join(f"    {field}: int = 0\n" for field in thing.fields)
    said = ", ".join(f"`{field}`" for field in thing.fields)
    lines = [
        f'"""The {_said(thing.plural)} of the {_said(trade)}: their fields, and values calculated from them."""\n',
        "from __future__ import annotations\n\nfrom dataclasses import dataclass, replace\n",
        f"LONGEST_NAME = {draws.between(20, 60)}\nMOST_{thing.fields[0].upper()} = {draws.between(300, 900)}\n\n",
        f'@dataclass(frozen=True)\nclass {thing.kind}:\n    """One {_said(name)}, with its name and the fields {said}."""\n\n    name: str\n{fields}\n',
        *(_function(thing, measure) for measure in thing.measures),
        _closing(thing),
    ]
    return "\n".join(lines)


def _function(thing: Thing, measure: Measure) -> str:
    form, named = words()["forms"][measure.form], {caller: own for own, caller in measure.roles}
    given = {"thing": thing.name, "field": measure.field, "other": measure.other, **named}
    says, code = form["says"].format(**given), "".join(f"    {line.format(**given)}\n" for line in form["body"])
    head = f"def {measure.name}({', '.join((thing.name, *(own for own, _ in measure.roles)))}):\n"
    return f'{head}    """Return the {measure.word} of {thing.one}: {says}."""\n{code}\n'


def _closing(thing: Thing) -> str:
    """Return functions that read the values at the top of the module."""
    name, first, last = thing.name, thing.fields[0], thing.fields[-1]
    return (
        f'def is_sound_{name}({name}):\n    """Return whether name length and `{first}` of {thing.one} are within the limits."""\n'
        f"    if not {name}.name or len({name}.name) > LONGEST_NAME:\n        return False\n"
        f"    return 0 <= {name}.{first} <= MOST_{first.upper()}\n\n\n"
        f'def after_one_more_{name}({name}, {last}):\n    """Return a copy of the {_said(name)} with `{last}` added to its {last}."""\n'
        f"    return replace({name}, {last}={name}.{last} + {last})\n"
    )


def _call(thing: Thing, measure: Measure) -> str:
    return f"{measure.name}({', '.join((thing.name, *(f'{own}={caller}' for own, caller in measure.roles)))})"


def _takes(measure: Measure, draws: Stream) -> str:
    """Parameters of a caller, under the callers' names, in an order that says nothing of the definition's."""
    return ", ".join(draws.shuffled([caller for _, caller in measure.roles]))


def _book(trade: str, thing: Thing, draws: Stream) -> str:
    """A class that keeps things and adds up their measures."""
    name, plural, (one, two, three) = thing.name, thing.plural, thing.kept
    total, listed, over = _takes(one, draws), _takes(two, draws), _takes(three, draws)
    loop = f"        for {name} in self.{plural}:\n"
    methods = [
        f'    def total_{one.word}(self, {total}):\n        """Return the sum of the {one.word} of all {_said(plural)}."""\n        total = 0\n{loop}'
        f"            total += {_call(thing, one)}\n        return total\n",
        f'    def {two.word}_by_name(self, {listed}):\n        """Return the {two.word} of every {_said(name)}, keyed by its name."""\n        found = {{}}\n{loop}'
        f"            found[{name}.name] = {_call(thing, two)}\n        return found\n",
        f'    def {three.word}s_over(self, limit, {over}):\n        """Return the {_said(plural)} with a {three.word} above `limit`."""\n        above = []\n{loop}'
        f"            if {_call(thing, three)} > limit:\n                above.append({name})\n        return above\n",
    ]
    names = ", ".join(sorted(each.name for each in (one, two, three)))
    return (
        f'"""A record book of {_said(plural)}.\n\n{_RULE}\n"""\n\nfrom __future__ import annotations\n\nfrom {trade}.{plural} import {names}\n\n\n'
        f'class {thing.kind}Book:\n    """All {_said(plural)} of the {_said(trade)}, in the order in which they were added."""\n\n'
        f"    def __init__(self, title):\n        self.title = title\n        self.{plural} = []\n\n"
        f'    def add(self, {name}):\n        """Add {thing.one}; raise ValueError if its name is already in the book."""\n'
        f"        if any(each.name == {name}.name for each in self.{plural}):\n            raise ValueError({name}.name)\n"
        f"        self.{plural}.append({name})\n\n" + "\n".join(draws.shuffled(methods))
    )


REPORTS: dict[str, tuple[str, str, str, str, str]] = {
    "highest": ("highest_{word}(book, ", "Return the highest {word} of the {said} in a book; 0 if the book is empty.", "highest = 0", "highest = max(highest, {call})", "return highest"),
    "lowest": ("lowest_{word}(book, limit, ", "Return the lowest {word} of the {said} in a book, at most `limit`.", "lowest = limit", "lowest = min(lowest, {call})", "return lowest"),
    "ordered": ("ordered_by_{word}(book, ", "Return pairs of {word} and name for the {said} in a book, the lowest {word} first.", "pairs = []", "pairs.append(({call}, {name}.name))", "return sorted(pairs)"),
    "mean": ("mean_{word}(book, ", "Return the mean {word} of the {said} in a book, rounded down.", "values = []", "values.append({call})", "return sum(values) // max(1, len(values))"),
    "equal": ("any_{word}_of(book, value, ", "Return whether any of the {said} in a book has the {word} `value`.", "", "if {call} == value:\n            return True", "return False"),
    "owed": ("owed_of_{word}(book, paid, ", "Return `paid` minus the {word} of all {said} in a book.", "left = paid", "left -= {call}", "return left"),
}  # fmt: skip
"""Form of a report -> head, docstring, and the code before, in and after its loop."""


def _report(trade: str, thing: Thing, draws: Stream) -> str:
    """Functions over a book's things that are not in the book."""
    plural, forms = thing.plural, draws.sample(sorted(REPORTS), len(thing.told))
    parts = [_told(thing, measure, REPORTS[form], draws) for measure, form in zip(thing.told, forms, strict=True)]
    names = ", ".join(sorted(measure.name for measure in thing.told))
    head = f'"""Reports on a record book of {_said(plural)}.\n\n{_RULE}\n"""\n\nfrom __future__ import annotations\n\n'
    return f"{head}from {trade}.{plural} import {names}\n\n\n" + "\n\n".join(draws.shuffled(parts))


def _told(thing: Thing, measure: Measure, form: tuple[str, ...], draws: Stream) -> str:
    head, says, before, inside, behind = form
    given = {"word": measure.word, "said": _said(thing.plural), "call": _call(thing, measure), "name": thing.name}
    body = [before, f"for {thing.name} in book.{thing.plural}:", f"    {inside.format(**given)}", behind]
    lines = "".join(f"    {line}\n" for line in body if line)
    return f'def {head.format(**given)}{_takes(measure, draws)}):\n    """{says.format(**given)}"""\n{lines}'


def _main(trade: str, things: Sequence[Thing]) -> str:
    """Return a module that imports every other module and prints its docstring."""
    modules = sorted(name for thing in things for name in (thing.plural, f"{thing.name}_book", f"{thing.name}_report"))
    imports = "".join(f"from {trade} import {name}\n" for name in modules)
    listed = "".join(f"    {name},\n" for name in modules)
    return (
        f'"""Print the name and docstring of each module of the {_said(trade)}."""\n\nfrom __future__ import annotations\n\n{imports}\n'
        f"for module in (\n{listed}):\n    print(module.__name__, module.__doc__)\n"
    )
