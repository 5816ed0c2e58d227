"""Commands that query models, or export requests for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from haymaker.cli.shared_options import (
    Concurrency,
    DryRun,
    Endpoint,
    Folder,
    Lengths,
    Mini,
    Model,
    PriceIn,
    PriceOut,
    Prompting,
    Retries,
    Stream,
    Suites,
    Tasks,
    Temperature,
    ThinkingTokens,
    Timeout,
    choice,
)
from haymaker.core.choices import FORMATS, OPENAI, SCORES


def ask(
    requests: Annotated[
        Path, typer.Argument(help="JSON lines with `id`, `call`, `prompt` (or `messages`); optional: `max_tokens`.")
    ],
    out: Annotated[Path, typer.Option(help="Reply file: `id`, `call`, `reply`, `judge`, `request`, `finish`, tokens.")],
    *,
    model: Model,
    endpoint: Endpoint = "",
    system: Annotated[str, typer.Option(help="System message for each prompt.")] = "",
    temperature: Temperature = 0.0,
    max_tokens: Annotated[
        Optional[int], typer.Option(min=1, help="Maximum tokens per reply. Overrides `max_tokens` in the requests.")
    ] = None,
    concurrency: Concurrency = 8,
    timeout: Timeout = 120.0,
    retries: Retries = 5,
    limit: Annotated[Optional[int], typer.Option(min=1, help="Send only the first N requests.")] = None,
    price_in: PriceIn = None,
    price_out: PriceOut = None,
    stream: Stream = False,
    plan: DryRun = False,
) -> None:
    """Send requests to a model and save its replies.

    Works with any requests: rows, judge prompts, distractor prompts. The API key is read from HAYMAKER_API_KEY.

    Example: haymaker ask judge.jsonl --out replies.jsonl --model MODEL
    """
    from haymaker.core.extras import require_extra

    require_extra("eval", "openai")
    from haymaker.core.files.json_lines import without_surrogates
    from haymaker.evaluation.models import ask as asking
    from haymaker.evaluation.models import plan as planning
    from haymaker.evaluation.models.options import RequestOptions

    wish = RequestOptions(requests, out, endpoint, without_surrogates(model), without_surrogates(system), temperature, max_tokens, concurrency, timeout,
                retries, limit, price_in, price_out, stream=stream)  # fmt: skip
    (planning.show if plan else asking.run)(wish)


def evaluate(
    out: Annotated[Path, typer.Option(help="Output file, in the format of haymaker score.")],
    *,
    model: Model,
    endpoint: Endpoint = "",
    release: Folder = None,
    tasks: Tasks = "",
    suites: Suites = "",
    lengths: Lengths = "",
    mini: Mini = False,
    prompting: Prompting = "chat",
    thinking_tokens: ThinkingTokens = 0,
    temperature: Temperature = 0.0,
    concurrency: Concurrency = 8,
    timeout: Timeout = 600.0,
    retries: Retries = 5,
    limit: Annotated[Optional[int], typer.Option(min=1, help="Send only the first N rows.")] = None,
    price_in: PriceIn = None,
    price_out: PriceOut = None,
    budget: Annotated[Optional[float], typer.Option(min=0, help="Maximum cost of this run.")] = None,
    stream: Stream = False,
    plan: DryRun = False,
) -> None:
    """Run a model on the test rows of a release.

    Prints the estimated cost first. Run the same command to resume. Then: haymaker score OUT. Key: HAYMAKER_API_KEY.

    Example: haymaker eval --mini --model MODEL --out outputs.jsonl
    """
    from haymaker.core.extras import require_extra

    require_extra("eval", "openai")
    from haymaker.core.files.json_lines import without_surrogates
    from haymaker.evaluation.models.ask import run_rows
    from haymaker.evaluation.models.options import RequestOptions
    from haymaker.evaluation.models.row_requests import is_base, row_requests
    from haymaker.releases.folder import release_folder
    from haymaker.releases.selection import Selection

    base = is_base(prompting)
    chosen = Selection.of(suites, tasks, lengths, mini=mini)
    asked = row_requests(release_folder(release), chosen, base=base, thinking_tokens=thinking_tokens)
    wish = RequestOptions(out.with_name(f"{out.name}.requests"), out, endpoint, without_surrogates(model), "", temperature, None, concurrency,
                timeout, retries, limit, price_in, price_out, base, blank=True, budget=budget, stream=stream)  # fmt: skip
    run_rows(wish, asked, only_plan=plan)


def export(
    form: Annotated[str, choice(choices=FORMATS, what="format", help="Format of the export.")],
    out: Annotated[Path, typer.Option(help="Output file (openai_jsonl) or folder (other formats).")],
    *,
    model: Annotated[
        str, typer.Option(help="openai_jsonl: model name on the server. every_eval_ever: ORG/NAME of the model.")
    ] = "",
    outputs: Annotated[Optional[Path], typer.Option(help="(every_eval_ever only) Outputs of the model.")] = None,
    organization: Annotated[str, typer.Option(help="(every_eval_ever only) Who ran the model.")] = "",
    release: Folder = None,
    tasks: Tasks = "",
    suites: Suites = "",
    lengths: Lengths = "",
    mini: Mini = False,
    prompting: Prompting = "chat",
    thinking_tokens: ThinkingTokens = 0,
) -> None:
    """Export the test rows of a release, or the scores of a model, for other programs.

    openai_jsonl: one batch request per row, no answers. Convert results to lines of `id` (custom_id) and `output` for
    haymaker score. lm_eval, inspect, lighteval: tasks that use the scoring of Haymaker. every_eval_ever: the scores of
    --outputs in the Every Eval Ever 0.3 format.

    Example: haymaker export lm_eval --out tasks --mini
    """
    from haymaker.core.files.json_lines import without_surrogates
    from haymaker.core.progress import say
    from haymaker.evaluation.export.export import check_form, harness, openai_jsonl
    from haymaker.evaluation.export.tables import tables
    from haymaker.evaluation.models.row_requests import is_base, row_requests
    from haymaker.evaluation.score.row_scores import release_of
    from haymaker.releases.folder import release_folder
    from haymaker.releases.selection import Selection

    base = is_base(prompting)
    check_form(form, model, outputs, base=base)
    chosen, folder = Selection.of(suites, tasks, lengths, mini=mini), release_folder(release)
    if form == SCORES:
        from haymaker.evaluation.export.every_eval_ever import export_scores

        assert outputs
        who = {"model": model, "organization": without_surrogates(organization), "prompting": prompting}
        say(f"scores in {export_scores(out, folder, outputs, chosen, **who)}")
        return
    if form == OPENAI:
        asked = row_requests(folder, chosen, base=base, thinking_tokens=thinking_tokens)
        say(f"{openai_jsonl(out, asked, without_surrogates(model), base=base)} requests in {out}")
        return
    found = tables(folder, chosen)
    harness(out, form, found, release_of(folder), base=base, thinking_tokens=thinking_tokens)
    say(f"{len(found)} tables in {out}")
