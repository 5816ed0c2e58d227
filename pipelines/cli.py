"""The program `haymaker`. Heavy modules are imported inside the commands: `haymaker --help` stays quick."""

from __future__ import annotations

import _thread
import contextlib
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Annotated, Any, NoReturn, Optional

import typer

from haymaker import __version__
from haymaker.extras import BUILD, demand
from haymaker.text import visible
from pipelines import ending, options

app = typer.Typer(
    help="Versioned long-context benchmark datasets: built to length, proved row by row.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
source_app = typer.Typer(help="Raw sources: list them, verify what is here.", no_args_is_help=True)
app.add_typer(source_app, name="sources")
app.add_typer(options.app, name="options")

_INTERRUPTED = 130  # what typer makes of Ctrl-C

Release = Annotated[
    Optional[str],
    typer.Option("--release", "-r", help="NAME of params/NAME.yaml, such as demo; without it, params.yaml."),
]
Folder = Annotated[
    Optional[str],
    typer.Option(
        "--release",
        "-r",
        help="A finished release: folder, NAME, or ORG/NAME[@VERSION]; without it, that of params.yaml.",
    ),
]
Tasks = Annotated[str, typer.Option(help="With commas between: qa1,helmet/kilt_nq.")]
Suites = Annotated[str, typer.Option(help="With commas between.")]
Buckets = Annotated[str, typer.Option(help="With commas between: 4k,32k.")]
Mini = Annotated[bool, typer.Option("--mini", help="The small set across tasks and lengths.")]
Prompting = Annotated[str, typer.Option(help="chat, or base: the model continues the prompt.")]
Stream = Annotated[
    bool,
    typer.Option("--stream", help="Replies come in pieces: for servers that close a request which is silent for long."),
]
ThinkingTokens = Annotated[int, typer.Option(min=0, help="Room for thoughts, beside that of the answer.")]


def main() -> None:
    """Entry point: a mistake of the user is one clear line and exit status 2; SIGTERM is taken for Ctrl-C."""
    ending.hold_streams()
    sys.unraisablehook = _unraisable
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    problem = ""
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # held back while this program was loaded
        code = app(standalone_mode=False)
        sys.stdout.flush()
    except (KeyboardInterrupt, typer.Abort):
        code = _INTERRUPTED
    except BrokenPipeError:
        ending.drop(sys.stdout)
        sys.exit(0)
    except Exception as error:
        if ending.helped(error):
            return
        code, problem = 2, ending.explain(error)
        if not problem:
            raise
    if code == _INTERRUPTED:
        code, problem = 2, "stopped; finished shards are kept, the same command goes on from there"
    ending.flush()
    if problem:
        try:
            _fail(problem, code)
        except OSError:  # standard error may be full too
            ending.drop(sys.stderr)
    sys.exit(code if isinstance(code, int) else 0)


def _unraisable(found: Any) -> None:
    """Ctrl-C that falls into a destructor or callback would be printed and lost: let it come again, outside of it."""
    if issubclass(found.exc_type, KeyboardInterrupt):
        again = threading.Timer(0.01, _thread.interrupt_main)
        again.daemon = True
        again.start()
    else:
        sys.__unraisablehook__(found)


def _fail(message: str, code: int) -> NoReturn:
    """Say it once: to `haymaker run` when it started us (it says it at the end), else on standard error."""
    message = visible(" ".join(message.split()))
    error_file = os.environ.get("HAYMAKER_ERROR_FILE")
    if error_file:
        with contextlib.suppress(OSError), Path(error_file).open("r+b") as file:  # it has room: the disk may be full
            file.write(message.encode().ljust(os.fstat(file.fileno()).st_size))
            sys.exit(code)
    sys.stderr.write(f"haymaker: {message}\n")
    sys.stderr.flush()
    sys.exit(code)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"haymaker {__version__}")
        raise typer.Exit


@app.callback()
def _top(version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True)] = False) -> None:
    ending.demand_machine()


@app.command()
def run(
    release: Release = None,
    force: Annotated[bool, typer.Option("--force", help="Run every stage, up to date or not.")] = False,
) -> None:
    """Build a release and prove every row.

    Chooses it, checks it, lets DVC do what is not up to date; stopped, the same command goes on.
    """
    demand(*BUILD)
    from pipelines.signals import signals_wait

    with signals_wait():
        from pipelines import runner
        from pipelines.project import Project

    runner.run(Project.here(), release, force=force)


