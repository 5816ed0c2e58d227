"""Edit similarity: RapidFuzz's indel ratio, worked out by hand."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from haymaker.core.text.similarity import similar, similarity


def test_by_hand() -> None:
    assert similarity("abcd", "abxd") == 75.0  # one deletion and one insertion among eight characters
    assert similarity("abcd", "abcd") == 100.0
    assert similarity("abcd", "") == similarity("ab", "cd") == 0.0


@given(
    text=st.text("ab c", max_size=9),
    others=st.lists(st.text("ab c", max_size=9)),
    percent=st.sampled_from([50.0, 80.0]),
)
def test_the_search_leaves_none_out(text: str, others: list[str], percent: float) -> None:
    assert similar(text, others, percent) == [each for each in others if similarity(text, each) >= percent]
