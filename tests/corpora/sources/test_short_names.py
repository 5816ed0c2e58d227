"""Names of people as their articles have them."""

from __future__ import annotations

import pytest

from corpora.sources.short_names import with_short_names


@pytest.mark.parametrize(
    ("accepted", "titles", "added"),
    [
        (("Julie Deborah Kavner",), ["Julie Kavner"], ("Julie Kavner",)),
        (("Geoffrey Dyson Palmer",), ["Geoffrey Palmer (actor)"], ("Geoffrey Palmer",)),
        (("Raúl Eduardo Esparza",), ["Raúl Esparza", "Raul Esparza"], ("Raúl Esparza", "Raul Esparza")),
        (("Julie Deborah Kavner", "julie kavner"), ["Julie Kavner"], ()),  # accepted as it is
        (("Julie Deborah Kavner",), ["Marge Simpson", "Julie", "Julie Kavner Smith"], ()),
        (("India and Pakistan Border",), ["India Border"], ()),  # no name: a small word
        (("John F. Kennedy",), ["Kennedy"], ()),
        ((), ["Julie Kavner"], ()),
    ],
)
def test_a_title_without_names_in_the_middle_is_accepted(
    accepted: tuple[str, ...], titles: list[str], added: tuple[str, ...]
) -> None:
    assert with_short_names(accepted, titles) == (*accepted, *added)
