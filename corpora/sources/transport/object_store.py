"""Asking a far file of an object store (s3, gs), as `web.asked` asks a server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from corpora.sources.transport.web import CHUNK_BYTES, Answer, Interrupted
from haymaker.core.files.addresses import error_summary, explain


@contextmanager
def asked(url: str, start: int = 0, stop: int | None = None, tag: str = "") -> Iterator[Answer]:
    """See `web.asked`: the bytes from `start` to before `stop`, where the store still calls the file `tag`, else from 0 on."""
    import fsspec

    try:
        system, path = fsspec.core.url_to_fs(url)
        info = system.info(path)
        found, size = str(info.get("ETag") or ""), info.get("size")
        start = start if tag in ("", found) else 0
        file = system.open(path, "rb", block_size=CHUNK_BYTES, cache_type="none")
    except Exception as error:
        raise explain(error, url) from None
    with file:
        file.seek(start)
        yield Answer(size if isinstance(size, int) else None, found, start, True, _chunks(file, start, stop))


def _chunks(file: Any, at: int, stop: int | None) -> Iterator[bytes]:
    try:
        while chunk := file.read(CHUNK_BYTES if stop is None else min(CHUNK_BYTES, stop - at)):
            yield chunk
            at += len(chunk)
    except Exception as error:  # of as many kinds as there are stores
        raise Interrupted(error_summary(error)) from None
