"""Arguments and options that several commands have."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

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
