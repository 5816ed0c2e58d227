"""Prompts of tasks on long documents (texts in prompts.yaml, docs/spec/helmet.md 8), and the requested length of summaries.

Order: instruction, worked examples (without their text), text, in some tasks the instruction again, question, cue.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import quantiles

from corpora.stores.documents.store import PreparedQuestion
from generators.context.prompt import Part
from haymaker.core.rows.source_records import DocumentQuestion, KeyPoint

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LEAST_POINTS = 2  # fewest key points of a beginning
_OPEN, _CLOSE = "<text>\n", "\n</text>"
_EXAMPLES = "Worked examples (the texts that they are about are not shown):"
_LISTED = re.compile(r"^([A-Z])\. (.+)$", re.MULTILINE)
_WORDS_PER_TOKEN = 0.7  # most words of a summary per token of its budget


@dataclass(frozen=True, slots=True)
class Wording:
    """The prompt texts of one task (prompts.yaml).

    Attributes:
        one, several: instruction for one text, or for several.
        request, request_several: text after the context, for one text or for several.
        cue: text that a base model continues.
        how: replaces {how} in the instruction.
        beginning: instruction for the beginning of a text; empty if it is the same as for a whole text.
        again, again_several: instruction that is repeated between text and question, for one text or for several (`again` if empty).
        demand: format of the answer, after the options; empty if only the instruction describes it.
        form: output that names a choice, with {letter} for its letter.
    """

    one: str
    several: str
    request: str
    request_several: str
    cue: str
    how: str = ""
    beginning: str = ""
    again: str = ""
    again_several: str = ""
    demand: str = ""
    form: str = "{letter}"

    @property
    def shows_query(self) -> bool:
        """Whether the request contains a question or query."""
        return "{question}" in self.request

    def repeated(self, *, several: bool) -> str:
        """Return the instruction after one text or several; may be empty."""
        return (several and self.again_several) or self.again


@dataclass(frozen=True, slots=True)
class PromptQuestion:
    """A question as a prompt shows it.

    Attributes:
        text: question, or query of a summary; empty for a summary of the whole text.
        answer: right answer in the requested format.
        choices: choices in the order shown.
        words: requested length of a summary; else empty.
        title: title of the document if several are shown; else empty.
        beginning: whether the instruction is `Wording.beginning`.
    """

    text: str
    answer: str
    choices: tuple[str, ...] = ()
    words: str = ""
    title: str = ""
    beginning: bool = False


def accepted(form: str, letter: str, choice: str) -> list[str]:
    """Return the outputs that name a choice: `form` with the letter, the letter, the letter with its text."""
    return list(dict.fromkeys((form.replace("{letter}", letter), letter, f"{letter}. {choice}")))


def listed(choices: Sequence[str]) -> list[str]:
    """Return one line per choice, with its letter."""
    return [f"{letter}. {choice}" for letter, choice in zip(LETTERS, choices, strict=False)]


def listed_in(text: str) -> list[tuple[str, str]]:
    """Return letter and text of the choices in a text (see `listed`)."""
    return _LISTED.findall(text)


def request(wording: Wording, question: PromptQuestion) -> str:
    """Return the text after the context, without the cue."""
    pattern = wording.request_several if question.title else wording.request
    shown = pattern.replace("{words}", question.words).replace("{title}", question.title)
    # The question is inserted last because it may contain braces.
    return "\n".join([shown.replace("{question}", question.text), *listed(question.choices)])


def parts(wording: Wording, question: PromptQuestion, examples: Sequence[tuple[str, PromptQuestion]]) -> Iterator[Part]:
    """Yield the texts before the context; `examples` are pairs of id and question."""
    instruction = wording.several if question.title else wording.beginning if question.beginning else wording.one
    yield Part(instruction.replace("{how}", wording.how).replace("{words}", question.words), "instruction")
    if examples:
        yield Part(_EXAMPLES)
    for name, each in examples:
        # A summary needs no request; the question of an example has no title because its text is not shown.
        shown = f"{request(wording, each)}\n" if each.text else ""
        yield Part(f"{shown}{wording.cue} {each.answer}", "fewshot", f"fewshot:{name}")
    yield Part(_OPEN, gap="")


def tail(wording: Wording, question: PromptQuestion) -> str:
    """Return the text after the context; ends with the cue."""
    repeated = wording.repeated(several=bool(question.title))
    again = f"{repeated}\n\n" if repeated else ""
    demand = f"\n\n{wording.demand}" if wording.demand else ""
    return f"{_CLOSE}\n\n{again}{request(wording, question)}{demand}\n{wording.cue}"


def reference(source: DocumentQuestion, share: float) -> str:
    """Return the reference of a summary, or of its first key points if that share (below 1) of the document is shown."""
    points = source.key_points
    if share >= 1 or not points:
        return source.references[0]
    return summary_of(points[: max(LEAST_POINTS, round(share * len(points)))])


def summary_of(points: Iterable[KeyPoint]) -> str:
    """Return a summary that makes these claims: their sentences in the reference summary, or the claims themselves."""
    return " ".join(dict.fromkeys(point.sentence or point.text for point in points))


def usual_words(questions: Iterable[PreparedQuestion], share: float) -> tuple[float, float]:
    """Return the first and third quartile of the words of all references (see `reference`)."""
    lengths = [len(reference(each.source, share).split()) for each in questions if each.source.kind == "summary"]
    low, _, high = quantiles(lengths, n=4) if len(lengths) > 1 else (lengths[0], 0, lengths[0])
    return low, high


def words_requested(usual: tuple[float, float], own: int, max_new_tokens: int) -> str:
    """Return a range of words for a prompt ("90 to 110") that contains the usual words and the `own` words, as far as the budget allows."""
    low, high = min(usual[0], own), max(usual[1], own)
    step = 50 if high >= 200 else 10
    most = int(max_new_tokens * _WORDS_PER_TOKEN) // step * step
    top = min(most, max(2, -(-int(high) // step)) * step)
    return f"{max(step, min(int(low) // step * step, top - step))} to {top}"
