"""Prompts of the 20 tasks (texts in prompts*.yaml): render_head(prompt) + context + render_tail(question).

Order of the parts: docs/spec/babilong.md 8.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import Field

from generators.babilong.oracles.vocabulary import labels, words
from generators.context.prompt import Part, head
from haymaker.core.files.yaml_file import read_yaml
from haymaker.core.params import Section, parse

OPEN_TEXT, CLOSE_TEXT = "<text>", "</text>"
OPEN_EXAMPLE, CLOSE_EXAMPLE = "<example>", "</example>"
QUESTION = "Question: "
CUE = "Answer:"

Text = Annotated[str, Field(pattern=r"\S")]  # not a bare yes or no, which YAML reads as a truth value


class Example(Section):
    """A worked example with words that the task does not use; `reply` has the required form."""

    facts: tuple[Text, ...]
    question: Text
    answer: Text
    reply: Text


class TaskPrompt(Section):
    """All texts of a task in an edition ("classic" or "large"); `choices` are its labels (docs/spec/babilong.md 7.1)."""

    task: str
    vocabulary: str
    title: Text
    instruction: Text
    examples: tuple[Example, ...]
    answer_form: Text
    choices: tuple[str, ...]


@cache
def load_prompts(vocabulary: str = "classic") -> Mapping[str, TaskPrompt]:
    """Return the prompts of an edition by task name, qa1 to qa20.

    Raises:
        OracleError: no such edition.
        ParamsError: a key is missing or unknown, or a value is not text.
    """
    here = Path(__file__)
    edition = read_yaml(here.with_name("prompts_large.yaml")) if vocabulary == "large" else {}
    every = read_yaml(here.with_name("prompts.yaml")).items()
    return MappingProxyType({task: _prompt(task, fields | edition.get(task, {}), vocabulary) for task, fields in every})


def head_parts(prompt: TaskPrompt) -> list[Part]:
    """Return the text before the context: instruction, examples, answer form, opening tag and line break."""
    shown = [
        f"{OPEN_EXAMPLE}\n{' '.join(each.facts)}\n\n{QUESTION}{each.question}\n{CUE} {each.reply}\n{CLOSE_EXAMPLE}"
        for each in prompt.examples
    ]
    gaps = ["\n"] * (len(shown) - 1) + ["\n\n"]
    return [
        Part(prompt.instruction, "instruction", token_start=0),
        *(Part(text, "fewshot", f"fewshot:{i}", gap) for i, (text, gap) in enumerate(zip(shown, gaps, strict=True))),
        Part(prompt.answer_form, gap=f"\n\n{OPEN_TEXT}\n"),
    ]


def render_head(prompt: TaskPrompt) -> str:
    """Return the joined parts before the context."""
    return head(head_parts(prompt))[0]


def render_tail(question: str) -> str:
    """Return the text after the context: closing tag, question, cue."""
    return f"\n{CLOSE_TEXT}\n\n{QUESTION}{question}\n{CUE}"


def _prompt(task: str, fields: Mapping[str, Any], vocabulary: str) -> TaskPrompt:
    known = {"task": task, "vocabulary": vocabulary, "choices": labels(task, vocabulary)}
    read = parse(TaskPrompt, {**fields, **known}, where=f"prompts.yaml: {task}")
    instruction = read.instruction.replace("{destinations}", _destinations(words(task, vocabulary).motives))
    return read.model_copy(update={"instruction": instruction})


def _destinations(motives: tuple[tuple[str, str, str], ...]) -> str:
    """Return a sentence such as "Hungry and thirsty people go to the kitchen, ..."."""
    states: dict[str, list[str]] = {}
    for state, place, _ in motives:
        states.setdefault(place, []).append(state)
    clauses = [f"{' and '.join(group)} people to the {place}" for place, group in states.items()]
    sentence = " and ".join([", ".join(clauses[:-1]), *clauses[-1:]])
    return sentence.replace(" people to", " people go to", 1).capitalize() + "."
