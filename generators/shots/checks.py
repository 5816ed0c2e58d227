"""What can be said of a finished row of shots, read from the prompt itself and held against the prepared set."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cached_property, lru_cache
from itertools import pairwise

from corpora.stores.labelled import Labelled, Markers
from generators.spec import Row
from haymaker.core.rows.span_columns import SpanColumns

_TAIL = 96  # shots behind the last whole round, beyond one more round: what filling the end looks at
_GAP = 4  # times the mean gap of a label: places a golden section apart, a few of them left out, have none so wide
_GAP_TEXT = "\n\n"  # between shots, and behind the last
_FEW = 8  # shots more, where there are hardly any


class Known:
    """The prepared set, by text.

    Attributes:
        shots: text id -> text, label.
        sizes: texts of each label.
    """

    def __init__(self, labelled: Labelled) -> None:
        texts, labels = labelled.part("train"), labelled.labels
        named = [labels[number] for number in texts.label.tolist()]
        self.shots = dict(zip(texts.text_id, zip(texts.text, named, strict=True), strict=True))
        self.sizes = Counter(named)


class Read:
    """A finished row as read from the file.

    Attributes:
        row: all of it.
        markers: what stands around a shot's text.
        spans: of its shots.
        labels: of its shots, as the set names them.
        extra: what the task alone has.
    """

    def __init__(self, row: Row, markers: Markers) -> None:
        self.row, self.markers, self.extra = row, markers, json.loads(row["extra"])
        self.spans = SpanColumns.of(row["spans"]).of_kinds("shot")
        self.labels: list[str] = self.spans.column("label")

    @cached_property
    def whole(self) -> list[str]:
        """What stands at each span."""
        return self.spans.texts(self.row["prompt"])

    @cached_property
    def shots(self) -> list[tuple[str, str]]:
        """Of each span text and label as shown, as they stand in the prompt."""
        return list(zip(self.texts, self.shown, strict=True))

    @cached_property
    def texts(self) -> list[str]:
        """Of each shot, as it stands in the prompt."""
        return [text for text, _, _ in self._parts]

    @cached_property
    def shown(self) -> list[str]:
        """The label of each shot, as it stands in the prompt."""
        return [label for _, _, label in self._parts]

    @cached_property
    def _parts(self) -> list[tuple[str, str, str]]:
        cue = f"\n{self.markers.answer} "
        return [shot.rpartition(cue) for shot in self.whole]


def tiles(read: Read) -> Iterator[str]:
    """The context is its shots, each a text and its label as shown, and nothing else."""
    if not _is_tiled(read):
        yield from _faults(read)


def _is_tiled(read: Read) -> bool:
    """The same of all shots at once; which of them is at fault is not told."""
    row, opener, starts, ends = (
        read.row,
        f"{read.markers.opener} ",
        read.spans.column("start"),
        read.spans.column("end"),
    )
    if not starts:
        return False
    follow = [end + len(opener) + len(_GAP_TEXT) for end in ends]
    shown = [read.extra["label_map"].get(label) for label in read.labels]
    context = "".join([opener, f"{_GAP_TEXT}{opener}".join(read.whole), _GAP_TEXT])
    return (
        starts == [row["context_start"] + len(opener), *follow[:-1]]
        and ends[-1] == row["context_end"]
        and row["prompt"].startswith(context, row["context_start"])
        and shown == read.shown
        and all(map(_is_one_line, read.texts))
    )


def _faults(read: Read) -> Iterator[str]:
    """What is wrong, shot by shot."""
    prompt, at, shown = read.row["prompt"], read.row["context_start"], read.extra["label_map"]
    opener = f"{read.markers.opener} "
    for n, (span, (text, label)) in enumerate(zip(read.spans, read.shots, strict=True), 1):
        if span["start"] != at + len(opener) or not prompt.startswith(opener, at) or not _is_one_line(text):
            yield f"shot {n} is not one line between its opener and its label"
            return
        if label != shown.get(span["label"]):
            yield f"shot {n} has the label {label!r}, {span['label']} is {shown.get(span['label'])!r}"
        at = span["end"]
        if n < len(read.spans):
            if not prompt.startswith("\n\n", at):
                yield f"shot {n} does not end with an empty line"
                return
            at += 2
    if at != read.row["context_end"] or prompt[at : at + 2] != "\n\n":
        yield "the context does not end with its last shot"


@lru_cache(maxsize=1 << 15)
def _is_one_line(text: str) -> bool:
    """Words with one space between; rows show the same texts in other orders."""
    return bool(text) and text == " ".join(text.split())


def numbers(read: Read, variant: str | None, *, repeats: bool) -> Iterator[str]:
    """Numbers of shots, none of them twice where none may be; and what the row says it is."""
    row, count, unique = read.row, len(read.spans), len(set(read.spans.column("ref")))
    if (row["n_units"], row["n_unique_units"], read.extra["k"]) != (count, unique, count):
        yield f"{count} shots of {unique} texts, the row says {row['n_units']} of {row['n_unique_units']}"
    if row["variant"] != variant:
        yield f"variant {row['variant']}, the task's rows are {variant or 'plain'}"
    if unique < count and not repeats:
        yield f"{count - unique} shots come twice"


def question(row: Row, opener: str, cue: str) -> Iterator[str]:
    """What stands behind the shots; the answer is the choice that it is said to be."""
    tail, end = row["prompt"][row["context_end"] : row["cue_start"]], row["prompt"][row["cue_start"] :]
    if (tail, end) != (f"\n\n{opener} {row['question']}\n", cue):
        yield f"behind the shots stands {tail + end!r}"
    if row["choices"] and row["answers"] != [row["choices"][row["answer_index"]]]:
        yield "the answer is not the choice at answer_index"


def one_to_one(read: Read, *, numbers: bool) -> Iterator[str]:
    """The labels are dealt out one to one; where they are numbers, from 0 on."""
    labels, choices = list(read.extra["label_map"].values()), read.row["choices"]
    if sorted(labels) != sorted(choices) or len(set(labels)) != len(labels):
        yield "the label map is not one to one with the choices"
    if numbers and choices != [str(number) for number in range(len(labels))]:
        yield "the choices are not the numbers from 0"


def not_shown(read: Read) -> Iterator[str]:
    """The text asked for is no shot."""
    query = read.row["question"].casefold()
    folded = list(map(str.casefold, read.texts))
    if query in folded:
        refs = zip(read.spans.column("ref"), folded, strict=True)
        yield from (f"the text asked for is shot {ref}" for ref, text in refs if text == query)


def rounds(read: Read) -> Iterator[str]:
    """Every whole round shows each label once; what is left over is short."""
    labels, whole, at = sorted(read.extra["label_map"]), read.extra["rounds"], 0
    for number in range(whole):
        if sorted(read.labels[at : at + len(labels)]) != labels:
            yield f"round {number} does not hold each label once"
            return
        at += len(labels)
    if len(read.labels) - at > len(labels) + _TAIL:
        yield f"{len(read.labels) - at} shots behind {whole} whole rounds"
    if not whole:
        yield "not one whole round"


def spread(read: Read, known: Known | None) -> Iterator[str]:
    """As many shots of each label as its rounds have, evenly over the context.

    Args:
        read: the row.
        known: the set, which says when the texts of a label end.
    """
    whole, full, counts = read.extra["rounds"], read.extra["full_rounds"], Counter(read.labels)
    least = {label: min(whole, known.sizes[label] - 1) if known else full for label in read.extra["label_map"]}
    if few := [label for label in least if counts[label] < least[label]]:
        yield f"{counts[few[0]]} shots of label {few[0]}, {whole} rounds have {least[few[0]]} or more"
    if not full:
        yield "not one whole round"
    if sum(counts[label] - whole for label in counts if counts[label] > whole) > len(least) + _TAIL:
        yield f"too many shots beyond {whole} whole rounds"
    for label, gap in _gaps(read.labels).items():
        if gap > _GAP * len(read.labels) / counts[label] + _FEW:
            yield f"{gap} shots in a row without label {label}, of which there are {counts[label]}"


def _gaps(labels: list[str]) -> dict[str, int]:
    """Label -> most shots in a row without it, the context taken as a ring."""
    at: dict[str, list[int]] = {}
    for place, label in enumerate(labels):
        at.setdefault(label, []).append(place)
    return {
        label: max(b - a for a, b in pairwise([*places, places[0] + len(labels)])) - 1 for label, places in at.items()
    }


def counted(read: Read, least: int) -> Iterator[str]:
    """Labels occur as often as the row says, and counts that decide an answer differ by `least` or more; read from the prompt."""
    counts = Counter(re.findall(rf"^{read.markers.answer} (\d+)$", read.row["prompt"], re.MULTILINE))
    ranked = sorted(counts.values())
    named = [counts[label] for label in re.findall(r"\d+", read.row["question"])]
    less, more = {"most": ranked[-2:], "least": ranked[:2], "more": sorted(named)}.get(
        read.extra["question"], (0, least)
    )
    if more - less < least:
        yield f"{less} and {more} shots are too close to tell apart"
    if counts != read.extra["counts"]:
        yield "labels do not occur as often as the row says"


def as_prepared(read: Read, known: Known) -> Iterator[str]:
    """Every shot has the text and the label that the set has."""
    refs, shots = read.spans.column("ref"), zip(read.texts, read.labels, strict=True)
    for ref, stored, shot in zip(refs, map(known.shots.get, refs), shots, strict=True):
        if stored != shot:
            yield f"shot {ref} is not as prepared"
