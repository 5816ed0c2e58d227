"""haymaker dev quality: compare simulated with real text, as tables, a JSON report and plots.

Each topic is a module: `report` measures, `tables` formats the report, and the optional `draw` plots it. Table names
begin with the name of the topic.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
from pathlib import Path

from rich.markdown import Markdown

from devtools.quality.figures import markdown, rounded
from haymaker.core.choices import check_choice
from haymaker.core.errors import EnvironmentProblem, ParamsError
from haymaker.core.extras import install_command
from haymaker.core.files.disk import write_json, write_text
from haymaker.core.progress import out, say
from pipelines.project import Project

TOPICS = ("novels", "stories", "cheat", "encyclopaedia")
ALL = "all"
_EXTRA = {"sklearn": "scikit-learn", "matplotlib": "matplotlib"}


def run(project: Project, topic: str, page: Path | None) -> None:
    """Measure, print, write data/reports/quality/<topic>.json and plots; update the tables of `page`.

    Args:
        project: project with the simulated sources.
        topic: one of TOPICS, or all; with a page, all topics with a table on it.
        page: Markdown file with `<!-- quality NAME -->` and `<!-- end -->` around each table, or None; plots go to
            plots/ next to the page, or next to the report without a page.

    Raises:
        ParamsError: unknown topic, or a page without markers for a table of the topic.
        EnvironmentProblem: the extra `quality` is not installed.
        CorpusError: too little text.
    """
    check_choice(topic, (*TOPICS, ALL), "topic", "haymaker dev quality")
    for module, name in _EXTRA.items():
        if importlib.util.find_spec(module) is None:
            raise EnvironmentProblem(f"{name} is not installed", fix=install_command(".[quality]"))
    for name in _selected_topics(topic, page):
        measure = importlib.import_module(f"{__name__}.{name}")
        report, file = rounded(measure.report(project)), project.reports / "quality" / f"{name}.json"
        write_json(file, report)
        for title, rows in measure.tables(report).items():
            out.print(title, Markdown(markdown(rows)))
            if page:
                _rewrite(page, title, markdown(rows))
        folder = page.parent / "plots" if page else file.parent
        plots = measure.draw(report, folder) if hasattr(measure, "draw") else []
        say(f"wrote {', '.join(map(str, [file, *plots, *([page] if page else [])]))}")


def _selected_topics(topic: str, page: Path | None) -> list[str]:
    """Return the topics to measure; raise an error early if the page has no markers for their tables."""
    known = [*TOPICS] if topic == ALL else [topic]
    if not page:
        return known
    text = page.read_text(encoding="utf-8")
    found = [name for name in known if f"<!-- quality {name}" in text]
    if not found:
        fix = f"add <!-- quality {known[0]} --> and <!-- end --> on lines of their own"
        raise ParamsError(f"has no place for a table of {topic!r}", where=str(page), fix=fix)
    return found


def _rewrite(page: Path, name: str, table: str) -> None:
    place = re.compile(rf"(<!-- quality {re.escape(name)} -->\n).*?(<!-- end -->)", re.DOTALL)
    text = page.read_text(encoding="utf-8")
    write_text(page, place.sub(lambda found: f"{found[1]}{table}{found[2]}", text, count=1))