@app.command()
def releases() -> None:
    """Releases here, built or pulled.

    Name, version, rows, tokens, size, proved, published; the active one of this project has a `*`.
    """
    from pipelines.reports.releases import show as print_releases

    print_releases()


@app.command()
def plan(
    release: Release = None,
    price: Annotated[float, typer.Option(min=0, help="Price per million prompt tokens.")] = 1.0,
    per_table: Annotated[bool, typer.Option("--tables", help="One line per task, bucket and part.")] = False,
    calibrate: Annotated[
        bool, typer.Option("--calibrate", help="Measure this machine for some seconds; minutes go by that.")
    ] = False,
    machines: Annotated[int, typer.Option(min=1, help="Minutes on so many machines like this one, with Ray.")] = 1,
) -> None:
    """What a release will be and cost.

    Rows, tokens, GB, minutes, downloads, licences and price of the prompts, before anything is done.
    """
    from pipelines.plan import show
    from pipelines.project import Project

    show.show(Project.here().with_release(release), price, per_table=per_table, calibrate=calibrate, machines=machines)


@app.command()
def stage(name: str, what: Annotated[Optional[str], typer.Argument()] = None) -> None:
    """Run one stage (what dvc.yaml calls).

    download, tokenizers, background, passages, index, mine, labelled, documents, generate, validate, card.
    """
    from pipelines import serving

    if (code := serving.ask(name, *([what] if what else []))) is not None:
        raise typer.Exit(code)
    demand(*BUILD)
    from pipelines.signals import signals_wait, watch

    with signals_wait():
        from pipelines import stages
        from pipelines.one_run import run_above
        from pipelines.project import Project

    watch(os.getppid(), run_above() or 0)
    stages.run(Project.here(), name, what)


@source_app.command("list")
def sources_list() -> None:
    """Every kind of source: what it is, licence, size, what is here."""
    from pipelines.project import Project
    from pipelines.reports import catalogue

    catalogue.sources(Project.here())


@source_app.command("verify")
def sources_verify(name: Annotated[Optional[str], typer.Argument()] = None) -> None:
    """Compare raw files that are here with their recorded checksums."""
    from pipelines.project import Project
    from pipelines.reports import catalogue

    catalogue.verify(Project.here(), name)


@source_app.command("check")
def sources_check(release: Release = None) -> None:
    """Ask every address of a release's sources for its first megabyte and look at it; exit status 2 when one is broken."""
    from pipelines import addresses
    from pipelines.project import Project

    addresses.check(Project.here().with_release(release))


@app.command()
def tasks(release: Release = None) -> None:
    """Every task, and its rows in a release.

    What it asks, metrics, oracle, what it reads, rows by length.
    """
    from pipelines.project import Project
    from pipelines.reports import catalogue

    catalogue.tasks(Project.here().with_release(release))


@app.command()
def show(
    task: Annotated[
        str, typer.Argument(help="A task, suite/task, config such as babilong_qa1_4k, or the id of a row.")
    ],
    bucket: Annotated[Optional[str], typer.Option("--bucket", "-b", help="Length, e.g. 32k.")] = None,
    index: Annotated[int, typer.Option("--index", "-i", min=0, help="Row, from 0.")] = 0,
    part: Annotated[str, typer.Option(help="test, dev or train.")] = "test",
    retrieved: Annotated[Optional[int], typer.Option(help="Print the prompt of the best 1 to 20 pieces.")] = None,
    unit: Annotated[str, typer.Option(help="With --retrieved: sentence or chunk.")] = "sentence",
    order: Annotated[str, typer.Option(help="With --retrieved: document or score.")] = "document",
    release: Folder = None,
) -> None:
    """One finished row: spans coloured (without colours named in brackets), the middle folded."""
    from pipelines.release import release_folder
    from pipelines.reports.show import show as print_row
    from pipelines.reports.show import show_retrieved

    folder = release_folder(release)
    if retrieved is None:
        print_row(folder, task, bucket, index, part)
    else:
        show_retrieved(folder, task, bucket, index, part, retrieved, unit, order)


