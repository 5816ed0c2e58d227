"""The words of a needle task: statements, instruction, question, cue, as the phrases of a language have them (phrases.py)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from generators.synthetic.phrases import Phrases
from haymaker.core.errors import ParamsError


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
        phrases: of its language.
        style: same, other (words of the question are not those of the statement) or single (there is one thing, and no key).
        value: kind of value.
        values: of each key.
        lines: the text is made of statements alone.
        absent: the text may lack what is asked for.
    """

    phrases: Phrases
    style: str
    value: str
    values: int
    lines: bool
    absent: bool

    @property
    def _things(self) -> dict[str, str]:
        """The words for what is asked for."""
        return {form: self.phrases.form(f"things.{self.value}.{form}") for form in ("one", "many", "alone")}

    def statement(self, key: str, value: str) -> str:
        """The sentence that is hidden."""
        line = f"{self.style}.line"
        form = self.phrases.form(line if self.lines and line in self.phrases.said else f"{self.style}.statement")
        return form.format(**self._things, key=key, value=value)

    def decoys(self) -> Sequence[str]:
        """Sentences that say a {value} beside a {name} and are no statement."""
        one = self._things["one"]
        return [form.replace("{one}", one) for form in self.phrases.several("decoys")]

    def halves(self) -> tuple[str, str, str]:
        """A statement cut up: its first word, what follows up to the key ("{key}" included), and the rest ("{value}" included).

        Raises:
            ParamsError: a statement that cannot be a line.
        """
        form = self.statement("{key}", "{value}")
        opener, _, rest = form.partition(" ")
        first, found, last = rest.partition(" {value}")
        if not found or "{" in opener or (not f" {rest}".startswith(" {key}") and " {key}" not in rest):
            what = f"{form!r} is no line: it must begin with a word, with a space before {{key}} and before {{value}}"
            raise ParamsError(what, where=self.phrases.name, fix=f"add {self.style}.line")
        return opener, f" {first}", f" {{value}}{last}"

    def request(self, keys: Sequence[str]) -> Request:
        """Instruction, question and cue for the keys asked for, in order; empty where there is no key."""
        phrases, each, several = self.phrases, self.values > 1, len(keys) > 1
        number, single = "many" if each or several else "one", self.style == "single"
        form = {(False, False): "one", (False, True): "several", (True, False): "each", (True, True): "matrix"}
        frame = "absent" if self.absent else "there"
        paths = (
            f"{frame}.announce.{'lines' if self.lines else 'single' if single else 'prose'}",
            f"{self.style}.question.{number}",
            f"{frame}.format.{'single' if single else form[several, each]}",
            f"{self.style}.cue.{number}",
        )
        filled = {**self._things, "keys": phrases.named(keys) if keys else ""}
        instruction, question, how, cue = (phrases.form(path).format(**filled) for path in paths)
        return Request(instruction, question, how, phrases.answer("" if self.absent else cue))
