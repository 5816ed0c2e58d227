"""The pages and the site: links, citations, commands, parameter files, navigation; generated pages are those that the code gives."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.main import get_command

from devtools import site_source
from devtools.reference_pages import pages
from haymaker.cli.app import app
from pipelines.project import Project

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])
LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCE = re.compile(r"^ *```(\w*)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
COMMAND = re.compile(r"^(?:\$ )?(?:\w+=\S+ )*haymaker (.*?)(?:\s{2,}#.*| \\)?$", re.MULTILINE)


@cache
def prose(page: Path) -> str:
    """A page without its code blocks."""
    return FENCE.sub("", page.read_text(encoding="utf-8"))


@cache
def anchors(page: Path) -> frozenset[str]:
    """Names of its headings, as GitHub and others spell them."""
    plain = (re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading) for heading in HEADING.findall(prose(page)))
    return frozenset(re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in plain)


def links(page: Path) -> list[tuple[Path, str]]:
    """Where a page leads within the repository: file or folder, and heading."""
    found = (link for link in LINK.findall(prose(page)) if "://" not in link)
    split = (link.partition("#") for link in found)
    return [((page.parent / path).resolve() if path else page, anchor) for path, _, anchor in split]


def code(page: Path) -> list[tuple[str, str]]:
    """Its code blocks: language and text."""
    return FENCE.findall(page.read_text(encoding="utf-8"))


def shown(page: Path) -> list[str]:
    """Commands of its console blocks: what stands behind `haymaker`."""
    return [line for kind, body in code(page) if kind in ("console", "sh", "bash") for line in COMMAND.findall(body)]


COMMANDS = get_command(app)


def wrong_command(line: str) -> str:
    """What is wrong with a shown command; nothing where it exists with all of its options."""
    command, words = COMMANDS, line.split("#")[0].split()
    while words and (known := getattr(command, "commands", None)):
        if (name := words.pop(0)).startswith("--"):
            break
        if name not in known:
            return f"no command {name!r}"
        command = known[name]
    options = {option for parameter in command.params for option in parameter.opts} | {"--help", "--version"}
    unknown = [word for word in words if word.startswith("--") and word.partition("=")[0] not in options]
    return f"no option {unknown[0]}" if unknown else ""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    assert [str(path) for path, _ in links(page) if not path.exists()] == []
    assert [f"{path}#{name}" for path, name in links(page) if name and name not in anchors(path)] == []


def test_every_command_that_is_shown_exists() -> None:
    lines = [(str(page.relative_to(ROOT)), line) for page in PAGES for line in shown(page)]
    assert len(lines) > 20
    assert [(page, line, wrong) for page, line in lines if (wrong := wrong_command(line))] == []


def test_every_whole_parameter_file_is_valid(tmp_path: Path) -> None:
    blocks = [body for page in PAGES if page.is_relative_to(DOCS) for kind, body in code(page) if kind == "yaml"]
    files = [body for body in blocks if body.startswith(("release:\n", "extends: "))]
    assert len(files) >= 4
    shutil.copytree(ROOT / "params", tmp_path / "params")
    for number, body in enumerate(files):
        (tmp_path / f"params/{number}.yaml").write_text(body, encoding="utf-8")
        assert Project(tmp_path).with_release(str(number)).params.suites


ORDER = ["Start", "Guides", "Concepts", "Reference", "Suites", "Development"]


def navigation() -> list[dict[str, Any]]:
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    found: list[dict[str, Any]] = yaml.safe_load(text[text.index("\nnav:") :])["nav"]  # a tag of Python stands before
    return found


def files(entry: Any) -> Iterator[str]:
    if isinstance(entry, str):
        yield entry
    for each in entry.values() if isinstance(entry, dict) else entry if isinstance(entry, list) else ():
        yield from files(each)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "build/docs"
    site_source.write(folder)
    return folder


def test_every_page_is_in_the_navigation_once(source: Path) -> None:
    sections = navigation()
    assert [name for section in sections for name in section] == ORDER
    listed = [*files(sections)]
    assert sorted(listed) == sorted(path.relative_to(source).as_posix() for path in source.rglob("*.md"))
    assert listed[0] == "README.md"


@pytest.mark.parametrize("name", [*pages.PARTS, "parameters.md"])
def test_generated_pages_are_those_that_the_code_gives(name: str) -> None:
    text = (pages.FOLDER / name).read_text(encoding="utf-8")
    assert name == "parameters.md" or pages.MARK in text
    assert text == pages.page(name), "make reference"


_SECTION = r"(?:[A-E]\d?|\d+(?:\.\d+)*)(?!\w)"
_NUMBER = rf"(?:D\d+|A5 #\d+|{_SECTION})"
_CITED = re.compile(rf"docs/(?P<shelf>spec|defects)/(?P<name>[a-z]+)\.md(?: (?P<numbers>{_NUMBER}(?:, {_NUMBER})*))?")
_PAGE = re.compile(r"(?<![\w/.-])(?P<path>[\w./-]*spec/[a-z]+\.md)")
_TEXT = {".py", ".yaml", ".toml", ".md", ".txt", ".json", ".j2", ""}


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
    text = re.sub(r"\s*\n\s*(?:# ?)?", " ", text) if "spec" in text or "defects/" in text else ""
    for found in _PAGE.finditer(text):
        if not any((folder / found["path"]).is_file() for folder in (ROOT, path.parent)):
            yield f"{found['path']}: no such page"
    for found in _CITED.finditer(text):
        known = numbers(found["shelf"], found["name"])
        asked = found["numbers"].split(", ") if found["numbers"] else []
        yield from (f"{found[0]!r}: no {number} there" for number in asked if number not in known)


def test_every_citation_can_be_looked_up() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    paths = [ROOT / name for name in listed.splitlines() if Path(name).suffix in _TEXT]
    texts = {path: path.read_text(encoding="utf-8") for path in paths if path.is_file() and path != Path(__file__)}
    assert sum(len(_CITED.findall(text)) for text in texts.values()) > 200
    assert [f"{path}: {what}" for path, text in texts.items() for what in mistakes(text, path)] == []