@app.command()
def validate(release: Folder = None) -> None:
    """Prove a release again.

    Without --release that of params.yaml, whole: parameters, dvc.lock, manifest, card, every file and row.
    With it the files of any release against its manifest.
    """
    if release is not None:
        from pipelines import manifest
        from pipelines.release import release_folder

        manifest.demand(release_folder(release))
    else:
        demand(*BUILD)
        from pipelines import runner
        from pipelines.project import Project

        runner.validate(Project.here())


@app.command()
def pull(
    name: Annotated[str, typer.Argument(help="ORG/NAME, the newest version, or ORG/NAME@1.2.3.")],
    tasks: Tasks = "",
    suites: Suites = "",
    buckets: Buckets = "",
    split: Annotated[str, typer.Option(help="test, dev, train or all.")] = "test",
    mini: Mini = False,
    into: Annotated[Optional[Path], typer.Option(help="A folder of your own; else HAYMAKER_HOME or the cache.")] = None,
    only_plan: Annotated[
        bool, typer.Option("--plan", help="Say what would come; of files only the texts come.")
    ] = False,
) -> None:
    """Bring a release of the Hub, or a part.

    Without options the test rows of every task at every length. Verified file by file; stopped, the same command goes on.
    """
    from pipelines.hub.choice import Choice
    from pipelines.hub.pull import pull as bring
    from pipelines.reference import parse

    wanted = Choice.of(suites, tasks, buckets, split=split, mini=mini)
    bring(parse(name, "pull"), wanted, into, plan=only_plan)


@app.command()
def bench(
    topic: Annotated[
        str, typer.Argument(help="rows, retrieval, synthetic, proof, or a suite by name, such as longbench.")
    ] = "rows",
    rows: Annotated[int, typer.Option(min=1, help="With rows: rows per length.")] = 20,
    passages: Annotated[int, typer.Option(min=1000, help="With retrieval: passages searched.")] = 100_000,
    release: Annotated[
        Optional[str],
        typer.Option("--release", "-r", help="With proof: a release built here; without it the active one."),
    ] = None,
    bucket: Annotated[Optional[str], typer.Option(help="With proof: the only length that is measured.")] = None,
    json_file: Annotated[Optional[Path], typer.Option("--json", help="Write the figures here too.")] = None,
) -> None:
    """Measure speeds on this machine.

    As ratios of what it allows and of a naive generator or search, in one run; of a suite its memory too.
    """
    demand(*BUILD)
    from pipelines.bench import entries, proof, synthetic
    from pipelines.bench import retrieval as bench_retrieval
    from pipelines.bench import suites as benchmark
    from pipelines.project import Project

    if topic == "rows":
        benchmark.run(Project.here(), rows, json_file)
    elif topic == "retrieval":
        bench_retrieval.run(bench_retrieval.Sizes(passages=passages), json_file)
    elif topic == "synthetic":
        synthetic.run(Project.here(), json_file)
    elif topic == "proof":
        proof.run(Project.here().with_release(release), bucket, json_file)
    else:
        entries.run(Project.here(), topic, json_file)


@app.command()
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
    from pipelines.release import release_folder
    from pipelines.reports import scorecard
    from pipelines.reports.judge_prompts import write_judge_prompts
    from pipelines.reports.scoring_wish import Wish

    folder = release_folder(release)
    if judge_prompts:
        write_judge_prompts(folder, predictions, judge_prompts)
    else:
        wish = Wish(metric, entailment, replies, aggregate, edition, by, json_file, prompting,
                    rows_file, missing, share, beside)  # fmt: skip
        scorecard.show(folder, predictions, wish)


@app.command()
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
    from pipelines.release import release_folder
    from pipelines.reports import compare as comparing
    from pipelines.reports.scorecard import scored
    from pipelines.reports.scoredread import Given, holds_scores, read_scores
    from pipelines.reports.scoring_wish import Wish

    def read(path: Path) -> Given:
        if holds_scores(path):
            return read_scores(path)
        return scored(release_folder(release), path, Wish(metric, missing=missing))

    comparing.compare(files, read, comparing.Wish(metric, json_file, flips, missing))


@app.command("agreement")
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
    from pipelines.reports.agreement import compare_with_people

    compare_with_people(labels, scores, json_file)


