"""Reminders of the main plot of a story: often, of what has happened, never of what is asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from worlds.archive.files import write_document
from worlds.archive.model import Work
from worlds.archive.reminders import sayings
from worlds.archive.wording import data

LEADS = [lead for leads in data("stories.yaml")["reminders"].values() for lead in leads]
LEAD = "|".join(lead.replace("<", "(?:").replace(">", ")") for lead in LEADS)
SHOWN = 12_000  # words of what a row of 16k tokens shows


@cache
def stories() -> tuple[Work, ...]:
    return tuple(write_document(17, "stories", index, 60_000) for index in range(4))


def reminders(text: str) -> Iterator[re.Match[str]]:
    """Each with what it says as its first group."""
    return re.finditer(rf"(?:{LEAD}): ([^\n]+?\.)(?= [A-Z]|\n|$)", text)


def test_the_plot_is_told_often_enough_to_be_seen_as_the_plot() -> None:
    """It was 0.4 to 0.95 per cent of what a row of summaries shows; in the scenes nothing of it happened."""
    for work in stories():
        shown = " ".join(work.text.split(" ")[:SHOWN])
        told = " ".join(found[0] for found in reminders(shown)) + " ".join(set(evidence(work, shown)))
        assert len(told.split()) >= 0.03 * SHOWN, len(told.split())


def evidence(work: Work, shown: str) -> Iterator[str]:
    return (sentence for point in work.key_points for sentence in point.evidence if sentence in shown)


def test_a_reminder_is_of_what_has_been_told() -> None:
    for work in stories():
        places = {point.text: work.text.index(point.evidence[0]) for point in work.key_points}
        count = 0
        for found in reminders(work.text):
            count += 1
            first = places.get(found[1]) or work.text.index(found[1])
            assert first < found.start(), found[0]
            assert found[1] in places or any(found[1] in point.evidence[0] for point in work.key_points), found[0]
        assert count >= 60


def test_no_reminder_holds_what_the_plot_is_asked_for() -> None:
    for work in stories():
        said = {found[1] for found in reminders(work.text)}
        asked = [
            inquiry
            for inquiry in work.inquiries
            if any(" ".join(inquiry.evidence) in p.evidence[0] for p in work.key_points)
        ]
        assert len(asked) == 3
        for inquiry in asked:
            assert not any(sentence in said for sentence in inquiry.evidence)
            if inquiry.sort != "person":
                assert [text for text in said if inquiry.answers[0] in text] == [], inquiry


def test_what_leans_upon_the_sentence_before_is_not_said_alone() -> None:
    """The insurance was paid to Miss Tortell, who owned her."""
    told = ["The Kestrel had sailed with rifles.", "The insurance was paid to Anna, who owned her."]
    assert sayings(told, ["Peter pays ten pounds.", "Anna is rich."], ["ten pounds"]) == (
        (told[0], True),
        ("Anna is rich.", False),
    )
    assert sayings(["Then Peter came back."], [], []) == ()
