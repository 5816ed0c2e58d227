"""Settings of needle tasks, and what follows from them: title, limits of shortcuts, statements and questions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field, ValidationInfo, field_validator, model_validator

from generators.spec import Allowed, TaskSpec
from generators.synthetic.phrases import Phrases, SpokenSettings
from haymaker.core.errors import ParamsError
from haymaker.core.params import Name, RefersTo, omit_if_default
from haymaker.core.text.english_grammar import number_words

Count = Annotated[int, Field(strict=True, ge=1, le=16)]
_THINGS = {"number": "number", "uuid": "UUID", "digits": "five-digit number", "runs": "ten-digit number"}
_DIGITS = {"digits": "five digits", "runs": "ten digits with repetitions"}
_PLACES = {"essay": "in books", "noise": "among filler sentences", "needles": "among lines that all give one"}


class NeedleSettings(SpokenSettings):
    """Settings of a needle task (keys of `suites.synthetic.tasks.<name>`).

    Attributes:
        haystack: sentences of the background corpus, filler sentences, or lines that are all needles.
        background: corpus of an essay; None for the other haystacks.
        key: name that the question gives for a value; none: there is one value and no key.
        value: seven-digit number, UUID, five digits (the first may be 0), or ten digits with repetitions.
        queries: number of keys in the question.
        values: number of values of each key, including the keys of distractors.
        distractors: number of further keys.
        decoys: number of sentences with another name and a value of the same kind, in other forms than the needles. With
            `paraphrase` they have the forms of the needles.
        distractor_similarity: high: a distractor's key shares a word (UUIDs: all blocks before the last one) with a key in the question.
        depths: rows of a group: 1, or points of a grid from 0 to 1 for the first needle; further ones follow it evenly.
        unanswerable: one more row per group, with further distractors in place of the gold needles; every prompt says that the value
            may be missing.
        order: sentences of an essay as written, or each at a drawn place.
        paraphrase: the question uses other words than the needle.
    """

    haystack: Literal["essay", "noise", "needles"] = "essay"
    background: Annotated[Name | None, RefersTo("corpora")] = None
    key: Literal["word", "uuid", "none"] = "word"
    value: Literal["number", "uuid", "digits", "runs"] = "number"
    queries: Count = 1
    values: Count = 1
    distractors: Annotated[int, Field(strict=True, ge=0, le=64)] = 0
    decoys: Annotated[int, Field(strict=True, ge=0, le=64)] = omit_if_default(0)
    distractor_similarity: Literal["low", "high"] = "low"
    depths: Annotated[int, Field(strict=True, ge=1, le=101)] = 1
    unanswerable: bool = False
    order: Literal["coherent", "shuffled"] = "coherent"
    paraphrase: bool = False

    @field_validator("background", "decoys")
    @classmethod
    def _of_an_essay(cls, value: Any, info: ValidationInfo) -> Any:
        """Other haystacks ignore both: they have no corpus, and their lines contain such values anyway."""
        return value if info.data.get("haystack") == "essay" else cls.model_fields[str(info.field_name)].default

    @model_validator(mode="after")
    def _sense(self) -> NeedleSettings:
        if self.key == "none" and (self.queries, self.values, self.distractors, self.paraphrase) != (1, 1, 0, False):
            raise ValueError("key none requires queries 1, values 1, distractors 0 and paraphrase false")
        if self.key == "none" and self.haystack == "needles":
            raise ValueError("key none does not work with haystack needles")
        if self.order == "shuffled" and self.haystack != "essay":
            raise ValueError("order shuffled requires haystack essay: the lines of other haystacks have no order")
        if self.distractor_similarity == "high" and not self.distractors:
            raise ValueError("distractor_similarity high needs distractors")
        return self

    @property
    def variants(self) -> int:
        return self.depths + self.unanswerable

    @property
    def gold(self) -> int:
        """Number of needles that the question asks for."""
        return self.queries * self.values

    def allows(self, spec: TaskSpec) -> Mapping[str, Allowed]:
        return {**(_by_shape(self) if self.haystack == "essay" else {}), **super().allows(spec)}

    def title_words(self) -> Mapping[str, object]:
        how = "".join(f", {each}" for each in _how(self))
        return {"what": _what(self), "where": _PLACES[self.haystack], "how": how, "digits": _DIGITS.get(self.value, "")}


def _what(settings: NeedleSettings) -> str:
    queries, others, thing = settings.queries, settings.distractors, _THINGS[settings.value]
    asked, every = number_words(queries), number_words(queries + others)
    if settings.values > 1:
        each = "one name" if queries == 1 else f"each of {asked} names"
        return f"{number_words(settings.values)} {thing}s of {each}{f' of {every}' if others else ''}"
    if others:
        return f"{asked} of {every} {thing}s"
    return f"a {thing}" if queries == 1 else f"the {thing}s of {asked} names"


def _how(settings: NeedleSettings) -> Iterator[str]:
    if settings.key == "uuid":
        yield "by its UUID" if settings.queries == 1 else "by their UUIDs"
    if settings.depths > 1:
        yield f"{'evenly spread behind' if settings.gold > 1 else 'at'} {number_words(settings.depths)} depths"
    if settings.distractor_similarity == "high":
        yield "the other names like the one asked for"
    if settings.decoys:
        yield f"among {number_words(settings.decoys)} decoys"
    if settings.unanswerable:
        yield f"not there in one row of {number_words(settings.depths + 1)}"
    if settings.order == "shuffled":
        yield "sentences shuffled"
    if settings.paraphrase:
        yield "asked in other words"
    if settings.phrases:
        yield f"in the words of {Path(settings.phrases).stem!r}"


def _by_shape(settings: NeedleSettings) -> dict[str, Allowed]:
    """Limits for shortcuts that list all values of the right shape in prose: their F1."""
    gold = settings.gold
    there = gold + settings.distractors * settings.values + settings.decoys
    said = f"{number_words(there)} such value{'s' if there > 1 else ''} and asks for {number_words(gold)}"
    alone = there == gold
    law = "RULER hides no others, and its law is kept" if alone else "this is the F1 of naming them all"
    shape = Allowed(round(200 * gold / (gold + there)), f"The text holds {said}: {law}.")
    found = {"digit_finder": shape, "after_markers": shape}  # a needle has its value after a colon or the same words
    if alone and settings.value == "uuid":
        found["odd_out"] = Allowed(100, "A UUID is unlike any word of prose, and the text holds no other: RULER's law.")
    return found


class Request(NamedTuple):
    """Texts around a context: before it, the question alone, how to answer, and what a base model continues."""

    instruction: str
    question: str
    form: str
    cue: str


@dataclass(frozen=True, slots=True)
class Wording:
    """Statements and questions of a needle task in its language."""

    settings: NeedleSettings
    phrases: Phrases

    def check(self) -> None:
        """Look up every phrase that the settings need; raise ParamsError for the first that is missing."""
        self.statements("", "")
        self.request(["key"] * self.settings.queries if self.settings.key != "none" else [])
        if self.settings.decoys:
            self.decoys()
        if self.settings.haystack == "noise":
            self.phrases.filler()
        if self.settings.haystack == "needles":
            self.line()

    @property
    def _style(self) -> str:
        return "single" if self.settings.key == "none" else "other" if self.settings.paraphrase else "same"

    @property
    def _things(self) -> dict[str, str]:
        return {form: self.phrases.form(f"things.{self.settings.value}.{form}") for form in ("one", "many", "alone")}

    def statements(self, key: str, value: str) -> list[str]:
        """Return the sentence of a needle in every wording; lines have one."""
        said, lines, line = self.phrases.said, self.settings.haystack == "needles", f"{self._style}.line"
        further = () if lines else self.phrases.lists.get(f"{self._style}.wordings", ())
        first = self.phrases.form(line if lines and line in said else f"{self._style}.statement")
        return [form.format(**self._things, key=key, value=value) for form in (first, *further)]

    def decoys(self) -> Sequence[str]:
        """Return the sentences with {name} and {value} that are not needles: those of needles, if these have several wordings."""
        if len(forms := self.statements("{name}", "{value}")) > 1:
            return forms
        return [form.replace("{one}", self._things["one"]) for form in self.phrases.several("decoys")]

    def line(self) -> tuple[str, str, str]:
        """Return the parts of a line: first word, text up to "{key}" included, text from there to the end.

        Raises:
            ParamsError: the statement cannot be a line.
        """
        form = self.statements("{key}", "{value}")[0]
        opener, _, rest = form.partition(" ")
        first, found, last = rest.partition(" {value}")
        if not found or "{" in opener or " {key}" not in f" {first}":
            what = (
                f"{form!r} is not a line: it must begin with a word, with a space before {{key}} and before {{value}}"
            )
            raise ParamsError(what, where=self.phrases.name, fix=f"add {self._style}.line")
        return opener, f" {first}", f" {{value}}{last}"

    def request(self, keys: Sequence[str]) -> Request:
        """Return the texts that ask for the values of some keys, in order; no keys: for the one value."""
        each, several = self.settings.values > 1, len(keys) > 1
        number, single = "many" if each or several else "one", self._style == "single"
        form = {(False, False): "one", (False, True): "several", (True, False): "each", (True, True): "matrix"}
        frame = "absent" if self.settings.unanswerable else "there"
        paths = (
            f"{frame}.announce.{'lines' if self.settings.haystack == 'needles' else 'single' if single else 'prose'}",
            f"{self._style}.question.{number}",
            f"{frame}.format.{'single' if single else form[several, each]}",
            f"{self._style}.cue.{number}",
        )
        words = {**self._things, "keys": self.phrases.named(keys) if keys else ""}
        instruction, question, how, cue = (self.phrases.form(path).format(**words) for path in paths)
        return Request(instruction, question, how, self.phrases.answer("" if self.settings.unanswerable else cue))
