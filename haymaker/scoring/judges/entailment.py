"""Judges of citations: whether a passage entails a claim (docs/spec/helmet.md 11.5, docs/reference/reading-answers.md).

`TrueNli` is the paper's model, `Classifier` any smaller model. Both load local files, and weights must be safetensors.
`Lexical` needs no model: it compares words, so it cannot tell a claim from its negation. Its name is shown with its
scores, and `@official` metrics reject it.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache
from importlib import import_module
from typing import Any, ClassVar

from haymaker.core.errors import EnvironmentProblem, HaymakerError
from haymaker.core.extras import install_command
from haymaker.core.text.strings import words

STAND_IN = "lexical"
STAND_IN_SAYS = "stand-in"
MODEL = "google/t5_xxl_true_nli_mixture"
REVISION = "fb749b87addb9ed3c2b9f3c23c127aeac6e68bd9"  # has the weights as safetensors

_MAX_NEW_TOKENS = 10
_LABEL = "entailment"
_REMEMBERED = 4096  # pairs: recall and precision of one row need the same verdicts
_BATCH = 16  # windows per pass
_LEAST = 16  # tokens of the shortest usable context length
_UNKNOWN = 512  # tokens, if the config has no context length
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
    """A judge of claims; equal questions have equal answers."""

    name: str  # shown with scores; changes whenever an answer can change
    stand_in: bool = False  # no entailment model decides

    @abstractmethod
    def entails(self, premise: str, hypothesis: str) -> bool:
        """Return whether the hypothesis follows from the premise."""

    def entails_all(self, pairs: Sequence[tuple[str, str]]) -> list[bool]:
        """Return whether the hypothesis follows, for many pairs of premise and hypothesis."""
        return [self.entails(premise, hypothesis) for premise, hypothesis in pairs]


class Lexical(Entailment):
    """Lexical judge by the share of the claim's words found in the passage: deterministic, without a model.

    A claim is entailed if all its numbers and capitalised words and at least `SHARE` of its content words occur in the
    passage, by word stem. A claim without content words is not entailed.
    """

    SHARE: ClassVar[float] = 0.6
    name = "lexical@1"
    stand_in = True

    def entails(self, premise: str, hypothesis: str) -> bool:
        """Return whether enough words of the hypothesis occur in the premise."""
        known = {_stem(word) for word in words(premise)}
        claim = [word for word in words(hypothesis) if word not in _IDLE]
        if not claim or not _fixed(hypothesis) <= known:
            return False
        return sum(_stem(word) in known for word in claim) >= self.SHARE * len(claim)


def _fixed(text: str) -> set[str]:
    """Return the stems of a claim's numbers and capitalised words."""
    marked = (word for word in _WORD.findall(text) if word[0].isupper() or any(letter.isdigit() for letter in word))
    return {_stem(word) for run in marked for word in words(run) if word not in _IDLE}


@cache
def _stemmer() -> Any:
    from nltk.stem.porter import PorterStemmer

    return PorterStemmer()


@lru_cache(maxsize=1 << 16)
def _stem(word: str) -> str:
    return str(_stemmer().stem(word))


class _Model(Entailment):
    """An entailment model that remembers its verdicts.

    Args:
        model: folder, or repository on the Hub.
        revision: commit of the repository; "" for a folder.
        kind: transformers class that opens the model.
        options: arguments of its from_pretrained.

    Raises:
        EnvironmentProblem: the model is not on this machine, or cannot be used.
    """

    def __init__(self, model: str, revision: str, kind: str, **options: Any) -> None:
        import torch
        import transformers

        self.name = _name(model, revision)
        self._tokenizer = _from(transformers.AutoTokenizer, model, revision)
        self._model = _from(getattr(transformers, kind), model, revision, use_safetensors=True, **options)
        self._model.to("cuda" if torch.cuda.is_available() else "cpu").eval()
        self._known: dict[tuple[str, str], bool] = {}

    def entails(self, premise: str, hypothesis: str) -> bool:
        """Return the verdict of the model."""
        return self.entails_all([(premise, hypothesis)])[0]

    def entails_all(self, pairs: Sequence[tuple[str, str]]) -> list[bool]:
        """Return the verdict on each pair, in few passes."""
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self._known]
        known = self._known | dict(zip(new, self._judge(new) if new else (), strict=True))
        self._known = dict(list(known.items())[-_REMEMBERED:])
        return [known[pair] for pair in pairs]

    @abstractmethod
    def _judge(self, pairs: Sequence[tuple[str, str]]) -> list[bool]:
        """Return the verdict on each pair."""


