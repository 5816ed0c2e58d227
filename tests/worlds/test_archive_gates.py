"""Cheats on the archive stay at chance, and its questions are about as far from their evidence as those of real documents:
closed book, commonest answer, choices without the text, the summary instead of the text.
"""

from __future__ import annotations

import os
import re
import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise

from haymaker.core.rng import Stream
from haymaker.core.rows.source_records import DocumentQuestion
from tests.extras import LONG as LARGE
from tests.worlds.sentences import Sentences
from worlds.archive.files import write_document
from worlds.archive.model import Work
from worlds.archive.plot import Plot
from worlds.archive.questions import questions
from worlds.archive.wording import data
from worlds.prose.cast import make_world

MANY = 100 if os.environ.get(LARGE) else 60


def plot(seed: int, index: int) -> Work:
    """A story without its scenes: the gates look at questions alone."""
    key = (seed, "archive", "stories", index)
    world = make_world(Stream(*key, "world"))
    found = Plot(Stream(*key, "plot"), world)
    text = "\n\n".join(beat.text for beat in found.beats)
    return Work("", text, tuple(found.outline.inquiries), " ".join(found.outline.summary), tuple(found.outline.points))


@cache
def works(seed: int) -> tuple[Work, ...]:
    return tuple(plot(seed, index) for index in range(MANY))


@cache
def asked(seed: int) -> tuple[tuple[Work, tuple[DocumentQuestion, ...]], ...]:
    return tuple(
        (work, tuple(questions(work, f"d{n}", "test", Stream(seed, "stories", n))))
        for n, work in enumerate(works(seed))
    )


def of_kind(kind: str, seed: int = 11) -> Iterator[tuple[Work, DocumentQuestion]]:
    return ((work, ask) for work, made in asked(seed) for ask in made if ask.kind == kind)


def shape(question: str) -> str:
    """A question without its names and numbers."""
    return re.sub(r"\b[A-Z]\w+|\d+", "#", question[1:])


def test_the_plot_that_the_gates_look_at_is_that_of_the_story() -> None:
    whole = write_document(11, "stories", 0, 8_000)
    assert works(11)[0].inquiries == whole.inquiries
    assert works(11)[0].summary == whole.summary


def test_the_commonest_answer_is_seldom_right() -> None:
    answers: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for work in works(11):
        for inquiry in work.inquiries:
            answers[inquiry.sort][inquiry.answers[0]] += 1
    everything = sum(answers.values(), Counter())
    assert max(everything.values()) <= 0.02 * everything.total()
    for sort, found in answers.items():
        if found.total() >= 100:
            assert max(found.values()) <= 0.13 * found.total(), sort


def test_answers_to_questions_of_the_same_shape_elsewhere_help_little() -> None:
    """Closed book: what was right most often for this form of question in another collection."""
    seen: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for _, ask in of_kind("qa", 12):
        seen[shape(ask.text)][ask.answers[0]] += 1
    right = [
        bool(seen[shape(ask.text)]) and seen[shape(ask.text)].most_common(1)[0][0] in ask.answers
        for _, ask in of_kind("qa")
    ]
    assert len(right) > 8 * MANY
    assert statistics.fmean(right) <= 0.03


def place(work: Work) -> Callable[[str], int]:
    """Where a text tells something first."""
    text = work.text.lower()
    return lambda choice: text.index(choice.lower())


def test_choices_are_at_chance_without_the_text() -> None:
    """By position, by length, by how often the text has them, by what was right elsewhere."""
    given = list(of_kind("choice"))
    assert len(given) >= 3 * MANY
    for work, ask in given:
        assert len(set(ask.choices)) == 4 and ask.answers[0] in ask.choices
        assert all(choice.lower() in work.text.lower() for choice in ask.choices), ask
    seen = Counter(ask.answers[0] for _, ask in of_kind("choice", 12))
    size = len(given)
    cheats = {
        **{f"position {n}": sum(ask.choices[n] == ask.answers[0] for _, ask in given) for n in range(4)},
        "longest": sum(max(ask.choices, key=len) == ask.answers[0] for _, ask in given),
        "shortest": sum(min(ask.choices, key=len) == ask.answers[0] for _, ask in given),
        "told first": sum(min(ask.choices, key=place(work)) == ask.answers[0] for work, ask in given),
        "told last": sum(max(ask.choices, key=place(work)) == ask.answers[0] for work, ask in given),
        "most told": sum(max(ask.choices, key=work.text.count) == ask.answers[0] for work, ask in given),
        "least told": sum(min(ask.choices, key=work.text.count) == ask.answers[0] for work, ask in given),
        "elsewhere": sum(max(ask.choices, key=lambda c: seen[c]) == ask.answers[0] for _, ask in given),
    }
    slack = 4 * (0.25 * 0.75 / size) ** 0.5
    assert {name: won / size for name, won in cheats.items() if abs(won / size - 0.25) > slack + 0.04} == {}


def test_the_option_whose_sentence_is_most_like_the_question_is_seldom_right() -> None:
    """It was in 82 % of the choices of stories: what told the wrong options said nothing of the people who are asked about."""
    won, sentences = [], cache(Sentences)
    for work, ask in of_kind("choice"):
        near = sentences(work.text).shared(ask)
        won.append((near[ask.choices.index(ask.answers[0])] == max(near)) / near.count(max(near)))
    assert len(won) >= 3 * MANY and 0.15 <= statistics.fmean(won) <= 0.35


def says(text: str, group: tuple[str, ...]) -> bool:
    return any(re.search(rf"(?<!\w){re.escape(alias)}(?!\w)", text, re.IGNORECASE) for alias in group)


def test_a_summary_holds_its_key_points() -> None:
    for work in works(11):
        assert len(work.key_points) >= 8
        for point in work.key_points:
            assert point.terms
            assert point.origin == "simulated"
            for group in point.terms:
                assert says(work.summary, group), (point, group)
                assert says(point.text, group), (point, group)
                assert says(work.text, group), (point, group)


def test_a_key_point_of_a_story_says_what_one_side_does() -> None:
    """Who told one half of "she is arrested, while he goes free" made no point at all."""
    beats = [beat for arc in data("stories.yaml")["arcs"] for beat in arc["beats"]]
    points = [each["point"] for beat in beats for each in (beat, *filter(None, [beat.get("also")]))]
    assert (len(beats), len(points)) == (50, 62)
    assert [point for point in points if re.search(r"\b(?:and|for which|while) (?:the owner )?\{[A-Z]", point)] == []


def test_a_summary_of_another_document_makes_few_key_points() -> None:
    made = []
    for work, other in pairwise(works(11)):
        for point in work.key_points:
            made.append(all(says(other.summary, group) for group in point.terms))
    assert statistics.fmean(made) <= 0.1, statistics.fmean(made)
