"""`haymaker export`: rows of a release as a file of batch requests without answers, or as tasks of a program that runs models."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from haymaker.errors import ParamsError, ReleaseError
from haymaker.exchange import Request, messages_of
from haymaker.files import first_bytes, write_text, written
from haymaker.params import nearest
from pipelines.harness.tables import Table

_MARK = ".haymaker-export"
_BEGINS = b'{"custom_id": '


OPENAI = "openai_jsonl"
HARNESSES = ("lm_eval", "inspect", "lighteval")
"""Modules of pipelines/harness, each with `files`."""


def check_form(name: str, model: str, *, base: bool) -> None:
    """Refuse a form, or what does not go with it.

    Raises:
        ParamsError: there is no such form, or it goes without a model's name, or not with models that continue prompts.
    """
    if name not in (OPENAI, *HARNESSES):
        raise ParamsError(f"no form {name!r:.80}", where="export", fix=nearest(name, (OPENAI, *HARNESSES)))
    if name == OPENAI and not model:
        raise ParamsError("each request names its model", where="export openai_jsonl", fix="add --model NAME")
    if name == "inspect" and base:
        raise ParamsError(
            "Inspect asks models that reply", where="--prompting base", fix="leave it out, or export lm_eval"
        )


def harness(folder: Path, form: str, tables: Sequence[Table], release: Mapping[str, str], **how: Any) -> None:
    """Write the tasks of a program into a folder: new, empty, or one that this wrote before, whose files are replaced.

    Args:
        folder: to write.
        form: one of HARNESSES.
        tables: that become tasks.
        release: name, version, digest.
        how: base, thinking_tokens.

    Raises:
        ReleaseError: the folder holds something else.
    """
    files: Callable[..., dict[str, str]] = import_module(f"pipelines.harness.{form}").files
    found = files(tables, release, **how) | {_MARK: f"{form}\n"}
    if folder.exists() and not (folder / _MARK).is_file() and (not folder.is_dir() or any(folder.iterdir())):
        raise ReleaseError("holds something else and would be mixed up", where=str(folder), fix="name another --out")
    for old in folder.glob("*"):
        if old.is_file() and old.name not in found:
            old.unlink()
    for name, content in found.items():
        write_text(folder / name, content)


def openai_jsonl(path: Path, requests: Iterable[Request], model: str, *, base: bool) -> int:
    """Write one line a row, `custom_id` the row's id; how many.

    Args:
        path: to write.
        requests: of the rows.
        model: its name at the server.
        base: whether the model continues the prompt.

    Raises:
        ReleaseError: that file is there and holds something else.
    """
    if path.exists() and first_bytes(path, len(_BEGINS)) not in (b"", _BEGINS):
        raise ReleaseError(
            "is no file of batch requests and would be replaced", where=str(path), fix="name another --out"
        )
    count = 0
    with written(path) as temporary, temporary.open("w", encoding="utf-8") as file:
        for count, request in enumerate(requests, 1):  # noqa: B007
            file.write(json.dumps(_line(request, model, base=base), ensure_ascii=False) + "\n")
    return count


def _line(request: Request, model: str, *, base: bool) -> dict[str, Any]:
    body: dict[str, Any] = {"model": model, "temperature": 0, "max_tokens": request.max_tokens}
    if base:
        body |= {"prompt": request.prompt, **({"stop": list(request.stop)} if request.stop else {})}
    else:
        body["messages"] = messages_of(request.prompt, request.system)
    url = "/v1/completions" if base else "/v1/chat/completions"
    return {"custom_id": request.id, "method": "POST", "url": url, "body": body}
