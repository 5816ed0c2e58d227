"""Options of `haymaker score`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from haymaker.core.choices import BY, EDITIONS, MISSING, check_choice
from haymaker.core.errors import ParamsError
from haymaker.evaluation.models.row_requests import is_base
from haymaker.releases.selection import TEST_ROWS, Selection
from haymaker.scoring.metrics import get

OWN_TABLE = "longgenbench"  # published table with special figures (haymaker/evaluation/score/longgen_table.py)


@dataclass(frozen=True, slots=True)
class ScoringOptions:
    """Metrics, judges, output files and policies of scoring.

    Attributes:
        metric: metric id, scored for the rows whose `metrics` contain it; None: the primary metric of each task.
        entailment: entailment model (haymaker/scoring/judges/entailment.py); None: the offline stand-in.
        replies: file of a judge's replies (haymaker/scoring/judges/judge.py).
        aggregate: name of a published table (haymaker/scoring/published_tables).
        edition: edition of the table's metrics.
        by: column that splits the table, one of BY. Rows of other splits than test are only scored with by="split".
        json_file: file for all figures (docs/reference/scores.md; with `longgenbench` the figures of that table).
        rows_file: file for the scores of all rows: JSON lines, or Parquet if it ends in .parquet.
        missing: policy for test rows without an output: exclude them from means ("exclude") or score 0 ("zero").
        share: effective-length threshold, as a fraction of the score at the shortest length, 0 to 1.
        all_metrics: score every metric of every row, regardless of the other options.
        compare_with: json_file of another release to compare with.
        prompting: "chat", or "base" if the model continued the prompt; HELMET's metrics then read the cue of the prompt
            before the output (docs/spec/helmet.md 11.0).
        selection: rows to score, the same that `haymaker eval` requests with this selection.
    """

    metric: str | None = None
    entailment: str | None = None
    replies: Path | None = None
    aggregate: str | None = None
    edition: str = "strict"
    by: str | None = None
    json_file: Path | None = None
    prompting: str = "chat"
    rows_file: Path | None = None
    missing: str = "exclude"
    share: float = 0.85
    compare_with: Path | None = None
    all_metrics: bool = False
    selection: Selection = TEST_ROWS

    @property
    def every(self) -> bool:
        """Whether to score every metric of every row, instead of only each task's primary one."""
        has_files = self.rows_file or self.compare_with or (self.json_file and not self.aggregate)
        return bool(has_files) or self.all_metrics

    def check(self) -> None:
        """Check that the options are valid and compatible.

        Raises:
            ParamsError: unknown edition, column or policy, a published table with metrics or files, or a bad share.
            UnknownMetric: no metric has that id.
        """
        if self.metric:
            get(self.metric)
        check_choice(self.edition, EDITIONS, "edition", "--edition")
        is_base(self.prompting)
        if self.by is not None:
            check_choice(self.by, BY, "column", "--by")
        if self.aggregate and (self.metric or self.by or self.selection != TEST_ROWS):
            fix = "omit --metric, --by, --tasks, --suites, --lengths and --mini"
            raise ParamsError("a published table uses its own metrics and rows", where="--aggregate", fix=fix)
        check_choice(self.missing, MISSING, "policy", "--missing")
        if self.aggregate and (
            self.every or self.missing != "exclude" or (self.json_file and self.aggregate != OWN_TABLE)
        ):
            fix = "omit --aggregate: the --json file contains all published tables"
            raise ParamsError(
                "cannot be combined with --row-scores, --missing zero or --json", where="--aggregate", fix=fix
            )
        if not 0 < self.share <= 1:
            raise ParamsError(
                f"must be above 0 and at most 1 (given: {self.share})", where="--share", fix="--share 0.85"
            )
