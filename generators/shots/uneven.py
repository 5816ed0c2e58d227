"""Orders of shots to count: labels in nearly equal numbers, each with its own course over the context.

Shares and a lead decide how often each label occurs. A course, a weight for each tenth of the context, is drawn for each label and
decides the places of its shots (rising, in bursts ...). So the label that leads in a part of a context (its first half, its last tenth)
says almost nothing about the label that leads in all of it; and as leads grow with the square root of a label's count, as chance
does, a sample of the shots says little more. All of this holds at every length, and longer rows take more of one order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from generators.context.pieces import Ints
from generators.shots.rounds import Blocks, draw
from generators.shots.shot_pool import Shots
from haymaker.core.rng import Key, Stream

if TYPE_CHECKING:
    import numpy.typing as npt

Numbers: TypeAlias = "npt.NDArray[np.float64]"

LEAD, GROWTH = 2.0, 0.4  # lead of a label, in shots: LEAD + GROWTH * square root of its count
_COURSES = (  # weights of the ten tenths of a context for a label with many shots; also used in reverse
    (1, 1, 1, 2, 3, 4, 6, 9, 12, 15),  # rising
    (1, 1, 1, 1, 1, 1, 1, 1, 16, 16),  # most at the end
    (1, 1, 1, 1, 1, 16, 16, 1, 1, 1),  # most after the middle
    (1, 1, 12, 1, 1, 1, 1, 12, 12, 1),  # in three bursts
    (6, 1, 1, 1, 1, 4, 8, 8, 4, 1),  # a start, a pause, a wave
)
_TENTHS = 10


@dataclass(frozen=True, slots=True)
class Plan:
    """How often each of a few labels occurs, by label."""

    shares: tuple[float, ...]  # of all shots; the shares add up to 1
    leads: tuple[int, ...]  # 1: the label occurs more often than others of its share, -1: less often, 0: neither
    fixed: tuple[int, ...]  # number of shots at every length, for labels with few shots; 0: as many as its share

    def __len__(self) -> int:
        return len(self.shares)

    def times(self, label: int, numbers: Numbers) -> Numbers:
        """Return the number of shots of all labels after which the count of a label is `numbers`.

        The count after x shots is share * x + lead * (LEAD + GROWTH * sqrt(share * x)), solved for x. A label with few shots has
        them from the beginning, and never more.
        """
        if fixed := self.fixed[label]:
            return np.where(numbers < fixed, -1.0, np.inf)
        share, lead = self.shares[label], self.leads[label]
        half = lead * GROWTH / 2
        root = np.sqrt(np.maximum(numbers - lead * LEAD + half * half, 0.0)) - half
        found: Numbers = np.square(np.maximum(root, 0.0)) / share
        return found

    @property
    def going(self) -> list[int]:
        """Labels without a fixed number of shots."""
        return [label for label in range(len(self)) if not self.fixed[label]]

    def lasts(self, sizes: Ints) -> int:
        """Return the number of shots until the first label has no text left, or fewer."""
        ends = [float(self.times(label, np.array([sizes[label] - 1.0]))[0]) for label in self.going]
        return max(0, int(min(ends)) - len(self))


def planned(weights: Sequence[int], leads: Sequence[int], fixed: Sequence[int] = ()) -> Plan:
    """Return a plan of labels that occur by weight, followed by labels that occur a fixed number of times."""
    shares = [weight / sum(weights) for weight in weights] + [0.0] * len(fixed)
    return Plan(tuple(shares), (*leads, *[0] * len(fixed)), (*[0] * len(weights), *fixed))


def joined(plan: Plan, sizes: Ints, turns: Ints | None = None) -> Ints:
    """Return the label of the plan that each label of the set becomes.

    The smallest labels become the labels that occur a few times, one each. The others, the largest first, join the label that lacks most
    of its share, so that texts last for many shots. `sizes` are texts of each label of the set, `turns` is the order of labels of one
    size (None: by number).
    """
    taken = np.arange(len(sizes)) if turns is None else turns
    order = taken[np.argsort(-sizes[taken], kind="stable")].tolist()
    held, of, going = [0.0] * len(plan), np.zeros(len(sizes), dtype=np.int64), plan.going
    for few in (label for label in range(len(plan)) if plan.fixed[label]):
        of[order.pop()] = few
    for label in order:
        of[label] = min(going, key=lambda i: held[i] / plan.shares[i])
        held[of[label]] += int(sizes[label])
    return of


def order(plan: Plan, blocks: Blocks, labels: Ints, key: tuple[Key, ...], count: int) -> Shots:
    """Return at least `count` shots in the order in which rows take them, or all until the texts of a label end.

    `labels` are the labels of all texts in the plan, `key` the first parts of the name of every stream.
    """
    end = float(count + 2 * len(plan))
    most = max(plan.shares) * end
    texts, rounds = draw(blocks, *key, "shots", upto=int(most + LEAD + GROWTH * most**0.5) + 2)
    label, sizes = labels[texts], np.bincount(labels, minlength=len(plan))
    times, places = np.empty(len(texts)), np.empty(len(texts), dtype=np.int64)
    for each in range(len(plan)):
        mine, stream = np.flatnonzero(label == each), Stream(*key, "course", each)
        turn = stream.unit()  # labels of one share alternate
        times[mine] = plan.times(each, rounds[mine].astype(np.float64) + turn)
        weights = _burst(stream) if plan.fixed[each] else _course(stream)
        places[mine] = _places(weights, stream, len(mine))[rounds[mine]]
        if not plan.fixed[each]:
            end = min(end, float(plan.times(each, np.array([sizes[each] + turn]))[0]))
    kept = np.flatnonzero(times < end)
    at = kept[np.argsort(times[kept], kind="stable")]
    return Shots(texts[at], rounds[at], places[at])


def _course(stream: Stream) -> list[int]:
    chosen = stream.choice(_COURSES)
    turned = chosen[::-1] if stream.below(2) else chosen
    return [weight * stream.between(4, 8) for weight in turned]


def _burst(stream: Stream) -> list[int]:
    tenth = stream.below(_TENTHS)  # of all shots of a label with few shots
    return [int(each == tenth) for each in range(_TENTHS)]


def _places(weights: Sequence[int], stream: Stream, count: int) -> Ints:
    """Draw places, 0 to 10 * 2**32, by the weights of the tenths."""
    words, sums = stream.bulk(count), np.cumsum(weights)
    drawn = ((words >> np.uint64(32)) * np.uint64(sums[-1])) >> np.uint64(32)
    tenths = np.searchsorted(sums, drawn.astype(np.int64), side="right")
    found: Ints = (tenths.astype(np.int64) << 32) + (words & np.uint64(0xFFFFFFFF)).astype(np.int64)
    return found
