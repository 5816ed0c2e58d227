"""Commands for model outputs: scores, comparisons, agreement with people, the report page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from haymaker.cli.shared_options import Folder, JsonFile, Lengths, Mini, Missing, Prompting, Suites, Tasks, choice
from haymaker.core.choices import BY, EDITIONS, PROMPTINGS
from haymaker.core.errors import ParamsError


def score(
    predictions: Annotated[Path, typer.Argument(help="JSON lines with `id` and `output`.")],
    *,
    metric: Annotated[
        Optional[str], typer.Option(help="Metric to report. Default: each task's primary metric.")
    ] = None,
    entailment: Annotated[
        Optional[str], typer.Option(help="Judge of citations (docs/reference/reading-answers.md).")
    ] = None,
    replies: Annotated[Optional[Path], typer.Option(help="Judge replies (`id`, `call`, `reply`), JSON lines.")] = None,
    judge_prompts: Annotated[Optional[Path], typer.Option(help="Write judge prompts instead of scores.")] = None,
    explain: Annotated[
        Optional[str], typer.Option(help="Row id: print how the output of this row is read and scored.")
    ] = None,
    aggregate: Annotated[
        Optional[str],
        typer.Option(
            help="Published table: babilong, helmet, ruler, longbench, longbench_e, longgenbench, marathon, marathon_sim."
        ),
    ] = None,
    edition: Annotated[
        str, choice("--edition", choices=EDITIONS, what="edition", help="With --aggregate: version of the metrics.")
    ] = "strict",
    by: Annotated[
        Optional[str], choice("--by", choices=BY, what="column", help="Print a line per value of a column.")
    ] = None,
    json_file: JsonFile = None,
    rows_file: Annotated[
        Optional[Path], typer.Option("--row-scores", help="Write all row scores to this file: .parquet or JSON lines.")
    ] = None,
    missing: Missing = "exclude",
    share: Annotated[
        float, typer.Option(help="Effective-length threshold, as a fraction of the score at the shortest length.")
    ] = 0.85,
    compare_with: Annotated[
        Optional[Path], typer.Option(help="--json file of another edition (real or simulated) to show for comparison.")
    ] = None,
    prompting: Prompting = "chat",
    tasks: Tasks = "",
    suites: Suites = "",
    lengths: Lengths = "",
    mini: Mini = False,
    release: Folder = None,
) -> None:
    """Score the outputs of a model.

    Prints the overall score with suites by length, then tasks by length; or the means of a published table.

    Example: haymaker score outputs.jsonl --release ORG/NAME
    """
    from haymaker.evaluation.score import explain as explaining
    from haymaker.evaluation.score import run
    from haymaker.evaluation.score.judge_prompts import write_judge_prompts
    from haymaker.evaluation.score.options import ScoringOptions
    from haymaker.releases.folder import release_folder
    from haymaker.releases.selection import TEST_ROWS, Selection

    folder, selection = release_folder(release), Selection.of(suites, tasks, lengths, mini=mini)
    if explain is not None:
        others = metric, entailment, replies, judge_prompts, aggregate, by, json_file, rows_file, compare_with
        if any(others) or selection != TEST_ROWS:
            raise ParamsError("prints one row", where="--explain", fix="leave out all options except --release")
        explaining.show(folder, predictions, explain)
    elif judge_prompts:
        write_judge_prompts(folder, predictions, judge_prompts, selection)
    else:
        wish = ScoringOptions(metric, entailment, replies, aggregate, edition, by, json_file, prompting,
                    rows_file, missing, share, compare_with, selection=selection)  # fmt: skip
        run.show(folder, predictions, wish)


def compare(
    files: Annotated[
        list[Path],
        typer.Argument(help="Output files, or files of haymaker score --row-scores. The first one is the baseline."),
    ],
    *,
    metric: Annotated[Optional[str], typer.Option(help="Metric to compare. Default: primary metric.")] = None,
    json_file: JsonFile = None,
    flips: Annotated[
        Optional[Path], typer.Option(help="Write rows that only one of two models got right (JSON lines).")
    ] = None,
    missing: Missing = "exclude",
    tasks: Tasks = "",
    suites: Suites = "",
    lengths: Lengths = "",
    mini: Mini = False,
    release: Folder = None,
) -> None:
    """Compare models on the same rows.

    Prints paired differences by suite, task and length with intervals and corrected tests, and a verdict.

    Example: haymaker compare baseline.jsonl other.jsonl
    """
    from haymaker.evaluation.compare import compare as comparing
    from haymaker.evaluation.score.files import ModelScores, holds_scores, read_scores
    from haymaker.evaluation.score.options import ScoringOptions
    from haymaker.evaluation.score.run import scored
    from haymaker.releases.folder import release_folder
    from haymaker.releases.selection import Selection

    options = ScoringOptions(metric, missing=missing, selection=Selection.of(suites, tasks, lengths, mini=mini))

    def read(path: Path) -> ModelScores:
        if holds_scores(path):
            return read_scores(path).selected(options.selection, release, missing)
        return scored(release_folder(release), path, options, all_metrics=False)

    comparing.compare(files, read, comparing.CompareOptions(metric, json_file, flips, missing))


def agreement_with_people(
    labels: Annotated[
        Path, typer.Argument(help="Human labels, JSON lines: `id`, `label` (true, false, number), optional `metric`.")
    ],
    scores: Annotated[Path, typer.Argument(help="Row scores written by haymaker score --row-scores.")],
    json_file: JsonFile = None,
) -> None:
    """Compare scores with human labels.

    Per metric: agreement and Cohen's kappa for true/false labels, rank correlations for other numbers, with intervals.

    Example: haymaker agreement labels.jsonl row-scores.parquet
    """
    from haymaker.evaluation.compare.people_agreement import compare_with_people

    compare_with_people(labels, scores, json_file)


def report_page(
    outputs: Annotated[
        Optional[list[Path]],
        typer.Argument(
            metavar="OUTPUTS",
            help="Output files of models, or files of haymaker score --row-scores. None: the release only.",
        ),
    ] = None,
    *,
    out: Annotated[Path, typer.Option(help="HTML file to write.")],
    entailment: Annotated[Optional[str], typer.Option(help="Judge of citations, as in haymaker score.")] = None,
    replies: Annotated[
        Optional[list[Path]], typer.Option(help="Judge replies for OUTPUTS. Repeat for each model; - for none.")
    ] = None,
    prompting: Annotated[
        Optional[list[str]],
        choice("--prompting", choices=PROMPTINGS, what="prompting", help="Once for all models, or once per model."),
    ] = None,
    price_in: Annotated[
        Optional[list[float]],
        typer.Option(min=0, help="Price per million prompt tokens; once for all models, or per model."),
    ] = None,
    price_out: Annotated[
        Optional[list[float]],
        typer.Option(min=0, help="Price per million reply tokens; once for all models, or per model."),
    ] = None,
    max_rows: Annotated[int, typer.Option(min=1, max=20_000, help="Maximum number of rows in the row list.")] = 500,
    missing: Missing = "exclude",
    share: Annotated[
        float, typer.Option(help="Effective-length threshold, as a fraction of the score at the shortest length.")
    ] = 0.85,
    tasks: Tasks = "",
    suites: Suites = "",
    lengths: Lengths = "",
    mini: Mini = False,
    release: Folder = None,
) -> None:
    """Write an HTML page about the scores of models, or about a release only.

    First screen: overall scores, suites by length, depth by length, worst and best tasks. Works offline.

    Example: haymaker report outputs.jsonl --out report.html
    """
    from haymaker.evaluation.report.model_scores import Options
    from haymaker.evaluation.report.page import write_report
    from haymaker.releases.folder import release_folder
    from haymaker.releases.selection import Selection

    selection = Selection.of(suites, tasks, lengths, mini=mini)
    options = Options(missing, entailment, replies or (), prompting or (), price_in or (), price_out or (), selection)
    write_report(release_folder(release), outputs or [], out, max_rows=max_rows, share=share, options=options)
