"""Pieces add up: sums of parts equal the count of the finished text, for any pieces in any order, closed and flush or not.

Rows: the words around a context are counted with it, exactly; columns point where they say.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.stores.passages.store import OPENER, SEPARATOR, unit
from corpora.tokenizers import tokenizer
from corpora.tokenizers.tokenizer import Tokenizer
from generators.context.context import Context
from generators.context.pieces import Pieces, UnitColumns, closed
from generators.context.units import Numbers, PrefixedUnits, Units
from generators.context.writer import RowWriter
from generators.spec import Table, TaskSpec
from generators.task import Task
from haymaker.core.errors import BuildError, TokenizerError
from haymaker.core.params import ReleaseParams

TOKENIZERS = [tokenizer.load("tekken"), tokenizer.load("gpt2")]
STOCK = [
    " a", " The end.", " 1234567.", " naïve café", " “quoted”", ' "key":', " 中文，句子。", " x\n\ny", " don't", " 🙂 ok", " -", " 0",
    " new-york is", " f(x):\n\treturn", " 12, 34", " tail\nThe",
]  # fmt: skip
PIECES = Pieces(STOCK, TOKENIZERS)
ORDERS = st.lists(st.integers(0, len(STOCK) - 1), max_size=12)
RELEASE = ReleaseParams(
    name="tiny", version="0.1.0", title="Tiny", seed=7, edition="simulated", language="en", reserved_template_tokens=64,
    reserved_output_tokens=None,
)  # fmt: skip
SPEC = TaskSpec("task", Task, "Task", "recall", ("m@strict",), 20, version=3, stop=("\n",))
TABLE = Table("synthetic", "entry", "1k", "test", 1)


def exact(strip: UnitColumns, text: str) -> None:
    assert strip.text().decode() == text
    assert [int(t.sum()) for t in strip.tokens] == [t.count_part(text) for t in TOKENIZERS]
    assert int(strip.characters.sum()) == len(text)
    assert int(strip.words.sum()) == len(text.split())
    sums = strip.sums()
    assert len(sums) == len(strip) + 1
    assert sums[0] == 0
    assert sums[len(strip)] == int(strip.tokens[0].sum())


def right(context: Context) -> None:
    text = context.text.decode()
    assert context.tokens == tuple(t.count_part(text) for t in TOKENIZERS)
    assert (context.characters, context.words) == (len(text), len(text.split()))
    assert [[str(part) for part in parts] for parts in context.parts()] == [[text], [text]]


@given(ORDERS, ORDERS, st.lists(st.tuples(st.integers(0, 15), st.integers(0, 15)), max_size=8))
def test_strips_are_the_sum_of_their_pieces(a: list[int], b: list[int], pairs: list[tuple[int, int]]) -> None:
    """Each alone, one after the other, side by side, in another order."""
    exact(PIECES.strip(a), "".join(STOCK[i] for i in a))
    exact(PIECES.strip(a) + PIECES.strip(b), "".join(STOCK[i] for i in a + b))
    both = PIECES.strip([a for a, _ in pairs]).beside(PIECES.strip([b for _, b in pairs]))
    exact(both, "".join(STOCK[a] + STOCK[b] for a, b in pairs))
    order = sorted(range(len(pairs)), key=lambda i: (pairs[i], i))[::-1]
    exact(both.ordered(order), "".join(STOCK[pairs[i][0]] + STOCK[pairs[i][1]] for i in order))


def test_each_piece_is_tokenised_once_and_only_when_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    pieces = Pieces(STOCK, TOKENIZERS[:1])
    seen: list[str] = []
    count_units = Tokenizer.count_units
    monkeypatch.setattr(Tokenizer, "count_units", lambda self, units: count_units(self, seen_all(units, seen)))
    pieces.strip([3, 1, 3])
    pieces.tokens([1, 3, 2])
    assert seen == [STOCK[1], STOCK[3], STOCK[2]]


def seen_all(units: Sequence[str], seen: list[str]) -> list[str]:
    seen.extend(taken := list(units))
    return taken


@pytest.mark.parametrize("text", ["no space", "  two", " ends ", " line\n"])
def test_a_piece_that_does_not_add_up_is_refused(text: str) -> None:
    with pytest.raises(TokenizerError, match="does not add up"):
        Pieces([text], TOKENIZERS).strip([0])


# ---------------------------------------------------------------------------------------------------------------- rows


def writer() -> RowWriter:
    return RowWriter("synthetic", SPEC, RELEASE, TOKENIZERS)


@pytest.mark.parametrize("answers", [[], [""], [" ", "\n"]])
def test_a_row_without_an_answer_is_refused(answers: list[str]) -> None:
    frame, context = writer().frame("Go:", "Answer:", cue="Answer:"), closed(PIECES.strip([0]), "", TOKENIZERS)
    with pytest.raises(BuildError, match="g has no answer, reference or output constraint"):
        writer().sample(TABLE, "g", frame, context, [5] * len(TOKENIZERS), question="", answers=answers, metadata={})


@given(ORDERS.filter(bool), st.sampled_from(["Read this.\n\n<text>\n", "Go:", "x\n\nThe"]), st.booleans())
def test_head_context_and_tail_are_counted_as_one(order: list[int], head: str, is_flush: bool) -> None:
    row_writer = writer()
    context = closed(PIECES.strip(order), "", TOKENIZERS)
    context = context.flush(TOKENIZERS) if is_flush else context
    right(context)
    frame = row_writer.frame(head, "\n\nWhat?\nAnswer:", cue="Answer:")
    text = f"{head}{context.text.decode()}\n\nWhat?\nAnswer:"
    assert row_writer.count(frame, context.parts()) == [t.count(text) for t in TOKENIZERS]
    assert frame.tokens_before == TOKENIZERS[0].count(head)
    assert frame.start == len(head)


def test_fitting_goes_on_with_less_until_the_whole_fits() -> None:
    """The filler takes more tokens than it was given, twice: a budget is not a promise."""
    row_writer, frame = writer(), writer().frame("Head\n", "\ntail", cue="tail")
    budgets: list[int] = []

    def fill(budget: int) -> tuple[int, Context]:
        budgets.append(budget)
        count = budget + 7 * len(budgets) if len(budgets) < 3 else budget
        return count, closed(Pieces([" a"], TOKENIZERS).strip([0] * count), "", TOKENIZERS)

    _, context, counts = row_writer.fitted(TABLE, frame, fill)
    assert len(budgets) == 3
    assert budgets[0] > budgets[1] > budgets[2]
    assert counts[0] <= row_writer.room(TABLE)
    assert counts[0] == TOKENIZERS[0].count(f"Head\n{context.text.decode()}\ntail")
    assert row_writer.is_full(TABLE, [row_writer.room(TABLE) - 5])
    assert not row_writer.is_full(TABLE, [row_writer.room(TABLE) - 6])


ENDING = SEPARATOR + OPENER
WORDS = st.lists(st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1, max_size=8), min_size=1, max_size=9)
TEKKEN = tokenizer.load("tekken")
TEXTS = st.lists(st.tuples(WORDS.map(" ".join) | st.just(""), WORDS.map(" ".join)), min_size=1, max_size=12)


def units_of(texts: list[tuple[str, str]], pattern: str = "") -> Units:
    """Passages as units, as few of them read as a context needs."""
    shown = [unit(title, text) for title, text in texts]
    leads = [f" (Title: {title}):" if title else "" for title, _ in texts]
    counts = np.array(TEKKEN.count_units(shown), dtype=np.int64)

    def first(count: int) -> PrefixedUnits:
        characters, tokens = map(len, leads[:count]), map(TEKKEN.count_part, leads[:count])
        sizes = (np.fromiter(values, dtype=np.int64) for values in (characters, tokens))
        return PrefixedUnits(Pieces(shown[:count], [TEKKEN], [counts[:count]]), *sizes)

    return Units(first, counts, [TEKKEN], ENDING, Numbers(pattern, [TEKKEN]) if pattern else None)


@given(TEXTS, st.booleans(), st.randoms(use_true_random=False), st.sampled_from(["", "Find it.\n\n", "é: "]))
def test_joined_and_counted_exactly(texts: list[tuple[str, str]], numbered: bool, random: object, before: str) -> None:
    units, built = [unit(title, text) for title, text in texts], units_of(texts, " [{n}]" if numbered else "")
    order = list(range(len(texts)))
    random.shuffle(order)  # type: ignore[attr-defined]
    head, tail = before + OPENER, f"{SEPARATOR}Question: who?\nAnswer:"

    context = built.context(order)
    marks = [f" [{n}]" if numbered else "" for n in range(1, len(order) + 1)]
    expected = "".join(mark + units[i] for mark, i in zip(marks, order, strict=True)).removesuffix(ENDING)
    assert context.text.decode() == expected
    assert (context.characters, context.words) == (len(expected), len(expected.split()))
    assert [expected[a:b] for a, b in zip(context.starts, context.ends, strict=True)] == [texts[i][1] for i in order]
    assert context.tokens == (TEKKEN.count_part(expected),)
    assert list(context.token_starts) == [TEKKEN.count_part(expected[: start - 1]) for start in context.starts]
    for [parts] in (built.edges(order), context.parts()):
        assert TEKKEN.joined([TEKKEN.part(head), *parts, TEKKEN.part(tail)]) == TEKKEN.count(head + expected + tail)


def test_a_question_is_let_go_of_at_once() -> None:
    """Its thousands of texts must not wait until Python looks for cycles."""
    built = units_of([("", "one two")])
    built.context([0])
    gone = weakref.ref(built)
    gc.disable()
    try:
        del built
        assert gone() is None
    finally:
        gc.enable()
