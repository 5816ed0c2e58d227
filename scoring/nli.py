"""Models of entailment that judge citations: the paper's, which writes "1", and classifiers of any size (docs/reference/metrics.md).

Nothing is downloaded: a model lies in a folder or in the local cache of the Hub. Weights must be safetensors.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from itertools import islice
from typing import Any

from haymaker.errors import EnvironmentProblem
from haymaker.extras import install
from scoring.entailment import STAND_IN, Entailment, Lexical

MODEL = "google/t5_xxl_true_nli_mixture"
REVISION = "fb749b87addb9ed3c2b9f3c23c127aeac6e68bd9"  # the one that has its weights as safetensors

_MAX_NEW_TOKENS = 10
_WRITES = "1"
_LABEL = "entailment"
_REMEMBERED = 4096  # pairs: recall and precision of one row ask the same things
_BATCH = 16  # windows at once
_LEAST = 16  # tokens that a premise and a claim need, however short


class _Model(Entailment):
    """What every model of entailment does: it is asked what it has not been asked before.

    Args:
        model: folder, or repository on the Hub.
        revision: commit of the repository; "" of a folder.
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
        self._known: OrderedDict[tuple[str, str], bool] = OrderedDict()

    def entails(self, premise: str, hypothesis: str) -> bool:
        """Whether the model says so."""
        return self.entails_all([(premise, hypothesis)])[0]

    def entails_all(self, pairs: Sequence[tuple[str, str]]) -> list[bool]:
        """The same of many pairs, in few passes."""
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self._known]
        found = dict(zip(new, self._judge(new), strict=True)) if new else {}
        said = [found[pair] if pair in found else self._known[pair] for pair in pairs]
        self._known.update(found)
        while len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)
        return said

    @abstractmethod
    def _judge(self, pairs: Sequence[tuple[str, str]]) -> list[bool]:
        """What the model says of each pair."""


