"""Cuts: always whole sentences in a row, within the budget, evidence inside, nested as budgets grow, as full as sentences allow."""

from __future__ import annotations

from itertools import accumulate, pairwise

from hypothesis import given
from hypothesis import strategies as st

from generators.context.sentences import Run
from generators.documents import cuts, layout
from generators.documents.layout import Shown, Subject

SIZES = st.lists(st.one_of(st.integers(1, 60), st.integers(1, 700)), min_size=40, max_size=400)


def sums_of(sizes: list[int]) -> memoryview:
    from array import array

    return memoryview(array("q", accumulate(sizes, initial=0)))


@st.composite
def cases(draw: st.DrawFn) -> tuple[memoryview, Run, Run, float]:
    """A document that does not begin with the store's first unit, evidence in it, a share."""
    sizes = draw(SIZES)
    first = draw(st.integers(0, 10))
    last = len(sizes) - draw(st.integers(0, 10))
    begin = draw(st.integers(first, last - 1))
    end = draw(st.integers(begin + 1, min(last, begin + 12)))
    return sums_of(sizes), Run(first, last), Run(begin, end), draw(st.floats(0.1, 0.9))


@given(case=cases(), budget=st.integers(1, 12_000))
def test_a_window_is_inside_the_document_holds_the_evidence_and_is_full(
    case: tuple[memoryview, Run, Run, float], budget: int
) -> None:
    sums, document, evidence, share = case
    run = cuts.window(sums, document, evidence, share, budget)
    size = sums[evidence.last] - sums[evidence.first]
    if run is None:
        assert size > budget
        return
    assert document.first <= run.first <= evidence.first < evidence.last <= run.last <= document.last
    left = budget - (sums[run.last] - sums[run.first])
    assert left >= 0
    behind = sums[run.last + 1] - sums[run.last] if run.last < document.last else 0
    before = sums[run.first] - sums[run.first - 1] if run.first > document.first else 0
    assert left < behind + before or (behind, before) == (0, 0), "a sentence more on each side fits"


@given(case=cases(), budget=st.integers(50, 9_000), growth=st.floats(1.4, 4))
def test_a_larger_budget_holds_the_window_of_a_smaller_one(
    case: tuple[memoryview, Run, Run, float], budget: int, growth: float
) -> None:
    sums, document, evidence, share = case
    size = sums[evidence.last] - sums[evidence.first]
    small = cuts.window(sums, document, evidence, share, size + budget)
    large = cuts.window(sums, document, evidence, share, size + int(budget * growth))
    assert small is not None and large is not None
    assert large.first <= small.first and small.last <= large.last


def test_shares_decide_where_the_evidence_stands() -> None:
    sums = sums_of([20] * 2000)
    for share in (0.1, 0.5, 0.9):
        run = cuts.window(sums, Run(0, 2000), Run(1000, 1001), share, 10_020)
        assert run is not None
        assert abs((1000 - run.first) * 20 / 10_000 - share) < 0.03
        assert run.last - run.first == 501


def test_starts_are_tried_so_that_little_stays_empty() -> None:
    """By heart: a single start would leave 12 of 1,000 tokens on average, the best of those tried about 2."""
    sizes = [31, 17, 41, 23, 7] * 60
    sums = sums_of(sizes)
    left = [
        1000 - (sums[run.last] - sums[run.first])
        for at in range(100, 200)
        if (run := cuts.window(sums, Run(0, 300), Run(at, at + 1), 0.5, 1000)) is not None
    ]
    assert len(left) == 100
    assert sum(left) / len(left) < 2.5
    assert cuts.beginning(sums, Run(0, 300), 999) == Run(0, 41)
    assert 999 - sums[41] == 16


def test_where_the_document_ends_the_other_side_takes_the_rest() -> None:
    sums = sums_of([10] * 100)
    assert cuts.window(sums, Run(0, 100), Run(2, 3), 0.5, 200) == Run(0, 20)
    assert cuts.window(sums, Run(0, 100), Run(97, 98), 0.5, 200) == Run(80, 100)
    assert cuts.window(sums, Run(0, 100), Run(50, 51), 0.5, 5000) == Run(0, 100)
    assert cuts.window(sums, Run(0, 100), Run(50, 60), 0.5, 100) == Run(50, 60)
    assert cuts.window(sums, Run(0, 100), Run(50, 60), 0.5, 99) is None


# ------------------------------------------------------------------------------------------------------ among others


@st.composite
def libraries(draw: st.DrawFn) -> tuple[memoryview, list[Shown], Subject]:
    sizes = [draw(st.lists(st.integers(1, 40), min_size=3, max_size=80)) for _ in range(draw(st.integers(3, 8)))]
    bounds = list(accumulate(map(len, sizes), initial=0))
    documents = [Shown(f"d{i}", Run(a, b)) for i, (a, b) in enumerate(pairwise(bounds))]
    main = documents[0]
    at = draw(st.integers(main.run.first, main.run.last - 1))
    evidence = draw(st.sampled_from([None, Run(at, at + 1)]))
    subject = Subject(main.doc_id, main.run, evidence, draw(st.floats(0.1, 0.9)), draw(st.floats(0, 1)))
    return sums_of([size for each in sizes for size in each]), documents[1:], subject


def _mark(doc: str) -> int:
    return 5 + int(doc[1:])


def _as_it_is(run: Run) -> Run:
    return run


@given(library=libraries(), budget=st.integers(400, 3000), growth=st.floats(2, 4))  # a window of ten longest sentences
def test_documents_stand_whole_around_the_asked_one_and_longer_contexts_hold_shorter_ones(
    library: tuple[memoryview, list[Shown], Subject], budget: int, growth: float
) -> None:
    sums, others, subject = library
    layouts = [layout.among(sums, subject, size, others, _mark, _as_it_is) for size in (budget, int(budget * growth))]
    whole = {each.doc_id: each.run for each in (*others, Shown(subject.doc_id, subject.document))}
    for place, size in zip(layouts, (budget, int(budget * growth)), strict=True):
        if place is None:
            size_of_own = sums[subject.document.last] - sums[subject.document.first]
            assert subject.evidence is not None or size_of_own > 0.75 * (size - _mark("d0")) - 1
            return
        used = sum(_mark(each.doc_id) + sums[each.run.last] - sums[each.run.first] for each in place.shown)
        assert used <= size
        assert len({each.doc_id for each in place.shown}) == len(place.shown)
        cut = [i for i, each in enumerate(place.shown) if i != place.at and each.run != whole[each.doc_id]]
        assert len(cut) <= 1
        assert all(
            i in (0, len(place.shown) - 1) and place.shown[i].run.first == whole[place.shown[i].doc_id].first
            for i in cut
        )
        assert place.missing in (0, size - used)
        if place.missing:
            assert len(place.shown) == len(whole)
        if subject.evidence is None:
            assert place.main == subject.document, "a beginning might lack the answer"
        else:
            assert place.main.first <= subject.evidence.first < place.main.last
    shorter, longer = (found.shown for found in layouts if found is not None)
    rest = iter(longer)
    for each in shorter:
        held = next((other for other in rest if other.doc_id == each.doc_id), None)
        assert held is not None, "a document is missing, or stands in another order"
        assert held.run.first <= each.run.first and each.run.last <= held.run.last
