"""Where labels stand that are to be counted: each with its own course over the context, in numbers that are nearly the same.

How often each label comes is decided by shares and a lead, where it stands by a course (rising, in one burst ...) that is drawn
for it alone. So which label leads in any part of a context (its first half, its last tenth) says next to nothing of which leads in
all of it; and as leads grow with the square root of a label's count, as chance does, a sample of the shots says little more.
All of it is relative: it holds at every length, and a longer row takes more shots of the same order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from generators.context import courses
from generators.context.pieces import Ints
from generators.shots.deck import Order
from generators.shots.rounds import Blocks, draw
from haymaker.core.rng import Key, Stream

if TYPE_CHECKING:
    import numpy.typing as npt

Numbers: TypeAlias = "npt.NDArray[np.float64]"

LEAD, GROWTH = 2.0, 0.4  # shots by which a label leads: LEAD + GROWTH * square root of its count


@dataclass(frozen=True, slots=True)
class Plan:
    """How often each of a few labels comes, by label.

    Attributes:
        shares: of all shots; add up to 1.
        leads: 1 for the label that leads the others of its share, -1 for the one that falls behind them, else 0.
        fixed: shots at every length, where a label has so few; 0: its share.
    """

    shares: tuple[float, ...]
    leads: tuple[int, ...]
    fixed: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.shares)

    def times(self, label: int, numbers: Numbers) -> Numbers:
        """When a label's shots are taken: after how many shots of all its count is `numbers`.

        The count after x shots is share * x + lead * (LEAD + GROWTH * sqrt(share * x)), solved for x.
        """
        share, lead = self.shares[label], self.leads[label]
        half = lead * GROWTH / 2
        root = np.sqrt(np.maximum(numbers - lead * LEAD + half * half, 0.0)) - half
        found: Numbers = np.square(np.maximum(root, 0.0)) / share
        return found

    def lasts(self, sizes: Ints) -> int:
        """Shots until the first label has no text left, at least."""
        going = [label for label in range(len(self)) if not self.fixed[label]]
        ends = [float(self.times(label, np.array([sizes[label] - 1.0]))[0]) for label in going]
        return max(0, int(min(ends)) - len(self))


def planned(weights: Sequence[int], leads: Sequence[int], fixed: Sequence[int] = ()) -> Plan:
    """Labels that occur by weight, and behind them those that occur so many times."""
    shares = [weight / sum(weights) for weight in weights] + [0.0] * len(fixed)
    return Plan(tuple(shares), (*leads, *[0] * len(fixed)), (*[0] * len(weights), *fixed))


def joined(plan: Plan, sizes: Ints, turns: Ints | None = None) -> Ints:
    """Labels of the source joined: the label of the plan that each becomes.

    The smallest for those that occur a few times, one each; the others, the largest first, to what lacks most of its share, so that
    shares can be kept up for long.

    Args:
        plan: how often labels occur.
        sizes: texts of each label of the source.
        turns: order in which those of one size are taken; None: as they come.
    """
    taken = np.arange(len(sizes)) if turns is None else turns
    order = taken[np.argsort(-sizes[taken], kind="stable")].tolist()
    held, of = [0.0] * len(plan), np.zeros(len(sizes), dtype=np.int64)
    going = [label for label in range(len(plan)) if not plan.fixed[label]]
    for few in (label for label in range(len(plan)) if plan.fixed[label]):
        of[order.pop()] = few
    for label in order:
        of[label] = min(going, key=lambda i: held[i] / plan.shares[i])
        held[of[label]] += int(sizes[label])
    return of


def order(plan: Plan, blocks: Blocks, labels: Ints, key: tuple[Key, ...], count: int) -> Order:
    """So many shots in the order in which rows take them, or more, or all until a label's texts end.

    Args:
        plan: how often labels come.
        blocks: texts by label.
        labels: of each text, as the plan has them.
        key: first parts of every stream's name.
        count: shots wanted.
    """
    end = float(count + 2 * len(plan))
    most = max(plan.shares) * end
    texts, rounds = draw(blocks, *key, "shots", upto=int(most + LEAD + GROWTH * most**0.5) + 2)
    label, sizes = labels[texts], np.bincount(labels, minlength=len(plan))
    times, places = np.empty(len(texts)), np.empty(len(texts), dtype=np.int64)
    for each in range(len(plan)):
        mine, stream = np.flatnonzero(label == each), Stream(*key, "course", each)
        turn = stream.unit()  # labels of one share take turns
        times[mine] = _times(plan, each, rounds[mine].astype(np.float64) + turn)
        places[mine] = _places(stream, len(mine), few=plan.fixed[each] > 0)[rounds[mine]]
        if not plan.fixed[each]:
            end = min(end, float(plan.times(each, np.array([sizes[each] + turn]))[0]))
    kept = np.flatnonzero(times < end)
    at = kept[np.argsort(times[kept], kind="stable")]
    return Order(texts[at], rounds[at], places[at])


def _times(plan: Plan, label: int, numbers: Numbers) -> Numbers:
    """The same as Plan.times; a label of few shots has them from the beginning, and no more ever."""
    if fixed := plan.fixed[label]:
        found: Numbers = np.where(numbers < fixed, -1.0, np.inf)
        return found
    return plan.times(label, numbers)


def _places(stream: Stream, count: int, *, few: bool) -> Ints:
    """Places of a label's shots by a course of its own; where it has a few alone, they stand close together."""
    weights = courses.burst(stream) if few else courses.course(stream)
    return courses.places(weights, stream.bulk(count))
