"""The words around a BABILong context: what each of the 20 tasks tells the reader (texts in prompts.yaml).

A finished prompt is render_head(prompt) + context + render_tail(question); order of parts: spec/babilong.md section 8.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from haymaker.errors import BuildError

OPEN_TEXT, CLOSE_TEXT = "<text>", "</text>"
OPEN_EXAMPLE, CLOSE_EXAMPLE = "<example>", "</example>"
QUESTION = "Question: "
CUE = "Answer:"

_FILE = "prompts.yaml"


@dataclass(frozen=True, slots=True)
class Example:
    """One worked example.

    Attributes:
        facts: sentences of the task's own shapes, about people and things the task does not use.
        question: as in the bAbI files, without trailing space.
        answer: as in the bAbI files: one word, or words joined by commas.
        reply: what a model should write, in the form that the task asks for.
    """

    facts: tuple[str, ...]
    question: str
    answer: str
    reply: str


@dataclass(frozen=True, slots=True)
class TaskPrompt:
    """All texts of one task.

    Attributes:
        task: "qa1" .. "qa20".
        title: one line for people.
        instruction: what is hidden, what is asked, what counts.
        examples: two or three.
        answer_form: in which form to reply.
        choices: the task's closed label set (spec/babilong.md 7.1); lists of qa8 are made of these.
    """

    task: str
    title: str
    instruction: str
    examples: tuple[Example, ...]
    answer_form: str
    choices: tuple[str, ...]


@cache
def load_prompts() -> Mapping[str, TaskPrompt]:
    """The prompts by task name, qa1 to qa20, read once.

    Raises:
        BuildError: prompts.yaml lacks a key, has one too many, or holds something that is not text.
    """
    import yaml

    raw = yaml.safe_load(files(__package__).joinpath(_FILE).read_text(encoding="utf-8"))
    return MappingProxyType({task: _prompt(task, fields) for task, fields in raw.items()})


def render_head(prompt: TaskPrompt) -> str:
    """Everything before the context: instruction, examples, answer form, opening tag with its line end."""
    examples = "\n".join(_render_example(example) for example in prompt.examples)
    return f"{prompt.instruction}\n\n{examples}\n\n{prompt.answer_form}\n\n{OPEN_TEXT}\n"


def render_tail(question: str) -> str:
    """Everything after the context: closing tag, question, and the cue that a base model continues."""
    return f"\n{CLOSE_TEXT}\n\n{QUESTION}{question}\n{CUE}"


def _render_example(example: Example) -> str:
    facts = " ".join(example.facts)
    return f"{OPEN_EXAMPLE}\n{facts}\n\n{QUESTION}{example.question}\n{CUE} {example.reply}\n{CLOSE_EXAMPLE}"


def _prompt(task: str, fields: Any) -> TaskPrompt:
    where = f"{_FILE}, {task}"
    _expect(fields, {"title", "instruction", "answer_form", "choices", "examples"}, where)
    return TaskPrompt(
        task=task,
        title=_text(fields["title"], where),
        instruction=_text(fields["instruction"], where),
        examples=tuple(_example(example, where) for example in fields["examples"]),
        answer_form=_text(fields["answer_form"], where),
        choices=tuple(_text(choice, where) for choice in fields["choices"]),
    )


def _example(fields: Any, where: str) -> Example:
    _expect(fields, {"facts", "question", "answer", "reply"}, where)
    return Example(
        facts=tuple(_text(fact, where) for fact in fields["facts"]),
        question=_text(fields["question"], where),
        answer=_text(fields["answer"], where),
        reply=_text(fields["reply"], where),
    )


def _expect(fields: Any, keys: set[str], where: str) -> None:
    if not isinstance(fields, dict) or set(fields) != keys:
        raise BuildError(f"expected exactly the keys {', '.join(sorted(keys))}", where=where)


def _text(value: Any, where: str) -> str:
    """YAML reads a bare yes or no as a truth value: refuse whatever is not a non-empty string."""
    if not isinstance(value, str) or not value.strip():
        raise BuildError(f"{value!r} is not text; put it in quotes", where=where)
    return value
