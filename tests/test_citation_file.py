"""The citation file of the software."""

from __future__ import annotations

from pathlib import Path

from haymaker import __version__
from haymaker.core.files.yaml_file import read_yaml

CITATION = Path(__file__).parents[1] / "CITATION.cff"


def test_the_citation_has_the_version_of_the_package() -> None:
    citation = read_yaml(CITATION)
    assert citation["version"] == __version__
    assert citation["cff-version"] == "1.2.0"
    assert citation["authors"] == [{"name": "The Haymaker developers"}]
