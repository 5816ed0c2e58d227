"""`haymaker export`: write rows of a release as batch requests without answers, or as tasks of a harness."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from haymaker.core.choices import FORMATS, OPENAI, SCORES, check_choice
from haymaker.core.errors import ParamsError, ReleaseError
from haymaker.core.files.disk import disk_errors, remove, sweep, temporary_name, write_text, written
from haymaker.core.files.output_files import check_output_folder, check_replaceable, starts_with
from haymaker.core.rows.model_requests import Request
from haymaker.evaluation.export.tables import Table

_MARK = ".haymaker-export"
_PYTHONS = ("__pycache__",)  # created by harnesses that import the tasks
_BEGINS = b'{"custom_id": '
_MODEL = re.compile(r"[\w-][\w.-]*(/[\w-][\w.-]*)+", re.ASCII)


def check_form(name: str, model: str, outputs: Path | None, *, base: bool) -> None:
    """Check the export format and its options.

    Raises:
        ParamsError: unknown format, an option that it needs or does not have, or no support for base models.
    """
    check_choice(name, FORMATS, "format", "export")
    if name == SCORES and outputs is None:
        raise ParamsError("requires the outputs of a model", where=f"export {SCORES}", fix="add --outputs FILE")
    if name == SCORES and not _MODEL.fullmatch(model):
        raise ParamsError(f"{model!r:.80} is not ORG/NAME", where="--model", fix="--model meta-llama/Llama-3.1-8B")
    if name != SCORES and outputs is not None:
        raise ParamsError("exports rows, not scores", where=f"export {name} --outputs", fix=f"export {SCORES}")
    if name == OPENAI and not model:
        raise ParamsError("requires the name of the model", where="export openai_jsonl", fix="add --model NAME")
    if name == "inspect" and base:
        raise ParamsError(
            "Inspect supports only chat models", where="--prompting base", fix="omit it, or export lm_eval"
        )


def harness(folder: Path, form: str, tables: Sequence[Table], release: Mapping[str, str], **how: Any) -> None:
    """Write the tasks of a harness into a new or empty folder, or replace an earlier export.

    Args:
        folder: folder to write.
        form: one of HARNESSES.
        tables: tables to write as tasks.
        release: name, version, digest.
        how: base, thinking_tokens.

    Raises:
        ReleaseError: the folder contains other files.
        EnvironmentProblem: the disk cannot be written; the folder stays unchanged.
    """
    files: Callable[..., dict[str, str]] = import_module(f"haymaker.evaluation.export.{form}").files
    found = files(tables, release, **how)
    old = _written_before(folder, found)
    is_new = not folder.exists()
    stage = temporary_name(folder / "new")
    try:
        with disk_errors(folder):
            stage.mkdir(parents=True)
            for name, content in (found | {_MARK: _mark(form, found)}).items():
                write_text(stage / name, content)
            write_text(
                folder / _MARK, _mark(form, {*found, *old})
            )  # after an interruption here, the next call recognises all files
            for name in (*found, _MARK):  # the mark last: it must not list missing files before that
                (stage / name).replace(folder / name)
            for name in old - found.keys():
                (folder / name).unlink(missing_ok=True)
    finally:
        remove(stage)
        if is_new and folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()


def _mark(form: str, names: Iterable[str]) -> str:
    """Return the content of the mark file, which lists the exported files for later calls."""
    return "".join(f"{line}\n" for line in (form, *sorted(names)))


def _written_before(folder: Path, found: Collection[str]) -> set[str]:
    """Return the names of the files in a folder after checking that an earlier call wrote all of them.

    Raises:
        ReleaseError: the folder contains another file.
    """
    check_output_folder(folder)
    if not folder.exists():
        return set()
    sweep(folder)
    here = {path.name for path in folder.iterdir()} - {_MARK, *_PYTHONS}
    mark = folder / _MARK
    _, *names = mark.read_text(encoding="utf-8").splitlines() if mark.is_file() else [""]
    ours = {*(names or (found if mark.is_file() else ()))}  # marks of version 0.1 list no files
    if strange := sorted(here - ours):
        what = f"contains {strange[0]!r:.80}, which was not written by an export"
        raise ReleaseError(what, where=str(folder), fix="choose another --out")
    return here


def openai_jsonl(path: Path, requests: Iterable[Request], model: str, *, base: bool) -> int:
    """Write one line per row, with the row id as `custom_id`, and return the number of lines.

    Args:
        path: file to write.
        requests: one per row.
        model: model name on the server.
        base: whether the model continues the prompt.

    Raises:
        ReleaseError: the file exists with other content, or cannot be written.
    """
    check_replaceable(path, "--out", "file of batch requests", starts_with(_BEGINS))
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
        body["messages"] = request.chat(request.system)
    url = "/v1/completions" if base else "/v1/chat/completions"
    return {"custom_id": request.id, "method": "POST", "url": url, "body": body}