@app.command("report")
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
    from pipelines.page.models import Options
    from pipelines.page.report import report
    from pipelines.release import release_folder

    options = Options(missing, entailment, replies or (), prompting or (), price_in or (), price_out or ())
    report(release_folder(release), outputs or [], out, rows=rows, share=share, options=options)


@app.command()
def ask(
    requests: Annotated[Path, typer.Argument(help="JSON lines with `id`, `call`, `prompt`, and `max_tokens` at will.")],
    out: Annotated[
        Path, typer.Option(help="File of replies: `id`, `call`, `reply`, `judge`, `request`, `finish`, tokens.")
    ],
    *,
    model: Annotated[str, typer.Option(help="Its name at the server.")],
    endpoint: Annotated[
        str, typer.Option(envvar="HAYMAKER_ENDPOINT", help="OpenAI-compatible: https://your-server/v1")
    ] = "",
    system: Annotated[str, typer.Option(help="A message before each prompt.")] = "",
    temperature: Annotated[float, typer.Option(min=0, max=2)] = 0.0,
    max_tokens: Annotated[Optional[int], typer.Option(min=1, help="Of every reply, whatever a request says.")] = None,
    concurrency: Annotated[int, typer.Option(min=1, max=1024, help="Requests at once.")] = 8,
    timeout: Annotated[float, typer.Option(min=0.001, help="Seconds without a byte.")] = 120.0,
    retries: Annotated[int, typer.Option(min=0, max=100, help="Of each request.")] = 5,
    limit: Annotated[Optional[int], typer.Option(min=1, help="Only the first so many requests.")] = None,
    price_in: Annotated[Optional[float], typer.Option(min=0, help="Per million prompt tokens.")] = None,
    price_out: Annotated[Optional[float], typer.Option(min=0, help="Per million reply tokens.")] = None,
    stream: Stream = False,
    plan: Annotated[bool, typer.Option("--plan", help="Send nothing: requests, tokens, cost, time.")] = False,
) -> None:
    """Ask a model, keep its replies.

    Any requests: of rows to score, of a judge, of a writer of wrong options. The key: HAYMAKER_API_KEY.
    """
    from haymaker.json_lines import whole
    from pipelines.models import ask as asking
    from pipelines.models import plan as planning
    from pipelines.models.wish import Wish

    wish = Wish(requests, out, endpoint, whole(model), whole(system), temperature, max_tokens, concurrency, timeout,
                retries, limit, price_in, price_out, stream=stream)  # fmt: skip
    (planning.show if plan else asking.run)(wish)


@app.command("eval")
def evaluate(
    out: Annotated[Path, typer.Option(help="File of outputs, as haymaker score reads them.")],
    *,
    model: Annotated[str, typer.Option(help="Its name at the server.")],
    endpoint: Annotated[
        str, typer.Option(envvar="HAYMAKER_ENDPOINT", help="OpenAI-compatible: https://your-server/v1")
    ] = "",
    release: Folder = None,
    tasks: Tasks = "",
    suites: Suites = "",
    buckets: Buckets = "",
    mini: Mini = False,
    prompting: Prompting = "chat",
    thinking_tokens: ThinkingTokens = 0,
    temperature: Annotated[float, typer.Option(min=0, max=2)] = 0.0,
    concurrency: Annotated[int, typer.Option(min=1, max=1024, help="Requests at once.")] = 8,
    timeout: Annotated[float, typer.Option(min=0.001, help="Seconds without a byte.")] = 600.0,
    retries: Annotated[int, typer.Option(min=0, max=100, help="Of each request.")] = 5,
    limit: Annotated[Optional[int], typer.Option(min=1, help="Only the first so many rows.")] = None,
    price_in: Annotated[Optional[float], typer.Option(min=0, help="Per million prompt tokens.")] = None,
    price_out: Annotated[Optional[float], typer.Option(min=0, help="Per million reply tokens.")] = None,
    budget: Annotated[Optional[float], typer.Option(min=0, help="The most that this call may cost.")] = None,
    stream: Stream = False,
    plan: Annotated[bool, typer.Option("--plan", help="Send nothing: requests, tokens, cost, time.")] = False,
) -> None:
    """Ask a model the test rows of a release.

    Says first what that costs; stopped, the same command goes on. Then: haymaker score OUT. The key: HAYMAKER_API_KEY.
    """
    from haymaker.json_lines import whole
    from pipelines.hub.choice import Choice
    from pipelines.models import evaluate as evaluating
    from pipelines.models.rows import is_base, requests
    from pipelines.models.wish import Wish
    from pipelines.release import release_folder

    base = is_base(prompting)
    chosen = Choice.of(suites, tasks, buckets, mini=mini)
    asked = requests(release_folder(release), chosen, base=base, thinking_tokens=thinking_tokens)
    wish = Wish(out.with_name(f"{out.name}.requests"), out, endpoint, whole(model), "", temperature, None, concurrency,
                timeout, retries, limit, price_in, price_out, base, blank=True, budget=budget, stream=stream)  # fmt: skip
    evaluating.run(wish, asked, only_plan=plan)


