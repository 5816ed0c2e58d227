"""Scores that shortcuts reach by bAbI's own rules, measured on real and simulated test questions (docs/suites/babilong.md)."""

from __future__ import annotations

from collections.abc import Mapping

from generators.spec import Allowed

_LATEST = "the question comes soon after the fact that decides, whose place is then the last one named"
_FIRST = "a short story names few places, and any of them is the answer more often than one of the whole set"
_PAIR = "the question is mostly about a person of the last facts, whose place is then the last one named"
_HALVES = "three places stand in the context, and the question names one of them"
_GIFTS = "few people and objects stand in a story, and those of the asked handover among them"
_FEW = "few objects stand in a story, and what a person carries is mostly the one named first or last"
_COLOURS = "few colours stand in a story, and that of the asked species is mostly the first or the last of them"
_FEARS = "every species of the set stands in the context, each as often as chance has it"
_NOTHING = "nothing is the answer of many questions in the files, and one of five turns is its own"
_RARE = "the files hold few questions whose answer is two or three, and these come first"
_SIZES = "bAbI's own rule: things keep their sizes from story to story, so what fits into what is mostly known from the other questions"
_MOTIVES = (
    "bAbI's own rule: each state leads to one place and one thing, so what a question names tells most of its answer"
)
_ASKED_FOR = (
    "the form of a question says whether a person or an object is asked for, and no person who is named is the answer"
)
_STATE = "in short stories the first state that is named is that of the person asked about"
_LATE = "the fact that decides is one of the last, so it mostly stands in the last quarter of 4k"


def _allow(why: str, **percents: int) -> dict[str, Allowed]:
    """Facts begin alike, unlike prose, so the place named last after such openings is the place named last by the facts."""
    found = percents | ({"after_markers": percents["last_mentioned"]} if "last_mentioned" in percents else {})
    return {shortcut: Allowed(percent, why) for shortcut, percent in found.items()}


ALLOWED: Mapping[str, Mapping[str, Allowed]] = {
    "qa1": _allow(_LATEST, last_mentioned=54) | _allow(_FIRST, first_mentioned=25) | _allow(_LATE, last_1k=50),
    "qa2": _allow(_LATEST, last_mentioned=43) | _allow(_FIRST, first_mentioned=21) | _allow(_LATE, last_1k=42),
    "qa3": _allow(_FIRST, last_mentioned=15, first_mentioned=17) | _allow(_LATE, last_1k=46),
    "qa4": _allow(_HALVES, last_mentioned=36, first_mentioned=56),
    "qa5": _allow(_GIFTS, last_mentioned=25, first_mentioned=23)
    | _allow(_LATE, last_1k=80)
    | _allow(_ASKED_FOR, question_alone=36),
    "qa7": _allow(_RARE, majority=50, closed_book=50),
    "qa8": _allow(_FEW, last_mentioned=50, first_mentioned=42)
    | _allow(_NOTHING, majority=37, closed_book=37, question_alone=33)
    | _allow(_LATE, last_1k=40),
    "qa11": _allow(_PAIR, last_mentioned=76) | _allow(_FIRST, first_mentioned=13),
    "qa12": _allow(_PAIR, last_mentioned=78) | _allow(_FIRST, first_mentioned=21) | _allow(_LATE, last_1k=70),
    "qa13": _allow(_PAIR, last_mentioned=95) | _allow(_FIRST, first_mentioned=15) | _allow(_LATE, last_1k=51),
    "qa14": _allow(_FIRST, last_mentioned=28, first_mentioned=27),
    "qa15": _allow(_FEARS, last_mentioned=21, first_mentioned=31),
    "qa16": _allow(_COLOURS, last_mentioned=50, first_mentioned=49),
    "qa18": _allow(_SIZES, question_alone=92),
    "qa20": _allow(_STATE, first_mentioned=27) | _allow(_MOTIVES, question_alone=73),
}
"""Task -> shortcut -> percent and why: the maximum over real and simulated files of both vocabularies."""
