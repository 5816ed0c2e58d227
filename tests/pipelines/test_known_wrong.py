"""What readers found wrong stays out of every set that would ask it (docs/reference/gold.md)."""

from __future__ import annotations

import pytest

from corpora.sources.reviews import reviews_of

WRONG = {
    "hotpotqa": ["test-00014", "test-00016", "test-00031", "test-00056", "test-00078", "test-00089", "test-00099"],
    "musique": """
        3hop1__856756_805246_131877 2hop__337205_776856 2hop__145018_36340 2hop__215852_404718 2hop__116292_423632
        2hop__42998_81842 2hop__357901_62671 3hop1__144142_643936_36283 2hop__767756_134798 2hop__334380_326459
        4hop3__566317_578030_464129_41384 2hop__84565_51122 2hop__64274_724161 2hop__65690_85374 2hop__639451_47353
        2hop__116027_376978 2hop__584872_368521 3hop1__373039_652332_84045 3hop1__287390_555629_70752
        2hop__105720_57695 2hop__349407_12907 2hop__6584_6587 3hop1__159068_84298_53741 2hop__799102_160837
        2hop__130085_65406
    """.split(),
}
"""Ids; what is wrong with each stands in the file of reviews."""


@pytest.mark.parametrize("name", sorted(WRONG))
def test_known_wrong_golds_are_left_out_of_every_set(name: str) -> None:
    assert set(reviews_of(f"{name}_mirror")[name].leave_out) >= set(WRONG[name])
