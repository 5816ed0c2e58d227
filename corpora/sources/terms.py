"""Terms of sources in a form that a program can judge: a closed set of licences and what each asks of who publishes.

What stands here is what publishers say, read by people who are no lawyers; it says where to look, and is no advice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

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
"""Terms under which rows are published only when the user says so, the strictest first, in words."""


@dataclass(frozen=True, slots=True)
class Licence:
    """One licence, or one way of having none.

    Attributes:
        name: short, as people write it (SPDX where there is one).
        terms: what it asks; nothing for what is free of terms.
        hub: identifier in the front matter of a card on the Hub.
        spellings: words by which a text names it, beside its own key.
    """

    name: str
    terms: tuple[str, ...]
    hub: str
    spellings: tuple[str, ...] = ()


_BY, _SA = (ATTRIBUTION,), (ATTRIBUTION, SHARE_ALIKE)
_NC, _ND = (ATTRIBUTION, NON_COMMERCIAL), (ATTRIBUTION, NO_DERIVATIVES)
_NC_SA, _NC_ND = (*_SA, NON_COMMERCIAL), (*_NC, NO_DERIVATIVES)
_VERSIONS = ("2.0", "2.5", "3.0", "4.0")
_CREATIVE = {"by": _BY, "by-sa": _SA, "by-nd": _ND, "by-nc": _NC, "by-nc-sa": _NC_SA, "by-nc-nd": _NC_ND}
_NOT_ON_THE_HUB = ("cc-by-nd-2.0", "cc-by-nd-2.5", "cc-by-nd-3.0", "cc-by-nc-2.5", "cc-by-nc-sa-2.5",
                   "cc-by-nc-nd-2.0", "cc-by-nc-nd-2.5", "cc-by-sa-2.0", "cc-by-sa-2.5")  # fmt: skip


def _creative() -> dict[str, Licence]:
    """Creative Commons with a version, and without one ("CC BY-SA")."""
    found = {}
    for kind, terms in _CREATIVE.items():
        for version in _VERSIONS:
            key = f"cc-{kind}-{version}"
            found[key] = Licence(key.upper(), terms, "cc" if key in _NOT_ON_THE_HUB else key)
        found[f"cc-{kind}"] = Licence(f"CC-{kind.upper()}", terms, "cc")
    return found


LICENCES: Mapping[str, Licence] = MappingProxyType(
    {
        **_creative(),
        "cc0-1.0": Licence("CC0-1.0", (), "cc0-1.0", ("cc0",)),
        "public-domain": Licence("public domain", (), "other"),
        "mit": Licence("MIT", _BY, "mit"),
        "apache-2.0": Licence("Apache-2.0", _BY, "apache-2.0"),
        "bsd-3-clause": Licence("BSD-3-Clause", _BY, "bsd-3-clause"),
        "bsd-2-clause": Licence("BSD-2-Clause", _BY, "bsd-2-clause"),
        "odc-by": Licence("ODC-By-1.0", _BY, "odc-by", ("odc-by-1.0",)),
        "odbl": Licence("ODbL-1.0", _SA, "odbl", ("odbl-1.0",)),
        "pddl": Licence("PDDL-1.0", (), "pddl", ("pddl-1.0",)),
        "llama2": Licence("Llama 2", (ATTRIBUTION, GATED), "llama2", ("llama 2 community license",)),
        "no-derivatives": Licence("no derivatives", (NO_DERIVATIVES,), "other", ("noderivatives", "no derivative works", "nd")),
        "research": Licence(
            "research, no commercial use", (NON_COMMERCIAL,), "other",
            ("no commercial use", "non-commercial", "noncommercial", "research use", "research only", "nc"),
        ),
        "gated": Licence("on request", (GATED,), "other"),
        "others": Licence(
            "texts of others", (OTHERS,), "other",
            ("under their own terms", "under their authors' terms", "belong to their newspapers"),
        ),
        "unstated": Licence(
            "not stated", (UNSTATED,), "unknown",
            ("names none", "names no licence", "none", "unknown", "not known", "no licence", "no license", "unlicensed"),
        ),
        "own": Licence(
            "the user's own", (OWN,), "other",
            ("check before publishing", "all rights reserved", "proprietary", "confidential"),
        ),
        "stated": Licence("as stated", (), "other"),
    }
)  # fmt: skip
"""Key -> licence; keys that are no identifiers of the Hub name what has none."""
_NO_LICENCE = ("other", "unknown")  # on the Hub
_WORD = re.compile(r"[a-z0-9.']*[a-z0-9']")
_RANK = {term: i for i, term in enumerate((*BARRED, SHARE_ALIKE, ATTRIBUTION))}


def named_in(words: str) -> list[str]:
    """Keys of the licences that a text names, as it names them: "MIT (code), CC BY-SA 4.0" gives mit, cc-by-sa-4.0."""
    left, found = f" {' '.join(_WORD.findall(words.lower()))} ", []
    for spelling, key in _SPELLINGS:
        if f" {spelling} " in left:
            left = left.replace(f" {spelling} ", " ; ")
            found.append(key)
    return list(dict.fromkeys(found))


def of_words(words: str) -> tuple[str, ...]:
    """Keys for terms that a user states himself: what his words name, else "stated"."""
    return tuple(named_in(words)) or ("stated",)


def terms(keys: Iterable[str]) -> list[str]:
    """What these licences ask together, the strictest first."""
    return sorted({term for key in keys for term in LICENCES[key].terms}, key=_RANK.__getitem__)


def hub_ids(keys: Iterable[str]) -> list[str]:
    """Identifiers of the Hub, the strictest first."""
    return list(dict.fromkeys(LICENCES[key].hub for key in _strictest_first(keys)))


def short(keys: Iterable[str]) -> str:
    """The licences in short, the strictest first."""
    return ", ".join(LICENCES[key].name for key in _strictest_first(keys))


def barred(found: Iterable[str]) -> str:
    """Why what has these terms is not published unless the user says so; empty where nothing bars it."""
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
    """(words, key), the longest first, so that "cc by 4.0" is not read as "cc by"."""
    every = [
        (spelling, key)
        for key, licence in LICENCES.items()
        for spelling in (*([key] if licence.hub not in _NO_LICENCE else []), licence.name, *licence.spellings)
    ]
    folded = {(" ".join(_WORD.findall(spelling.lower())), key) for spelling, key in every}
    return sorted(folded, key=lambda pair: (-len(pair[0]), pair))


_SPELLINGS = _spelled()
