"""The words around a document (texts in prompts.yaml) and how a prompt is put together (docs/spec/helmet.md 8).

instruction, worked examples (question and answer alone), text, in some tasks the instruction again, question or request, cue
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from haymaker.core.rows.schema import Span

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
OPEN, CLOSE = "<text>\n", "\n</text>"
_EXAMPLES = "What such answers look like (the texts they are about are not shown):"


@dataclass(frozen=True, slots=True)
class Wording:
    """The texts of one task, as in prompts.yaml.

    Attributes:
        one, several: the instruction where one text is shown, or others stand around it.
        request, request_several: what stands behind the text, likewise.
        cue: what a base model continues.
        how: in the place of {how} in the instruction.
        beginning: the instruction for the beginning of a text; empty where a cut text is asked about like a whole one.
        again: the instruction once more, between the text and the question; empty where it stands before the text alone.
        demand: how a choice is to be written, behind the options; empty where the instruction alone says it.
        form: of an output that says a choice as it is demanded, with {letter} for the letter.
    """

    one: str
    several: str
    request: str
    request_several: str
    cue: str
    how: str = ""
    beginning: str = ""
    again: str = ""
    demand: str = ""
    form: str = "{letter}"

    def answers(self, letter: str, choice: str) -> list[str]:
        """The accepted outputs of a choice: in the form that is demanded, the letter alone, the letter with its text."""
        return accepted(self.form, letter, choice)

    @property
    def shows_query(self) -> bool:
        """Whether what is asked of a text stands in the request."""
        return "{question}" in self.request


@dataclass(frozen=True, slots=True)
class PromptQuestion:
    """A question as a prompt puts it.

    Attributes:
        text: of a summary the query; empty where all of a text is to be summed up.
        choices: in the order shown.
        answer: as a reader should write it.
        words: of a summary; empty otherwise.
        title: of its text, where several are shown; empty otherwise.
        beginning: whether it is to be told that its text is cut.
    """

    text: str
    answer: str
    choices: tuple[str, ...] = ()
    words: str = ""
    title: str = ""
    beginning: bool = False


def accepted(form: str, letter: str, choice: str) -> list[str]:
    """The outputs that name a choice: in a form with {letter} in it, the letter alone, the letter with its text."""
    return list(dict.fromkeys((form.replace("{letter}", letter), letter, f"{letter}. {choice}")))


def listed(choices: Sequence[str]) -> list[str]:
    """A line per choice, its letter before it."""
    return [f"{letter}. {choice}" for letter, choice in zip(LETTERS, choices, strict=False)]


_LISTED = re.compile(r"^([A-Z])\. (.+)$", re.MULTILINE)


def listed_in(text: str) -> list[tuple[str, str]]:
    """Letter and text of the choices that a text shows so."""
    return _LISTED.findall(text)


def request(wording: Wording, question: PromptQuestion) -> str:
    """What stands behind the text, without the cue."""
    pattern = wording.request_several if question.title else wording.request
    shown = pattern.replace("{words}", question.words).replace("{title}", question.title)
    return "\n".join(
        [shown.replace("{question}", question.text), *listed(question.choices)]
    )  # last: it may hold braces of its own


def head(
    wording: Wording, question: PromptQuestion, demos: Sequence[tuple[str, PromptQuestion]]
) -> tuple[str, list[Span]]:
    """Everything before the text, and where instruction and examples (id, what is asked there) are."""
    instruction = wording.several if question.title else wording.beginning if question.beginning else wording.one
    text = instruction.replace("{how}", wording.how).replace("{words}", question.words)
    spans = [Span(0, len(text), "instruction")]
    text += f"\n\n{_EXAMPLES}\n\n" if demos else "\n\n"
    for name, demo in demos:
        # A summary needs no request of its own; a question of an example has no title: its text is not shown.
        shown = f"{request(wording, demo)}\n" if demo.text else ""
        shown += f"{wording.cue} {demo.answer}"
        spans.append(Span(len(text), len(text) + len(shown), "demo", f"demo:{name}"))
        text += f"{shown}\n\n"
    return text + OPEN, spans


def tail(wording: Wording, question: PromptQuestion) -> str:
    """Everything behind the text, the cue at the end."""
    again = f"{wording.again}\n\n" if wording.again else ""
    demand = f"\n\n{wording.demand}" if wording.demand else ""
    return f"{CLOSE}\n\n{again}{request(wording, question)}{demand}\n{wording.cue}"
