"""Phrases: how the tasks that hide sentences in prose speak a language. One YAML file a language (languages/), or a user's own
(phrases_file.py). What an entry does not ask for may be left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Annotated

from pydantic import Field

from generators.synthetic.base import GeneratedSettings
from generators.synthetic.phrases_file import Read, example, read
from generators.synthetic.vocabulary import Grammar, KeyWords
from haymaker.core.errors import ParamsError
from haymaker.core.files.paths import expanded
from haymaker.core.params import nearest, omit_if_default
from haymaker.core.rng import digest

_FOLDER = Path(__file__).with_name("languages")


class SpokenSettings(GeneratedSettings):
    """Keys of tasks that speak a language.

    Attributes:
        phrases: code of a language of languages/, or the path of a phrase file; None: English.
    """

    phrases: Annotated[str, Field(min_length=1, max_length=200)] | None = omit_if_default(None)


@dataclass(frozen=True, eq=False)
class Phrases:
    """The phrases of a language.

    Attributes:
        name: in error lines: the code, or the path of the user's file.
        file: what it says.
    """

    name: str
    file: Read

    @property
    def said(self) -> Mapping[str, str]:
        """Path with dots ("same.question.one") -> phrase."""
        return self.file.said

    @property
    def key_words(self) -> KeyWords:
        """What names are made of."""
        return self.file.key_words

    @property
    def language(self) -> str:
        """Its code."""
        return self.said["language"]

    @property
    def is_english(self) -> bool:
        """Whether they are those of this package, with the English words."""
        return self.name == "en"

    def form(self, path: str) -> str:
        """A phrase that an entry needs.

        Raises:
            ParamsError: the file has none; shows the English one.
        """
        if path not in self.said:
            raise ParamsError(f"has no phrase {path!r}, which is asked for here", where=self.name, fix=example(path))
        return self.said[path]

    def several(self, path: str) -> Sequence[str]:
        """A list that an entry needs.

        Raises:
            ParamsError: the file has none.
        """
        if not self.file.lists.get(path):
            raise ParamsError(f"has no {path!r}, which is asked for here", where=self.name, fix=example(path))
        return self.file.lists[path]

    def filler(self) -> Grammar | None:
        """How filler sentences are made; None: as English ones.

        Raises:
            ParamsError: the file does not say.
        """
        if self.file.grammar is None and self.language != "en":
            fix = "add it, as in languages/de.yaml, or use haystack: essay"
            raise ParamsError("has no 'filler', which is asked for here", where=self.name, fix=fix)
        return self.file.grammar

    @cached_property
    def digest(self) -> str:
        """Changes with any word."""
        return digest(repr((sorted(self.said.items()), sorted(self.file.lists.items()), self.file.grammar))).hex()

    def named(self, keys: Sequence[str]) -> str:
        """Several keys as a question names them."""
        return self.said["list.last"].join(
            [self.said["list.comma"].join(keys[:-1]), keys[-1]] if len(keys) > 1 else keys
        )

    def question(self, question: str, form: str = "") -> str:
        """The line that asks."""
        return self.said["asked"].format(question=question, form=form).rstrip()

    def answer(self, begun: str = "") -> str:
        """The cue that an answer goes on from."""
        return self.said["cue"].format(cue=begun).rstrip()


def load(name: str | None, root: Path) -> Phrases:
    """Phrases by the code of their language, or by the path of a file.

    Args:
        name: as parameters have it; None: English.
        root: folder that paths are relative to.

    Raises:
        ParamsError: no such language or file, or the first mistake in it.
    """
    if name is None or ("/" not in name and not name.endswith((".yaml", ".yml"))):
        return _shipped(name or "en")
    path = root / expanded(name)
    if not path.is_file():
        raise ParamsError("no such file", where=name, fix="check `phrases` in the parameters")
    return Phrases(name, read(path, name))


@cache
def _shipped(code: str) -> Phrases:
    known = [path.stem for path in sorted(_FOLDER.glob("*.yaml"))]
    if code not in known:
        fix = f"{nearest(code, known)} or write a file of your own and give its path (docs/reference/own-language.md)"
        raise ParamsError(f"no phrases of language {code!r} here", where="phrases", fix=fix)
    return Phrases(code, read(_FOLDER / f"{code}.yaml", code))
