"""Answers with citations in square brackets: str_em of ASQA, lists of QAMPARI (docs/spec/helmet.md 11.5).

Each entry of `answer_groups` has the answers of one reading (ASQA), or the aliases of one wanted item (QAMPARI).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, NamedTuple

from haymaker.scoring.metrics import Metric, Score, no_groups, pair
from haymaker.scoring.official_text import final_text, groups, normalise, uncued
from haymaker.scoring.reader import contains, harmonic, long_text
from haymaker.scoring.reader.final import sentences_of

END_MARKER = "<|im_end|>"
ON_POINT = 0.5
"""Required share of sentences with an accepted answer: introductions are allowed, recited passages are not."""
FEW = 5  # number of items that is enough for rec_top5

_OFFICIAL = re.compile(r" ?\[\d+")
_OFFICIAL_NUMBER = re.compile(r"\[(\d+)")
# "[3]", "[1, 2]", "[1 and 2]"; the last one may lack its bracket if the answer was truncated.
_CITATION = re.compile(r" ?\[ ?(?:[Dd]oc(?:ument)? ?)?\d+(?: ?(?:,|;|and|&) ?\d+)* ?(?:\]|$)")
_AFTER_STOP = re.compile(rf"(?<!\b\w)([.!?])((?:{_CITATION.pattern})+)")
_NUMBER = re.compile(r"\d+")
_LINE_BREAKS = re.compile(r"\n+")
_TOO_LONG = 10  # more digits than any document number

_BREAK = re.compile(r",|; ")
_MARKER = re.compile(r"^(?:\d{1,3}[.)]|[-*•]) ")  # marker of a list line
_AND = re.compile(r"(?:^| )(?:and|&|und|et|e|y) ", re.IGNORECASE)
_TABLE_HEAD = re.compile(r"^[^\n]*\|[^\n]*\n[|\s:-]*-{3}[|\s:-]*$", re.MULTILINE)
_BEHIND = re.compile(r" \([^()]*\)| [–—-] .*")  # "Name (1932)", "Name - novelist"


# ------------------------------------------------------------------------------------------------------ citations


def prepared(output: object) -> str:
    """Return an output as the reference reads it: line breaks become spaces, the end-of-chat marker is removed."""
    return _LINE_BREAKS.sub(" ", final_text(output)).replace(END_MARKER, "")


def folded(output: object, row: Mapping[str, Any]) -> str:
    """Return a long answer for strict rules: white space folded, no cue, citations moved before their full stop."""
    text = " ".join(long_text(output, row).split())
    return _AFTER_STOP.sub(r"\2\1", one_by_one(uncued(text)))


def one_by_one(text: str) -> str:
    """Return a text with each citation in its own brackets: "[1, 2]" as "[1] [2]"."""
    return _CITATION.sub(lambda match: "".join(f" [{digits}]" for digits in _NUMBER.findall(match.group())), text)


def without_official(text: str) -> str:
    """Return a text as the reference removes citations: "[1, 2]" leaves ", 2" (docs/defects/helmet.md D13)."""
    return _OFFICIAL.sub("", text).replace(" |", "").replace("]", "")


def without(text: str) -> str:
    """Return a text without its citations."""
    return _CITATION.sub("", text)


def numbers_official(text: str) -> list[int]:
    """Return the numbers cited, with repetitions; only the first of "[1, 2]" (docs/defects/helmet.md D13)."""
    return [_whole(digits) for digits in _OFFICIAL_NUMBER.findall(text)]


def numbers(text: str) -> list[int]:
    """Return the numbers cited, each once, in order; both of "[1, 2]"."""
    cited = (_whole(digits) for match in _CITATION.finditer(text) for digits in _NUMBER.findall(match.group()))
    return list(dict.fromkeys(cited))


def _whole(digits: str) -> int:
    return int(digits) if len(digits) < _TOO_LONG else 10**_TOO_LONG


# ----------------------------------------------------------------------------------------------------------- ASQA


def _covered(output: str, row: Mapping[str, Any]) -> list[bool]:
    """Return whether each reading is covered: one of its answers occurs as whole words.

    Differs from the reference: whole words, "one" is "1" (docs/defects/helmet.md D24); answers normalised to nothing do
    not count (docs/defects/helmet.md D10); "[1, 2]" is removed as a whole (docs/defects/helmet.md D13).
    """
    return _covered_by(without(folded(output, row)), row)


def _covered_by(text: str, row: Mapping[str, Any]) -> list[bool]:
    return [any(contains(text, answer) for answer in group) for group in groups(row)]


def _covered_official(output: str, row: Mapping[str, Any]) -> list[bool]:
    """Return whether each reading is covered by the reference's rule: an answer is a normalised substring."""
    text = normalise(without_official(prepared(output)))
    return [any(normalise(answer) in text for answer in group) for group in row["answer_groups"] or ()]


