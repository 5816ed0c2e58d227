"""Scores that shortcuts reach by bAbI's own rules: measured on the distinct test questions of v1.2 and of the simulated files
(docs/suites/babilong.md).
"""

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


def _mentioned(last: int, first: int, why: str, why_first: str = "") -> dict[str, Allowed]:
    return {"last_mentioned": Allowed(last, why), "first_mentioned": Allowed(first, why_first or why)}


def _late(percent: int) -> dict[str, Allowed]:
    return {"last_1k": Allowed(percent, _LATE)}


def _alone(percent: int, why: str) -> dict[str, Allowed]:
    return {"question_alone": Allowed(percent, why)}


def _constant(percent: int, why: str) -> dict[str, Allowed]:
    return dict.fromkeys(("majority", "closed_book"), Allowed(percent, why))


ALLOWED: Mapping[str, Mapping[str, Allowed]] = {
    "qa1": _mentioned(54, 25, _LATEST, _FIRST) | _late(50),
    "qa2": _mentioned(43, 21, _LATEST, _FIRST) | _late(42),
    "qa3": _mentioned(15, 17, _FIRST) | _late(46),
    "qa4": _mentioned(36, 56, _HALVES),
    "qa5": _mentioned(25, 23, _GIFTS) | _late(80) | _alone(36, _ASKED_FOR),
    "qa7": _constant(50, _RARE),
    "qa8": _mentioned(50, 42, _FEW) | _constant(37, _NOTHING) | _alone(33, _NOTHING) | _late(40),
    "qa11": _mentioned(76, 13, _PAIR, _FIRST),
    "qa12": _mentioned(78, 21, _PAIR, _FIRST) | _late(70),
    "qa13": _mentioned(95, 15, _PAIR, _FIRST) | _late(51),
    "qa14": _mentioned(28, 27, _FIRST),
    "qa15": _mentioned(21, 31, _FEARS),
    "qa16": _mentioned(50, 49, _COLOURS),
    "qa18": _alone(92, _SIZES),
    "qa20": {"first_mentioned": Allowed(27, _STATE)} | _alone(73, _MOTIVES),
}
"""Task -> shortcut -> percent and why: the maximum over real and simulated files of both vocabularies."""
