"""Rows that ask for long outputs, and a writer of outputs for them; shares nothing with generators/longgenbench."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from hypothesis import strategies as st

SEPARATOR, START, END = "#*#", "*** started ***", "*** finished ***"
PHRASES = (
    "a library of old maps", "the chess club", "a tram workshop", "sky gardens", "an hour of bell ringing", "the baking of bread",
    "a swim in the reservoir", "a letter from my cousin", "no smoking lounge", "jury duty at the court", "two parties", "pottery",
)  # fmt: skip
EVENTS = (("once", "a library of old maps", [2]), ("once", "the chess club", [5]),
          ("range", "a tram workshop", [3, 4]), ("periodic", "sky gardens", [3, 6, 9]))  # fmt: skip


def row(
    checks: Iterable[tuple[str, str, list[int]]] = EVENTS, entries: int = 10, unit: str = "Floor", min_words: int = 12
) -> dict[str, Any]:
    """A row; where nothing else is said, 10 floors with 7 places."""
    extra = {
        "unit": unit,
        "entries": entries,
        "min_words": min_words,
        "separator": SEPARATOR,
        "start": START,
        "end": END,
        "header": f"{SEPARATOR} {unit} 1",
    }
    return {
        "id": "row",
        "metrics": ["longgen_stic@strict", "longgen_cr@strict", "longgen_stic@official", "longgen_cr@official"],
        "output_constraints": [{"kind": kind, "text": text, "indices": indices} for kind, text, indices in checks],
        "metadata": json.dumps(extra),
    }


def bodies(target: Mapping[str, Any]) -> dict[int, str]:
    """The text of every entry of a perfect output: the words asked for, no run of them twice, and its events."""
    extra = json.loads(target["metadata"])
    found = {}
    for number in range(1, extra["entries"] + 1):
        filler = " ".join(f"lorem{number}x{word}" for word in range(extra["min_words"]))
        told = [
            f"Year{number} had {check['text']} by hour{number}."
            for check in target["output_constraints"]
            if number in check["indices"]
        ]
        found[number] = " ".join([f"{filler.capitalize()}.", *told])
    return found


def joined(unit: str, entries: Iterable[tuple[int, str]]) -> str:
    """Entries, each with its header, and the end mark."""
    return "\n".join([*(f"{SEPARATOR} {unit} {number}\n{text}\n" for number, text in entries), END])


def perfect(target: Mapping[str, Any], *, chat: bool = False) -> str:
    """An output that does all that is asked for: a chat model repeats start mark and first header, a base model goes on behind them."""
    extra = json.loads(target["metadata"])
    whole = joined(extra["unit"], bodies(target).items())
    return f"{START}\n{whole}" if chat else whole.removeprefix(extra["header"])


@st.composite
def rows(draw: st.DrawFn) -> dict[str, Any]:
    """Any row: some events, each in some entries."""
    entries = draw(st.integers(1, 30))
    places = st.lists(st.integers(1, entries), min_size=1, max_size=6, unique=True).map(sorted)
    phrases = draw(st.lists(st.sampled_from(PHRASES), min_size=1, max_size=7, unique=True))
    checks = [(draw(st.sampled_from(("once", "range", "periodic"))), phrase, draw(places)) for phrase in phrases]
    return row(
        checks, entries, draw(st.sampled_from(("Floor", "Week", "Menu Week", "Block"))), draw(st.integers(5, 20))
    )
