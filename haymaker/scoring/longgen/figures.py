"""Figures of one output: entries found, events found, form, and judge requests (docs/spec/longgenbench.md 4, 7).

Each place whose entry the reference's reading finds has a judge request: call "stic:<index of the event>:<entry>".
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from haymaker.core.rows.model_requests import Replies
from haymaker.core.text.strings import count_words, words_in_each
from haymaker.scoring.judges.judge import Call, active_judge, fill_prompt
from haymaker.scoring.longgen.entries import Plan, PlannedEntry, Reading, official_text, read, read_officially
from haymaker.scoring.longgen.stems import stems
from haymaker.scoring.official_text import final_text, whole
from haymaker.scoring.reader import strip_reasoning

if TYPE_CHECKING:
    from haymaker.scoring.longgen.rule import Texts

METRIC = "longgen_stic"
_VERDICT = re.compile(r"\b(yes|no)\b", re.IGNORECASE)

Verdicts = Mapping[PlannedEntry, bool | None]  # None: not judged


class Output(NamedTuple):
    """Completion and verdicts of one output in one edition."""

    wanted: int  # entries of the plan
    found: int  # entries of the plan in the output
    words: int  # separated by white space: of all entries, or of the whole text in the reference's reading
    blocks: int
    verdicts: Verdicts  # for every place with an existing entry

    @property
    def share(self) -> float:
        """Return CR of a row: found / wanted."""
        return self.found / self.wanted


class Ruled:
    """Strict reading of an output with the rule's verdicts; every figure is computed on first access."""

    def __init__(self, reading: Reading, plan: Plan) -> None:
        self.plan, self.reading, self.found = plan, reading, reading.found(plan)

    @cached_property
    def texts(self) -> Texts:
        """Return the entries, indexed for the plan's events."""
        from haymaker.scoring.longgen.rule import Texts

        return Texts([entry.text for entry in self.reading.entries], {check.text for check in self.plan.checks})

    @cached_property
    def telling(self) -> dict[str, frozenset[int]]:
        """Return event text -> positions of the entries that contain the event."""
        return {check.text: self.texts.telling(check.text) for check in self.plan.checks}

    @cached_property
    def verdicts(self) -> dict[PlannedEntry, bool]:
        """Return the rule's verdict for every place with an existing entry."""
        checks, found = self.plan.checks, self.reading.first
        places = (place for place in self.plan.places if place.entry in found)
        return {place: found[place.entry] in self.telling[checks[place.check].text] for place in places}

    @cached_property
    def told(self) -> tuple[int, int]:
        """Return the numbers of events in required entries and in other entries (first entry of each number).

        Events with the same words count as one. An event is not wrong in an entry whose own events have all its words.
        """
        number_of = {at: number for number, at in self.reading.first.items()}
        places, held = defaultdict[frozenset[str], set[int]](set), defaultdict[int, set[str]](set)
        phrases = {}
        for check in self.plan.checks:
            words = frozenset(stems(check.text).values())
            phrases[words] = check.text
            places[words].update(check.indices)
            for number in check.indices:
                held[number] |= words
        right = wrong = 0
        for words, phrase in phrases.items():
            numbers = {number_of[at] for at in self.telling[phrase] if at in number_of}
            right += len(numbers & places[words])
            wrong += sum(not words <= held.get(number, set()) for number in numbers - places[words])
        return right, wrong

    @cached_property
    def long_enough(self) -> list[int]:
        """Return the positions of the entries with at least the requested number of words."""
        texts = [self.reading.entries[at].text.encode(errors="replace") for at in self.found.values()]
        counts = words_in_each(texts).tolist() if texts else []
        return [at for at, count in zip(self.found.values(), counts, strict=True) if count >= self.plan.min_words]

    @cached_property
    def whole(self) -> int:
        """Return the number of entries that are long enough and mostly new text."""
        return int(self.texts.mostly_new()[self.long_enough].sum())

    @cached_property
    def form(self) -> dict[str, int]:
        """Return counts of the output's form by name; the report sums them over outputs."""
        numbers, entries = [entry.number for entry in self.reading.entries], self.plan.entries
        windows, repeated = self.texts.windows()
        right, wrong = self.told
        return {
            "found": len(self.found),  # entries of the plan
            "long_enough": len(self.long_enough),
            "neighbours": max(0, len(numbers) - 1),  # pairs of consecutive entries, then the pairs whose number rises
            "rising": sum(a < b for a, b in pairwise(numbers)),
            "duplicates": len(numbers) - len(set(numbers)),
            "beyond": sum(not 1 <= number <= entries for number in numbers),  # number not in the plan
            "strays": self.reading.strays,
            "windows": windows,
            "repeated": repeated,
            "ended": int(self.reading.ended),
            "right": right,
            "wrong": wrong,
        }


