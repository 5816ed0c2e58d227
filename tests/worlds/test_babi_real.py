"""Simulated against real bAbI, moving tasks: what is told, when it is asked, how often each answer is right."""

from __future__ import annotations

import re
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from statistics import mean

import pytest

from worlds.babi import SLUGS, Fact, stories

MOVING = tuple(f"qa{n}" for n in (1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14))
KINDS = {
    "get": " (got|grabbed|took|picked up) the ", "drop": " (dropped|discarded|left|put down) the ",
    "give": " (gave|passed|handed) the ", "either": " is either in ", "no longer": " is no longer in ",
    "not": " is not in ", "is in": " is in ",
    "they": "(After that|Afterwards|Then|Following that) they ",
    "he": "(After that|Afterwards|Then|Following that) (he|she) ",
    "pair": "[A-Z][a-z]+ and [A-Z]", "time first": "(Yesterday|This) ",
    "time last": ".* (yesterday|(morning|afternoon|evening))\\.",
    "move": " to the ",
}  # fmt: skip


@dataclass
class Figures:
    """Counts over a file: facts by kind, facts before questions, facts after the first support, answers, supports."""

    kinds: Counter[str] = field(default_factory=Counter)
    first: Counter[int] = field(default_factory=Counter)
    gaps: Counter[int] = field(default_factory=Counter)
    after: Counter[int] = field(default_factory=Counter)
    answers: Counter[str] = field(default_factory=Counter)
    supports: Counter[int] = field(default_factory=Counter)
    there: Counter[str] = field(default_factory=Counter)
    support_kinds: Counter[str] = field(default_factory=Counter)
    facts: list[int] = field(default_factory=list)


@cache
def kind_of(text: str) -> str:
    return next(kind for kind, shape in KINDS.items() if re.search(shape, text))


def figures(lines: Iterator[str], questions: int) -> Figures:
    """Of the first questions of a file."""
    out = Figures()
    told: dict[int, str] = {}
    last = 0
    for line in lines:
        number, _, rest = line.rstrip("\n").partition(" ")
        n = int(number)
        if n == 1:
            told, last = {}, 0
        if "\t" not in rest:
            told[n] = rest
            out.kinds[kind_of(rest)] += 1
            out.there[f"{kind_of(rest)} there"] += rest.endswith(" there.")
            continue
        _, answer, supporting = rest.split("\t")
        ids = [int(one) for one in supporting.split()]
        (out.gaps if last else out.first)[len(told) - last] += 1
        last = len(told)
        out.after[sum(at > ids[0] for at in told)] += 1
        out.answers["list" if "," in answer else answer] += 1
        out.supports[min(len(ids), 6)] += 1
        out.support_kinds[kind_of(told[ids[0]])] += 1
        out.facts.append(len(told))
        if len(out.facts) == questions:
            break
    return out


def simulated(task: str) -> Iterator[str]:
    for story in stories(task, "train", seed=21, questions=4000):
        for n, line in enumerate(story.lines, 1):
            if isinstance(line, Fact):
                yield f"{n} {line.text}"
            else:
                yield f"{n} {line.question}\t{line.answer}\t{' '.join(map(str, line.supporting))}"


@pytest.fixture(scope="module")
def real(mirror: Path) -> Callable[[str], Figures]:
    """Figures of the real training file of a task; of the smaller one for qa3."""

    def read(task: str) -> Figures:
        folder = "en" if task == "qa3" else "en-10k"
        with zipfile.ZipFile(mirror / "babi/tasks_1-20_v1-2.zip") as archive:
            name = next(n for n in archive.namelist() if n.endswith(f"{folder}/{task}_{SLUGS[task]}_train.txt"))
            return figures(iter(archive.read(name).decode("ascii").splitlines()), 10_000)

    return read


def gap(one: Counter[object], other: Counter[object]) -> float:
    """Largest difference of a share, in points."""
    share = [{key: 100 * n / counts.total() for key, n in counts.items()} for counts in (one, other)]
    return max(abs(share[0].get(key, 0) - share[1].get(key, 0)) for key in {*share[0], *share[1]})


@pytest.mark.real
@pytest.mark.parametrize("task", MOVING)
def test_figures_are_those_of_the_real_file(task: str, real: Callable[[str], Figures]) -> None:
    ours, theirs = figures(simulated(task), 4000), real(task)
    slack = 3 if task == "qa3" else 1  # 1,000 real questions of long stories
    assert gap(ours.kinds, theirs.kinds) < 1.5
    assert gap(ours.first, theirs.first) < 4 * slack
    assert gap(ours.gaps, theirs.gaps) < 2 * slack
    assert gap(ours.after, theirs.after) < 3 * slack
    assert gap(ours.answers, theirs.answers) < 2.5 * slack
    assert gap(ours.supports, theirs.supports) < 3
    assert gap(ours.support_kinds, theirs.support_kinds) < 3 * slack
    assert mean(ours.facts) == pytest.approx(mean(theirs.facts), rel=0.06 * slack)
    for kind, there in theirs.there.items():
        assert ours.there[kind] / ours.kinds[kind[:-6]] == pytest.approx(there / theirs.kinds[kind[:-6]], abs=0.03)
