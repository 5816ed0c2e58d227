"""Ways to answer without reading the context: each makes an output from a finished row, and says what it has read."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from generators.spec import Row
from pipelines.checks.shortcuts.answer_formats import mentioned, named, of_part, of_piece, shown
from pipelines.checks.shortcuts.context_reader import whole_from, whole_until
from pipelines.checks.shortcuts.lengths import first_end, first_words, last_words
from pipelines.checks.shortcuts.outliers import codes, odd_one
from pipelines.checks.shortcuts.questions import asked
from pipelines.checks.shortcuts.search import bm25_order, bm25_top1, option_overlap, random_order
from pipelines.checks.shortcuts.table_stats import (
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
"""Of the first and of the last part."""
_LONG = 1000  # characters of what is more than a sentence

# ------------------------------------------------------------------------------------------------- nothing is read


def closed_book(seen: RowView, known: TableStats) -> BaselineAnswer:
    """The question's own words; of a closed set the best constant. Nothing where there is no question."""
    question = asked(seen.row) if known.asks else ""
    if choices := seen.closed:
        return BaselineAnswer(choices[min(known.constant, len(choices) - 1)])
    return BaselineAnswer(question, question) if question else BaselineAnswer(None)


def majority(seen: RowView, known: TableStats) -> BaselineAnswer:
    """What the table's other questions are most often answered by: as many parts as most of their answers have."""
    return _constant(seen.row, known, "")


def by_opening(seen: RowView, known: TableStats) -> BaselineAnswer:
    """The same, of the other questions that begin with the same two words; nothing where all begin alike."""
    if len(set(known.openings.values())) < 2:
        return BaselineAnswer(None)
    return _constant(seen.row, known, opening(asked(seen.row)))


def question_alone(seen: RowView, known: TableStats) -> BaselineAnswer:
    """The likeliest answer by the words of the question, learnt from the other questions. Nothing where answers hardly come again, questions
    are all the same, or each row has options of its own.
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


# -------------------------------------------------------------------------------------- skimmed, without its sense


def last_mentioned(seen: RowView, known: TableStats) -> BaselineAnswer:
    """Of the row's choices the one that stands last in the context."""
    return _mentioned(seen, last=True)


def first_mentioned(seen: RowView, known: TableStats) -> BaselineAnswer:
    """The one that stands first."""
    return _mentioned(seen, last=False)


def _mentioned(seen: RowView, *, last: bool) -> BaselineAnswer:
    choices = seen.row["choices"]
    if not choices:
        return BaselineAnswer(None)
    found = mentioned(seen.folded, choices, last=last)
    return BaselineAnswer(letter(choices.index(found)) if found and by_letter(seen.row) else found)


def digit_finder(seen: RowView, known: TableStats) -> BaselineAnswer:
    """Every number or code of the context that has the shape of the other questions' answers, or else the longest ones. Nothing to a
    row with choices.
    """
    return (
        BaselineAnswer(None)
        if seen.closed
        else BaselineAnswer(", ".join(codes(seen.text, known.shape(seen.row["group_id"]))))
    )


def odd_out(seen: RowView, known: TableStats) -> BaselineAnswer:
    """The sentence least like the others; of shots the one whose words are rarest."""
    odd = odd_one(seen.scan)
    if len(odd) > _LONG:
        odd = first_words(odd, known.tokenizer, seen.row["max_new_tokens"])
    if seen.marked and seen.marked[0].kind == "shot":
        unit = next((unit for unit in seen.marked if odd in unit.text), seen.marked[0])
        return BaselineAnswer(shown(seen.row, unit), unit.text, seen.share(len(unit.text)))
    return BaselineAnswer(of_piece(seen, odd), odd, seen.share(len(odd)))


# ------------------------------------------------------------------------------------------------ a part is read


def first_1k(seen: RowView, known: TableStats) -> BaselineAnswer:
    """The first 1,000 tokens."""
    return _part(seen, known, 0, first_end(seen.scan, known.tokenizer, TOKENS))


def last_1k(seen: RowView, known: TableStats) -> BaselineAnswer:
    """The last 1,000 tokens."""
    return _part(seen, known, last_words(seen.scan, known.tokenizer, TOKENS), len(seen.text))


def first_half(seen: RowView, known: TableStats) -> BaselineAnswer:
    """The first half of the context."""
    middle = len(seen.text) // 2
    return _part(seen, known, 0, whole_until(seen.text, middle, seen.marked, seen.row["context_start"]))


def _part(seen: RowView, known: TableStats, first: int, last: int) -> BaselineAnswer:
    """What the oracle says to the prompt with this part for its context; without an oracle what the part's units say, or its words."""
    read, share = seen.text[first:last], seen.share(last - first)
    if known.solve:
        said = _solved(seen, known.solve, first, last)
        return BaselineAnswer(
            said or "", read if said is None else None, share
        )  # who understood needs not look for words
    start = seen.row["context_start"]
    there = [unit for unit in seen.marked if unit.end > start + first and unit.start < start + last]
    return BaselineAnswer(of_part(seen, read, there), read, share)


def _solved(seen: RowView, solve: Callable[[str], list[str] | None], first: int, last: int) -> str | None:
    """Its answer to whole units of the part, "" without one; None where it cannot read a text that is not whole, such as half an object."""
    row, start = seen.row, seen.row["context_start"]
    first = whole_from(seen.text, first, seen.marked, start) if first else 0
    last = whole_until(seen.text, last, seen.marked, start) if last < len(seen.text) else last
    prompt = row["prompt"]
    try:
        found = solve(prompt[:start] + seen.text[first:last] + prompt[row["context_end"] :])
    except Exception:  # whatever a solver makes of such a text
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
    "bm25_top1": bm25_top1,
    "option_overlap": option_overlap,
    "bm25_order": bm25_order,
    "random_order": random_order,
}
