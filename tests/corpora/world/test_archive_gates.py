"""Cheats on the archive stay at chance, and its questions are about as far from their evidence as those of real documents
(design section 6): closed book, commonest answer, choices without the text, the summary instead of the text.
"""

from __future__ import annotations

import ast
import json
import re
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from corpora.records import Ask
from corpora.world.archive.asking import asks
from corpora.world.archive.files import write_document
from corpora.world.archive.model import FORMS, Form, Work
from corpora.world.archive.plot import Plot
from corpora.world.prose.cast import make_world
from haymaker.rng import Stream

each_form = pytest.mark.parametrize("form", FORMS)
MANY = {"stories": 100, "reports": 36, "lawsuits": 40}


def plot(seed: int, index: int) -> Work:
    """A story without its scenes: the gates look at questions alone."""
    key = (seed, "archive", "stories", index)
    world = make_world(Stream(*key, "world"))
    found = Plot(Stream(*key, "plot"), world)
    text = "\n\n".join(beat.text for beat in found.beats)
    return Work("", text, tuple(found.outline.inquiries), " ".join(found.outline.summary), tuple(found.outline.points))


@cache
def works(form: Form, seed: int) -> tuple[Work, ...]:
    if form == "stories":
        return tuple(plot(seed, index) for index in range(MANY[form]))
    return tuple(write_document(seed, form, index, 8_000) for index in range(MANY[form]))


@cache
def asked(form: Form, seed: int) -> tuple[tuple[Work, tuple[Ask, ...]], ...]:
    return tuple(
        (work, tuple(asks(work, f"d{n}", "test", Stream(seed, form, n)))) for n, work in enumerate(works(form, seed))
    )


def of_kind(form: Form, kind: str, seed: int = 11) -> Iterator[tuple[Work, Ask]]:
    return ((work, ask) for work, made in asked(form, seed) for ask in made if ask.kind == kind)


def shape(question: str) -> str:
    """A question without its names and numbers."""
    return re.sub(r"\b[A-Z]\w+|\d+", "#", question[1:])


@each_form
def test_the_plot_that_the_gates_look_at_is_that_of_the_story(form: Form) -> None:
    if form == "stories":
        whole = write_document(11, "stories", 0, 8_000)
        assert works("stories", 11)[0].inquiries == whole.inquiries
        assert works("stories", 11)[0].summary == whole.summary


@each_form
def test_the_commonest_answer_is_seldom_right(form: Form) -> None:
    answers: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for work in works(form, 11):
        for inquiry in work.inquiries:
            answers[inquiry.sort][inquiry.answers[0]] += 1
    everything = sum(answers.values(), Counter())
    assert max(everything.values()) <= 0.02 * everything.total()
    for sort, found in answers.items():
        if found.total() >= 100:
            assert max(found.values()) <= 0.13 * found.total(), sort


@each_form
def test_answers_to_questions_of_the_same_shape_elsewhere_help_little(form: Form) -> None:
    """Closed book: what was right most often for this form of question in another collection."""
    seen: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for _, ask in of_kind(form, "qa", 12):
        seen[shape(ask.text)][ask.answers[0]] += 1
    right = [
        bool(seen[shape(ask.text)]) and seen[shape(ask.text)].most_common(1)[0][0] in ask.answers
        for _, ask in of_kind(form, "qa")
    ]
    assert len(right) > 800
    assert statistics.fmean(right) <= 0.03


