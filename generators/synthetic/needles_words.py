"""The words of a needle task: statements, instruction, question, cue. All of them stand in needle_words.yaml."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

OPEN, CLOSE = "<text>\n", "\n</text>\n\n"


@dataclass(frozen=True, slots=True)
class Asking:
    """The words around a context.

    Attributes:
        instruction: what stands before the text.
        question: the question alone.
        form: how to answer it.
        cue: what a base model continues.
    """

    instruction: str
    question: str
    form: str
    cue: str

    @property
    def head(self) -> str:
        """Everything up to the text."""
        return f"{self.instruction}\n\n{OPEN}"

    @property
    def tail(self) -> str:
        """Everything behind the text."""
        return f"{CLOSE}Question: {self.question} {self.form}\n{self.cue}"


@dataclass(frozen=True, slots=True)
class Wording:
    """How a task speaks.

    Args:
        style: same, other (words of the question are not those of the statement) or single (there is one thing, and no key).
        value: kind of value.
    """

    style: str
    value: str

    def statement(self, key: str, value: str) -> str:
        """The sentence that is hidden."""
        return str(_words()[self.style]["statement"]).format(**self._thing, key=key, value=value)

    def halves(self) -> tuple[str, str, str]:
        """A statement cut up: its first word, what follows up to the key ("{key}" included), and the rest ("{value}" included)."""
        form = self.statement("{key}", "{value}")
        opener, _, rest = form.partition(" ")
        first, _, last = rest.partition(" {value}")
        return opener, f" {first}", f" {{value}}{last}"

    def asking(self, keys: Sequence[str], values: int, *, lines: bool, absent: bool) -> Asking:
        """Instruction, question and cue.

        Args:
            keys: asked for, in order; empty where there is no key.
            values: of each key.
            lines: the text is made of statements alone.
            absent: the text may lack what is asked for.
        """
        words, thing, number = _words(), self._thing, "one" if max(1, len(keys)) * values == 1 else "many"
        named = " and ".join([", ".join(keys[:-1]), keys[-1]] if len(keys) > 1 else keys)
        single = self.style == "single"
        frame = words["absent" if absent else "there"]
        announce = frame["announce"]["lines" if lines else "single" if single else "prose"]
        form = (
            "single"
            if single
            else "one"
            if number == "one"
            else "several"
            if len(keys) < 2
            else "each"
            if values == 1
            else "matrix"
        )
        question, how = words[self.style]["question"][number], frame["format"][form]
        cue = "" if absent else f" {words[self.style]['cue'][number]}"
        return Asking(
            announce.format(**thing),
            question.format(**thing, keys=named),
            how.format(**thing, values=values),
            f"Answer:{cue}".format(**thing, keys=named),
        )

    @property
    def _thing(self) -> dict[str, Any]:
        return dict(_words()["things"][self.value])


@cache
def _words() -> dict[str, Any]:
    text = files(__package__).joinpath("needle_words.yaml").read_text(encoding="utf-8")
    return dict(yaml.safe_load(text))
