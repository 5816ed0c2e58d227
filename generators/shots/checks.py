"""Checks of finished rows of shots, read from the prompt and compared with the prepared input."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise

from generators.context.checks import after_context, as_stored, counts, is_context
from generators.shots.layout import ShotLayout, ShotText, folded
from generators.spec import Row
from haymaker.core.rows.span_columns import SpanColumns

_TAIL = 96  # most shots after the last whole round, beyond one more round: shots that filling the end looks at
_GAP = 4  # widest gap of a label, in mean gaps: places a golden section apart, a few left out, have smaller gaps
_FEW = 8  # more shots in a gap, for labels with hardly any shots
_SEAMS = 16  # tokens that token boundaries may cost a row
_LOOKED_AT = 48  # shots that filling the end looks at, from the first shot that is left out


class ReadShots:
    """A finished row as read from the file, with ids and set labels of its shots; `layout` is the form that they must have."""

    def __init__(self, row: Row, layout: ShotLayout) -> None:
        self.row, self.layout, self.metadata = row, layout, json.loads(row["metadata"])
        self.spans = SpanColumns.of(row["spans"]).of_kinds("shot")
        self.refs: list[str] = self.spans.column("ref")
        self.labels: list[str] = self.spans.column("label")

    @cached_property
    def whole(self) -> list[str]:
        """Text at each span."""
        return self.spans.texts(self.row["prompt"])

    @cached_property
    def shots(self) -> list[ShotText | None]:
        """Parts of the text at each span; None for a text that does not have the form of a shot."""
        return list(map(self.layout.read, self.whole))


def placed(read: ReadShots) -> Iterator[str]:
    """The context is its shots, each at its span and in the form of a shot."""
    row, starts, ends = read.row, read.spans.column("start"), read.spans.column("end")
    opener, joint = f"{read.layout.opener} ", f"{read.layout.ending} "
    follow = [row["context_start"] + len(opener), *(end + len(joint) for end in ends)]
    if starts != follow[:-1] or ends[-1:] != [row["context_end"]]:
        yield "the spans of shots do not follow one another from the start of the context to its end"
    yield from is_context(row, opener + joint.join(read.whole))
    yield from (f"shot {n} does not have the form of a shot" for n, shot in enumerate(read.shots, 1) if shot is None)


def numbers(read: ReadShots, variant: str | None, *, repeats: bool) -> Iterator[str]:
    """Numbers of shots and the variant are right, and no shot occurs twice unless texts repeat."""
    yield from counts(read.row, read.refs, len(set(read.refs)) if repeats else None)
    if read.metadata["k"] != len(read.refs):
        yield f"{len(read.refs)} shots, k is {read.metadata['k']}"
    if read.row["variant"] != variant:
        yield f"variant {read.row['variant']}, the task's rows are {variant or 'plain'}"


def question(read: ReadShots) -> Iterator[str]:
    """The question follows the shots, a cue ends the prompt, and the answer is the choice at answer_index."""
    row, cue = read.row, read.layout.last_cue
    text, end = after_context(row), row["prompt"][row["answer_prefix_start"] :]
    if (text + end, end) != (read.layout.tail(row["question"]), cue):
        yield f"the shots are followed by {text + end!r}"
    if row["choices"] and row["answers"] != [row["choices"][row["answer_index"]]]:
        yield "the answer is not the choice at answer_index"


def apart(read: ReadShots, own: ShotText, answers: Sequence[str] = ()) -> Iterator[str]:
    """No shot has the text or the question of the row, or one of the answers."""
    text, asked, right = own.text.casefold(), folded(own.asked), {folded(answer) for answer in answers} - {""}
    shots = [(n, shot) for n, shot in enumerate(read.shots, 1) if shot]
    yield from (
        f"shot {n} has the text or the question of the row" for n, shot in shots if shot.text.casefold() == text
    )
    if asked:
        yield from (
            f"shot {n} has the text or the question of the row" for n, shot in shots if folded(shot.asked) == asked
        )
    if right:
        yield from (f"shot {n} has an accepted answer" for n, shot in shots if folded(shot.answer) in right)


def labelled(read: ReadShots, stored: Mapping[str, str] | None) -> Iterator[str]:
    """Labels are shown as in the label map; texts and labels are as in the set (`stored`, by id), if it is available."""
    shots = [shot or ShotText("", "", "") for shot in read.shots]
    answers, right = [shot.answer for shot in shots], list(map(read.metadata["label_map"].get, read.labels))
    for n, (answer, label) in enumerate(zip(answers, right, strict=True), 1) if answers != right else ():
        if answer and answer != label:
            yield f"shot {n} has the label {answer!r}, {read.labels[n - 1]} is {label!r}"
    if stored is not None:
        texts = (f"{shot.text}\n{label}" for shot, label in zip(shots, read.labels, strict=True))
        yield from as_stored(zip(read.refs, texts, strict=True), stored)


def one_to_one(read: ReadShots, *, numbers: bool) -> Iterator[str]:
    """Labels are shown one to one; with `numbers`, as the numbers from 0."""
    labels, choices = list(read.metadata["label_map"].values()), read.row["choices"]
    if sorted(labels) != sorted(choices) or len(set(labels)) != len(labels):
        yield "the label map is not one to one with the choices"
    if numbers and choices != [str(number) for number in range(len(labels))]:
        yield "the choices are not the numbers from 0"


def rounds(read: ReadShots) -> Iterator[str]:
    """Every whole round shows each label once, and few shots are left after the last one."""
    labels, whole, at = sorted(read.metadata["label_map"]), read.metadata["rounds"], 0
    for number in range(whole):
        if sorted(read.labels[at : at + len(labels)]) != labels:
            yield f"round {number} does not contain each label once"
            return
        at += len(labels)
    if len(read.labels) - at > len(labels) + _TAIL:
        yield f"{len(read.labels) - at} shots after {whole} whole rounds"
    if not whole:
        yield "not one whole round"


def spread(read: ReadShots, sizes: Mapping[str, int] | None) -> Iterator[str]:
    """Each label has as many shots as there are rounds, or all its texts (`sizes`, if the set is available), evenly distributed."""
    whole, full, counts = read.metadata["rounds"], read.metadata["full_rounds"], Counter(read.labels)
    least = {label: min(whole, sizes.get(label, 0) - 1) if sizes else full for label in read.metadata["label_map"]}
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
    """Return the longest run of shots without each label; the context is a ring."""
    at: dict[str, list[int]] = {}
    for place, label in enumerate(labels):
        at.setdefault(label, []).append(place)
    return {
        label: max(b - a for a, b in pairwise([*places, places[0] + len(labels)])) - 1 for label, places in at.items()
    }


def counted(read: ReadShots, least: int) -> Iterator[str]:
    """The counts of labels in `metadata` are right, and counts that decide the answer differ by `least` or more."""
    counts = Counter(re.findall(rf"^{read.layout.cue} (\d+)$", read.row["prompt"], re.MULTILINE))
    ranked = sorted(counts.values())
    named = [counts[label] for label in re.findall(r"\d+", read.row["question"])]
    decisive = {"most": ranked[-2:], "least": ranked[:2], "more": sorted(named)}
    less, more = decisive.get(read.metadata["question"], (0, least))
    if more - less < least:
        yield f"{less} and {more} shots are too close to tell apart"
    if counts != read.metadata["counts"]:
        yield "labels do not occur as often as in `metadata`"


def in_drawn_order(read: ReadShots, order: Sequence[tuple[str, ShotText]]) -> Iterator[str]:
    """Shots are as in the collection, in the order of the question: `order` has (id, shot) of all examples that it may show."""
    place, last = {name: number for number, (name, _) in enumerate(order)}, -1
    for ref, shot in zip(read.refs, read.shots, strict=True):
        if (number := place.get(ref, -1)) <= last:
            yield f"shot {ref} does not come in the order of the question"
            return
        last = number
        if shot != order[number][1]:
            yield f"shot {ref} differs from the collection"


def nothing_fits(read: ReadShots, names: Sequence[str], sizes: Sequence[int]) -> Iterator[str]:
    """Filling the end leaves out no example that fits; `names` and `sizes` (tokens) are in the order of the question."""
    row, shown = read.row, set(read.refs)
    held = sum(size for name, size in zip(names, sizes, strict=True) if name in shown)
    reach, before, left_out = held + row["unused_tokens"] + row["length_tokens"] // 2 - 2 * _SEAMS, 0, -1
    for number, (name, size) in enumerate(zip(names, sizes, strict=True)):
        before += size
        left_out = number if left_out < 0 and name not in shown else left_out
        if before > reach or (left_out >= 0 and number >= left_out + _LOOKED_AT):
            return
        if name not in shown and size + _SEAMS <= row["unused_tokens"]:
            yield f"{row['unused_tokens']} tokens are left, and example {name} has {size}"
            return