def _share(covered: Sequence[bool]) -> float:
    return sum(covered) / len(covered) if covered else 0.0


def _all(covered: Sequence[bool]) -> float:
    return float(bool(covered) and all(covered))


def f1_strict(output: str, row: Mapping[str, Any]) -> float:
    """Harmonic mean of `str_em@strict` and precision (share of sentences with an accepted answer, 1 from ON_POINT on).

    The reference has no such metric: a copy of the passages covers every reading.
    """
    text = without(folded(output, row))
    sentences = sentences_of(text)
    stating = sum(any(_covered_by(sentence, row)) for sentence in sentences)
    precision = min(1.0, stating / max(1, len(sentences)) / ON_POINT)
    return harmonic(precision, _share(_covered_by(text, row)))


# -------------------------------------------------------------------------------------------------------- QAMPARI


class Counts(NamedTuple):
    """Numbers of items: in the output (`predicted`), equal to an alias (`right`), wanted, and found."""

    predicted: int
    right: int
    found: int
    wanted: int


def pieces_official(text: str) -> list[str]:
    """Return the reference's items: split at commas, without one full stop and one comma at the end."""
    return text.rstrip().rstrip(".").rstrip(",").split(",")


def pieces(text: str, aliases: Collection[str]) -> list[str]:
    """Return the items of a list, with their citations.

    Differs from the reference: items may also be lines, numbered or not, or be separated by semicolons or "and". Commas
    in an alias ("Washington, D.C.") do not split it. "The films are" before, and brackets after, a name are ignored.

    Args:
        text: an output without its reasoning and headings (`haymaker.scoring.reader.long_text`).
        aliases: accepted names of all items.
    """
    known = frozenset(map(normalise, aliases))
    most = max((len(_BREAK.findall(alias)) for alias in aliases), default=0)
    found: list[str] = []
    lines = uncued(_TABLE_HEAD.sub("", text).replace("|", ", ")).splitlines()
    for line in (line for line in lines if not line.rstrip().endswith(":")):
        text = one_by_one(" ".join(line.split()))
        items = list(_items(text, known, most))
        found += items if _plain(items[0]) in known else _items(_MARKER.sub("", text), known, most)
    return [item for item in found if _plain(item)]


def _items(line: str, known: Set[str], most: int) -> Iterator[str]:
    """Yield the pieces of a line; pieces that together are a known name, with at most `most` breaks, are one."""
    breaks = [match.span() for match in _BREAK.finditer(line)]
    starts, ends = [0, *(end for _, end in breaks)], [*(start for start, _ in breaks), len(line)]
    at = 0
    while at < len(starts):
        wider = range(min(at + most, len(breaks)), at, -1)
        last = next((end for end in wider if _plain(line[starts[at] : ends[end]]) in known), at)
        if all(_plain(line[starts[i] : ends[i]]) in known for i in range(at, last + 1)):
            last = at  # several names whose words together form another name
        yield from _named(line[starts[at] : ends[last]].strip(), known)
        at = last + 1


def _named(item: str, known: Set[str]) -> list[str]:
    """Return an item as the name that it gives; two if both sides of its last "and" are names and one is known."""
    bare = _AND.sub("", item) if _AND.match(item) else item
    joint = [*_AND.finditer(bare)]
    first, last = (bare[: joint[-1].start()], bare[joint[-1].end() :]) if joint else ("", "")
    short = _BEHIND.sub("", bare)
    if found := next((each for each in (item, bare, short) if _plain(each) in known), None):
        return [found]
    pair = [*_named(first, known), *_named(last, known)] if first and last else []
    words = short.split()  # "The films are NAME": the longest suffix that is a name
    ends = (" ".join(words[at:]) for at in range(1, min(len(words), 20)))
    return (
        pair
        if any(_plain(each) in known for each in pair)
        else [next((each for each in ends if _plain(each) in known), bare)]
    )


