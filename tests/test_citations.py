"""Every citation of docs/spec and docs/defects names a page and a number that are there (docs/spec/README.md says how to cite)."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
_SECTION = r"(?:[A-E]\d?|\d+(?:\.\d+)*)(?!\w)"
_NUMBER = rf"(?:D\d+|A5 #\d+|{_SECTION})"
_CITED = re.compile(rf"docs/(?P<shelf>spec|defects)/(?P<name>[a-z]+)\.md(?: (?P<numbers>{_NUMBER}(?:, {_NUMBER})*))?")
_PAGE = re.compile(r"(?<![\w/.-])(?P<path>[\w./-]*spec/[a-z]+\.md)")
_FORMS = {
    "cite as docs/spec/NAME.md 8 or docs/spec/NAME.md 5.1, 7": re.compile(
        rf"docs/(?:spec|defects)/[a-z]+\.md (?:sections? |{_NUMBER}(?:, {_NUMBER})*(?: (?:and|to) |-){_NUMBER})|\b[Ss]pec (?:section )?\d"
    ),
    "cite what the repository holds": re.compile(r"\bdesign\.md\b|\b[Dd]esign(?:'s)? sections?\b|\b[Oo]ur study of\b"),
}
_BARE = re.compile(r"\(D\d{1,2}[,)]|\bA5 (?:#|no\. ?)\d")
_BEGINNINGS = ("spec", "defects/", "esign", "ur study", "(D", "A5")
"""Every form above contains one of these."""
_CODE = {".py", ".yaml", ".toml"}
_TEXT = _CODE | {".md", ".txt", ".json", ".j2", ""}


@cache
def numbers(shelf: str, name: str) -> frozenset[str]:
    """What a page's headings, or a defect page's lines, begin with; empty where there is no such page."""
    page = ROOT / f"docs/{shelf}/{name}.md"
    if not page.is_file():
        return frozenset()
    opening = rf"^#+ ({_SECTION})" if shelf == "spec" else rf"^\| ({_NUMBER})"
    return frozenset(re.findall(opening, page.read_text(encoding="utf-8"), re.MULTILINE))


def mistakes(text: str, path: Path) -> Iterator[str]:
    """What is wrong with the citations of a file; a citation may run over the end of a line."""
    text = re.sub(r"\s*\n\s*(?:# ?)?", " ", text) if any(each in text for each in _BEGINNINGS) else ""
    for fix, form in _FORMS.items():
        yield from (f"{found[0]!r}: {fix}" for found in form.finditer(text))
    for found in _PAGE.finditer(text):
        if not any((folder / found["path"]).is_file() for folder in (ROOT, path.parent)):
            yield f"{found['path']}: no such page"
    for found in _CITED.finditer(text):
        known = numbers(found["shelf"], found["name"])
        asked = found["numbers"].split(", ") if found["numbers"] else []
        yield from (f"{found[0]!r}: no {number} there" for number in asked if number not in known)
    if path.suffix in _CODE:
        yield from (f"{found[0]!r}: name the page" for found in _BARE.finditer(_CITED.sub("", text)))


def test_every_citation_can_be_looked_up() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    paths = [ROOT / name for name in listed.splitlines() if Path(name).suffix in _TEXT]
    texts = {path: path.read_text(encoding="utf-8") for path in paths if path.is_file() and path != Path(__file__)}
    assert sum(len(_CITED.findall(text)) for text in texts.values()) > 200
    assert [f"{path}: {what}" for path, text in texts.items() for what in mistakes(text, path)] == []


@pytest.mark.parametrize("suite", ["babilong", "helmet", "synthetic"])
def test_defects_stand_under_sections_that_exist(suite: str) -> None:
    """A defect without a number of its own (D8, A5 #1, 6.9.1) is found under a section of the suite's page of numbers."""
    own = {number for number in numbers("defects", suite) if re.match(r"D\d|A5 #|6\.9\.\d", number)}
    assert own
    assert numbers("defects", suite) - own <= numbers("spec", suite)