class TrueNli(_Model):
    """The judge of the paper: a T5 model that writes "1" if a premise entails a hypothesis (docs/spec/helmet.md 11.5)."""

    def __init__(self, model: str = MODEL, revision: str = REVISION) -> None:
        import torch

        super().__init__(model, revision, "AutoModelForSeq2SeqLM", dtype=torch.bfloat16)

    def _judge(self, pairs: Sequence[tuple[str, str]]) -> list[bool]:
        return [self._written(*pair) == "1" for pair in pairs]

    def _written(self, premise: str, hypothesis: str) -> str:
        import torch

        ids = self._tokenizer(f"premise: {premise} hypothesis: {hypothesis}", return_tensors="pt").input_ids
        with torch.inference_mode():
            output = self._model.generate(ids.to(self._model.device), max_new_tokens=_MAX_NEW_TOKENS, do_sample=False)
        return str(self._tokenizer.decode(output[0], skip_special_tokens=True)).strip()


class Classifier(_Model):
    """A model that classifies a premise and a hypothesis; one of its labels is "entailment".

    A premise that does not fit next to its hypothesis is split into windows that overlap by half. It entails the
    hypothesis if one window does, so evidence from distant places is missed. A hypothesis longer than half the context
    length is truncated.
    """

    def __init__(self, model: str, revision: str) -> None:
        import torch

        super().__init__(model, revision, "AutoModelForSequenceClassification", dtype=torch.float32)
        self._label = _label(self._model.config)
        self._room = _room(self._tokenizer, self._model.config)
        if not self._tokenizer.is_fast or self._tokenizer.pad_token_id is None or self._room < _LEAST:
            what = "the tokenizer cannot split a premise into windows (no fast tokenizer, no padding token, or a context that is too short)"
            raise EnvironmentProblem(what, where=self.name, fix="choose another model")

    def _judge(self, pairs: Sequence[tuple[str, str]]) -> list[bool]:
        windows = [(number, ids) for number, pair in enumerate(pairs) for ids in self._windows(*pair)]
        windows.sort(key=lambda window: (len(window[1]["input_ids"]), window[0]))  # similar lengths need little padding
        found = [False] * len(pairs)
        for start in range(0, len(windows), _BATCH):
            batch = windows[start : start + _BATCH]
            for (number, _), entailed in zip(batch, self._labels([ids for _, ids in batch]), strict=True):
                found[number] |= entailed
        return found

    def _windows(self, premise: str, hypothesis: str) -> Iterator[dict[str, list[int]]]:
        """Yield the model's inputs for each window of the premise."""
        tokenizer = self._tokenizer
        claim = tokenizer(hypothesis, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
        places = claim["offset_mapping"][: self._room // 2]
        claimed = hypothesis[: places[-1][1]] if places else ""
        free = self._room - len(places) - tokenizer.num_special_tokens_to_add(pair=True)
        cut = tokenizer(
            premise, claimed, truncation="only_first", max_length=self._room, stride=max(0, free // 2),
            return_overflowing_tokens=True,
        )  # fmt: skip
        names = [name for name in tokenizer.model_input_names if name in cut]
        for number in range(len(cut["input_ids"])):
            yield {name: cut[name][number] for name in names}

    def _labels(self, windows: list[dict[str, list[int]]]) -> list[bool]:
        """Return whether entailment is the most likely label of each window."""
        import torch

        columns = {name: [window[name] for window in windows] for name in windows[0]}
        batch = self._tokenizer.pad(columns, return_tensors="pt").to(self._model.device)
        with torch.inference_mode():
            likely = self._model(**batch).logits.argmax(dim=-1)
        return [int(label) == self._label for label in likely]


def open_entailment(name: str) -> Entailment:
    """Open a judge by name: "lexical", "true" (the paper's model), a folder, or a Hub repository OWNER/NAME@COMMIT.

    Raises:
        EnvironmentProblem: torch or transformers is not installed, or the model is missing or is no entailment model.
    """
    if name == STAND_IN:
        return Lexical()
    return load_entailment(*((MODEL, REVISION) if name == "true" else name.partition("@")[::2]))


@cache
def load_entailment(model: str, revision: str) -> Entailment:
    """Open a model of the kind in its config, once per process."""
    try:
        import torch  # noqa: F401
        from transformers import AutoConfig
    except ImportError:
        fix = f"{install_command('.[embed-cpu]')} (or [gpu])"
        raise EnvironmentProblem(
            "an entailment model needs torch and transformers", where=_name(model, revision), fix=fix
        ) from None
    import_module("transformers.utils.logging").disable_progress_bar()
    config = _from(AutoConfig, model, revision)
    if _label(config) is not None:
        return Classifier(model, revision)
    if config.is_encoder_decoder:
        return TrueNli(model, revision)
    labels = ", ".join(map(str, config.id2label.values()))
    what = f"is not an entailment model: its labels are {labels:.80}, without {_LABEL!r}"
    raise EnvironmentProblem(what, where=_name(model, revision), fix=f"choose another model, or judge with {STAND_IN}")


def _name(model: str, revision: str) -> str:
    return f"{model}@{revision[:12]}" if revision else model


def _from(kind: Any, model: str, revision: str, **options: Any) -> Any:
    """Open a model with a class of transformers, from local files only; code of the repository is not run."""
    try:
        return kind.from_pretrained(model, revision=revision or "main", local_files_only=True, **options)
    except (OSError, ValueError, KeyError, ImportError) as error:
        why = (str(error).strip() or type(error).__name__).split("\n", 1)[0][:200]
        fix = f"hf download {model}{f' --revision {revision}' if revision else ''}, or judge with {STAND_IN}"
        what = f"the entailment model was not found on this machine ({why})"
        raise EnvironmentProblem(what, where=_name(model, revision), fix=fix) from None


def _label(config: Any) -> int | None:
    """Return the number of the label "entailment", or None."""
    labels = {str(name).strip().casefold(): int(number) for number, name in config.id2label.items()}
    return labels.get(_LABEL)


def _room(tokenizer: Any, config: Any) -> int:
    """Return the context length of the tokenizer, or of the config less two positions that some models reserve."""
    most = getattr(config, "max_position_embeddings", None) or _UNKNOWN
    return int(tokenizer.model_max_length if tokenizer.model_max_length <= most else most - 2)


_current: ContextVar[Entailment] = ContextVar("entailment", default=Lexical())  # noqa: B039 - it has no state


def active_entailment() -> Entailment:
    """Return the active judge of citation metrics: lexical by default, or the judge of `use_entailment`."""
    return _current.get()


def current_model() -> Entailment:
    """Return the active judge for metrics that need a model.

    Raises:
        HaymakerError: the active judge is the lexical one.
    """
    judge = active_entailment()
    if judge.stand_in:
        what, where = f"needs the entailment model; {judge.name} only stands in for it", "citation scores @official"
        raise HaymakerError(what, where=where, fix="choose a model, or score @strict")
    return judge


@contextmanager
def use_entailment(entailment: Entailment) -> Iterator[None]:
    """Use this judge for citation metrics inside the block."""
    token = _current.set(entailment)
    try:
        yield
    finally:
        _current.reset(token)