class TrueNli(_Model):
    """The judge of the paper: a T5 model that writes "1" where a premise entails a hypothesis (docs/spec/helmet.md 11.5).

    Args:
        model: folder, or repository on the Hub.
        revision: commit of the repository; not used for a folder.

    Raises:
        EnvironmentProblem: the model is not here.
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
    """A model that gives a premise and a hypothesis one of a few labels, of which one is "entailment" whatever its place.

    A premise that has no room beside its hypothesis is cut into windows, each half over the one before. What one window at least entails
    is entailed; what takes two that lie further apart is not seen. Of a hypothesis longer than half the room its beginning is read.

    Args:
        model: folder, or repository on the Hub.
        revision: commit of the repository; "" of a folder.

    Raises:
        EnvironmentProblem: the model is not here, or cannot be used so.
    """

    def __init__(self, model: str, revision: str) -> None:
        super().__init__(model, revision, "AutoModelForSequenceClassification")
        self._label = _label(self._model.config)
        self._room = _room(self._tokenizer, self._model.config)
        if not self._tokenizer.is_fast or self._tokenizer.pad_token_id is None or self._room < _LEAST:
            what = "its tokenizer cannot cut a premise into windows (no fast one, no padding, or no room)"
            raise EnvironmentProblem(what, where=self.name, fix="name another model")

    def _judge(self, pairs: Sequence[tuple[str, str]]) -> list[bool]:
        windows = [(number, ids) for number, pair in enumerate(pairs) for ids in self._windows(*pair)]
        windows.sort(
            key=lambda window: (len(window[1]["input_ids"]), window[0])
        )  # little is padding where lengths are alike
        found = [False] * len(pairs)
        ordered = iter(windows)
        while batch := list(islice(ordered, _BATCH)):
            for (number, _), entailed in zip(batch, self._labels([ids for _, ids in batch]), strict=True):
                found[number] |= entailed
        return found

    def _windows(self, premise: str, hypothesis: str) -> Iterator[dict[str, list[int]]]:
        """The model's inputs, one for each window of the premise."""
        tokenizer = self._tokenizer
        claim = tokenizer(hypothesis, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
        places = claim["offset_mapping"][: self._room // 2]
        claimed = hypothesis[: places[-1][1]] if places else ""
        free = self._room - len(places) - tokenizer.num_special_tokens_to_add(pair=True)
        cut = tokenizer(
            premise,
            claimed,
            truncation="only_first",
            max_length=self._room,
            stride=max(0, free // 2),
            return_overflowing_tokens=True,
        )
        names = [name for name in tokenizer.model_input_names if name in cut]
        for number in range(len(cut["input_ids"])):
            yield {name: cut[name][number] for name in names}

    def _labels(self, windows: list[dict[str, list[int]]]) -> list[bool]:
        """Whether entailment is the most likely label of each."""
        import torch

        columns = {name: [window[name] for window in windows] for name in windows[0]}
        batch = self._tokenizer.pad(columns, return_tensors="pt").to(self._model.device)
        with torch.inference_mode():
            likely = self._model(**batch).logits.argmax(dim=-1)
        return [int(label) == self._label for label in likely]


def open_entailment(name: str) -> Entailment:
    """The judge called `name`: "lexical"; "true" (the model of the paper); a folder, or a repository on the Hub as OWNER/NAME@COMMIT.

    A model is opened once, whoever asks for it.

    Raises:
        EnvironmentProblem: a model that is not here, or none of entailment.
    """
    if name == STAND_IN:
        return Lexical()
    return opened(*((MODEL, REVISION) if name == "true" else name.partition("@")[::2]))


@cache
def opened(model: str, revision: str) -> Entailment:
    """A model of either kind, as its config says.

    Raises:
        EnvironmentProblem: torch is not installed, the model is not here, or it is none of entailment.
    """
    try:
        import torch  # noqa: F401
        from transformers import AutoConfig
    except ImportError:
        fix = f"{install('.[embed-cpu]')} (or [gpu])"
        raise EnvironmentProblem("an entailment model needs torch", where=_name(model, revision), fix=fix) from None
    import_module("transformers.utils.logging").disable_progress_bar()
    config = _from(AutoConfig, model, revision)
    if config.is_encoder_decoder and _label(config) is None:
        return TrueNli(model, revision)
    if _label(config) is None:
        labels = ", ".join(map(str, config.id2label.values()))
        what = f"is no model of entailment: its labels are {labels:.80}, none is {_LABEL!r}"
        raise EnvironmentProblem(what, where=_name(model, revision), fix=f"name another, or judge with {STAND_IN}")
    return Classifier(model, revision)


def _name(model: str, revision: str) -> str:
    return f"{model}@{revision[:12]}" if revision else model


def _from(kind: Any, model: str, revision: str, **options: Any) -> Any:
    """What a class of transformers opens, from this machine alone; no code of a repository is run."""
    try:
        return kind.from_pretrained(model, revision=revision or "main", local_files_only=True, **options)
    except (OSError, ValueError, KeyError, ImportError) as error:
        why = (str(error).strip() or type(error).__name__).split("\n", 1)[0][:200]
        fix = f"hf download {model}{f' --revision {revision}' if revision else ''}, or judge with {STAND_IN}"
        what = f"the entailment model is not here ({why})"
        raise EnvironmentProblem(what, where=_name(model, revision), fix=fix) from None


def _label(config: Any) -> int | None:
    """Number of the label "entailment"; None where there is none."""
    labels = {str(name).strip().casefold(): int(number) for number, name in config.id2label.items()}
    return labels.get(_LABEL)


def _room(tokenizer: Any, config: Any) -> int:
    """Tokens that the model reads at once: as its tokenizer says, else as its config does, less two that some models keep for themselves."""
    most = getattr(config, "max_position_embeddings", None) or _UNKNOWN
    return int(tokenizer.model_max_length if tokenizer.model_max_length <= most else most - 2)


_UNKNOWN = 512  # tokens, where a config does not say it
