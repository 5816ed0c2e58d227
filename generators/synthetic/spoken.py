"""Which language an entry speaks, and that it is the language of the text around."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from corpora.stores.sentences.languages import primary
from generators.spec import Entry
from generators.synthetic.base import GeneratedTask
from generators.synthetic.needles_content import NeedleSettings
from generators.synthetic.phrases import Phrases, load
from haymaker.errors import ParamsError


def of_entry(task: GeneratedTask[Any]) -> Phrases:
    """The phrases that an entry names.

    Raises:
        ParamsError: there are none, or a mistake in them.
    """
    name, inputs = task.settings.phrases, task.inputs
    root = inputs.data.parent.resolve()
    phrases: Phrases = inputs.shared(("phrases", name), lambda: load(name, root))
    return phrases


def demand_language(task: GeneratedTask[Any], corpus: str | None, phrases: Phrases) -> None:
    """What is hidden in a text is in the text's language: else it is found by its language, and by nothing else.

    Raises:
        ParamsError: it is not.
    """
    if corpus is None or corpus not in task.inputs.params.corpora:
        return  # unknown names are said elsewhere
    language, spoken = task.inputs.corpus(corpus).language, phrases.language
    if primary(language) == primary(spoken) or (spoken == "en" and task.settings.phrases):
        return
    what = f"corpus {corpus!r} is in {language!r}, and what is hidden in it would be in {spoken!r}: it would be found by its language"
    fix = f"write suites.{task.entry.suite}.phrases: {primary(language)}, or the path of a phrase file (docs/reference/own-language.md)"
    raise ParamsError(what, where=task.entry.where, fix=fix)


@contextmanager
def needed_by(entry: Entry[Any]) -> Iterator[None]:
    """Errors of a phrase file say which entry needs what it lacks."""
    try:
        yield
    except ParamsError as error:
        raise ParamsError(f"{error.what} ({entry.where})", where=error.where, fix=error.fix) from None


def demand_said(settings: NeedleSettings, phrases: Phrases) -> None:
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
