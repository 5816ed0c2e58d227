"""The stream of draws: frozen for ever, unbiased, independent of order."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from haymaker.core import rng
from haymaker.core.rng import Stream, digest


def test_golden_draws() -> None:
    """These numbers are in every published release: they never change."""
    stream = Stream(20261120, "suite", "task", "group", "purpose")
    assert [stream.below(1000) for _ in range(8)] == GOLDEN_BELOW
    assert Stream(1, "a").shuffled(list(range(10))) == GOLDEN_SHUFFLE
    assert digest(1, "a").hex() == GOLDEN_DIGEST
    assert digest("ab", "c") != digest("a", "bc") and digest(1) != digest("1")


GOLDEN_BELOW = [685, 970, 5, 356, 494, 262, 965, 396]
GOLDEN_SHUFFLE = [4, 0, 7, 6, 2, 9, 3, 8, 1, 5]
GOLDEN_DIGEST = "e03cc775b713292bb41118c972dcd20a"


@given(st.integers(1, 2**64), st.integers())
def test_below_stays_below(n: int, key: int) -> None:
    assert 0 <= Stream(key).below(n) < n
    for wrong in (0, -n, 2**64 + n):
        with pytest.raises(ValueError, match="below"):
            Stream(1).below(wrong)


def test_draws_are_uniform_or_follow_their_weights() -> None:
    stream = Stream("uniform")
    counts = Counter(stream.below(7) for _ in range(70_000))
    assert all(abs(count - 10_000) < 400 for count in counts.values()), counts  # 4.3 standard deviations
    counts = Counter(stream.weighted("ab", (1, 3)) for _ in range(8_000))
    assert abs(counts["b"] - 6_000) < 200
    assert 0.0 <= stream.unit() < 1.0
    assert {stream.between(2, 3) for _ in range(50)} == {2, 3}


def one_by_one(stream: Stream, n: int) -> list[int]:
    items = list(range(n))
    for i in range(n - 1, 0, -1):
        j = stream.below(i + 1)
        items[i], items[j] = items[j], items[i]
    return items


@given(st.integers(0, 9), st.sampled_from([0, 1, 2, 250, 256, 257, 258, 263, 264, 265, 1000]), st.integers())
def test_many_draws_at_once_are_those_of_one_by_one(before: int, n: int, key: int) -> None:
    ours, theirs = Stream(key), Stream(key)
    assert [ours.word() for _ in range(before)] == [theirs.word() for _ in range(before)]
    assert ours.shuffled(range(n)) == one_by_one(theirs, n)
    assert [ours.word() for _ in range(9)] == [theirs.word() for _ in range(9)]


def test_a_draw_that_must_be_redone_is_redone_among_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once in 10**14 shuffles of a thousand; here by a hash that gives words of zeros first, of which Lemire's rule refuses those below a bound."""
    real = rng.blake2b

    class Zeros:
        def __init__(self, data: bytes = b"", **given: bytes) -> None:
            self._digest = real(data, **given).digest() if data != bytes(8) else bytes(64)

        def digest(self) -> bytes:
            return self._digest

    ours, theirs = Stream("zeros"), Stream("zeros")
    monkeypatch.setattr(rng, "blake2b", Zeros)
    assert ours.shuffled(range(1000)) == one_by_one(theirs, 1000)
    assert ours.word() == theirs.word() and ours._counter > -(-999 // 8), "some words were refused"


BULK = [4191533953880660382, 13820537360004845134, 11223131021922401516]
ORDER = [0, 7, 2, 3, 6, 1, 4, 5]


def test_bulk_by_heart_and_apart_from_single_draws() -> None:
    """Contents of releases hang on these numbers: a change is a new version of everything."""
    stream = Stream(1, "a")
    assert (stream.bulk(3).tolist(), stream.permutation(8).tolist()) == (BULK, ORDER)
    assert stream.word() == Stream(1, "a").word()


@given(st.integers(0, 500), st.integers())
def test_walks_and_permutations_are_such_and_samples_and_bulk_begin_alike(n: int, key: int) -> None:
    order = list(Stream(key).walk(n))
    assert sorted(order) == sorted(Stream(key).permutation(n).tolist()) == list(range(n))
    assert Stream(key).sample(range(n), n // 2) == order[: n // 2]
    assert Stream(key).bulk(n + 5).tolist()[:n] == Stream(key).bulk(n).tolist()
