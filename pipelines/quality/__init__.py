"""haymaker quality: simulated text beside real text, or any two collections; a table, a JSON report, figures."""

from __future__ import annotations

import dataclasses
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.table import Table as Grid

from haymaker.errors import ParamsError
from haymaker.files import write_json, write_text
from haymaker.params import nearest
from pipelines.progress import out, say
from pipelines.project import Project

if TYPE_CHECKING:
    from pipelines.quality.figures.comparison import Row

TABLES = {
    "novels": ("novels", "classifier"),
    "stories": ("stories",),
    "cheat": ("cheat", "cheat-tasks"),
    "encyclopaedia": ("encyclopaedia-gates", "encyclopaedia-search", "encyclopaedia-cheats", "encyclopaedia-passages"),
}
"""Topic -> its tables, as a page names them."""
ALL = "all"
_ROWS = 10  # per task and length, for the cheat
Tables = dict[str, list["Row"]]


def run(
    project: Project,
    topic: str,
    corpus: str | None,
    beside: str | None,
    folder: Path,
    page: Path | None,
    words: int | None,
) -> None:
    """Measure, print, write `<topic>.json` and figures; rewrite the tables of `page`.

    Args:
        project: names corpora and their cleaning rules.
        topic: novels (prose and classifier), stories (bAbI files), cheat (finished rows), encyclopaedia (search and cheats), or
            all of them; all with a page: those that the page shows a table of.
        corpus: folder of .txt files or corpus of the parameters; None takes the release's own.
        beside: what it is compared with; None takes the mirror's books when HAYMAKER_MIRROR is set.
        folder: for the report, and for the figures where there is no page.
        page: Markdown file with `<!-- quality NAME -->` and `<!-- end -->` around each table that it shows; its figures go to
            `plots/` beside it. None rewrites nothing.
        words: of each book; None takes what most books of both sides have.

    Raises:
        ParamsError: unknown topic or texts, or a page without a place for any table of the topic.
        EnvironmentProblem: the extra `quality` is not installed.
        CorpusError: too little text.
    """
    if topic not in (*TABLES, ALL):
        raise ParamsError(f"unknown topic {topic!r}", where="haymaker quality", fix=nearest(topic, (*TABLES, ALL)))
    topics = _topics(page) if topic == ALL else [topic]
    if page:
        _check_page(page, topics)
    plots = page.parent / "plots" if page else folder
    for one in topics:
        measure = {"novels": _novels, "cheat": _cheat, "stories": _stories, "encyclopaedia": _encyclopaedia}[one]
        report, tables, figures = measure(project, corpus, beside, words, plots)
        write_json(folder / f"{one}.json", report)
        for name, rows in tables.items():
            _print(name, rows)
        if page:
            _rewrite(page, tables)
        say(f"wrote {', '.join(map(str, [folder / f'{one}.json', *figures, *([page] if page else [])]))}")


def _novels(
    project: Project, corpus: str | None, beside: str | None, words: int | None, folder: Path
) -> tuple[dict[str, Any], Tables, list[Path]]:
    from pipelines.quality import plots, texts
    from pipelines.quality.figures import classifier, comparison

    classifier.require()
    plots.require()
    found = texts.sides(project, corpus, beside)
    report = comparison.compare({each.name: each.books for each in found}, words)
    tables: Tables = {"novels": [("", [each.name for each in found]), *comparison.table(report)]}
    if report["classifier"]:
        tables["classifier"] = comparison.classifier_table(report)
    return report, tables, plots.novels(report, folder)


def _cheat(
    project: Project, corpus: str | None, beside: str | None, words: int | None, folder: Path
) -> tuple[dict[str, Any], Tables, list[Path]]:
    from pipelines.quality import plots, rows, texts
    from pipelines.quality.figures import comparison

    plots.require()
    found = texts.sides(project, corpus, beside)
    cut = comparison.equal({each.name: each.books for each in found}, words)
    count = min(comparison.TOGETHER, *map(len, cut.values()))
    sides = {}
    for each in found:
        with tempfile.TemporaryDirectory() as work:
            sides[each.name] = rows.attack(each, cut[each.name][:count], _ROWS, Path(work))
    report = comparison.rounded({"rows": _ROWS, "sides": sides})
    return (
        report,
        {"cheat": rows.table(report), "cheat-tasks": rows.task_table(report)},
        plots.odd_lines(report, folder),
    )


def _stories(
    project: Project, corpus: str | None, beside: str | None, words: int | None, folder: Path
) -> tuple[dict[str, Any], Tables, list[Path]]:
    from pipelines.quality import stories
    from pipelines.quality.figures.comparison import rounded

    found = stories.figures(project, corpus, beside)
    report = {name: [dataclasses.asdict(each) for each in figures] for name, figures in found.items()}
    return rounded(report), {"stories": stories.table(found)}, []


def _encyclopaedia(
    project: Project, corpus: str | None, beside: str | None, words: int | None, folder: Path
) -> tuple[dict[str, Any], Tables, list[Path]]:
    from pipelines.quality import encyclopaedia, plots
    from pipelines.quality.encyclopaedia.plots import draw
    from pipelines.quality.encyclopaedia.tables import tables
    from pipelines.quality.figures.comparison import rounded

    if corpus or beside:
        raise ParamsError(
            "compares fixed sides", where="haymaker quality encyclopaedia", fix="leave out --corpus, --beside"
        )
    plots.require()
    report = rounded(encyclopaedia.measure())
    return report, tables(report), draw(report, folder)


def _topics(page: Path | None) -> list[str]:
    """All, or, of a page, those that it shows a table of; where it shows none, all, so that the first is named as missing."""
    text = page.read_text(encoding="utf-8") if page else ""
    return [topic for topic in TABLES if _shown(text, topic)] or list(TABLES)


def _shown(text: str, topic: str) -> list[str]:
    """Tables of a topic that a page has a place for."""
    return [name for name in TABLES[topic] if _place(name).search(text)]


def _print(name: str, rows: Sequence[Row]) -> None:
    grid = Grid(box=None, padding=(0, 2, 0, 0), title=name, title_justify="left")
    (head, cells), *body = rows
    grid.add_column(head)
    for cell in cells:
        grid.add_column(cell, justify="right")
    for label, values in body:
        grid.add_row(label, *values)
    out.print(grid)


def _place(name: str) -> re.Pattern[str]:
    return re.compile(rf"(<!-- quality {re.escape(name)} -->\n).*?(<!-- end -->)", re.DOTALL)


def _check_page(page: Path, topics: Sequence[str]) -> None:
    """A page without a place for a table of the topic is somebody else's: say so before anything is measured."""
    text = page.read_text(encoding="utf-8")
    for topic in topics:
        if not _shown(text, topic):
            fix = f"add <!-- quality {TABLES[topic][0]} --> and <!-- end --> on lines of their own"
            raise ParamsError(f"has no place for table {TABLES[topic][0]!r}", where=str(page), fix=fix)


def _rewrite(page: Path, tables: Tables) -> None:
    """Put each table that the page shows between its marks."""
    text = page.read_text(encoding="utf-8")
    for name, ((head, cells), *body) in tables.items():
        lines = [[head, *cells], ["---", *["---:"] * len(cells)], *([label, *values] for label, values in body)]
        shown = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        if place := _place(name).search(text):
            start, end = place.span(0)
            text = f"{text[:start]}<!-- quality {name} -->\n{shown}\n<!-- end -->{text[end:]}"
    write_text(page, text)
