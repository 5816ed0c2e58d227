"""Mean scores of outputs, as `haymaker.score` returns and `haymaker score` prints them."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any, NamedTuple

from haymaker.core.errors import EnvironmentProblem
from haymaker.core.extras import install_command
from haymaker.evaluation.score.figures import Figure, figures
from haymaker.evaluation.score.overall import Summary, summary
from haymaker.evaluation.score.row_scores import RowScore
from haymaker.evaluation.score.table import formula, html_table, summary_table, tasks_table, with_interval
from haymaker.scoring.statistics.overall import Average


class Scores(NamedTuple):
    """Mean scores of outputs, 0 to 100.

    Attributes:
        figures: means, by suite, task (qa2 before qa10), metric and length; empty if no row has a score.
        notes: messages about outputs and rows excluded from the means, and about simulated rows.
        summary: overall score of the test rows, and means of suites, lengths and tasks by the same formula; None if no
            test row has a score.
    """

    figures: tuple[Figure, ...]
    notes: tuple[str, ...]
    summary: Summary | None

    @classmethod
    def of(cls, rows: Iterable[RowScore], notes: Iterable[str]) -> Scores:
        """Return the means of row scores of one metric per row."""
        every = list(rows)
        return cls(figures(every), tuple(notes), summary(every, scale=100))

    @property
    def overall(self) -> Average | None:
        """Overall score, with its 95 % interval in `low` and `high`."""
        return self.summary and self.summary.overall

    def to_pandas(self) -> Any:
        """Return a pandas.DataFrame with one row per figure.

        Raises:
            EnvironmentProblem: pandas is not installed.
        """
        try:
            pandas = import_module("pandas")
        except ImportError:
            raise EnvironmentProblem("pandas is not installed", fix=install_command("pandas")) from None
        return pandas.DataFrame(self.figures, columns=Figure._fields)

    def __repr__(self) -> str:
        """Return the overall score and the number of figures."""
        mean = f"{with_interval(self.overall)}, " if self.overall else ""
        return f"<Scores: {mean}{len(self.figures)} figures>"

    def _repr_html_(self) -> str:
        """Return suites by length and tasks by length as HTML tables (for notebooks)."""
        tasks = html_table(tasks_table(self.figures, "by" if any(figure.by for figure in self.figures) else None))
        return (
            f"{html_table(summary_table(self.summary))}<p>{formula(self.summary)}</p>{tasks}" if self.summary else tasks
        )
