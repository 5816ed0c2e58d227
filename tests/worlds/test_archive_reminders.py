"""Later mentions of the main plot of a story: often, of what has happened, each once, without a lead-in, never of what is asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from haymaker.core.rng import Stream
from worlds.archive.files import write_document
from worlds.archive.model import Work
from worlds.archive.plot import Plot
from worlds.archive.wording import data
from worlds.prose.cast import make_world

SEED, SHOWN = 17, 12_000  # words of what a row of 16k tokens shows
ARCS = data("stories.yaml")["arcs"]
BEATS = [(arc, number, beat) for arc in ARCS for number, beat in enumerate(arc["beats"])]
ASKED = re.compile(r"\{(\w)")
MOST_ALIKE = 0.65  # share of the words of a key point that one sentence may have in the same order


@cache
def stories() -> tuple[tuple[Work, Plot], ...]:
    found = []
    for index in range(2):
        key = (SEED, "archive", "stories", index)
        plot = Plot(Stream(*key, "plot"), make_world(Stream(*key, "world")))
        found.append((write_document(SEED, "stories", index, 40_000), plot))
    return tuple(found)


def mentions(work: Work, plot: Plot) -> Iterator[tuple[str, str]]:
    """Each mention in the text, and what it is of."""
    return ((again, beat.text) for beat in plot.beats for again in beat.again if again in work.text)


def test_the_plot_is_told_often_enough_to_be_seen_as_the_plot() -> None:
    """Without mentions it was 0.4 to 0.95 per cent of what a row of summaries shows; in the scenes nothing of it happened."""
    for work, plot in stories():
        shown = " ".join(work.text.split(" ")[:SHOWN])
        told = [text for beat in plot.beats if beat.main for text in (beat.text, *beat.again) if text in shown]
        assert len(" ".join(told).split()) >= 0.018 * SHOWN


def test_no_sentence_of_the_plot_follows_a_lead_in_or_comes_twice() -> None:
    """A mention is of what has been told."""
    for work, plot in stories():
        found = list(mentions(work, plot))
        assert len(found) >= 50
        for again, told in found:
            assert work.text.count(again) == 1
            assert work.text.index(told) < work.text.index(again)
            assert not work.text[: work.text.index(again)].rstrip().endswith(":")
        assert all(work.text.count(evidence) == 1 for point in work.key_points for evidence in point.evidence)
    assert [line for _, _, beat in BEATS for line in (*beat["told"], *beat["again"]) if ":" in line] == []


def test_no_mention_holds_what_the_plot_is_asked_for() -> None:
    for arc, number, beat in BEATS:
        barred = {ask["answer"] for ask in arc["asks"] if ask["sort"] != "person" or ask["beat"] == number}
        assert [line for line in beat["again"] if barred & set(ASKED.findall(line))] == []


def worded(text: str) -> list[str]:
    """Stems; a slot is a word."""
    return [word[:5].lower() for word in re.findall(r"\{[\w.]+\}|[A-Za-z-]+", text)]


def alike(point: str, sentence: str) -> float:
    """Share of the words of a point that a sentence has in the same order."""
    one, other = worded(point), worded(sentence)
    before = [0] * (len(other) + 1)
    for word in one:
        row = [0]
        for at, each in enumerate(other):
            row.append(before[at] + 1 if word == each else max(before[at + 1], row[at]))
        before = row
    return before[-1] / len(one)


def test_no_key_point_is_told_in_its_own_words() -> None:
    for arc in ARCS:
        told = [line for each in arc["beats"] for line in (*each["told"], *each["again"])]
        points = [each["point"] for beat in arc["beats"] for each in (beat, *filter(None, [beat.get("also")]))]
        assert [(p, line) for p in points for line in told if alike(p, line) >= MOST_ALIKE] == []
    assert alike("{R.name} pays for the burials.", "{R.name} sold everything and paid for the burials.") >= MOST_ALIKE
