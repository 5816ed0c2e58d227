"""Answer reader for metrics: runs the four steps, and can record the result of each step."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any

from haymaker.scoring.reader.canonical import canonical
from haymaker.scoring.reader.compare import COMPARING, NO, YES, YES_NO, contains, is_list, labels_in, offered
from haymaker.scoring.reader.final import budget_of, final_answer, first_line, without_heading
from haymaker.scoring.reader.reasoning import strip_reasoning

Row = Mapping[str, Any]
_STEPS: ContextVar[dict[str, object] | None] = ContextVar("steps", default=None)


@contextmanager
def watched() -> Iterator[dict[str, object]]:
    """Collect what each step returns while the block runs, by the name of the step."""
    steps = dict[str, object]()
    token = _STEPS.set(steps)
    try:
        yield steps
    finally:
        _STEPS.reset(token)


def _note(step: str, value: Callable[[], object]) -> None:
    """Record the result of a step inside `watched`; otherwise it is not computed."""
    if (steps := _STEPS.get()) is not None:
        steps[step] = value()


def answer(
    output: object,
    row: Row,
    decides: Callable[[str], object] = str.strip,
    *,
    block: bool = False,
    order: Callable[[list[str]], list[str]] | None = None,
) -> str:
    """Return the final answer of an output: steps 1 and 2. Arguments as in `final_answer`."""
    text = strip_reasoning(output)
    part = final_answer(text, budget_of(row), decides, block=block, order=order)
    _note("strip_reasoning", lambda: text)
    _note("final_answer", lambda: part)
    _note("canonical", lambda: canonical(part))
    return part


def line(output: object, row: Row) -> str:
    """Return the line with the answer."""
    return first_line(answer(output, row))


def long_text(output: object, row: Row) -> str:
    """Return a long answer, such as a summary: the output without reasoning and headings, cut to the row's budget."""
    text = without_heading(strip_reasoning(output))[: budget_of(row)]
    _note("strip_reasoning", lambda: text)
    _note("canonical", lambda: canonical(text))
    return text


def chooses(
    output: object, row: Row, labels: Sequence[str], golds: set[str], aliases: Mapping[str, str] = MappingProxyType({})
) -> bool:
    """Return whether the final answer names exactly the right labels of a closed set.

    Args:
        output: model output.
        row: row with the answer budget.
        labels: labels of the set, including the right ones.
        golds: the right labels; if there are several, the answer may take several lines.
        aliases: other words for labels.
    """
    several, asked = len(golds) > 1, {"now", *COMPARING.findall((row.get("question") or "").lower())}

    def named(part: str) -> set[str]:
        return {aliases.get(label, label) for label in labels_in(part, [*labels, *aliases], several=several)}

    def order(sentences: list[str]) -> list[str]:
        """Order: bare labels (joined), sentences with "now" or a comparing word of the question, other sentences."""
        bare = [sentence for sentence in sentences if canonical(sentence) in known]
        return ["\n".join(bare), *sorted(sentences, key=lambda each: asked.isdisjoint(COMPARING.findall(each.lower())))]

    known = set(map(canonical, (*labels, *aliases)))
    part = answer(output, row, lambda part: len(named(part)) > several, block=several, order=order)
    found = named(part)
    _note("compare", lambda: f"names {sorted(found)}, right is {sorted(golds)}")
    return set(map(canonical, found)) == set(map(canonical, golds))


def choice_of_two(row: Row) -> tuple[list[str], list[str]] | None:
    """Return names of the right and the wrong answer, if the question is yes/no or offers two things."""
    answers = {canonical(answer) for answer in row["answers"]}
    if answers and answers <= YES_NO:
        return (list(YES), list(NO)) if answers & {*map(canonical, YES)} else (list(NO), list(YES))
    return offered(row["question"] or "", row["answers"])


def states(output: object, row: Row) -> bool:
    """Return whether the final answer states an accepted answer.

    A yes/no answer, or one of two things offered by the question, must be the only one named. Any other answer must
    occur as whole words.
    """
    if two := choice_of_two(row):
        right, wrong = two
        return chooses(output, row, [right[0], *wrong], {right[0]}, dict.fromkeys(right[1:], right[0]))
    part = answer(output, row)
    found = [gold for gold in row["answers"] if contains(part, gold) and not (is_list(part) and not is_list(gold))]
    _note("compare", lambda: f"contains {found}" if found else f"contains none of {row['answers']}")
    return bool(found)
