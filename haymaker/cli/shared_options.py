"""Arguments and options shared by several commands."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

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
Buckets = Annotated[str, typer.Option(help="Lengths, comma-separated: 4k,32k.")]
Mini = Annotated[bool, typer.Option("--mini", help="Use the small subset across tasks and lengths.")]
Prompting = Annotated[str, typer.Option(help="chat, or base (the model continues the prompt).")]
Stream = Annotated[bool, typer.Option("--stream", help="Stream replies, for servers that close idle connections.")]
ThinkingTokens = Annotated[
    int, typer.Option(min=0, help="Extra output tokens for reasoning, on top of the answer budget.")
]
