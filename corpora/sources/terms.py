"""Facts about sources, and their licences as a closed set of terms. The terms repeat what publishers state; they are no legal advice."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from pydantic import TypeAdapter

from haymaker.core.files.yaml_file import read_yaml

ATTRIBUTION, SHARE_ALIKE = "attribution", "share_alike"
NON_COMMERCIAL, NO_DERIVATIVES, GATED = "non_commercial", "no_derivatives", "gated"
UNSTATED, OTHERS, OWN = "unstated", "others", "own"
BARRED: Mapping[str, str] = MappingProxyType(
    {
        NO_DERIVATIVES: "no derivatives",
        NON_COMMERCIAL: "no commercial use",
        GATED: "given out only on request",
        OTHERS: "holds texts of others, under terms of their own",
        UNSTATED: "terms not stated",
        OWN: "yours, and its terms are for you to check",
    }
)
"""Terms whose rows are published only with a flag, the strictest first, in words."""


@dataclass(frozen=True, slots=True)
class Licence:
    """One licence: its short name (SPDX if there is one), its terms, its Hub identifier, and further words that name it."""

    name: str
    terms: tuple[str, ...]
    hub: str
    spellings: tuple[str, ...] = ()


_BY, _SA = (ATTRIBUTION,), (ATTRIBUTION, SHARE_ALIKE)
_NC, _ND = (ATTRIBUTION, NON_COMMERCIAL), (ATTRIBUTION, NO_DERIVATIVES)
_NC_SA, _NC_ND = (*_SA, NON_COMMERCIAL), (*_NC, NO_DERIVATIVES)
_VERSIONS = ("2.0", "2.5", "3.0", "4.0")
_CREATIVE = {"by": _BY, "by-sa": _SA, "by-nd": _ND, "by-nc": _NC, "by-nc-sa": _NC_SA, "by-nc-nd": _NC_ND}
_NOT_ON_THE_HUB = (
    "by-nd-2.0 by-nd-2.5 by-nd-3.0 by-nc-2.5 by-nc-sa-2.5 by-nc-nd-2.0 by-nc-nd-2.5 by-sa-2.0 by-sa-2.5".split()
)


def _creative() -> dict[str, Licence]:
    found = {}
    for kind, terms in _CREATIVE.items():
        for version in _VERSIONS:
            key = f"cc-{kind}-{version}"
            found[key] = Licence(key.upper(), terms, "cc" if key.removeprefix("cc-") in _NOT_ON_THE_HUB else key)
        found[f"cc-{kind}"] = Licence(f"CC-{kind.upper()}", terms, "cc")
    return found


_OTHERS = TypeAdapter(dict[str, Licence]).validate_python(read_yaml(Path(__file__).with_name("licences.yaml")))
LICENCES: Mapping[str, Licence] = MappingProxyType(_creative() | _OTHERS)
_NO_LICENCE = ("other", "unknown")  # on the Hub
_WORD = re.compile(r"[a-z0-9.']*[a-z0-9']")
_RANK = {term: i for i, term in enumerate((*BARRED, SHARE_ALIKE, ATTRIBUTION))}


def named_in(words: str) -> list[str]:
    """Return the keys of the licences that a text names: "MIT (code), CC BY-SA 4.0" gives mit, cc-by-sa-4.0."""
    left, found = f" {' '.join(_WORD.findall(words.lower()))} ", []
    for spelling, key in _SPELLINGS:
        if f" {spelling} " in left:
            left = left.replace(f" {spelling} ", " ; ")
            found.append(key)
    return list(dict.fromkeys(found))


def of_words(words: str) -> tuple[str, ...]:
    """Return the keys of the licences that a user's own words name, or "stated"."""
    return tuple(named_in(words)) or ("stated",)


def terms(keys: Iterable[str]) -> list[str]:
    """Return the terms of these licences together, the strictest first."""
    return sorted({term for key in keys for term in LICENCES[key].terms}, key=_RANK.__getitem__)


def hub_ids(keys: Iterable[str]) -> list[str]:
    """Return the Hub identifiers, the strictest first."""
    return list(dict.fromkeys(LICENCES[key].hub for key in _strictest_first(keys)))


def short(keys: Iterable[str]) -> str:
    """Return the short names, the strictest first."""
    return ", ".join(LICENCES[key].name for key in _strictest_first(keys))


def barred(found: Iterable[str]) -> str:
    """Return why these terms need a flag to publish, or an empty string."""
    return ", ".join(why for term, why in BARRED.items() if term in set(found))


def redistribution(keys: Iterable[str]) -> bool | str:
    """Return whether files under these licences may be passed on: True, False, or the condition in words."""
    found = terms(keys)
    if barred(found):
        return False
    same = ", under the same licence" if SHARE_ALIKE in found else ""
    return f"with attribution{same}" if found else True


def _strictest_first(keys: Iterable[str]) -> list[str]:
    return sorted(set(keys), key=lambda key: (min((_RANK[t] for t in LICENCES[key].terms), default=len(_RANK)), key))


def _spelled() -> list[tuple[str, str]]:
    """Return (words, key), the longest first, so that "cc by 4.0" is not read as "cc by"."""
    found = set()
    for key, licence in LICENCES.items():
        names = () if licence.hub in _NO_LICENCE else (key,)
        found |= {(" ".join(_WORD.findall(words.lower())), key) for words in (*names, licence.name, *licence.spellings)}
    return sorted(found, key=lambda pair: (-len(pair[0]), pair))


_SPELLINGS = _spelled()


@dataclass(frozen=True, kw_only=True)
class SourceInfo:
    """Facts about a source for `haymaker sources`, the plan, the manifest and the card.

    Attributes:
        title, homepage: for people.
        licence: its licences in words, as the publisher states them.
        licences: keys of LICENCES, of all parts of a bundle; default: those named in `licence`.
        redistribution: True, False, or a sentence with the condition; default: from the terms of `licences`.
        roles: some of "documents", "stories" (bAbI), "tokenizers", "articles", "passages", "questions", "labelled", "document_questions", "code".
        edition: "real", or "simulated" for simulated sources.
        languages: BCP 47 codes; empty if they depend on the user's data.
        download_bytes: estimate for `plan`, with default options.
        passages: estimate for `plan` of the passages cut from its articles, or of its passages.
        obtain: how to get the files by hand if a program may not.
        note: anything else.
    """

    title: str
    homepage: str
    licence: str
    roles: tuple[str, ...]
    licences: tuple[str, ...] = ()
    redistribution: bool | str | None = None
    edition: str = "real"
    languages: tuple[str, ...] = ("en",)
    download_bytes: int = 0
    passages: int = 0
    obtain: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        keys = self.licences or tuple(named_in(self.licence)) or (UNSTATED,)
        object.__setattr__(self, "licences", keys)
        if self.redistribution is None:
            object.__setattr__(self, "redistribution", redistribution(keys))

    def licences_of(self, licence: str) -> tuple[str, ...]:
        """Return licence keys of fetched files whose SOURCE.json states `licence`; a user may have stated one."""
        is_stated = OWN in self.licences and licence != self.licence
        return of_words(licence) if is_stated else self.licences
