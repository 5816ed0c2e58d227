"""Commands on what models said: scores, comparisons, what people say, the page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from haymaker.cli.shared_options import Folder
from haymaker.core.errors import ParamsError


def score(
    predictions: Annotated[Path, typer.Argument(help="JSON lines with `id` and `output`.")],
    *,
    metric: Annotated[
        Optional[str], typer.Option(help="Its id, for the rows that name it; without it each task's first.")
    ] = None,
    entailment: Annotated[
        Optional[str], typer.Option(help="What judges citations (docs/reference/metrics.md).")
    ] = None,
    replies: Annotated[Optional[Path], typer.Option(help="JSON lines with a judge's `id`, `call`, `reply`.")] = None,
    judge_prompts: Annotated[Optional[Path], typer.Option(help="Write the prompts for a judge; no scores.")] = None,
    explain: Annotated[
        Optional[str], typer.Option(help="Print how the output of one row is read and scored, by the row's id.")
    ] = None,
    aggregate: Annotated[
        Optional[str],
        typer.Option(
            help="A published table: babilong, helmet, ruler, longbench, longbench_e, longgenbench, marathon, marathon_world."
        ),
    ] = None,
    edition: Annotated[str, typer.Option(help="Of --aggregate: strict or official.")] = "strict",
    by: Annotated[Optional[str], typer.Option(help="One line per value: depth_index, part, evidence ...")] = None,
    json_file: Annotated[
        Optional[Path],
        typer.Option("--json", help="Write all figures here, with intervals (docs/reference/scores.md)."),
    ] = None,
    rows_file: Annotated[
        Optional[Path], typer.Option("--rows", help="Every score of every row: .parquet, or JSON lines.")
    ] = None,
    missing: Annotated[str, typer.Option(help="Test rows without an output: exclude, or zero.")] = "exclude",
    share: Annotated[
        float, typer.Option(help="Of the score at the shortest length that an effective length reaches.")
    ] = 0.85,
    beside: Annotated[
        Optional[Path], typer.Option(help="The --json of another edition, real or world, to stand beside.")
    ] = None,
    prompting: Annotated[
        str, typer.Option(help="chat, or base: the model continued the prompt (HELMET's rules then read the cue too).")
    ] = "chat",
    release: Folder = None,
) -> None:
    """Score outputs of a model.

    For the test rows of a release: a table of tasks by bucket, or the means of a published table.
    """
    from haymaker.evaluation.score import explain as explaining
    from haymaker.evaluation.score import run
    from haymaker.evaluation.score.judge_prompts import write_judge_prompts
    from haymaker.evaluation.score.options import ScoringOptions
    from haymaker.releases.folder import release_folder

    folder = release_folder(release)
    if explain is not None:
        if any((metric, entailment, replies, judge_prompts, aggregate, by, json_file, rows_file, beside)):
            raise ParamsError("prints one row", where="--explain", fix="leave out all options except --release")
        explaining.show(folder, predictions, explain)
    elif judge_prompts:
        write_judge_prompts(folder, predictions, judge_prompts)
    else:
        wish = ScoringOptions(metric, entailment, replies, aggregate, edition, by, json_file, prompting,
                    rows_file, missing, share, beside)  # fmt: skip
        run.show(folder, predictions, wish)


def compare(
    files: Annotated[
        list[Path], typer.Argument(help="Outputs of models, or their --rows; the first is compared with.")
    ],
    metric: Annotated[Optional[str], typer.Option(help="Its id; without it each row's first.")] = None,
    json_file: Annotated[Optional[Path], typer.Option("--json", help="Write all figures here.")] = None,
    flips: Annotated[
        Optional[Path], typer.Option(help="Rows that one model got right and the other wrong, JSON lines.")
    ] = None,
    missing: Annotated[str, typer.Option(help="Rows without an output: exclude, or zero.")] = "exclude",
    release: Folder = None,
) -> None:
    """Compare models on the same rows.

    Difference by task and length, paired, with interval and test, corrected for the number of tests.
    """
    from haymaker.evaluation.compare import compare as comparing
    from haymaker.evaluation.score.files import ModelScores, holds_scores, read_scores
    from haymaker.evaluation.score.options import ScoringOptions
    from haymaker.evaluation.score.run import scored
    from haymaker.releases.folder import release_folder

    def read(path: Path) -> ModelScores:
        if holds_scores(path):
            return read_scores(path)
        return scored(release_folder(release), path, ScoringOptions(metric, missing=missing))

    comparing.compare(files, read, comparing.CompareOptions(metric, json_file, flips, missing))


def agreement_with_people(
    labels: Annotated[
        Path, typer.Argument(help="JSON lines of people: `id`, `label` (true, false, number), `metric` at will.")
    ],
    scores: Annotated[Path, typer.Argument(help="What haymaker score --rows wrote.")],
    json_file: Annotated[Optional[Path], typer.Option("--json", help="Write all figures here.")] = None,
) -> None:
    """Compare scores with what people say.

    By metric: agreement and Cohen's kappa of labels that are true or false, rank correlations of other numbers, with intervals.
    """
    from haymaker.evaluation.compare.people_agreement import compare_with_people

    compare_with_people(labels, scores, json_file)


def report_page(
    release: Annotated[
        Optional[str], typer.Argument(help="Folder, NAME, or ORG/NAME[@VERSION]; without it, that of params.yaml.")
    ] = None,
    *,
    out: Annotated[Path, typer.Option(help="HTML file to write.")],
    outputs: Annotated[
        Optional[list[Path]],
        typer.Option(help="A model's outputs, or its --rows of haymaker score; once for each model."),
    ] = None,
    entailment: Annotated[Optional[str], typer.Option(help="What judges citations, as haymaker score has it.")] = None,
    replies: Annotated[
        Optional[list[Path]], typer.Option(help="A judge's replies about --outputs; once for each model, - for none.")
    ] = None,
    prompting: Annotated[
        Optional[list[str]], typer.Option(help="chat or base; once for all models, or once for each.")
    ] = None,
    price_in: Annotated[
        Optional[list[float]], typer.Option(min=0, help="Per million prompt tokens; once for all models, or for each.")
    ] = None,
    price_out: Annotated[
        Optional[list[float]], typer.Option(min=0, help="Per million reply tokens; once for all models, or for each.")
    ] = None,
    rows: Annotated[int, typer.Option(min=1, max=20_000, help="Rows to look at, at most.")] = 1000,
    missing: Annotated[str, typer.Option(help="Rows without an output: exclude, or zero.")] = "exclude",
    share: Annotated[
        float, typer.Option(help="Of the score at the shortest length that an effective length reaches.")
    ] = 0.85,
) -> None:
    """Write one page of HTML: a release, and what models made of it.

    Scores by task and length, depth, curves, cost, differences, rows with their outputs and why these are wrong; opens without a network.
    """
    from haymaker.evaluation.report.model_scores import Options
    from haymaker.evaluation.report.page import write_report
    from haymaker.releases.folder import release_folder

    options = Options(missing, entailment, replies or (), prompting or (), price_in or (), price_out or ())
    write_report(release_folder(release), outputs or [], out, rows=rows, share=share, options=options)
