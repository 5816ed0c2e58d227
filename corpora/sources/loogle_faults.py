"""LooGLE's answers that its own text contradicts or leaves open, as they were met by reading. They are not asked.

Questions are named by a hash of their text, so that no sentence of LooGLE stands here.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from haymaker.core.rng import digest

FAULTS: Mapping[str, str] = MappingProxyType(
    {
        "f2221b1ce1d1": "three are named, the answer counts one of them twice",
        "06ba54845b41": "from 19 April to 6 June is 48 days, not 51",
        "4bc4dd369e4f": "as much every year from 1999 to 2011, of which the answer counts twelve years, not thirteen",
        "1bb47bb9fa9e": "the text does not say what counts as one",
        "d6028268067a": "what others called for is taken for what the government did",
        "7ab122f55787": "the text tells of no bankruptcy, and of other years",
        "c140ec173014": "the text says the contrary: beside the castle, with large windows",
        "20a13497ef2c": "asks where, the answer says how well known",
        "190cf90d5380": "the text does not say it",
        "c4bfcc012238": "the text counts none",
        "92a74691f544": "the text says clubs twice, the answer spades",
        "14e120d925d1": "answered no, the text tells of an election as academician",
        "9e6712a1881d": "the answer is no readable one",
    }
)


def fault(question: str) -> str:
    """What is wrong with the answer of a question, by its text; empty where nothing is known."""
    return FAULTS.get(name_of(question), "")


def name_of(question: str) -> str:
    """A question's name here: a hash of its words."""
    return digest("loogle", " ".join(question.split()), size=6).hex()
