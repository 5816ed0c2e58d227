"""qa20: why people go somewhere and take something (docs/spec/babilong.md 5.20). Longer stories have more people.

Differs from the real files: no question comes after the first fact, where only 16 questions are possible, nor after the
second if it would repeat an earlier sample. These are questions on where a person goes, so some questions why are left out too.
"""

from __future__ import annotations

from typing import NamedTuple

from haymaker.core.rng import Stream
from haymaker.core.rows.source_records import Split
from worlds.babi_worlds.lines import Ask, Fact, Line, split_of
from worlds.babi_worlds.quota import Quota
from worlds.babi_worlds.setup import Setup
from worlds.babi_worlds.telling import up_to
from worlds.babi_worlds.vocabulary import GETS, MOVES, Motive, Vocabulary

_PEOPLE, _QUESTIONS = 4, 11
"""Of a real story: people, and as many motives to choose from; most questions."""
_LATEST = 3
"""How many more facts than two a story may have before its first question, where an earlier one would repeat a sample."""


class _Act(NamedTuple):
    """One fact, its person, and the questions on it."""

    who: str
    text: str
    question: str
    answer: str


def motivations_lengths(words: Vocabulary) -> range:
    """Numbers of facts of qa20: two for each person, and one object taken."""
    return up_to(2 * len(words.people["F"]) + 1, least=2)


def motivations(setup: Setup, stream: Stream, split: Split, quota: Quota, attempt: int) -> list[Line]:
    """One qa20 story: after a fact comes a question about it, if the quota takes the answer."""
    while True:
        acts = _acts(stream, setup)
        if split_of(acts[0].text, acts[1].text) == split:
            break
    first = max(1 + min(attempt, _LATEST), len(acts) - _QUESTIONS)
    lines: list[Line] = []
    state: dict[str, int] = {}
    for at, act in enumerate(acts):
        lines.append(Fact(act.text))
        state.setdefault(act.who, len(lines))
        if at == len(acts) - 1 or (at >= first and quota.takes(act.answer)):
            quota.count(act.answer)
            lines.append(Ask(act.question, act.answer, (state[act.who],)))
    return lines


def _acts(stream: Stream, setup: Setup) -> list[_Act]:
    """Return facts: each person is in a state, goes somewhere, and takes a thing that is still free; in random turns."""
    words, size = setup.vocabulary, max(_PEOPLE, (setup.facts or 0) // 2)
    people = stream.sample(words.people["F"], min(size, len(words.people["F"])))
    motives = stream.sample(words.motives, min(size, len(words.motives)))
    motive = {who: stream.choice(motives) for who in people}
    acts: list[_Act] = []
    done, taken = dict.fromkeys(people, 0), set()
    while people and len(acts) < (setup.facts or 3 * size):
        who = stream.choice(people)
        if done[who] == 2:
            people.remove(who)
            if motive[who] in taken:
                continue
            taken.add(motive[who])
        acts.append(_ACTS[done[who]](stream, who, motive[who]))
        done[who] += 1
    return acts


def _feel(stream: Stream, who: str, motive: Motive) -> _Act:
    return _Act(who, f"{who} is {motive.state}.", f"Where will {who.lower()} go?", motive.place)


def _go(stream: Stream, who: str, motive: Motive) -> _Act:
    question = f"Why did {who.lower()} go to the {motive.place}?"
    return _Act(who, f"{who} {stream.choice(MOVES)} to the {motive.place}.", question, motive.state)


def _take(stream: Stream, who: str, motive: Motive) -> _Act:
    question = f"Why did {who.lower()} get the {motive.what}?"
    return _Act(who, f"{who} {stream.choice(GETS)} the {motive.what} there.", question, motive.state)


_ACTS = (_feel, _go, _take)
