"""What of outputs is to be scored, and how."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from haymaker.core.errors import ParamsError
from haymaker.core.params import nearest
from haymaker.evaluation.models.requests import is_base
from haymaker.evaluation.score.row_scores import MISSING
from haymaker.evaluation.score.split_by import BY
from haymaker.scoring.metrics import get

EDITIONS = ("strict", "official")
OWN_TABLE = "longgenbench"  # a published table of its own figures (haymaker/evaluation/score/longgen_table.py)


@dataclass(frozen=True, slots=True)
class ScoringOptions:
    """What is to be scored, and how.

    Attributes:
        metric: id, of the rows whose `metrics` name it; None: each task's first.
        entailment: what decides whether a passage entails a claim (haymaker/scoring/judges/entailment.py); None: the offline stand-in.
        replies: what a judge replied (haymaker/scoring/judges/judge.py).
        aggregate: name of a published table (haymaker/scoring/published_tables).
        edition: of the table's metrics.
        by: what each line of the table is of: one of BY. Rows of other parts than test are scored by part alone.
        json_file: for all figures: of a table `longgenbench` its own, else those of docs/reference/scores.md.
        rows_file: for every score of every row: JSON lines, or Parquet by its ending.
        missing: whether test rows without an output are left out of means ("exclude") or count as 0 ("zero").
        share: of the score at the shortest length that a length must reach to be an effective one, 0 .. 1.
        all_metrics: whether every metric of every row is wanted in any case.
        beside: figures of another release (json_file of another call) to stand beside these.
        prompting: how the model was asked: "chat", or "base", where it continued the prompt: HELMET's rules read the cue of the
            prompt before such an output (docs/spec/helmet.md 11.0).
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
    beside: Path | None = None
    all_metrics: bool = False

    @property
    def every(self) -> bool:
        """Whether every metric of every row is wanted, not each task's first alone."""
        filed = self.rows_file or self.beside or (self.json_file and not self.aggregate)
        return bool(filed) or self.all_metrics or self.missing != "exclude"

    def check(self) -> None:
        """Refuse what does not go together.

        Raises:
            ParamsError: an unknown edition or column, or a table of its own metrics with others.
            UnknownMetric: no metric has that id.
        """
        if self.metric:
            get(self.metric)
        if self.edition not in EDITIONS:
            raise ParamsError(f"no edition {self.edition!r}", where="--edition", fix=nearest(self.edition, EDITIONS))
        is_base(self.prompting)
        if self.by is not None and self.by not in BY:
            raise ParamsError(f"cannot split by {self.by!r}", where="--by", fix=nearest(self.by, BY))
        if self.aggregate and (self.metric or self.by):
            raise ParamsError("a published table has its own metrics", where="--aggregate", fix="no --metric, no --by")
        if self.missing not in MISSING:
            raise ParamsError(f"no way {self.missing!r}", where="--missing", fix=nearest(self.missing, MISSING))
        if self.aggregate and (self.every or (self.json_file and self.aggregate != OWN_TABLE)):
            fix = "leave --aggregate out: all published tables stand in the file of --json"
            raise ParamsError("a published table has no files of its own", where="--aggregate", fix=fix)
        if not 0 < self.share <= 1:
            raise ParamsError(f"{self.share} is no share above 0 and up to 1", where="--share", fix="--share 0.85")
