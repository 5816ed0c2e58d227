"""`haymaker export openai_jsonl`: rows of a release as a file of batch requests, without answers."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from haymaker.errors import ReleaseError
from haymaker.exchange import Request, messages_of
from haymaker.files import written


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
    if path.exists() and not _is_ours(path):
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


def _is_ours(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(14) in (b"", b'{"custom_id": ')