@each_form
def test_choices_are_at_chance_without_the_text(form: Form) -> None:
    """By position, by length, by how often the text has them, by what was right elsewhere."""
    given = list(of_kind(form, "choice"))
    assert len(given) >= 300
    seen = Counter(ask.answers[0] for _, ask in of_kind(form, "choice", 12))
    size = len(given)
    cheats = {
        **{f"position {n}": sum(ask.choices[n] == ask.answers[0] for _, ask in given) for n in range(4)},
        "longest": sum(max(ask.choices, key=len) == ask.answers[0] for _, ask in given),
        "shortest": sum(min(ask.choices, key=len) == ask.answers[0] for _, ask in given),
        "most told": sum(max(ask.choices, key=work.text.count) == ask.answers[0] for work, ask in given),
        "least told": sum(min(ask.choices, key=work.text.count) == ask.answers[0] for work, ask in given),
        "elsewhere": sum(max(ask.choices, key=lambda c: seen[c]) == ask.answers[0] for _, ask in given),
    }
    slack = 4 * (0.25 * 0.75 / size) ** 0.5
    assert {name: won / size for name, won in cheats.items() if abs(won / size - 0.25) > slack + 0.04} == {}


@each_form
def test_choices_are_of_one_sort_and_of_the_document(form: Form) -> None:
    for work, ask in of_kind(form, "choice"):
        assert len(set(ask.choices)) == 4
        assert ask.answers[0] in ask.choices
        for choice in ask.choices:
            assert choice.lower() in work.text.lower() or "taken together" in ask.text, ask


@each_form
def test_the_summary_answers_few_questions(form: Form) -> None:
    told = [any(answer in work.summary for answer in ask.answers) for work, ask in of_kind(form, "qa")]
    assert statistics.fmean(told) <= 0.2


def says(text: str, group: tuple[str, ...]) -> bool:
    return any(re.search(rf"(?<!\w){re.escape(alias)}(?!\w)", text, re.IGNORECASE) for alias in group)


@each_form
def test_a_summary_holds_its_key_points(form: Form) -> None:
    for work in works(form, 11):
        assert len(work.key_points) >= 8
        for point in work.key_points:
            assert point.terms
            assert point.origin == "world"
            for group in point.terms:
                assert says(work.summary, group), (point, group)
                assert says(point.text, group), (point, group)
                assert says(work.text, group), (point, group)


@each_form
def test_a_summary_of_another_document_makes_few_key_points(form: Form) -> None:
    made = []
    for work, other in pairwise(works(form, 11)):
        for point in work.key_points:
            made.append(all(says(other.summary, group) for group in point.terms))
    assert statistics.fmean(made) <= 0.1, statistics.fmean(made)


@each_form
def test_questions_ask_for_many_kinds_of_thing(form: Form) -> None:
    for work in works(form, 11)[:20]:
        assert len({inquiry.sort for inquiry in work.inquiries}) >= 5
    openings = Counter(ask.text.split()[0] for _, ask in of_kind(form, "qa"))
    assert sum(count >= 0.03 * openings.total() for count in openings.values()) >= 4, openings


def content(text: str) -> set[str]:
    return {word for word in re.findall(r"[a-z]{4,}", text.lower()) if word not in WEAK}


WEAK = frozenset(
    "what when where which whom that this with from were have been does they their about into there".split()
)


def overlap(question: str, evidence: str) -> float:
    words = content(question)
    return len(words & content(evidence)) / len(words) if words else 0.0


@pytest.mark.real
def test_questions_are_as_far_from_their_evidence_as_real_ones(mirror: Path) -> None:
    """Share of a question's words that stand in its evidence: between LooGLE's long questions and its short ones."""
    real = {}
    for name in ("longdep_qa", "shortdep_qa"):
        found = []
        for line in (mirror / "loogle" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
            for pair in ast.literal_eval(json.loads(line)["qa_pairs"]):
                told = pair["S"] if isinstance(pair["S"], str) else " ".join(pair["S"])
                found.append(overlap(pair["Q"].split("\n")[0], told))
        assert len(found) >= 40
        real[name] = statistics.fmean(found)
    ours = {f: statistics.fmean(overlap(a.text, " ".join(a.evidence)) for _, a in of_kind(f, "qa")) for f in FORMS}
    print("words of the question in its evidence:", {name: round(share, 3) for name, share in (real | ours).items()})
    assert all(real["longdep_qa"] - 0.05 <= share <= real["shortdep_qa"] + 0.05 for share in ours.values()), ours
