"""Sentences by the rules of a language: abbreviations, quotes, full stops of its script.

The rules come from the library sentencex, pinned to one version, as sentences affect bytes. Cuts inside a sentence
are joined again (measured on German: "im 19. | Jahrhundert"); two sentences in one unit do no harm, half a sentence
does.
"""

from __future__ import annotations

import importlib.metadata
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from haymaker.core.errors import EnvironmentProblem
from haymaker.core.extras import install_command, not_installed

Spans = Iterator[tuple[int, int]]
Splitter = Callable[[str], Spans]

LIBRARY, VERSION = "sentencex", "1.0.32"
_CHANGED = {"cjk": "cjk 2"}
KNOWN = frozenset(
    "am ar bg bn ca da de el en es fi fr gu hi hy it ja kk kn ml mr my nl pa pl pt ru sk ta te uk zh".split()
)
"""Languages with rules of their own there; to any other text it would apply the English ones without a word."""
SPACELESS = frozenset({"ja", "my", "zh"})
"""Of them, those that put no spaces between words."""
NAMES = ("punkt", "cjk", "lines")
"""Splitters that are no language."""

_ORDINALS = frozenset({"da", "de", "fi", "sk"})  # "19." may be "19th"
_ORDINAL = re.compile(r"(?<![\d.,])\d{1,2}\.\s*\Z")
_INITIAL = re.compile(r"(?<!\w)[^\W\d_]\.\s*\Z")
_LAST = re.compile(r"(\S+)\.\s*\Z")
_TAIL = 200  # characters of a sentence's end that are looked at
_STRETCH = (
    5_000  # characters that the library is given at a time: of texts without spaces its time grows with their square
)


def primary(language: str) -> str:
    """The language of a code, without script and region: de of de-AT."""
    return re.split("[-_]", language.lower())[0]


def default(language: str) -> str:
    """Return the default splitter of a language; an unknown language is a ValueError."""
    code = primary(language)
    if code != "en" and code not in KNOWN:
        known = ", ".join(sorted(KNOWN))
        raise ValueError(
            f"no rules for sentences of language {language!r}: give `splitter` punkt (. ! ?), cjk (。！？), lines, or the nearest language of {known}"
        )
    return "punkt" if code == "en" else code


def checked(name: str) -> str:
    """Return the name of a splitter; an unknown one is a ValueError."""
    if name not in NAMES and name not in KNOWN:
        raise ValueError(f"must be {', '.join(NAMES)}, or a language of {', '.join(sorted(KNOWN))}")
    return name


def made_by(name: str) -> str:
    """Return library and version of a splitter, or the version of changed rules (split.py); else empty."""
    return f"{LIBRARY} {VERSION}" if name in KNOWN else _CHANGED.get(name, "")


def splitter(language: str, abbreviations: Iterable[str] = ()) -> Splitter:
    """Return a splitter of a language in KNOWN; sentences include the white space after them.

    `abbreviations` end in a full stop without ending a sentence, besides those known to the library.
    """
    _check_version()
    from sentencex import segment

    short = frozenset(word.lower().removesuffix(".") for word in abbreviations)

    def split(text: str) -> Spans:
        begin = at = 0
        for piece in _cut(text, partial(segment, language)):
            if at > begin and not _goes_on(text[max(begin, at - _TAIL) : at], piece, language, short):
                yield begin, at
                begin = at
            at += len(piece)
        if text[begin:].strip():
            yield begin, at

    return split


def _goes_on(before: str, after: str, language: str, short: frozenset[str]) -> bool:
    """Whether what follows a cut belongs to the sentence before it."""
    if not after.strip() or after.lstrip()[0].islower() or not before.strip():
        return True
    if _INITIAL.search(before) or (language in _ORDINALS and _ORDINAL.search(before)):
        return True
    last = _LAST.search(before)
    return bool(short and last and last[1].lower().lstrip("(\"'„“«»") in short)


def _cut(text: str, segment: Callable[[str], list[str]]) -> Iterator[str]:
    """Yield a text in pieces without loss; a long text by stretches, each starting after the last complete piece."""
    at = 0
    while at < len(text):
        found = segment(text[at : at + _STRETCH])
        whole = found[:-1] if len(found) > 1 and at + _STRETCH < len(text) else found
        yield from whole
        at += sum(map(len, whole))


def _check_version() -> None:
    try:
        found = importlib.metadata.version(LIBRARY)
    except importlib.metadata.PackageNotFoundError:
        raise not_installed(LIBRARY) from None
    if found != VERSION:
        what = f"{LIBRARY} {found} is installed, but sentences are split with version {VERSION}"
        raise EnvironmentProblem(what, fix=install_command(f"{LIBRARY}=={VERSION}"))
