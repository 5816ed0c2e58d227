"""The words around a BABILong context: what each of the 20 tasks tells the reader (texts in prompts*.yaml).

A finished prompt is render_head(prompt) + context + render_tail(question); order of parts: spec/babilong.md section 8.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from generators.babilong.oracles.vocabulary import labels, words
from haymaker.errors import BuildError

OPEN_TEXT, CLOSE_TEXT = "<text>", "</text>"
OPEN_EXAMPLE, CLOSE_EXAMPLE = "<example>", "</example>"
QUESTION = "Question: "
CUE = "Answer:"

_FILE = "prompts.yaml"
_OWN = {"large": "prompts_large.yaml"}  # what an edition says in another way


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
        vocabulary: edition of bAbI that it speaks of, "classic" or "large".
        title: one line for people.
        instruction: what is hidden, what is asked, what counts.
        examples: two or three.
        answer_form: in which form to reply.
        choices: the task's closed label set, sorted (spec/babilong.md 7.1); lists of qa8 are made of these.
    """

    task: str
    vocabulary: str
    title: str
    instruction: str
    examples: tuple[Example, ...]
    answer_form: str
    choices: tuple[str, ...]


@cache
def load_prompts(vocabulary: str = "classic") -> Mapping[str, TaskPrompt]:
    """The prompts of an edition by task name, qa1 to qa20, read once.

    Raises:
        BuildError: no such edition; or a file lacks a key, has one too many, or holds something that is not text.
    """
    own = _read(_OWN[vocabulary]) if vocabulary in _OWN else {}
    return MappingProxyType(
        {task: _prompt(task, fields | own.get(task, {}), vocabulary) for task, fields in _read(_FILE).items()}
    )


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


def _read(name: str) -> dict[str, Any]:
    import yaml

    raw: dict[str, Any] = yaml.safe_load(files(__package__).joinpath(name).read_text(encoding="utf-8"))
    return raw


def _prompt(task: str, fields: Any, vocabulary: str) -> TaskPrompt:
    where = f"{_FILE}, {task}"
    _expect(fields, {"title", "instruction", "answer_form", "examples"}, where)
    motives = words(task, vocabulary).motives
    return TaskPrompt(
        task=task,
        vocabulary=vocabulary,
        title=_text(fields["title"], where),
        instruction=_text(fields["instruction"], where).replace("{destinations}", _destinations(motives)),
        examples=tuple(_example(example, where) for example in fields["examples"]),
        answer_form=_text(fields["answer_form"], where),
        choices=labels(task, vocabulary),
    )


def _destinations(motives: tuple[tuple[str, str, str], ...]) -> str:
    """One sentence that says where each state leads, e.g. "Hungry and thirsty people go to the kitchen, ..."."""
    states: dict[str, list[str]] = {}
    for state, place, _ in motives:
        states.setdefault(place, []).append(state)
    clauses = [f"{' and '.join(group)} people to the {place}" for place, group in states.items()]
    sentence = " and ".join([", ".join(clauses[:-1]), *clauses[-1:]])
    return sentence.replace(" people to", " people go to", 1).capitalize() + "."


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
