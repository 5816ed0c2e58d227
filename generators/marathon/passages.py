"""Marathon's passage retrieval: find the paragraph of a summary among four (docs/spec/marathon.md 1, 3.2).

The wrong options are the paragraphs that are nearest to the summary by BM25. They are in the row at every length and at drawn depths,
like the right one, so neither number nor place distinguishes it. The options are rotated four times over the same text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from generators.context.checks import after_context, asked_after
from generators.documents.prompts import LETTERS, accepted, listed, listed_in
from generators.marathon import leaks, letters
from generators.marathon.letters import MAX_NEW_TOKENS, METRICS, OPTIONS
from generators.pages import checks, oracle
from generators.pages.find import FindKind, FindParagraph
from generators.spec import Candidate, Row, TaskSpec
from haymaker.core.errors import ParamsError
from haymaker.core.rows.row_checks import Check

_RIGHT = OPTIONS - 1  # index of the right paragraph in `places`


class FourOptions:
    """Four names of paragraphs, one of them right; `places` are the places of the wrong paragraphs, then of the right one."""

    measures = staticmethod(leaks.measures)

    def __init__(self, task: FindParagraph) -> None:
        self._task = task
        if task.settings.natural_passages < OPTIONS:
            where = f"{task.entry.where}: natural_passages"
            raise ParamsError(f"fewer than {OPTIONS} paragraphs", where=where, fix=f"give {OPTIONS} or more")

    def _choices(self, candidate: Candidate, places: Sequence[int], variant: int) -> tuple[list[str], int]:
        """The options of a candidate, rotated by `variant` letters, and the index of the right one."""
        task, (block, at) = self._task, divmod(candidate.number, OPTIONS)  # each letter once in every four candidates
        letter = task.stream(task.spec.name, candidate.split, "letters", block).permutation(OPTIONS)[at]
        shown = task.draws(candidate, "options").shuffled(range(_RIGHT))
        shown.insert(int(letter), _RIGHT)
        shown = letters.moved(shown, variant)
        return [task.named(places[each]) for each in shown], shown.index(_RIGHT)

    def request(self, candidate: Candidate, places: Sequence[int], variant: int) -> str:
        texts = self._task.words
        summary = texts["input"].replace("{summary}", self._task.question(candidate))
        options = "\n".join([texts["question"], *listed(self._choices(candidate, places, variant)[0])])
        return f"{summary}\n\n{options}\n\n{texts['demand']}"

    def answered(self, candidate: Candidate, places: Sequence[int], variant: int) -> dict[str, Any]:
        choices, right = self._choices(candidate, places, variant)
        return {
            "answers": self._accepted(LETTERS[right], choices[right]), "choices": choices, "answer_index": right,
            "order_index": variant, "point": f"r{variant}", "options_reviewed_by": "auto",
        }  # fmt: skip

    def _accepted(self, letter: str, choice: str) -> list[str]:
        return accepted(self._task.words["form"], letter, choice)

    def problems(self, row: Row, name: str) -> Iterator[str]:
        at = row["answer_index"]
        if row["choices"][at] != name or row["answers"] != self._accepted(LETTERS[at], name):
            yield f"the gold is {name}, the answer {row['answers'][-1]}"
        if listed_in(after_context(row)) != list(zip(LETTERS, row["choices"], strict=False)):
            yield "the options are not shown in order, each after its letter"
        yield from asked_after(row, row["question"], self._task.words["demand"])
        kinds = checks.spans(row).column("kind")
        marked = {self._task.named(place) for place, kind in enumerate(kinds) if kind != "passage"}
        if set(row["choices"]) != marked or len(marked) != OPTIONS:
            yield "the options are not the four paragraphs that are marked"
        yield from letters.misnumbered(row, self._task.variants)


_CLEAN = "every paragraph is a distractor that the answer, a letter, cannot stand in"
_spec = partial(
    TaskSpec, task=FindParagraph, category="passage-retrieval", metrics=METRICS, max_new_tokens=MAX_NEW_TOKENS,
    prompts=Path(__file__).with_suffix(".yaml"), defaults=MappingProxyType({"rotations": 4}),
    ends="where the passages of a split end, or 32,768 of a larger corpus",
)  # fmt: skip

TASKS: tuple[TaskSpec, ...] = (
    _spec(
        "passage_retrieval", title="Which of four paragraphs, those nearest by words, a summary was written from",
        version=2, wording="find", imitates="Marathon", kind=FindKind(options=FourOptions),
        skips=MappingProxyType({Check.CLEAN: _CLEAN, Check.ORACLE: "the summary is in other words than its paragraph"}),
    ),
    _spec(
        "passage_retrieval_extractive", title="Which of four paragraphs a quotation is from (words that both share find all)",
        wording="extract", kind=FindKind(quoted=True, options=FourOptions), variant="extractive", version=3, solver=oracle.choose,
        skips=MappingProxyType({Check.CLEAN: _CLEAN}),
    ),
)  # fmt: skip
