"""Settings of needle tasks; what an entry asks for, in the words of its title; what shortcuts may reach."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationInfo, field_validator, model_validator

from generators.spec import Allowed, TaskSpec
from generators.synthetic.needles_words import Wording
from generators.synthetic.phrases import Phrases, SpokenSettings
from haymaker.core.params import Name, RefersTo, omit_if_default
from haymaker.core.text.english_grammar import number_words

Count = Annotated[int, Field(strict=True, ge=1, le=16)]
_THINGS = {"number": "number", "uuid": "UUID", "digits": "five-digit number", "runs": "ten-digit number"}
_DIGITS = {"digits": "five digits", "runs": "ten digits with repetitions"}
_PLACES = {"essay": "in books", "noise": "among filler sentences", "needles": "among lines that all give one"}


class NeedleSettings(SpokenSettings):
    """Knobs of a needle task (keys of `suites.synthetic.tasks.<name>`).

    Attributes:
        haystack: sentences of the background corpus, filler sentences of our own, or lines that are all needles.
        background: corpus of an essay; None where the haystack is none.
        key: what a value is asked by; none: there is one value, and no key.
        value: seven-digit number, UUID, five digits (the first may be 0), ten digits with repetitions.
        queries: keys asked for.
        values: values of each key, those of distractors too.
        distractors: further keys, not asked for.
        decoys: sentences of an essay that say a value of the same kind beside a name, in no needle's form.
        closeness: near: the key of a distractor shares a word (of a UUID: all but the last block) with an asked one.
        depths: rows of a group: 1, or points of a grid from 0 to 1 for the first needle; further asked ones stand evenly behind it.
        absent: one more row per group, in which further distractors stand where what is asked for stood; every prompt says that it
            may not be there.
        order: of the sentences of an essay: as written, or each at a place of its own.
        wording: other: the question uses other words than the needle.
    """

    haystack: Literal["essay", "noise", "needles"] = "essay"
    background: Annotated[Name | None, RefersTo("corpora")] = None
    key: Literal["word", "uuid", "none"] = "word"
    value: Literal["number", "uuid", "digits", "runs"] = "number"
    queries: Count = 1
    values: Count = 1
    distractors: Annotated[int, Field(strict=True, ge=0, le=64)] = 0
    decoys: Annotated[int, Field(strict=True, ge=0, le=64)] = omit_if_default(0)
    closeness: Literal["far", "near"] = "far"
    depths: Annotated[int, Field(strict=True, ge=1, le=101)] = 1
    absent: bool = False
    order: Literal["coherent", "shuffled"] = "coherent"
    wording: Literal["same", "other"] = "same"

    @field_validator("background")
    @classmethod
    def _of_an_essay(cls, name: str | None, info: ValidationInfo) -> str | None:
        """The suite's corpus is of no account to other haystacks."""
        return name if info.data.get("haystack") == "essay" else None

    @field_validator("decoys")
    @classmethod
    def _in_an_essay(cls, count: int, info: ValidationInfo) -> int:
        """Lines of the other haystacks say such values anyway."""
        return count if info.data.get("haystack") == "essay" else 0

    @model_validator(mode="after")
    def _sense(self) -> NeedleSettings:
        if self.key == "none" and (self.queries, self.values, self.distractors, self.wording) != (1, 1, 0, "same"):
            raise ValueError("key none leaves one value: queries 1, values 1, distractors 0, wording same")
        if self.key == "none" and self.haystack == "needles":
            raise ValueError("key none needs another haystack than needles")
        if self.order == "shuffled" and self.haystack != "essay":
            raise ValueError("order shuffled is for haystack essay; the lines of the others have no order of their own")
        if self.closeness == "near" and not self.distractors:
            raise ValueError("closeness near needs distractors")
        return self

    @property
    def variants(self) -> int:
        """Depths, and the row without what is asked for."""
        return self.depths + self.absent

    def allows(self, spec: TaskSpec) -> Mapping[str, Allowed]:
        """In prose a value is found by its shape."""
        return {**(_by_shape(self) if self.haystack == "essay" else {}), **super().allows(spec)}

    def title_words(self) -> Mapping[str, object]:
        """What is asked for, where it is, and how; `how` begins with a comma unless it is empty."""
        how = "".join(f", {each}" for each in _how(self))
        return {"what": _what(self), "where": _PLACES[self.haystack], "how": how, "digits": _DIGITS.get(self.value, "")}

    def said_in(self, phrases: Phrases) -> Wording:
        """How its statements and questions are said in a language."""
        style = "single" if self.key == "none" else self.wording
        return Wording(phrases, style, self.value, self.values, self.haystack == "needles", self.absent)


class PasskeySettings(NeedleSettings):
    """Knobs of passkey and number_string: their metrics read one number and no key, so what is hidden is fixed."""

    key: Literal["none"] = "none"
    value: Literal["digits", "runs"] = "digits"


def _what(settings: NeedleSettings) -> str:
    queries, others, thing = settings.queries, settings.distractors, _THINGS[settings.value]
    asked, every = number_words(queries), number_words(queries + others)
    if settings.values > 1:
        each = "one name" if queries == 1 else f"each of {asked} names"
        among = f" of {every}" if others else ""
        return f"{number_words(settings.values)} {thing}s of {each}{among}"
    if others:
        return f"{asked} of {every} {thing}s"
    return f"a {thing}" if queries == 1 else f"the {thing}s of {asked} names"


def _how(settings: NeedleSettings) -> Iterator[str]:
    if settings.key == "uuid":
        yield "by its UUID" if settings.queries == 1 else "by their UUIDs"
    if settings.depths > 1:
        apart = settings.queries * settings.values > 1
        yield f"{'evenly spread behind' if apart else 'at'} {number_words(settings.depths)} depths"
    if settings.closeness == "near":
        yield "the other names like the one asked for"
    if settings.decoys:
        yield f"among {number_words(settings.decoys)} decoys"
    if settings.absent:
        yield f"not there in one row of {number_words(settings.depths + 1)}"
    if settings.order == "shuffled":
        yield "sentences shuffled"
    if settings.wording == "other":
        yield "asked in other words"
    if settings.phrases:
        yield f"in the words of {Path(settings.phrases).stem!r}"


def _by_shape(settings: NeedleSettings) -> dict[str, Allowed]:
    """What whoever looks for the shape of a value in prose gets: the F1 of naming all such values."""
    asked = settings.queries * settings.values
    there = asked + settings.distractors * settings.values + settings.decoys
    said = f"{number_words(there)} such value{'s' if there > 1 else ''} and asks for {number_words(asked)}"
    alone = there == asked
    law = "RULER hides no others, and its law is kept" if alone else "this is the F1 of naming them all"
    found = {"digit_finder": Allowed(round(200 * asked / (asked + there)), f"The text holds {said}: {law}.")}
    if alone and settings.value == "uuid":
        found["odd_out"] = Allowed(100, "A UUID is unlike any word of prose, and the text holds no other: RULER's law.")
    return found
