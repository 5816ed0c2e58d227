"""Phrases: the words in which a task states, asks and instructs. One YAML file per language (languages/), or a user's own file
(phrases_file.py). A file may leave out what no entry needs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import Field

from corpora.stores.sentences.languages import primary
from generators.generated.base import GeneratedSettings
from generators.generated.vocabulary import Grammar, KeyWords
from generators.inputs import Inputs
from generators.spec import Entry
from generators.suite import PHRASES
from generators.synthetic.phrases_file import FOLDER, example, read
from haymaker.core.errors import ParamsError
from haymaker.core.files.paths import expanded
from haymaker.core.params import nearest, omit_if_default
from haymaker.core.rng import digest

T = TypeVar("T")


class SpokenSettings(GeneratedSettings):
    """Keys of tasks that have phrases.

    Attributes:
        phrases: code of a language of languages/, or the path of a phrase file; None: English.
    """

    phrases: Annotated[str, Field(min_length=1, max_length=200)] | None = omit_if_default(None)


@dataclass(frozen=True, eq=False)
class Phrases:
    """Phrases of a language.

    Attributes:
        name: code, or path of the user's file, for error lines.
        said: path with dots ("same.question.one") -> phrase.
        lists: path -> words or phrases.
        grammar: of filler sentences; None: the file has none.
        key_words: words of keys.
    """

    name: str
    said: Mapping[str, str]
    lists: Mapping[str, Sequence[str]]
    grammar: Grammar | None
    key_words: KeyWords

    @property
    def is_english(self) -> bool:
        """Whether they are the English phrases of this package."""
        return self.name == "en"

    def form(self, path: str) -> str:
        """Return a phrase; raise ParamsError if the file has none."""
        return self._found(self.said, f"phrase {path!r}", path)

    def several(self, path: str) -> Sequence[str]:
        """Return a list, like form()."""
        return self._found(self.lists, repr(path), path)

    def _found(self, given: Mapping[str, T], what: str, path: str) -> T:
        if not given.get(path):
            raise ParamsError(f"has no {what}, which this task needs", where=self.name, fix=example(path))
        return given[path]

    def filler(self) -> Grammar | None:
        """Return the grammar of filler sentences, like form(); None: the English one."""
        if self.grammar is None and self.said["language"] != "en":
            fix = "add it, as in languages/de.yaml, or use haystack: essay"
            raise ParamsError("has no 'filler', which this task needs", where=self.name, fix=fix)
        return self.grammar

    @cached_property
    def digest(self) -> str:
        """Changes with any word."""
        return digest(repr((sorted(self.said.items()), sorted(self.lists.items()), self.grammar))).hex()

    @property
    def language(self) -> str:
        """Code of the language."""
        return self.said["language"]

    @property
    def fingerprint(self) -> dict[str, Any]:
        """File and digest (Task.fingerprint); empty for the English phrases."""
        return {} if self.is_english else {PHRASES: {self.name: self.digest}}

    def named(self, keys: Sequence[str]) -> str:
        """Return several keys as a question lists them."""
        *others, last = keys
        return self.said["list.last"].join([self.said["list.comma"].join(others), last] if others else [last])

    def question(self, question: str, form: str = "") -> str:
        """Return the line with the question and how to answer."""
        return self.said["asked"].format(question=question, form=form).rstrip()

    def answer(self, begun: str = "") -> str:
        """Return the cue, with the beginning of an answer."""
        return self.said["cue"].format(cue=begun).rstrip()


def load(name: str | None, root: Path) -> Phrases:
    """Return phrases by the code of their language (None: English), or by the path of a file, relative to `root`.

    Raises:
        ParamsError: no such language or file, or the first mistake in it.
    """
    if name is None or ("/" not in name and not name.endswith((".yaml", ".yml"))):
        return _shipped(name or "en")
    path = root / expanded(name)
    if not path.is_file():
        raise ParamsError("no such file", where=name, fix="check `phrases` in the parameters")
    return Phrases(name, *read(path, name))


@cache
def _shipped(code: str) -> Phrases:
    known = [path.stem for path in sorted(FOLDER.glob("*.yaml"))]
    if code not in known:
        fix = f"{nearest(code, known)} or write your own file and set its path (docs/reference/own-language.md)"
        raise ParamsError(f"there are no phrases for language {code!r}", where="phrases", fix=fix)
    return Phrases(code, *read(FOLDER / f"{code}.yaml", code))


def phrases_of(entry: Entry[Any], inputs: Inputs) -> Phrases:
    """Return the phrases of an entry, shared by the tasks of a process."""
    name, root = entry.settings.phrases, inputs.data.parent.resolve()
    return inputs.shared(("phrases", name), lambda: load(name, root))


@contextmanager
def needed_by(entry: Entry[Any]) -> Iterator[None]:
    """Add the entry to errors of its phrase file."""
    try:
        yield
    except ParamsError as error:
        raise ParamsError(f"{error.what} ({entry.where})", where=error.where, fix=error.fix) from None


def check_language(entry: Entry[Any], inputs: Inputs, phrases: Phrases, corpus: str | None) -> None:
    """Refuse needles in another language than the text around them, because the language would give them away.

    Raises:
        ParamsError: the languages differ.
    """
    if corpus is None or corpus not in inputs.params.corpora:
        return  # unknown names are reported elsewhere
    language, spoken = inputs.corpus(corpus).language, phrases.language
    if primary(language) == primary(spoken) or (spoken == "en" and entry.settings.phrases):
        return
    what = f"corpus {corpus!r} is in {language!r}, but the text hidden in it would be in {spoken!r} and could be found by its language"
    fix = f"set suites.{entry.suite}.phrases: {primary(language)}, or the path of a phrase file (docs/reference/own-language.md)"
    raise ParamsError(what, where=entry.where, fix=fix)