@app.command()
def export(
    form: Annotated[str, typer.Argument(help="openai_jsonl, lm_eval, inspect or lighteval.")],
    out: Annotated[Path, typer.Option(help="File of openai_jsonl; folder of the others.")],
    *,
    model: Annotated[str, typer.Option(help="openai_jsonl: its name at the server.")] = "",
    release: Folder = None,
    tasks: Tasks = "",
    suites: Suites = "",
    buckets: Buckets = "",
    mini: Mini = False,
    prompting: Prompting = "chat",
    thinking_tokens: ThinkingTokens = 0,
) -> None:
    """Write the test rows of a release for other programs.

    openai_jsonl: one batch request a row, without answers; outputs become lines of `id` (custom_id) and `output`, and haymaker score
    reads them. lm_eval, inspect, lighteval: tasks whose scores are ours.
    """
    from haymaker.json_lines import whole
    from pipelines.harness.tables import tables
    from pipelines.hub.choice import Choice
    from pipelines.models.rows import is_base, requests
    from pipelines.progress import say
    from pipelines.release import release_folder
    from pipelines.reports.export import OPENAI, check_form, harness, openai_jsonl
    from pipelines.reports.scored import release_of

    base = is_base(prompting)
    check_form(form, model, base=base)
    chosen, folder = Choice.of(suites, tasks, buckets, mini=mini), release_folder(release)
    if form == OPENAI:
        asked = requests(folder, chosen, base=base, thinking_tokens=thinking_tokens)
        say(f"{openai_jsonl(out, asked, whole(model), base=base)} requests in {out}")
        return
    found = tables(folder, chosen)
    harness(out, form, found, release_of(folder), base=base, thinking_tokens=thinking_tokens)
    say(f"{len(found)} tables in {out}")


@app.command()
def publish(
    repo: Annotated[str, typer.Argument(help="ORG/NAME on the Hugging Face Hub.")],
    release: Folder = None,
    *,
    public: Annotated[
        bool, typer.Option("--public", help="Readable for everybody; without it a new repository is private.")
    ] = False,
    allow: Annotated[
        Optional[list[str]],
        typer.Option(help="A source whose terms restrict it and that you may publish; once for each."),
    ] = None,
    permissive: Annotated[
        bool, typer.Option("--permissive", help="Leave out the tasks that sources with such terms are in.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do it.")] = False,
) -> None:
    """Publish a release on the Hub.

    Without --yes nothing is sent: it says what would be. With it: files that are not there yet, every one verified, then the
    tag of the version; stopped, the same command goes on.
    """
    demand(*BUILD)
    from pipelines.hub import publish as publishing

    publishing.publish(publishing.Wish(repo, release, public, tuple(allow or ()), permissive, yes))


@app.command()
def quality(
    topic: Annotated[str, typer.Argument(help="novels, stories, cheat, encyclopaedia, or all.")] = "novels",
    page: Annotated[
        Optional[Path], typer.Option(help="Markdown file whose tables are rewritten; plots go to plots/ beside it.")
    ] = None,
) -> None:
    """Simulated text beside real text.

    The real one is that of HAYMAKER_MIRROR: prose, stories, how visible facts are, how hard a search is.
    """
    demand(*BUILD)
    from pipelines import quality as comparison
    from pipelines.project import Project

    comparison.run(Project.here(), topic, page)


@app.command()
def doctor() -> None:
    """Is this machine ready?

    Python, programs, packages, disk, mirror, tokenizers.
    """
    from pipelines import doctor as checkup
    from pipelines.project import Project

    checkup.run(Project.here())


if __name__ == "__main__":
    main()
