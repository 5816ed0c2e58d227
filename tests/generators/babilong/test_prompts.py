"""The 20 prompts: complete, clean, and every worked example true."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from generators.babilong.oracle import Vocabulary, find_facts, solve
from generators.babilong.oracles.vocabulary import words
from generators.babilong.prompts import (
    CLOSE_EXAMPLE,
    OPEN_EXAMPLE,
    OPEN_TEXT,
    TaskPrompt,
    load_prompts,
    render_head,
    render_tail,
)
from haymaker.scoring.metrics import get

FOREIGN = Vocabulary(
    people=("Clara", "Hugo", "Oscar", "Priya", "Leila"),
    places=("attic", "library", "cellar", "balcony", "workshop", "museum", "bakery", "station"),
    objects=("lantern", "umbrella", "kettle"),
    kinds=(
        ("rabbit", "rabbits"), ("fox", "foxes"), ("goose", "geese"), ("bear", "bears"), ("horse", "horses"), ("parrot", "parrots"),
        ("crab", "crabs"),
    ),
    colours=("brown", "black", "blue", "orange"),
    figures=("green circle", "black star", "white hexagon", "orange cube"),
    things=("coin", "purse", "barrel", "wardrobe", "bag of coins"),
)  # fmt: skip
PROMPTS = [prompt for edition in ("classic", "large") for prompt in load_prompts(edition).values()]
every_prompt = pytest.mark.parametrize("prompt", PROMPTS, ids=lambda prompt: f"{prompt.vocabulary}-{prompt.task}")


def _foreign(prompt: TaskPrompt) -> Vocabulary:
    """Words of the examples: qa20 needs the states of the task, and what they lead to."""
    motives = words(prompt.task, prompt.vocabulary).motives
    return replace(
        FOREIGN,
        motives=motives,
        places=FOREIGN.places + tuple(place for _, place, _ in motives),
        objects=FOREIGN.objects + tuple(what for _, _, what in motives),
    )


def _words(vocabulary: Vocabulary) -> set[str]:
    listed = [*vocabulary.people, *vocabulary.places, *vocabulary.objects, *vocabulary.colours]
    listed += [*vocabulary.figures, *vocabulary.things, *(word for kind in vocabulary.kinds for word in kind)]
    return {word.lower() for word in listed} | {state for state, _, _ in vocabulary.motives}


@every_prompt
def test_no_example_can_pass_for_a_hidden_fact_and_each_is_true(prompt: TaskPrompt) -> None:
    """The oracle solves each one as a finished prompt, and its reply has full marks."""
    head, foreign, known = render_head(prompt), _foreign(prompt), words(prompt.task, prompt.vocabulary)
    assert 2 <= len(prompt.examples) <= 3
    for example in prompt.examples:
        assert all(re.fullmatch(r"[A-Z][A-Za-z ]+\.", fact) for fact in example.facts)
        story = " ".join(example.facts)
        found = solve(prompt.task, head + story + render_tail(example.question), strict=True, vocabulary=foreign)
        assert found.answer == example.answer and all(offset >= len(head) for offset in found.supporting)
        row = {
            "answers": [example.answer],
            "question": example.question,
            "choices": [*prompt.choices, *sorted(_words(FOREIGN))],
        }
        assert [get("babilong@strict").function(said, row) for said in (example.reply, "")] == [1.0, 0.0]
        assert find_facts(prompt.task, story, vocabulary=prompt.vocabulary) == []
        text = " ".join(["", *re.findall(r"\w+", f"{story} {example.question}".lower()), ""])
        shared = {word for word in _words(known) if f" {word} " in text}
        assert shared <= {word for motive in known.motives for word in motive}
        assert not shared or prompt.task == "qa20"


@every_prompt
def test_the_head_holds_the_parts_in_order_and_ends_with_the_opening_tag(prompt: TaskPrompt) -> None:
    assert 2 <= len(re.findall(r"[.?!](?= |$)", prompt.instruction)) <= 5
    assert len(set(prompt.choices)) == len(prompt.choices)
    for text in (prompt.title, prompt.instruction, prompt.answer_form):
        assert not re.search(r"[<>{}\[\]\n\t]|  ", text) and text == text.strip()
        assert not re.search(r"lie to each other|question whether|leave it open|such handing|each other", text)
    head = render_head(prompt)
    assert head.startswith(f"{prompt.instruction}\n\n{OPEN_EXAMPLE}\n")
    assert head.endswith(f"{CLOSE_EXAMPLE}\n\n{prompt.answer_form}\n\n{OPEN_TEXT}\n")
    assert head.count(OPEN_TEXT) == 1
    assert head.count(OPEN_EXAMPLE) == head.count(CLOSE_EXAMPLE) == len(prompt.examples)
    assert not re.search(r"\n{3,}|[ \t]\n|[{}]", head)
    assert render_tail("Where is Mary?") == "\n</text>\n\nQuestion: Where is Mary?\nAnswer:"


def test_the_prompt_says_where_each_state_leads_and_which_way_things_go() -> None:
    places, gifts = (load_prompts()[task].instruction for task in ("qa4", "qa5"))
    assert "north, south, east or west" in places and "hand" not in places
    assert "hand to one another" in gifts and "north" not in gifts
    assert load_prompts()["qa20"].instruction.endswith(
        " Hungry and thirsty people go to the kitchen, bored people to the garden and tired people to the bedroom."
    )
    large = load_prompts("large")["qa20"].instruction
    for state, place, _ in words("qa20", "large").motives:
        assert re.search(rf"\b{state} people (?:go )?to the {place}\b", large, re.IGNORECASE)
