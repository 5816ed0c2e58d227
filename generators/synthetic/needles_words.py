"""The words of a needle task: statements, instruction, question, cue. All of them stand in needle_words.yaml."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from haymaker.yaml_file import read_yaml


@dataclass(frozen=True, slots=True)
class Request:
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


@dataclass(frozen=True, slots=True)
class Wording:
    """How a task speaks.

    Attributes:
        style: same, other (words of the question are not those of the statement) or single (there is one thing, and no key).
        value: kind of value.
        values: of each key.
        lines: the text is made of statements alone.
        absent: the text may lack what is asked for.
    """

    style: str
    value: str
    values: int
    lines: bool
    absent: bool

    def statement(self, key: str, value: str) -> str:
        """The sentence that is hidden."""
        words = _words()
        return str(words[self.style]["statement"]).format(**words["things"][self.value], key=key, value=value)

    def decoys(self) -> Sequence[str]:
        """Sentences that say a {value} beside a {name} and are no statement."""
        one = _words()["things"][self.value]["one"]
        return [form.replace("{one}", one) for form in _words()["decoys"]]

    def halves(self) -> tuple[str, str, str]:
        """A statement cut up: its first word, what follows up to the key ("{key}" included), and the rest ("{value}" included)."""
        form = self.statement("{key}", "{value}")
        opener, _, rest = form.partition(" ")
        first, _, last = rest.partition(" {value}")
        return opener, f" {first}", f" {{value}}{last}"

    def request(self, keys: Sequence[str]) -> Request:
        """Instruction, question and cue for the keys asked for, in order; empty where there is no key."""
        words, each, several = _words(), self.values > 1, len(keys) > 1
        number, single = "many" if each or several else "one", self.style == "single"
        form = {(False, False): "one", (False, True): "several", (True, False): "each", (True, True): "matrix"}
        frame, style = words["absent" if self.absent else "there"], words[self.style]
        texts = (
            frame["announce"]["lines" if self.lines else "single" if single else "prose"],
            style["question"][number],
            frame["format"]["single" if single else form[several, each]],
            "Answer:" if self.absent else f"Answer: {style['cue'][number]}",
        )
        named = " and ".join([", ".join(keys[:-1]), keys[-1]] if several else keys)
        filled = {**words["things"][self.value], "keys": named}
        return Request(*(text.format(**filled) for text in texts))


@cache
def _words() -> dict[str, Any]:
    return read_yaml(Path(__file__).with_name("needle_words.yaml"))