@lru_cache(maxsize=2)
def read_once(output: str, plan: Plan) -> Ruled:
    """Return the strict reading of an output without reasoning."""
    return Ruled(read(output, plan), plan)


_without_thoughts = lru_cache(maxsize=4)(strip_reasoning)  # on long outputs as slow as one metric


def own_figures(output: object, plan: Plan) -> Ruled:
    """Return the strict reading, computed once for all metrics; outputs that differ only in reasoning share it."""
    return read_once(_without_thoughts(whole(output)), plan)


def by_rule(output: str, plan: Plan) -> tuple[Output, dict[str, int]]:
    """Return the strict figures: strict reading, judged by the rule."""
    found = own_figures(output, plan)
    words = sum(len(entry.text.split()) for entry in found.reading.entries)
    return Output(plan.entries, len(found.found), words, found.reading.blocks, found.verdicts), found.form


def by_judge(output: str, plan: Plan, verdict: Callable[[PlannedEntry], bool | None]) -> Output:
    """Return the official figures: the reference's reading, and a judge's verdict on each place."""
    reading = read_officially(output, plan)
    first, words = reading.first, count_words(official_text(output, plan).encode(errors="replace"))
    verdicts = {place: verdict(place) for place in plan.places if place.entry in first}
    return Output(plan.entries, len(reading.found(plan)), words, reading.blocks, verdicts)


def judged(output: str, row: Mapping[str, Any]) -> Output:
    """Return the reference's figures by the active judge's replies (haymaker/scoring/judges/judge.py)."""
    return by_judge(output, Plan.of(row), lambda place: official_verdict(reply_to(active_judge(), row["id"], place)))


def share_told(verdicts: Verdicts, plan: Plan) -> float:
    """Return STIC-2 of a row: places with their event / places of the plan; 0 without places."""
    return sum(verdict is True for verdict in verdicts.values()) / max(1, sum(1 for _ in plan.places))


# ------------------------------------------------------------------------------------------------------ a judge


def is_judged(row: Mapping[str, Any]) -> bool:
    """Check whether a row has a metric that needs a judge of events."""
    return any(metric.partition("@")[0] == METRIC for metric in row["metrics"])


def prompts(row: Mapping[str, Any], output: str) -> Iterator[tuple[str, str]]:
    """Yield the judge's requests (call and message) about an output of a row with `metrics` and entries.COLUMNS."""
    if not is_judged(row):
        return
    plan = Plan.of(row)
    reading = read_officially(output, plan)
    first = {number: reading.entries[at].text.strip() for number, at in reading.first.items()}
    for place in plan.places:
        if place.entry in first:
            yield _call(place), fill_prompt(Call.STIC, event=plan.checks[place.check].text, output=first[place.entry])


def _call(place: PlannedEntry) -> str:
    return f"{Call.STIC}:{place.check}:{place.entry}"


def reply_to(replies: Replies, row_id: str, place: PlannedEntry) -> str | None:
    """Return a judge's reply about a place."""
    return replies.get(row_id, _call(place))


def official_verdict(reply: str | None) -> bool | None:
    """Read a reply as the reference does: true if it contains "yes" in any case; None without a reply."""
    return None if reply is None else "yes" in final_text(reply).lower()


def clear_verdict(reply: str | None) -> bool | None:
    """Read a reply by the strict rule: its first word "yes" or "no"; None without either."""
    found = _VERDICT.search(strip_reasoning(reply))
    return found[1].lower() == "yes" if found else None
