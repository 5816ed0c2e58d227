"""Shortcut baselines that ignore most of the context: each returns an output for a row, and the text it has read."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from generators.spec import Row
from pipelines.checks.shortcuts.answer_formats import mentioned, named, of_part, of_piece, shown
from pipelines.checks.shortcuts.bm25_baselines import bm25_order, bm25_top1, option_overlap, random_order
from pipelines.checks.shortcuts.context_reader import bodies, whole_from, whole_until
from pipelines.checks.shortcuts.lengths import first_end, first_words, last_words
from pipelines.checks.shortcuts.markers import announced
from pipelines.checks.shortcuts.outliers import codes, odd_one
from pipelines.checks.shortcuts.questions import asked
from pipelines.checks.shortcuts.table_stats import (
    COUNTED,
    RANKED,
    BaselineAnswer,
    RowView,
    TableStats,
    by_letter,
    has_options,
    letter,
    names,
    opening,
)

TOKENS = 1000
"""Tokens read by `first_1k`, `last_1k` and `after_markers`."""
_LONG = 1000  # longer pieces, in characters, are cut to the output length

# -------------------------------------------------------------------------------------------------- context not read


def closed_book(seen: RowView, known: TableStats) -> BaselineAnswer:
    """Answer with the best constant of a closed answer set, or with the question; no output without a question."""
    question = asked(seen.row) if known.asks else ""
    if choices := seen.closed:
        return BaselineAnswer(choices[min(known.constant, len(choices) - 1)])
    return BaselineAnswer(question, question) if question else BaselineAnswer(None)


def majority(seen: RowView, known: TableStats) -> BaselineAnswer:
    """Answer with the most common answer parts of the other questions, as many as most of their answers have."""
    return _constant(seen.row, known, "")


def by_opening(seen: RowView, known: TableStats) -> BaselineAnswer:
    """Answer like `majority`, from questions with the same first two words; no output if all questions begin alike."""
    if len(set(known.openings.values())) < 2:
        return BaselineAnswer(None)
    return _constant(seen.row, known, opening(asked(seen.row)))


def question_alone(seen: RowView, known: TableStats) -> BaselineAnswer:
    """Answer with the most likely answer given the words of the question, learned from the other questions. No output
    if answers rarely repeat, all questions are the same, or each row has its own options.
    """
    row = seen.row
    if not known.asks or has_options(row) or RANKED & set(names(row)) or not known.learnt.can_learn:
        return BaselineAnswer(None)
    return BaselineAnswer(known.learnt.answer(row["group_id"]))


def _constant(row: Row, known: TableStats, begun: str) -> BaselineAnswer:
    if RANKED & set(names(row)):
        return BaselineAnswer(None)
    found = known.commonest(row["group_id"], begun)
    if found and has_options(row):
        known_ones = [choice for choice in found if choice in row["choices"]]
        return named(row, known_ones[:1] or row["choices"])
    return BaselineAnswer(", ".join(found[: known.size(row["group_id"])]) if found else None)


# ---------------------------------------------------------------------------------------------------- context skimmed


def last_mentioned(seen: RowView, known: TableStats) -> BaselineAnswer:
    """Answer with the choice mentioned last in the context."""
    return _mentioned(seen, last=True)


def first_mentioned(seen: RowView, known: TableStats) -> BaselineAnswer:
    """Answer with the choice mentioned first in the context."""
    return _mentioned(seen, last=False)


def _mentioned(seen: RowView, *, last: bool) -> BaselineAnswer:
    choices = seen.row["choices"]
    if not choices:
        return BaselineAnswer(None)
    found = mentioned(seen.folded, choices, last=last)
    return BaselineAnswer(letter(choices.index(found)) if found and by_letter(seen.row) else found)


def digit_finder(seen: RowView, known: TableStats) -> BaselineAnswer:
    """Answer with all numbers and codes of the context in the shape of the other answers, or with the longest ones. No
    output for closed answer sets.
    """
    return (
        BaselineAnswer(None)
        if seen.closed
        else BaselineAnswer(", ".join(codes(seen.text, known.shape(seen.row["group_id"]))))
    )


def odd_out(seen: RowView, known: TableStats) -> BaselineAnswer:
    """Answer with the sentence of the rarest words, or with the answer of the few-shot example that contains it."""
    odd = odd_one(seen.scan)
    if len(odd) > _LONG:
        odd = first_words(odd, known.tokenizer, seen.row["max_new_tokens"])
    if seen.marked and seen.marked[0].kind == "shot":
        unit = next((unit for unit in seen.marked if odd in unit.text), seen.marked[0])
        return BaselineAnswer(shown(seen.row, unit), unit.text, seen.share(len(unit.text)))
    return BaselineAnswer(of_piece(seen, odd), odd, seen.share(len(odd)))


def after_markers(seen: RowView, known: TableStats) -> BaselineAnswer:
    """Answer with the text after colons and after lead-ins that recur in the table, up to the usual length of answers,
    or with the choice in it; no output for counts and rankings.
    """
    if (COUNTED | RANKED) & set(names(seen.row)):
        return BaselineAnswer(None)
    found = first_words(" ".join(announced(bodies(seen.row), known.lead_ins)), known.tokenizer, TOKENS)
    said = found if seen.closed else " ".join(found.split()[: known.answer_words(seen.row["group_id"])])
    return BaselineAnswer(of_piece(seen, said), found, seen.share(len(found)))


# ---------------------------------------------------------------------------------------------- context partly read


def first_1k(seen: RowView, known: TableStats) -> BaselineAnswer:
    """Answer from the first 1,000 tokens."""
    return _part(seen, known, 0, first_end(seen.scan, known.tokenizer, TOKENS))


def last_1k(seen: RowView, known: TableStats) -> BaselineAnswer:
    """Answer from the last 1,000 tokens."""
    return _part(seen, known, last_words(seen.scan, known.tokenizer, TOKENS), len(seen.text))


def first_half(seen: RowView, known: TableStats) -> BaselineAnswer:
    """Answer from the first half of the context."""
    middle = len(seen.text) // 2
    return _part(seen, known, 0, whole_until(seen.text, middle, seen.marked, seen.row["context_start"]))


def _part(seen: RowView, known: TableStats, first: int, last: int) -> BaselineAnswer:
    """Answer from a part of the context: with the oracle on a prompt with this part, or from its units or words."""
    read, share = seen.text[first:last], seen.share(last - first)
    if known.solve:
        said = _solved(seen, known.solve, first, last)
        return BaselineAnswer(
            said or "", read if said is None else None, share
        )  # with an oracle, no search for answer words
    start = seen.row["context_start"]
    there = [unit for unit in seen.marked if unit.end > start + first and unit.start < start + last]
    return BaselineAnswer(of_part(seen, read, there), read, share)


def _solved(seen: RowView, solve: Callable[[str], list[str] | None], first: int, last: int) -> str | None:
    """Return the oracle answer for whole units of a part, "" if none; None if the oracle cannot read a partial text."""
    row, start = seen.row, seen.row["context_start"]
    first = whole_from(seen.text, first, seen.marked, start) if first else 0
    last = whole_until(seen.text, last, seen.marked, start) if last < len(seen.text) else last
    prompt = row["prompt"]
    try:
        found = solve(prompt[:start] + seen.text[first:last] + prompt[row["context_end"] :])
    except Exception:  # a solver may fail in any way on such a text
        return None
    return found[0] if found else ""


CHEATS: Mapping[str, Callable[[RowView, TableStats], BaselineAnswer]] = {
    "closed_book": closed_book,
    "majority": majority,
    "by_opening": by_opening,
    "question_alone": question_alone,
    "last_mentioned": last_mentioned,
    "first_mentioned": first_mentioned,
    "first_1k": first_1k,
    "last_1k": last_1k,
    "first_half": first_half,
    "digit_finder": digit_finder,
    "odd_out": odd_out,
    "after_markers": after_markers,
    "bm25_top1": bm25_top1,
    "option_overlap": option_overlap,
    "bm25_order": bm25_order,
    "random_order": random_order,
}
