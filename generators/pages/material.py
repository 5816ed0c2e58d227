"""Which passages numbered paragraphs are made of: settings, the stock of a candidate, draws.

Everything is drawn from Stream(seed, suite, task, part, number, purpose), never by bucket.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import Annotated, Any, TypeVar

from pydantic import Field, field_validator

from corpora.sources.splits import Shares
from generators.context.pieces import Ints
from generators.context.units import Numbers
from generators.inputs import Inputs, PassageCorpus
from generators.pages.stock import OPENER, SAMPLE, Stock, Wanted
from generators.pool import Pool, endless
from generators.spec import Candidate, Entry, TaskSettings
from generators.task import Task
from haymaker.core.errors import BuildError, ParamsError
from haymaker.core.params import nearest
from haymaker.core.rng import Stream
from haymaker.core.rows.source_records import Split

PER_SAMPLE = 4096  # candidates in a row that share a sample of a large corpus
_SKIPS = 96  # bits of a number below the count of those that a training stream skipped (generators/task.py)
_KEPT = 2  # stocks of one corpus


def _parts() -> dict[Split, int]:
    return {"test": 70, "dev": 10, "train": 20}


class PagesSettings(TaskSettings):
    """Knobs of the tasks over numbered paragraphs.

    Attributes:
        passages: corpus.
        min_words: passages with fewer words are not used.
        parts: whole-number shares of the corpus's articles (of its passages, where it has no articles); parts share none.
    """

    passages: PassageCorpus
    min_words: Annotated[int, Field(strict=True, ge=8, le=5000)] = 40
    parts: Shares = Field(default_factory=_parts)

    @field_validator("parts")
    @classmethod
    def _not_nothing(cls, value: dict[Split, int]) -> dict[Split, int]:
        if not sum(value.values()):
            raise ValueError("the shares in `parts` add up to 0")
        return value


P = TypeVar("P", bound=PagesSettings)


class PageMaterial(Task[P]):
    """What rows of numbered paragraphs are made of, by candidate."""

    natural = True

    def __init__(self, entry: Entry[P], inputs: Inputs) -> None:
        super().__init__(entry, inputs)
        self._permuted = lru_cache(maxsize=2)(self._permutation)

    def check_set(self, source: str, wanted: str) -> None:
        """Refuse a set of questions that a source does not have."""
        known = self.inputs.source(source).question_sets() if source in self.inputs.params.sources else ()
        if known and wanted not in known:
            what = f"source {source!r} has no question set {wanted!r}"
            raise ParamsError(what, where=f"{self.entry.where}.set", fix=nearest(wanted, known))

    # ------------------------------------------------------------------------------------------------- material

    def draws(self, candidate: Candidate, purpose: str) -> Stream:
        """Draws of a candidate for a purpose, the same at every length."""
        return self.stream(self.spec.name, candidate.part, candidate.number, purpose)

    def pool(self, part: Split) -> Pool[Any]:
        """Drawn without end, named after the entry: other settings ask something else."""
        return endless(part, self.entry.name)

    @property
    def large(self) -> bool:
        """Whether the corpus has more passages than are looked at; then candidates have no end, and each few thousand a sample."""
        return len(self.inputs.passages(self.settings.passages)) > SAMPLE

    def drawn_from(self, candidate: Candidate) -> tuple[int, int]:
        """(sample of the corpus, place in it) of a candidate; those that a training stream skips stay in their sample."""
        skipped, number = divmod(candidate.number, 1 << _SKIPS)
        sample, place = divmod(number, PER_SAMPLE) if self.large else (0, number)
        return sample, place + skipped * PER_SAMPLE

    def stock(self, candidate: Candidate) -> Stock:
        """The passages that a candidate's rows are made of."""
        return self._stock(candidate.part, self.drawn_from(candidate)[0])

    def permutation(self, candidate: Candidate) -> Ints:
        """All entries of its stock in an order of its own."""
        return self._permuted(candidate)

    def _permutation(self, candidate: Candidate) -> Ints:
        return self.draws(candidate, "passages").permutation(len(self.stock(candidate)))

    def firsts(self, part: Split) -> tuple[int, ...]:
        """Passages that a part must have, by their numbers in the corpus."""
        return ()

    def _stock(self, part: Split, sample: int) -> Stock:
        """One for all tasks of a suite in a process with the same wishes; the last few are kept."""
        settings, corpus, firsts = self.settings, self.settings.passages, self.firsts(part)
        held = self.inputs.shared(("pages", self.entry.suite, corpus, firsts), dict[Any, Stock])
        key = part, sample, settings.min_words, tuple(sorted(settings.parts.items())), self.opener
        found = held.pop(key, None) or self._new_stock(part, sample, firsts)
        held[key] = found
        if len(held) > _KEPT:
            held.pop(next(iter(held)))
        return found

    def _new_stock(self, part: Split, sample: int, firsts: tuple[int, ...]) -> Stock:
        settings, corpus = self.settings, self.settings.passages
        draws, wanted = self.stream(corpus, part, sample, "sample"), Wanted(part, settings.parts, settings.min_words)
        found = Stock(self.inputs.passages(corpus), wanted, draws, self.inputs.tokenizers, firsts, self.opener)
        if not len(found):
            raise BuildError(
                f"no passage of part {part} has {settings.min_words} words", where=f"passages.{corpus}",
                fix=f"lower min_words of {self.entry.where}, or change its `parts`",
            )  # fmt: skip
        return found

    @cached_property
    def opener(self) -> str:
        """The word before the number of a paragraph, in the language of the task's texts."""
        return str(self.words.get("opener", OPENER))

    @cached_property
    def _numbers(self) -> Numbers:
        return self.inputs.shared(("page numbers",), lambda: Numbers(" {n}:", self.inputs.tokenizers))

    def fills(self, stock: Stock) -> int | None:
        """Tokens that a stock fills whatever is drawn; None without end."""
        return stock.tokens

    def limit(self, part: Split = "test") -> int | None:
        """Tokens of a row of (nearly) all passages of a part."""
        return self.fills(self._stock(part, 0))
