"""QAMPARI: precision and recall of a list of answers (docs/spec/helmet.md 11.5).

`answer_groups` holds the aliases of one wanted item each.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Set
from typing import Any, NamedTuple

from scoring.metrics import Score, no_groups, pair
from scoring.metrics.citing import END_MARKER, one_by_one, prepared, without, without_official
from scoring.reader import harmonic, long_text
from scoring.text import groups, normalise, uncued

FEW = 5  # so many items are enough for rec_top5

_BREAK = re.compile(r",|; ")
_MARKER = re.compile(r"^(?:\d{1,3}[.)]|[-*•]) ")  # of a line in a list
_AND = re.compile(r"(?:^| )(?:and|&|und|et|e|y) ", re.IGNORECASE)
_TABLE_HEAD = re.compile(r"^[^\n]*\|[^\n]*\n[|\s:-]*-{3}[|\s:-]*$", re.MULTILINE)
_LEAD_IN = re.compile(r"^.*?\b(?:is|are|was|were|include|includes):? ", re.IGNORECASE)  # "The films are"
_BEHIND = re.compile(r" \([^()]*\)")  # "Name (1932)"


class Counts(NamedTuple):
    """What a list of answers came to.

    Attributes:
        predicted: items of the output.
        right: of which equal to an alias.
        found: wanted items that one of them is an alias of.
        wanted: wanted items.
    """

    predicted: int
    right: int
    found: int
    wanted: int


def pieces_official(text: str) -> list[str]:
    """The reference's items: what stands between commas, after one full stop and one comma at the end are dropped."""
    return text.rstrip().rstrip(".").rstrip(",").split(",")


def pieces(text: str, aliases: Collection[str]) -> list[str]:
    """Return the items of a list, with their citations.

    Differs from the reference: items may also be lines, numbered or not, or be separated by semicolons, the last one by "and", with or
    without a comma; a comma of an alias ("Washington, D.C.") does not divide it; "The films are" before a wanted name, and brackets
    after it, do not count.

    Args:
        text: an output without its reasoning and headings (`scoring.reader.long_text`).
        aliases: accepted names of all items.
    """
    known = frozenset(map(normalise, aliases))
    most = max((len(_BREAK.findall(alias)) for alias in aliases), default=0)
    found: list[str] = []
    for line in uncued(_TABLE_HEAD.sub("", text).replace("|", ", ").replace(END_MARKER, "")).splitlines():
        text = one_by_one(" ".join(line.split()))
        items = list(_items(text, known, most))
        found += items if _plain(items[0]) in known else _items(_MARKER.sub("", text), known, most)
    return [item for item in found if _plain(item)]


def _items(line: str, known: Set[str], most: int) -> Iterator[str]:
    """The pieces of a line, those that together are a known name as one of at most `most` breaks."""
    breaks = [match.span() for match in _BREAK.finditer(line)]
    starts, ends = [0, *(end for _, end in breaks)], [*(start for start, _ in breaks), len(line)]
    at = 0
    while at < len(starts):
        wider = range(min(at + most, len(breaks)), at, -1)
        last = next((end for end in wider if _plain(line[starts[at] : ends[end]]) in known), at)
        if all(_plain(line[starts[i] : ends[i]]) in known for i in range(at, last + 1)):
            last = at  # a list of names whose words happen to be another name
        yield from _named(line[starts[at] : ends[last]].strip(), known)
        at = last + 1


def _named(item: str, known: Set[str]) -> list[str]:
    """An item as the name that it gives; two where both sides of its last "and" are one and one is known."""
    bare = _AND.sub("", item) if _AND.match(item) else item
    joint = [*_AND.finditer(bare)]
    first, last = (bare[: joint[-1].start()], bare[joint[-1].end() :]) if joint else ("", "")
    short = _BEHIND.sub("", bare)
    readings = (item, bare, short, _LEAD_IN.sub("", short), short.rpartition(": ")[2])
    if found := next((each for each in readings if _plain(each) in known), None):
        return [found]
    pair = [*_named(first, known), *_named(last, known)] if first and last else []
    return pair if any(_plain(each) in known for each in pair) else [bare]


def _plain(item: str) -> str:
    return normalise(without(item))


def _counts(predictions: list[str], wanted: list[list[str]]) -> Counts:
    flat = {alias for aliases in wanted for alias in aliases}
    distinct = set(predictions)
    right = sum(prediction in flat for prediction in predictions)
    return Counts(len(predictions), right, sum(not distinct.isdisjoint(aliases) for aliases in wanted), len(wanted))


def strict(output: str, row: Mapping[str, Any]) -> Counts:
    """Counts by our rule.

    Differs from the reference: items as `pieces` reads them, each counted once; aliases that normalise to nothing do not
    count (docs/defects/helmet.md D10); "[1, 2]" is removed whole (docs/defects/helmet.md D13).
    """
    wanted = groups(row)
    items = pieces(long_text(output, row), [alias for group in wanted for alias in group])
    return _counts(list(dict.fromkeys(map(_plain, items))), [list(map(normalise, group)) for group in wanted])


def official(output: str, row: Mapping[str, Any]) -> Counts:
    """Counts by the reference's rule: an item said twice counts twice, a comma always divides."""
    items = map(normalise, pieces_official(without_official(prepared(output))))
    wanted = [list(map(normalise, group)) for group in row["answer_groups"] or ()]
    return _counts([item for item in items if item], wanted)


def precision(counts: Counts) -> float:
    """Share of items that are right."""
    return counts.right / counts.predicted if counts.predicted else 0.0


def recall(counts: Counts) -> float:
    """Share of wanted items that were found."""
    return counts.found / counts.wanted if counts.wanted else 0.0


def rec_top5(counts: Counts) -> float:
    """The same of five, or of all where there are fewer."""
    return min(FEW, counts.found) / min(FEW, counts.wanted) if counts.wanted else 0.0


def f1(counts: Counts) -> float:
    """Harmonic mean of precision and recall."""
    return harmonic(precision(counts), recall(counts))


def f1_top5(counts: Counts) -> float:
    """Harmonic mean of precision and `rec_top5`."""
    return harmonic(precision(counts), rec_top5(counts))


def _of(count: Callable[[str, Mapping[str, Any]], Counts], value: Callable[[Counts], float]) -> Score:
    return lambda output, row: value(count(output, row))


_VALUES = {
    rec_top5: "Share of five wanted items that the list holds, or of all where there are fewer.",
    precision: "Share of the list's items that are wanted.",
    recall: "Share of wanted items that the list holds.",
    f1: "Harmonic mean of the list's precision and recall.",
    f1_top5: "Harmonic mean of the list's precision and its recall of five.",
}
METRICS = tuple(
    metric
    for value, doc in _VALUES.items()
    for metric in pair(
        f"qampari_{value.__name__}",
        doc,
        _of(strict, value),
        _of(official, value),
        ("answer_groups",),
        demands=no_groups,
        strict_version=3,
    )
)
