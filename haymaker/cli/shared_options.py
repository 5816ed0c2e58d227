"""Arguments and options shared by several commands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from haymaker.core.files.json_output import reserve_output

Release = Annotated[
    Optional[str], typer.Option("--release", "-r", help="NAME of params/NAME.yaml, such as demo. Default: params.yaml.")
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
Prompting = Annotated[str, typer.Option(help="chat, or base (the model continues the prompt).")]
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
        "--json", callback=reserve_output, help="Write all figures as JSON to this file; - for standard output."
    ),
]
