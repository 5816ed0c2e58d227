"""The words around a BABILong context: what each of the 20 tasks tells the reader (texts in prompts*.yaml).

A finished prompt is render_head(prompt) + context + render_tail(question); order of parts: docs/spec/babilong.md 8.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import Field

from generators.babilong.oracles.vocabulary import labels, words
from haymaker.core.files.yaml_file import read_yaml
from haymaker.core.params import Section, parse
from haymaker.core.rows.schema import Span

OPEN_TEXT, CLOSE_TEXT = "<text>", "</text>"
OPEN_EXAMPLE, CLOSE_EXAMPLE = "<example>", "</example>"
QUESTION = "Question: "
CUE = "Answer:"

_EDITIONS = {"large": "prompts_large.yaml"}  # what an edition says in another way


Text = Annotated[str, Field(pattern=r"\S")]  # YAML reads a bare yes or no as a truth value, which is no text


class Example(Section):
    """One worked example.

    Attributes:
        facts: sentences of the task's own shapes, about people and things the task does not use.
        question: as in the bAbI files, without trailing space.
        answer: as in the bAbI files: one word, or words joined by commas.
        reply: what a model should write, in the form that the task asks for.
    """

    facts: tuple[Text, ...]
    question: Text
    answer: Text
    reply: Text


class TaskPrompt(Section):
    """All texts of one task.

    Attributes:
        task: "qa1" .. "qa20".
        vocabulary: edition of bAbI that it speaks of, "classic" or "large".
        title: one line for people.
        instruction: what is hidden, what is asked, what counts.
        examples: two or three.
        answer_form: in which form to reply.
        choices: the task's closed label set, sorted (docs/spec/babilong.md 7.1); lists of qa8 are made of these.
    """

    task: str
    vocabulary: str
    title: Text
    instruction: Text
    examples: tuple[Example, ...]
    answer_form: Text
    choices: tuple[str, ...]


@cache
def load_prompts(vocabulary: str = "classic") -> Mapping[str, TaskPrompt]:
    """The prompts of an edition by task name, qa1 to qa20, read once.

    Raises:
        OracleError: no such edition.
        ParamsError: a file lacks a key, has one too many, or holds something that is not text.
    """
    here = Path(__file__).parent
    edition = read_yaml(here / _EDITIONS[vocabulary]) if vocabulary in _EDITIONS else {}
    every = read_yaml(here / "prompts.yaml").items()
    return MappingProxyType({task: _prompt(task, fields | edition.get(task, {}), vocabulary) for task, fields in every})


def render_head(prompt: TaskPrompt) -> str:
    """Everything before the context: instruction, examples, answer form, opening tag with its line end."""
    examples = "\n".join(
        f"{OPEN_EXAMPLE}\n{' '.join(each.facts)}\n\n{QUESTION}{each.question}\n{CUE} {each.reply}\n{CLOSE_EXAMPLE}"
        for each in prompt.examples
    )
    return f"{prompt.instruction}\n\n{examples}\n\n{prompt.answer_form}\n\n{OPEN_TEXT}\n"


def head_spans(prompt: TaskPrompt, head: str) -> list[Span]:
    """Where instruction and examples stand in the rendered head."""
    demos = enumerate(re.finditer(f"{OPEN_EXAMPLE}.*?{CLOSE_EXAMPLE}", head, re.DOTALL))
    instruction = Span(0, len(prompt.instruction), "instruction", token_start=0)
    return [instruction, *(Span(*demo.span(), "demo", f"demo:{i}") for i, demo in demos)]


def render_tail(question: str) -> str:
    """Everything after the context: closing tag, question, and the cue that a base model continues."""
    return f"\n{CLOSE_TEXT}\n\n{QUESTION}{question}\n{CUE}"


def _prompt(task: str, fields: Mapping[str, Any], vocabulary: str) -> TaskPrompt:
    known = {"task": task, "vocabulary": vocabulary, "choices": labels(task, vocabulary)}
    read = parse(TaskPrompt, {**fields, **known}, where=f"prompts.yaml: {task}")
    instruction = read.instruction.replace("{destinations}", _destinations(words(task, vocabulary).motives))
    return read.model_copy(update={"instruction": instruction})


def _destinations(motives: tuple[tuple[str, str, str], ...]) -> str:
    """One sentence that says where each state leads, e.g. "Hungry and thirsty people go to the kitchen, ..."."""
    states: dict[str, list[str]] = {}
    for state, place, _ in motives:
        states.setdefault(place, []).append(state)
    clauses = [f"{' and '.join(group)} people to the {place}" for place, group in states.items()]
    sentence = " and ".join([", ".join(clauses[:-1]), *clauses[-1:]])
    return sentence.replace(" people to", " people go to", 1).capitalize() + "."
