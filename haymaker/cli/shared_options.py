"""Arguments and options shared by several commands."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from haymaker.core.choices import MISSING, PROMPTINGS, check_choice
from haymaker.core.files.json_output import STANDARD_OUTPUT

_LONGEST_LIST = 40  # characters of choices before the help text of an option


def choice(*flags: str, choices: Sequence[str], what: str, help: str) -> Any:
    """Return an option, or without flags an argument, with fixed choices: shown in the help, completed, checked.

    Args:
        flags: names of the option.
        choices: valid values.
        what: noun for such a value, for the error.
        help: help text.
    """

    def check(value: Any) -> Any:
        for each in value if isinstance(value, list) else filter(None, [value]):
            check_choice(each, choices, what, flags[0] if flags else "")
        return value

    listed = f"<{'|'.join(choices)}>"
    if not flags or len(listed) > _LONGEST_LIST:
        listed, help = what.upper(), f"{help.removesuffix('.')}: {', '.join(choices)}."
    kind = typer.Option if flags else typer.Argument
    return kind(*flags, callback=check, metavar=listed, autocompletion=lambda: [*choices], help=help)


def _parameter_files() -> list[str]:
    """Return the names of the parameter files of this project, for the completion of the shell."""
    return sorted(path.stem for path in Path("params").glob("*.yaml"))


def _reserve_output(context: typer.Context, path: Optional[Path]) -> Optional[Path]:
    """Print nothing else on standard output if the JSON goes there."""
    if path == STANDARD_OUTPUT:
        from haymaker.core.progress import out

        out.quiet = True
        context.call_on_close(lambda: setattr(out, "quiet", False))
    return path


ParamsFile = Annotated[
    Optional[str],
    typer.Argument(
        metavar="NAME",
        autocompletion=_parameter_files,
        help="NAME of params/NAME.yaml, such as demo. Default: params.yaml.",
    ),
]
Folder = Annotated[
    Optional[str],
    typer.Option(
        "--release",
        "-r",
        help="Release: folder, NAME, or ORG/NAME[@VERSION]. Default: the release of params.yaml.",
    ),
]
Tasks = Annotated[str, typer.Option(help="Tasks, comma-separated: qa1,helmet/kilt_nq.")]
Suites = Annotated[str, typer.Option(help="Suites, comma-separated.")]
Lengths = Annotated[str, typer.Option(help="Lengths, comma-separated: 4k,32k.")]
Mini = Annotated[bool, typer.Option("--mini", help="Use the small subset across tasks and lengths.")]
Prompting = Annotated[
    str, choice("--prompting", choices=PROMPTINGS, what="prompting", help="base: the model continues the prompt.")
]
Missing = Annotated[
    str, choice("--missing", choices=MISSING, what="policy", help="Policy for test rows without an output.")
]
Model = Annotated[str, typer.Option(help="Model name on the server.")]
Endpoint = Annotated[str, typer.Option(envvar="HAYMAKER_ENDPOINT", help="OpenAI-compatible: https://your-server/v1")]
Temperature = Annotated[float, typer.Option(min=0, max=2)]
Concurrency = Annotated[int, typer.Option(min=1, max=1024, help="Parallel requests.")]
Timeout = Annotated[float, typer.Option(min=0.001, help="Seconds without data until a timeout.")]
Retries = Annotated[int, typer.Option(min=0, max=100, help="Retries per request.")]
PriceIn = Annotated[Optional[float], typer.Option(min=0, help="Price per million prompt tokens.")]
PriceOut = Annotated[Optional[float], typer.Option(min=0, help="Price per million reply tokens.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Dry run: print requests, tokens, cost and time.")]
Stream = Annotated[bool, typer.Option("--stream", help="Stream replies, for servers that close idle connections.")]
ThinkingTokens = Annotated[
    int, typer.Option(min=0, help="Extra output tokens for reasoning, on top of the answer budget.")
]
JsonFile = Annotated[
    Optional[Path],
    typer.Option(
        "--json", callback=_reserve_output, help="Write all figures as JSON to this file; - for standard output."
    ),
]