def _plain(item: str) -> str:
    return normalise(without(item))


def _counts(predictions: list[str], wanted: list[list[str]]) -> Counts:
    flat = {alias for aliases in wanted for alias in aliases}
    distinct = set(predictions)
    right = sum(prediction in flat for prediction in predictions)
    return Counts(len(predictions), right, sum(not distinct.isdisjoint(aliases) for aliases in wanted), len(wanted))


def counts_strict(output: str, row: Mapping[str, Any]) -> Counts:
    """Count items by the strict rule.

    Differs from the reference: items as `pieces` reads them, each counted once; aliases that normalise to nothing do not
    count (docs/defects/helmet.md D10); "[1, 2]" is removed whole (docs/defects/helmet.md D13).
    """
    wanted = groups(row)
    items = pieces(long_text(output, row), [alias for group in wanted for alias in group])
    return _counts(list(dict.fromkeys(map(_plain, items))), [list(map(normalise, group)) for group in wanted])


def counts_official(output: str, row: Mapping[str, Any]) -> Counts:
    """Count items by the reference's rule: repeated items count twice, every comma splits."""
    items = map(normalise, pieces_official(without_official(prepared(output))))
    wanted = [list(map(normalise, group)) for group in row["answer_groups"] or ()]
    return _counts([item for item in items if item], wanted)


def _precision(counts: Counts) -> float:
    return counts.right / counts.predicted if counts.predicted else 0.0


def _recall(counts: Counts) -> float:
    return counts.found / counts.wanted if counts.wanted else 0.0


def _rec_top5(counts: Counts) -> float:
    return min(FEW, counts.found) / min(FEW, counts.wanted) if counts.wanted else 0.0


def _f1(counts: Counts) -> float:
    return harmonic(_precision(counts), _recall(counts))


def _f1_top5(counts: Counts) -> float:
    return harmonic(_precision(counts), _rec_top5(counts))


def pair_of(
    name: str,
    doc: str,
    value: Callable[[Any], float],
    read: Iterable[Callable[..., Any]],
    columns: tuple[str, ...],
    **options: Any,
) -> tuple[Metric, Metric]:
    """Return both editions of a metric: `value` of the strict and of the reference's reading."""

    def score(by: Callable[..., Any]) -> Score:
        return lambda output, row: value(by(output, row))

    strict, official = map(score, read)
    return pair(name, doc, strict, official, columns, **options)


_READ = ("answer_groups",)
_EM: dict[str, Any] = {
    "read": (_covered, _covered_official),
    "columns": _READ,
    "demands": no_groups,
    "strict_version": 6,
}
_LIST: dict[str, Any] = {
    "read": (counts_strict, counts_official),
    "columns": _READ,
    "demands": no_groups,
    "strict_version": 3,
}
_F1 = "Harmonic mean of `str_em` and the share of sentences that state an answer (full from one half)."
_TOP5 = "Wanted items in the list, as a share of five (of all items if there are fewer)."
METRICS = (
    Metric("str_f1@strict", 1, _F1, f1_strict, _READ, demands=no_groups),
    *pair_of("str_em", "Share of the question's meanings that the answer covers.", _share, **_EM),
    *pair_of("str_hit", "1 if the answer covers every meaning of the question.", _all, **_EM),
    *pair_of("qampari_rec_top5", _TOP5, _rec_top5, **_LIST),
    *pair_of("qampari_precision", "Share of the list's items that are wanted.", _precision, **_LIST),
    *pair_of("qampari_recall", "Share of the wanted items that are in the list.", _recall, **_LIST),
    *pair_of("qampari_f1", "Harmonic mean of `qampari_precision` and `qampari_recall`.", _f1, **_LIST),
    *pair_of("qampari_f1_top5", "Harmonic mean of `qampari_precision` and `qampari_rec_top5`.", _f1_top5, **_LIST),
)
