"""Which accepted answers of a record are answers."""

from __future__ import annotations

import pytest

from corpora.sources.formats.fields import answers


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (["politician", "political leader", "polit.", "pol"], ("politician", "political leader", "pol")),
        (["lawyer", "Politician", "polit."], ("lawyer", "Politician")),
        (["Octopussy", "List of Bond girls in Octopussy"], ("Octopussy",)),
        (["M90 (disambiguation)", "M90", "Nadine Coyle discography"], ("M90",)),
        (["Oxford.", "Oxford", "U.S.", "Jr."], ("Oxford.", "Oxford", "U.S.", "Jr.")),
        (["English.", "French"], ("English.", "French")),
        (["List of kings"], ("List of kings",)),
        ([" ? ", "8"], ("8",)),
    ],
)
def test_names_of_pages_and_answers_cut_short_are_none(given: list[str], kept: tuple[str, ...]) -> None:
    assert answers(given, "here") == kept
