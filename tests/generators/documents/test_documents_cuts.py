"""Cuts: always whole sentences in a row, within the budget, evidence inside, nested as budgets grow, as full as sentences allow."""

from __future__ import annotations

from array import array
from itertools import accumulate, pairwise

from hypothesis import given
from hypothesis import strategies as st

from generators.context.sentences import Run
from generators.documents import cuts, layout
from generators.documents.layout import Shown, Subject

SIZES = st.lists(st.one_of(st.integers(1, 60), st.integers(1, 700)), min_size=40, max_size=400)


def sums_of(sizes: list[int]) -> memoryview:
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


@given(case=cases(), budget=st.integers(1, 12_000), growth=st.floats(1.4, 4))
def test_a_window_is_inside_the_document_holds_the_evidence_and_is_full(
    case: tuple[memoryview, Run, Run, float], budget: int, growth: float
) -> None:
    """A larger budget holds the window of a smaller one."""
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
    large = cuts.window(sums, document, evidence, share, size + int((budget - size) * growth))
    assert large is not None and large.first <= run.first and run.last <= large.last


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


@given(library=libraries(), budget=st.integers(400, 3000), growth=st.floats(2, 4))  # a window of ten longest sentences
def test_documents_stand_whole_around_the_asked_one_and_longer_contexts_hold_shorter_ones(
    library: tuple[memoryview, list[Shown], Subject], budget: int, growth: float
) -> None:
    sums, others, subject = library
    whole = {each.doc_id: each.run for each in (*others, Shown(subject.doc_id, subject.document))}
    shown: list[tuple[Shown, ...]] = []
    for size in (budget, int(budget * growth)):
        place = layout.among(sums, subject, size, others, _mark, lambda run: run)
        if place is None:
            size_of_own = sums[subject.document.last] - sums[subject.document.first]
            assert subject.evidence is not None or size_of_own > 0.75 * (size - _mark("d0")) - 1
            return
        used = sum(_mark(each.doc_id) + sums[each.run.last] - sums[each.run.first] for each in place.shown)
        assert used <= size and place.missing in (0, size - used)
        assert len({each.doc_id for each in place.shown}) == len(place.shown)
        cut = [i for i, each in enumerate(place.shown) if i != place.at and each.run != whole[each.doc_id]]
        assert len(cut) <= 1 and set(cut) <= {0, len(place.shown) - 1}, "an outermost one"
        assert all(place.shown[i].run.first == whole[place.shown[i].doc_id].first for i in cut)
        assert not place.missing or len(place.shown) == len(whole)
        if subject.evidence is None:
            assert place.main == subject.document, "a beginning might lack the answer"
        else:
            assert place.main.first <= subject.evidence.first < place.main.last
        shown.append(place.shown)
    rest = iter(shown[1])
    for each in shown[0]:
        held = next((other for other in rest if other.doc_id == each.doc_id), None)
        assert held is not None, "a document is missing, or stands in another order"
        assert held.run.first <= each.run.first and each.run.last <= held.run.last
