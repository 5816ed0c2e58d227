"""Whether a passage entails a claim: the judge behind citation scores, and a stand-in that needs no model (docs/spec/helmet.md 11.5).

The judge of the paper is a language model of 11 billion parameters; scoring/nli.py opens it, and smaller ones. Without a model, `Lexical`
checks whether the claim's words occur in the passage. That is not entailment: a claim and its negation are the same to it. Its name is shown
with every score that it decides, and `@official` metrics refuse it.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache
from typing import Any, ClassVar

from haymaker.errors import HaymakerError
from haymaker.text import words

STAND_IN = "lexical"
STAND_IN_SAYS = "stand-in"

_WORD = re.compile(r"\w+")
# Words that carry no meaning of their own.
_IDLE = frozenset(
    "a about after all also although am an and any are as at be because been before being both but by can could did do does "
    "during each either first for from had has have he her here hers him his how however i if in into is it its itself later "
    "many may me meanwhile might more moreover most much must my neither no nor not of on only or other our out over own "
    "shall she should since so some such than that the their them then there these they this those though through thus to "
    "too under until up upon us very was we were what when where whether which while who whom whose why will with within "
    "without would you your".split()
)


class Entailment(ABC):
    """A judge of claims; equal questions have equal answers.

    Attributes:
        name: shown with scores; changes whenever an answer can change.
        stand_in: True if no entailment model decides.
    """

    name: str
    stand_in: bool

    @abstractmethod
    def entails(self, premise: str, hypothesis: str) -> bool:
        """Return whether the hypothesis follows from the premise."""

    def entails_all(self, pairs: Sequence[tuple[str, str]]) -> list[bool]:
        """Return the same for many pairs of premise and hypothesis."""
        return [self.entails(premise, hypothesis) for premise, hypothesis in pairs]


class Lexical(Entailment):
    """Share of the claim's words found in the passage: deterministic, without a model.

    A claim is entailed if all its numbers and capitalised words and at least `SHARE` of its content words occur in the passage, by word stem.
    A claim without content words is not entailed.
    """

    SHARE: ClassVar[float] = 0.6
    name = "lexical@1"
    stand_in = True

    def entails(self, premise: str, hypothesis: str) -> bool:
        """Return whether the words of the hypothesis occur in the premise."""
        known = {_stem(word) for word in words(premise)}
        claim = [word for word in words(hypothesis) if word not in _IDLE]
        if not claim or not _fixed(hypothesis) <= known:
            return False
        return sum(_stem(word) in known for word in claim) >= self.SHARE * len(claim)


_current: ContextVar[Entailment] = ContextVar("entailment")
_DEFAULT = Lexical()


def current() -> Entailment:
    """Return the judge of citation metrics: the stand-in, or the judge of `judged_by`."""
    return _current.get(_DEFAULT)


def current_model() -> Entailment:
    """Return the same for metrics that need a model.

    Raises:
        HaymakerError: the judge is the stand-in.
    """
    judge = current()
    if judge.stand_in:
        what, where = f"needs the entailment model; {judge.name} only stands in for it", "citation scores @official"
        raise HaymakerError(what, where=where, fix="name a model, or score @strict")
    return judge


@contextmanager
def judged_by(entailment: Entailment) -> Iterator[None]:
    """Use this judge for citation metrics inside the block."""
    token = _current.set(entailment)
    try:
        yield
    finally:
        _current.reset(token)


def _fixed(text: str) -> set[str]:
    """Stems of a claim's numbers and capitalised words."""
    marked = (word for word in _WORD.findall(text) if word[0].isupper() or any(letter.isdigit() for letter in word))
    return {_stem(word) for run in marked for word in words(run) if word not in _IDLE}


@cache
def _stemmer() -> Any:
    from nltk.stem.porter import PorterStemmer

    return PorterStemmer()


@lru_cache(maxsize=1 << 16)
def _stem(word: str) -> str:
    stem: str = _stemmer().stem(word)
    return stem
