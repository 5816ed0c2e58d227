"""Entailment models that judge citations: the paper's, which writes "1", and classifiers of any size (docs/reference/metrics.md).

Models are opened from a folder or from the local cache of the Hub, without downloads. Weights must be safetensors.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from typing import Any

from haymaker.errors import EnvironmentProblem
from haymaker.extras import install
from scoring.entailment import STAND_IN, Entailment, Lexical

MODEL = "google/t5_xxl_true_nli_mixture"
REVISION = "fb749b87addb9ed3c2b9f3c23c127aeac6e68bd9"  # has the weights as safetensors

_MAX_NEW_TOKENS = 10
_WRITES = "1"
_LABEL = "entailment"
_REMEMBERED = 4096  # pairs: recall and precision of one row need the same verdicts
_BATCH = 16  # windows per pass
_LEAST = 16  # tokens of the shortest usable context length
_UNKNOWN = 512  # tokens, if the config has no context length


class _Model(Entailment):
    """An entailment model that remembers its verdicts.

    Args:
        model: folder, or repository on the Hub.
        revision: commit of the repository; "" for a folder.
        kind: class of transformers that opens it.
        options: of its from_pretrained.

    Raises:
        EnvironmentProblem: the model is not here.
    """

    stand_in = False

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
    """The judge of the paper: a T5 model that writes "1" if a premise entails a hypothesis (docs/spec/helmet.md 11.5).

    Arguments and errors are the same as for `Classifier`.
    """

    def __init__(self, model: str = MODEL, revision: str = REVISION) -> None:
        import torch

        super().__init__(model, revision, "AutoModelForSeq2SeqLM", dtype=torch.bfloat16)

    def _judge(self, pairs: Sequence[tuple[str, str]]) -> list[bool]:
        return [self._writes(*pair) == _WRITES for pair in pairs]

    def _writes(self, premise: str, hypothesis: str) -> str:
        import torch

        ids = self._tokenizer(f"premise: {premise} hypothesis: {hypothesis}", return_tensors="pt").input_ids
        with torch.inference_mode():
            output = self._model.generate(ids.to(self._model.device), max_new_tokens=_MAX_NEW_TOKENS, do_sample=False)
        return str(self._tokenizer.decode(output[0], skip_special_tokens=True)).strip()


class Classifier(_Model):
    """A model that classifies a premise and a hypothesis; one of its labels is "entailment".

    A premise that does not fit next to its hypothesis is split into windows that overlap by half; it entails the hypothesis if one window
    does, so evidence from two distant places is missed. A hypothesis longer than half the context length is truncated.

    Args:
        model: folder, or repository on the Hub.
        revision: commit of the repository; "" for a folder.

    Raises:
        EnvironmentProblem: the model is not here, or cannot be used like this.
    """

    def __init__(self, model: str, revision: str) -> None:
        import torch

        super().__init__(model, revision, "AutoModelForSequenceClassification", dtype=torch.float32)
        self._label = _label(self._model.config)
        self._room = _room(self._tokenizer, self._model.config)
        if not self._tokenizer.is_fast or self._tokenizer.pad_token_id is None or self._room < _LEAST:
            what = "its tokenizer cannot cut a premise into windows (no fast one, no padding, or no room)"
            raise EnvironmentProblem(what, where=self.name, fix="name another model")

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
    """Open a judge by name: "lexical"; "true" (the model of the paper); a folder, or a repository on the Hub as OWNER/NAME@COMMIT.

    A model is opened once per process.

    Raises:
        EnvironmentProblem: the model is not here, or is no entailment model.
    """
    if name == STAND_IN:
        return Lexical()
    return opened(*((MODEL, REVISION) if name == "true" else name.partition("@")[::2]))


@cache
def opened(model: str, revision: str) -> Entailment:
    """Open a model of the kind that its config names.

    Raises:
        EnvironmentProblem: torch is not installed, the model is not here, or is no entailment model.
    """
    try:
        import torch  # noqa: F401
        from transformers import AutoConfig
    except ImportError:
        fix = f"{install('.[embed-cpu]')} (or [gpu])"
        raise EnvironmentProblem("an entailment model needs torch", where=_name(model, revision), fix=fix) from None
    import_module("transformers.utils.logging").disable_progress_bar()
    config = _from(AutoConfig, model, revision)
    if _label(config) is not None:
        return Classifier(model, revision)
    if config.is_encoder_decoder:
        return TrueNli(model, revision)
    labels = ", ".join(map(str, config.id2label.values()))
    what = f"is no model of entailment: its labels are {labels:.80}, none is {_LABEL!r}"
    raise EnvironmentProblem(what, where=_name(model, revision), fix=f"name another, or judge with {STAND_IN}")


def _name(model: str, revision: str) -> str:
    return f"{model}@{revision[:12]}" if revision else model


def _from(kind: Any, model: str, revision: str, **options: Any) -> Any:
    """Open a model with a class of transformers, from local files only; code of the repository is not run."""
    try:
        return kind.from_pretrained(model, revision=revision or "main", local_files_only=True, **options)
    except (OSError, ValueError, KeyError, ImportError) as error:
        why = (str(error).strip() or type(error).__name__).split("\n", 1)[0][:200]
        fix = f"hf download {model}{f' --revision {revision}' if revision else ''}, or judge with {STAND_IN}"
        what = f"the entailment model is not here ({why})"
        raise EnvironmentProblem(what, where=_name(model, revision), fix=fix) from None


def _label(config: Any) -> int | None:
    """Return the number of the label "entailment", or None."""
    labels = {str(name).strip().casefold(): int(number) for number, name in config.id2label.items()}
    return labels.get(_LABEL)


def _room(tokenizer: Any, config: Any) -> int:
    """Return the context length of the tokenizer, or of the config less two positions that some models reserve."""
    most = getattr(config, "max_position_embeddings", None) or _UNKNOWN
    return int(tokenizer.model_max_length if tokenizer.model_max_length <= most else most - 2)
