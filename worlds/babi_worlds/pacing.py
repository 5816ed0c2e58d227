"""Pacing of the stories of the moving tasks: facts in pairs, questions between them (docs/spec/babilong.md 5)."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Protocol

from haymaker.core.rows.source_records import Split
from worlds.babi_worlds.lines import Ask, Fact, Line, split_of
from worlds.babi_worlds.quota import Quota

QUESTIONS = 5
"""Questions of a full story."""
REACH = 4
"""A question is asked while at most this many facts follow its first support: no real question breaks this."""

_part = lru_cache(1 << 15)(split_of)
"""Remembered, since short classic worlds begin in few ways."""


class World(Protocol):
    """A story while it happens. `lines` is what has been told and asked."""

    lines: list[Line]

    def step(self) -> Fact:
        """Tell one fact."""

    def ask(self, quota: Quota) -> Ask | None:
        """A question that the facts told so far decide, its answer counted in the quota; None when there is none."""


def tell(split: Split, quota: Quota, facts: int | None, begin: Callable[[], World]) -> list[Line]:
    """One whole story of `split`.

    Args:
        split: by the first two facts.
        quota: counts the answers.
        facts: how many to tell, with questions spread evenly; None: ask after every second fact while the world has a
            question, until the story is full.
        begin: a new world in which nothing has been told.
    """
    while True:
        world = begin()
        one, two = world.step(), world.step()
        if _part(one.text, two.text) != split:
            continue
        if facts is None:
            return _paced(world, quota)
        trial = quota.fork()
        if _spread(world, trial, facts):
            quota.become(trial)
            return world.lines
        quota.waited(trial)


def _paced(world: World, quota: Quota) -> list[Line]:
    lines, asked = world.lines, 0
    while True:
        question = world.ask(quota)
        if question is not None:
            lines.append(question)
            asked += 1
            if asked == QUESTIONS:
                return lines
        world.step()
        world.step()


def _spread(world: World, quota: Quota, facts: int) -> bool:
    """Whether the story got its last question after exactly so many facts.

    Earlier questions are due at even distances; one that cannot be asked then waits for the next pair of facts.
    """
    parts = min(QUESTIONS, facts // 2)
    due = [2 * round(facts * n / parts / 2) for n in range(1, parts + 1)]
    at = 0
    for told in range(2, facts + 1, 2):
        if told >= due[at]:
            question = world.ask(quota)
            if question is not None:
                world.lines.append(question)
                at += 1
            elif told == facts:
                return False
        if told < facts:
            world.step()
            world.step()
    return True
