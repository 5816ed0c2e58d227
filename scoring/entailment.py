"""Does a passage entail a claim? The judge behind citation scores, and a stand-in that needs no model
(docs/spec/helmet.md 11.5).

The judge of the paper is a language model of 11 billion parameters. Where it is not at hand, `Lexical` says whether the
claim's words stand in the passage. That is not entailment: it takes a claim and its negation for the same. Its name stands
beside every score that it made, and `@official` metrics refuse it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache
from typing import Any, ClassVar, Protocol

from haymaker.errors import EnvironmentProblem, HaymakerError
from haymaker.extras import install
from haymaker.text import words

MODEL = "google/t5_xxl_true_nli_mixture"
REVISION = "fb749b87addb9ed3c2b9f3c23c127aeac6e68bd9"  # the one that has its weights as safetensors
STAND_IN = "lexical"
STAND_IN_SAYS = "stand-in"

_MAX_NEW_TOKENS = 10
_ENTAILED = "1"
_REMEMBERED = 4096  # recall and precision of one row ask the same things
_WORD = re.compile(r"\w+")
# Words that say nothing of what a claim is about.
_IDLE = frozenset(
    "a about after all also although am an and any are as at be because been before being both but by can could did do does "
    "during each either first for from had has have he her here hers him his how however i if in into is it its itself later "
    "many may me meanwhile might more moreover most much must my neither no nor not of on only or other our out over own "
    "shall she should since so some such than that the their them then there these they this those though through thus to "
    "too under until up upon us very was we were what when where whether which while who whom whose why will with within "
    "without would you your".split()
)


class Entailment(Protocol):
    """A judge of claims: the same question has the same answer."""

    @property
    def name(self) -> str:
        """What scores must be shown with; changes whenever an answer can change."""

    @property
    def stand_in(self) -> bool:
        """True where no model of entailment decides."""

    def entails(self, premise: str, hypothesis: str) -> bool:
        """Whether the hypothesis follows from the premise."""


class Lexical:
    """Share of the claim's words found in the passage: deterministic, no model, no understanding.

    Entailed when every number and every capitalised word of the claim stands in the passage, and at least `SHARE` of its
    content words do, by word stem. A claim without content words is not entailed.
    """

    SHARE: ClassVar[float] = 0.6
    name: ClassVar[str] = "lexical@1"
    stand_in: ClassVar[bool] = True

    def entails(self, premise: str, hypothesis: str) -> bool:
        """Whether the words of the hypothesis stand in the premise."""
        known = {_stem(word) for word in words(premise)}
        claim = [word for word in words(hypothesis) if word not in _IDLE]
        if not claim or not _fixed(hypothesis) <= known:
            return False
        return sum(_stem(word) in known for word in claim) >= self.SHARE * len(claim)


class TrueNli:
    """The judge of the paper: a T5 model that answers "1" where a premise entails a hypothesis (docs/spec/helmet.md 11.5).

    Nothing is downloaded: the model lies in a folder or in the local cache of the Hub. Weights must be safetensors.

    Args:
        model: folder, or repository on the Hub.
        revision: commit of the repository; not used for a folder.

    Raises:
        EnvironmentProblem: torch is not installed, or the model is not here.
    """

    stand_in: ClassVar[bool] = False

    def __init__(self, model: str = MODEL, revision: str = REVISION) -> None:
        self.name = f"{model}@{revision[:12]}" if revision else model
        try:
            import torch
            from transformers import AutoModelForSeq2SeqLM, AutoTokenizer
        except ImportError:
            raise EnvironmentProblem(
                "an entailment model needs torch", where=self.name, fix=f"{install('.[embed-cpu]')} (or [gpu])"
            ) from None
        here: dict[str, Any] = {"revision": revision or "main", "local_files_only": True}
        try:
            self._tokenizer = AutoTokenizer.from_pretrained(model, **here)
            self._model = AutoModelForSeq2SeqLM.from_pretrained(
                model, dtype=torch.bfloat16, use_safetensors=True, **here
            )
        except (OSError, ValueError) as error:
            why = str(error).split("\n", 1)[0][:200]
            raise EnvironmentProblem(
                f"the entailment model is not here ({why})",
                where=self.name,
                fix=f"hf download {model}, or judge with {STAND_IN}",
            ) from None
        self._model.to("cuda" if torch.cuda.is_available() else "cpu").eval()
        self._answer = lru_cache(maxsize=_REMEMBERED)(self._predict)

    def entails(self, premise: str, hypothesis: str) -> bool:
        """Whether the model's answer is "1"."""
        return self._answer(premise, hypothesis)

    def _predict(self, premise: str, hypothesis: str) -> bool:
        import torch

        ids = self._tokenizer(f"premise: {premise} hypothesis: {hypothesis}", return_tensors="pt").input_ids
        with torch.inference_mode():
            output = self._model.generate(ids.to(self._model.device), max_new_tokens=_MAX_NEW_TOKENS, do_sample=False)
        return str(self._tokenizer.decode(output[0], skip_special_tokens=True)).strip() == _ENTAILED


def open_entailment(name: str) -> Entailment:
    """The judge called `name`: "lexical"; "true" (the model of the paper); a folder, or a repository on the Hub as OWNER/NAME@COMMIT.

    Raises:
        EnvironmentProblem: a model that is not here.
    """
    if name == STAND_IN:
        return Lexical()
    model, _, revision = name.partition("@")
    return TrueNli() if name == "true" else TrueNli(model, revision)


_current: ContextVar[Entailment] = ContextVar("entailment")


def current() -> Entailment:
    """The judge that citation metrics ask: the stand-in unless `judged_by` says otherwise."""
    return _current.get(_DEFAULT)


def current_model() -> Entailment:
    """The same, for metrics that are not to be had without a model.

    Raises:
        HaymakerError: the judge is the stand-in.
    """
    judge = current()
    if judge.stand_in:
        raise HaymakerError(
            f"needs the entailment model; {judge.name} only stands in for it",
            where="citation scores @official",
            fix="name a model, or score @strict",
        )
    return judge


@contextmanager
def judged_by(entailment: Entailment) -> Iterator[None]:
    """Let citation metrics ask this judge inside the block."""
    token = _current.set(entailment)
    try:
        yield
    finally:
        _current.reset(token)


_DEFAULT = Lexical()


def _fixed(text: str) -> set[str]:
    """Stems of what a claim may not change: its numbers and its capitalised words."""
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
