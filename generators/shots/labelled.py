"""Labelled texts as shots: a prepared set, and its labels as rows show them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np

from corpora.stores.labelled import Labelled, Texts, markers, unit
from corpora.tokenizers.tokenizer import Tokenizer
from generators.context.pieces import Ints, Pieces
from generators.inputs import Inputs, LabelledSet
from generators.shots.layout import GAP, ShotLayout
from generators.shots.rounds import Blocks
from generators.shots.shot_pool import ShotPool, Shots
from generators.spec import TaskSettings, TaskSpec
from haymaker.core.errors import BuildError, ParamsError
from haymaker.core.files.yaml_file import read_yaml

_FIRST_GUESS = 1.15  # shots drawn at first, relative to the number of shots of average length in the budget
_CODE = re.compile(r"[A-Z]{3,4}(?::[a-z]+)?")


class LabelledSettings(TaskSettings):
    """Keys of every task over labelled texts.

    Attributes:
        classification_set: set of labelled texts, from `classification_sets`.
    """

    classification_set: LabelledSet


class LabelledShots:
    """A prepared set; its shots are encoded, measured and sorted by label once in a process."""

    def __init__(self, labelled: Labelled, name: str, tokenizers: Sequence[Tokenizer]) -> None:
        self.name, self.labels, self._tokenizers = name, labelled.labels, tokenizers
        self._opener, self._answer = labelled.markers
        self.split = cache(labelled.split)
        self.endings = cache(self._endings)

    @staticmethod
    def opened(inputs: Inputs, name: str) -> LabelledShots:
        """Return the set with this name, shared by all tasks."""
        return inputs.shared(("shots", name), lambda: LabelledShots(inputs.labelled(name), name, inputs.tokenizers))

    @property
    def shots(self) -> Texts:
        """Texts of the shots."""
        return self.split("train")

    @cached_property
    def sizes(self) -> Ints:
        """Number of shots of each label."""
        return np.bincount(self.shots.label)

    @cached_property
    def pieces(self) -> Pieces:
        """Shots up to their labels, as units of a context; their tokens were counted when the set was prepared."""
        return Pieces([unit(text, self._answer) for text in self.shots.text], self._tokenizers, self.shots.tokens)

    @cached_property
    def _names(self) -> tuple[Any, Any]:
        labels = np.array(self.labels, dtype=object)  # indexing arrays is several times as fast as picking from lists
        return np.array(self.shots.text_id, dtype=object), labels[self.shots.label]

    def names(self, texts: Ints) -> tuple[list[str], list[str]]:
        ids, labels = (column[texts].tolist() for column in self._names)
        return ids, labels

    @cached_property
    def stored(self) -> dict[str, str]:
        """Text and label of each shot, by id."""
        return dict(zip(self.shots.text_id, map("{}\n{}".format, self.shots.text, self._names[1]), strict=True))

    @cached_property
    def blocks(self) -> Blocks:
        """Shots by label."""
        return Blocks.of(self.shots.label)

    def _endings(self, names: tuple[str, ...]) -> Pieces:
        """Return the text after each shot: the name of the label, and the opener of the next shot."""
        return Pieces([f" {name}{GAP}{self._opener}" for name in names], self._tokenizers)

    def pool(self, order: Callable[[int], Shots], names: Sequence[str], shown: Ints) -> ShotPool:
        """Return the shots of an order; `names` are the labels as shown, `shown` is the number of the name of each label."""
        label_map = {label: names[number] for label, number in zip(self.labels, shown.tolist(), strict=True)}
        shown, endings = shown[self.shots.label], self.endings(tuple(names))
        return ShotPool(self.pieces, self.names, order, self._guess, shown, endings, label_map)

    def _guess(self, tokens: int) -> int:
        return int(tokens / float(np.mean(self.shots.tokens[0])) * _FIRST_GUESS)


def labelled_layout(spec: TaskSpec, inputs: Inputs, name: str) -> ShotLayout:
    """Return the layout of labelled shots in the language of the task.

    Raises:
        ParamsError: the set has another language than the prompt texts of the task.
    """
    own, block = spec.language or "en", inputs.params.classification_sets.get(name)
    given = str(block.get("language", "en")) if isinstance(block, dict) else own
    if markers(given) != markers(own):
        what = f"the prompt of task {spec.name!r} is in language {own}, but the set is in {given}"
        fix = f"write language: {own}, or use another task"
        raise ParamsError(what, where=f"classification_sets.{name}.language", fix=fix)
    return ShotLayout(markers(own).opener, "", markers(own).answer, one_line=True)


@cache
def names_of_codes() -> dict[str, str]:
    """Return the words for codes in labels."""
    return read_yaml(Path(__file__).with_name("names.yaml"))


def readable(labels: Sequence[str], where: str, *, distinct: bool = False) -> list[str]:
    """Return readable names of labels: codes spelled out, no underscores; `distinct` refuses a name inside another one.

    Raises:
        BuildError: two labels get the same name, or one name contains another.
    """
    names = [_name(label) for label in labels]
    if twice := [name for name in names if names.count(name) > 1]:
        raise BuildError(f"two labels are shown as {twice[0]!r}", where=where, fix="use labels: numbers")
    pairs = ((name, other) for name in names for other in names if distinct and other != name)
    for name, other in pairs:
        if name.casefold() in other.casefold():
            fix = "give them other names (generators/shots/names.yaml, or in the source)"
            raise BuildError(f"label {name!r} is contained in label {other!r}", where=where, fix=fix)
    return names


def _name(label: str) -> str:
    if not _CODE.fullmatch(label):
        return " ".join(label.replace("_", " ").split())
    words = names_of_codes()
    return ": ".join(words.get(part, part) for part in label.split(":"))
