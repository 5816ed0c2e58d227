"""haymaker quality: simulated text beside real text, or any two collections; a table, a JSON report, plots.

A topic is a module: `report` measures, `tables` and `draw` show the report, TABLES names its tables as a page does.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
from pathlib import Path
from typing import Any

from rich.table import Table as Grid

from haymaker.errors import EnvironmentProblem, ParamsError
from haymaker.files import write_json, write_text
from haymaker.params import nearest
from pipelines.progress import out, say
from pipelines.project import Project
from pipelines.quality.figures import Row, rounded

TOPICS = ("novels", "stories", "cheat", "encyclopaedia")
ALL = "all"
_EXTRA = {"sklearn": "scikit-learn", "matplotlib": "matplotlib"}


def run(
    project: Project, topic: str, corpus: str | None, beside: str | None, plots: Path | None, page: Path | None,
    words: int | None,
) -> None:  # fmt: skip
    """Measure, print, write data/reports/quality/<topic>.json and plots; rewrite the tables of `page`.

    Args:
        project: names corpora and their cleaning rules.
        topic: one of TOPICS, or all; of all with a page those that it shows a table of.
        corpus: folder of .txt files or corpus (stories: source) of the parameters; None takes the release's own.
        beside: what it is compared with; None takes the mirror's where HAYMAKER_MIRROR is set.
        plots: folder for them; None: plots/ beside the page, or beside the report.
        page: Markdown file with `<!-- quality NAME -->` and `<!-- end -->` around each table that it shows, or None.
        words: of each book; None takes what most books of both sides have.

    Raises:
        ParamsError: unknown topic or texts, or a page without a place for any table of the topic.
        EnvironmentProblem: the extra `quality` is not installed.
        CorpusError: too little text.
    """
    if topic not in (*TOPICS, ALL):
        raise ParamsError(f"unknown topic {topic!r}", where="haymaker quality", fix=nearest(topic, (*TOPICS, ALL)))
    for module, name in _EXTRA.items():
        if importlib.util.find_spec(module) is None:
            raise EnvironmentProblem(f"{name} is not installed", fix="pip install -e '.[quality]'")
    for each in _asked_for(topic, page):
        report = rounded(each.report(project, corpus, beside, words))
        file, tables = project.reports / "quality" / f"{each.__name__.rpartition('.')[2]}.json", each.tables(report)
        write_json(file, report)
        folder = plots or (page.parent / "plots" if page else file.parent)
        for name, rows in tables.items():
            _show(name, rows)
            if page:
                _rewrite(page, name, rows)
        say(f"wrote {', '.join(map(str, [file, *each.draw(report, folder), *([page] if page else [])]))}")


def _asked_for(topic: str, page: Path | None) -> list[Any]:
    """The topics; a page without places for their tables is somebody else's: say so before anything is measured."""
    known = [importlib.import_module(f"{__name__}.{name}") for name in (TOPICS if topic == ALL else (topic,))]
    if not page:
        return known
    text = page.read_text(encoding="utf-8")
    found = [each for each in known if any(_place(name).search(text) for name in each.TABLES)]
    if not found:
        name = known[0].TABLES[0]
        fix = f"add <!-- quality {name} --> and <!-- end --> on lines of their own"
        raise ParamsError(f"has no place for table {name!r}", where=str(page), fix=fix)
    return found


def _show(name: str, rows: list[Row]) -> None:
    grid = Grid(box=None, padding=(0, 2, 0, 0), title=name, title_justify="left")
    (corner, heads), *body = rows
    grid.add_column(corner)
    for head in heads:
        grid.add_column(head, justify="right")
    for label, cells in body:
        grid.add_row(label, *cells)
    out.print(grid)


def _rewrite(page: Path, name: str, rows: list[Row]) -> None:
    (corner, heads), *body = rows
    lines = [[corner, *heads], ["---", *["---:"] * len(heads)], *([label, *cells] for label, cells in body)]
    shown = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    text = page.read_text(encoding="utf-8")
    write_text(page, _place(name).sub(lambda found: f"{found[1]}{shown}{found[2]}", text, count=1))


def _place(name: str) -> re.Pattern[str]:
    return re.compile(rf"(<!-- quality {re.escape(name)} -->\n).*?(<!-- end -->)", re.DOTALL)
