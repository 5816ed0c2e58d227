"""Which language an entry speaks, and that it is the language of the text around."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any, TypeVar

from corpora.stores.sentences.languages import primary
from generators.spec import Entry
from generators.suite import PHRASES
from generators.synthetic.base import GeneratedTask
from generators.synthetic.needles_settings import NeedleSettings
from generators.synthetic.phrases import Phrases, SpokenSettings, load
from haymaker.core.errors import ParamsError

P = TypeVar("P", bound=SpokenSettings)


class SpokenTask(GeneratedTask[P]):
    """A task that says its statements, questions and instructions in the phrases of a language."""

    @cached_property
    def phrases(self) -> Phrases:
        """The phrases that the entry names.

        Raises:
            ParamsError: there are none, or a mistake in them.
        """
        name, root = self.settings.phrases, self.inputs.data.parent.resolve()
        return self.inputs.shared(("phrases", name), lambda: load(name, root))

    @property
    def language(self) -> str:
        """See GeneratedTask."""
        return self.phrases.language

    def fingerprint(self) -> dict[str, Any]:
        """See Task."""
        return {} if self.phrases.is_english else {PHRASES: {self.phrases.name: self.phrases.digest}}

    def check_language(self, corpus: str | None) -> None:
        """What is hidden in a text is in the text's language: else it is found by its language, and by nothing else.

        Raises:
            ParamsError: it is not.
        """
        if corpus is None or corpus not in self.inputs.params.corpora:
            return  # unknown names are said elsewhere
        language, spoken, suite = self.inputs.corpus(corpus).language, self.language, self.entry.suite
        if primary(language) == primary(spoken) or (spoken == "en" and self.settings.phrases):
            return
        what = f"corpus {corpus!r} is in {language!r}, and what is hidden in it would be in {spoken!r}: it would be found by its language"
        fix = f"write suites.{suite}.phrases: {primary(language)}, or the path of a phrase file (docs/reference/own-language.md)"
        raise ParamsError(what, where=self.entry.where, fix=fix)


@contextmanager
def needed_by(entry: Entry[Any]) -> Iterator[None]:
    """Errors of a phrase file say which entry needs what it lacks."""
    try:
        yield
    except ParamsError as error:
        raise ParamsError(f"{error.what} ({entry.where})", where=error.where, fix=error.fix) from None


def check_said(settings: NeedleSettings, phrases: Phrases) -> None:
    """A language has every phrase that settings ask for.

    Raises:
        ParamsError: names the first that it lacks.
    """
    wording = settings.said_in(phrases)
    wording.statement("", "")
    wording.request([f"{number}" for number in range(settings.queries)] if settings.key != "none" else [])
    if settings.decoys:
        wording.decoys()
    if settings.haystack == "noise":
        phrases.filler()
    if settings.haystack == "needles":
        wording.halves()
