"""The 20 prompts: complete, clean, and every worked example true."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from generators.babilong.oracle import Vocabulary, find_facts, solve
from generators.babilong.oracles.vocabulary import words
from generators.babilong.prompts import (
    CLOSE_EXAMPLE,
    CUE,
    OPEN_EXAMPLE,
    OPEN_TEXT,
    Example,
    TaskPrompt,
    _prompt,
    load_prompts,
    render_head,
    render_tail,
)
from haymaker.core.errors import ParamsError
from haymaker.scoring.metrics import get
from tests.errors import refused

FOREIGN = Vocabulary(
    people=("Clara", "Hugo", "Oscar", "Priya", "Leila"),
    places=("attic", "library", "cellar", "balcony", "workshop", "museum", "bakery", "station"),
    objects=("lantern", "umbrella", "kettle"),
    kinds=(
        ("rabbit", "rabbits"),
        ("fox", "foxes"),
        ("goose", "geese"),
        ("bear", "bears"),
        ("horse", "horses"),
        ("parrot", "parrots"),
        ("crab", "crabs"),
    ),
    colours=("brown", "black", "blue", "orange"),
    figures=("green circle", "black star", "white hexagon", "orange cube"),
    things=("coin", "purse", "barrel", "wardrobe", "bag of coins"),
)
EDITIONS = ("classic", "large")
PROMPTS = [prompt for edition in EDITIONS for prompt in load_prompts(edition).values()]
EXAMPLES = [
    pytest.param(prompt, example, id=f"{prompt.vocabulary}-{prompt.task}-{i}")
    for prompt in PROMPTS
    for i, example in enumerate(prompt.examples)
]
every_prompt = pytest.mark.parametrize("prompt", PROMPTS, ids=lambda prompt: f"{prompt.vocabulary}-{prompt.task}")
every_example = pytest.mark.parametrize(("prompt", "example"), EXAMPLES)


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


@every_example
def test_the_oracle_solves_each_example_as_a_finished_prompt(prompt: TaskPrompt, example: Example) -> None:
    head = render_head(prompt)
    text = head + " ".join(example.facts) + render_tail(example.question)
    found = solve(prompt.task, text, strict=True, vocabulary=_foreign(prompt))
    assert found.answer == example.answer
    assert all(offset >= len(head) for offset in found.supporting)


@every_example
def test_each_reply_has_full_marks(prompt: TaskPrompt, example: Example) -> None:
    choices = [*prompt.choices, *sorted(_words(FOREIGN))]
    row = {"answers": [example.answer], "question": example.question, "choices": choices}
    assert get("babilong@strict").function(example.reply, row) == 1.0
    assert get("babilong@strict").function("", row) == 0.0


@every_example
def test_no_example_can_pass_for_a_hidden_fact(prompt: TaskPrompt, example: Example) -> None:
    assert find_facts(prompt.task, " ".join(example.facts), vocabulary=prompt.vocabulary) == []
    text = f"{' '.join(example.facts)} {example.question}".lower()
    known = words(prompt.task, prompt.vocabulary)
    shared = {word for word in _words(known) if re.search(rf"\b{re.escape(word)}\b", text)}
    assert shared <= {word for motive in known.motives for word in motive}
    assert not shared or prompt.task == "qa20"


@every_prompt
def test_parts_are_whole_and_clean(prompt: TaskPrompt) -> None:
    assert 2 <= len(prompt.examples) <= 3
    assert 2 <= len(re.findall(r"[.?!](?= |$)", prompt.instruction)) <= 5
    assert len(set(prompt.choices)) == len(prompt.choices)
    for text in (prompt.title, prompt.instruction, prompt.answer_form):
        assert not re.search(r"[<>{}\[\]\n\t]|  ", text)
        assert text == text.strip()
    for example in prompt.examples:
        for fact in example.facts:
            assert re.fullmatch(r"[A-Z][A-Za-z ]+\.", fact)


@every_prompt
def test_the_head_holds_the_parts_in_order_and_ends_with_the_opening_tag(prompt: TaskPrompt) -> None:
    head = render_head(prompt)
    assert head.startswith(f"{prompt.instruction}\n\n{OPEN_EXAMPLE}\n")
    assert head.endswith(f"{CLOSE_EXAMPLE}\n\n{prompt.answer_form}\n\n{OPEN_TEXT}\n")
    assert head.count(OPEN_TEXT) == 1
    assert head.count(OPEN_EXAMPLE) == head.count(CLOSE_EXAMPLE) == len(prompt.examples)
    assert not re.search(r"\n{3,}|[ \t]\n|[{}]", head)


def test_the_tail_is_the_question_and_the_cue() -> None:
    tail = render_tail("Where is Mary?")
    assert tail == "\n</text>\n\nQuestion: Where is Mary?\nAnswer:"
    assert tail.endswith(CUE)


def test_all_labels_are_choices() -> None:
    """The closed label sets (docs/spec/babilong.md 7.1), written here a second time."""
    homes = {"bathroom", "bedroom", "garden", "hallway", "kitchen", "office"}
    wanted = dict.fromkeys(("qa1", "qa2", "qa3", "qa4", "qa11", "qa12", "qa13"), homes)
    wanted |= {task: {"yes", "no"} for task in ("qa6", "qa9", "qa17", "qa18")}
    wanted["qa5"] = {"Bill", "Fred", "Jeff", "Mary", "apple", "football", "milk"}
    wanted["qa7"] = {"none", "one", "two", "three"}
    wanted["qa8"] = {"apple", "football", "milk", "nothing"}
    wanted["qa10"] = {"maybe", "yes", "no"}
    wanted["qa14"] = {"bedroom", "cinema", "kitchen", "office", "park", "school"}
    wanted["qa15"] = {"cat", "mouse", "sheep", "wolf"}
    wanted["qa16"] = {"gray", "green", "white", "yellow"}
    wanted["qa19"] = {"e,e", "e,n", "e,s", "n,e", "n,n", "n,w", "s,e", "s,s", "s,w", "w,n", "w,s", "w,w"}
    wanted["qa20"] = {"bedroom", "garden", "kitchen", "bored", "hungry", "thirsty", "tired"}
    assert {task: set(prompt.choices) for task, prompt in load_prompts().items()} == wanted


def test_a_bare_yes_in_the_file_is_refused() -> None:
    good = {"title": "t", "instruction": "i", "answer_form": "f", "examples": []}
    example = {"facts": ["f"], "question": "q", "answer": True, "reply": "yes"}
    assert isinstance(_prompt("qa6", good, "classic"), TaskPrompt)
    for damage, message in (
        ({"examples": [example]}, "examples.0.answer: must be text (given: True)"),
        ({"answer_form": " "}, "answer_form: String should match pattern"),
        ({"extra": "x"}, "unknown key 'extra'"),
    ):
        with pytest.raises(ParamsError, match="^prompts.yaml: qa6: .*" + re.escape(message)):
            _prompt("qa6", good | damage, "classic")
    with refused(ParamsError, "prompts.yaml: qa6: title", "'title'"):
        _prompt("qa6", {key: good[key] for key in good if key != "title"}, "classic")


def test_the_prompt_says_where_each_state_leads() -> None:
    assert load_prompts()["qa20"].instruction.endswith(
        " Hungry and thirsty people go to the kitchen, bored people to the garden and tired people to the bedroom."
    )
    large = load_prompts("large")["qa20"].instruction
    for state, place, _ in words("qa20", "large").motives:
        assert re.search(rf"\b{state} people (?:go )?to the {place}\b", large, re.IGNORECASE)
