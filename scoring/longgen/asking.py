"""A judge of events in entries, as data: what it is asked, and what it said (docs/spec/longgenbench.md 4; scoring/judge.py).

One request per place whose entry the reference's reading finds: call "stic:<number of the event>:<entry>". No model is called from here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from haymaker.exchange import Replies
from scoring.judge import Call, filled
from scoring.longgen.plan import Place, Plan
from scoring.longgen.reading import read_officially
from scoring.text import final_text, unthought

METRIC = "longgen_stic"
_VERDICT = re.compile(r"\b(yes|no)\b", re.IGNORECASE)


def call_of(place: Place) -> str:
    """The name of the request about a place."""
    return f"{Call.STIC}:{place.check}:{place.entry}"


def asked(row: Mapping[str, Any]) -> bool:
    """Whether a row has a metric that such a judge decides."""
    return any(metric.partition("@")[0] == METRIC for metric in row["metrics"])


def prompts(row: Mapping[str, Any], output: str) -> Iterator[tuple[str, str]]:
    """What a judge is asked about an output: calls and messages.

    Args:
        row: with `metrics` and plan.COLUMNS.
        output: what the model wrote.
    """
    if not asked(row):
        return
    plan = Plan.of(row)
    reading = read_officially(output, plan)
    first = reading.first
    for place in plan.places:
        if place.entry not in first:
            continue
        entry = reading.entries[first[place.entry]].text.strip()
        yield call_of(place), filled(Call.STIC, event=plan.checks[place.check].text, output=entry)


def verdict(reply: str | None) -> bool | None:
    """The reference's reading of a reply: yes where "yes" stands anywhere in it, in any case; None without a reply."""
    return None if reply is None else "yes" in final_text(reply).lower()


def said(reply: str | None) -> bool | None:
    """Our reading of a reply: its first "yes" or "no" as a word; None where there is neither."""
    found = _VERDICT.search(unthought(reply))
    return found[1].lower() == "yes" if found else None


def reply_to(replies: Replies, row_id: str, place: Place) -> str | None:
    """What a judge replied about a place."""
    return replies.get(row_id, call_of(place))
