"""The version of the package, the changelog, the citation file and the git tags agree."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from haymaker import __version__
from haymaker.core.files.yaml_file import read_yaml

ROOT = Path(__file__).parents[1]
SECTIONS = re.findall(
    r"^## (\d+\.\d+\.\d+) \((\d{4}-\d{2}-\d{2})\)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE
)


def numbers(version: str) -> list[int]:
    return [int(number) for number in version.split(".")]


def test_the_package_has_the_version_of_the_newest_section() -> None:
    versions, dates = [version for version, _ in SECTIONS], [date for _, date in SECTIONS]
    assert versions[0] == __version__
    assert versions == sorted(versions, key=numbers, reverse=True) and dates == sorted(dates, reverse=True)


def test_the_citation_has_the_version_of_the_package() -> None:
    citation = read_yaml(ROOT / "CITATION.cff")
    assert (citation["version"], citation["cff-version"]) == (__version__, "1.2.0")


def test_every_tag_has_a_section() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("NOT RUN: no git history here")
    done = subprocess.run(["git", "tag", "--list", "v*"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert {tag.removeprefix("v") for tag in done.stdout.split()} <= {version for version, _ in SECTIONS}
