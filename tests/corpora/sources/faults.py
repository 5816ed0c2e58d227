"""A server that does what servers do wrong, one fault at a time, before it behaves."""

from __future__ import annotations

import gzip
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PAGE = b"\n<!DOCTYPE html>\n<html><body>We will be back soon.</body></html>\n"


@dataclass
class Wrong:
    """What is wrong with some answers.

    Attributes:
        status: of the answer, which then has no file; 0: the file is sent.
        headers: beside those of every answer.
        times: answers that it strikes, then all is well; -1: all.
        cut: bytes after which the connection breaks.
        body: what is sent instead of the file.
        whole: Range is ignored.
        when: only such requests.
    """

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    times: int = -1
    cut: int | None = None
    body: Callable[[bytes], bytes] | None = None
    whole: bool = False
    when: Callable[[BaseHTTPRequestHandler], bool] = lambda request: True


class Server:
    """Files by path. `tags` off: no ETag; `seen`: range and headers of every request."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.wrong: list[Wrong] = []
        self.tags = True
        self.url = ""
        self.seen: list[dict[str, str]] = []
        self._lock = threading.Lock()

    def strikes(self, request: BaseHTTPRequestHandler) -> Wrong:
        with self._lock:
            self.seen.append({key.lower(): value for key, value in request.headers.items()})
            for wrong in self.wrong:
                if wrong.times and wrong.when(request):
                    wrong.times -= 1
                    return wrong
        return Wrong()


@contextmanager
def serving() -> Iterator[Server]:
    """Answer on a free port until the block ends."""
    state = Server()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            wrong = state.strikes(self)
            data = state.files.get(self.path)
            status = wrong.status or (200 if data is not None else 404)
            if status != 200 or data is None:
                self._send(status, {**wrong.headers, "Content-Length": "0"})
                return
            tag = f'"{hash(data) & 0xFFFFFFFF:x}"' if state.tags else ""
            asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
            same = self.headers.get("If-Range", tag) == tag
            part = asked if asked and same and not wrong.whole else None
            body, size = wrong.body(data) if wrong.body else data, len(data)
            start = int(part[1]) if part else 0
            stop = min(int(part[2]) + 1, size) if part and part[2] else len(body)
            if start >= len(body) and part:
                self._send(416, {"Content-Range": f"bytes */{size}", "Content-Length": "0"})
                return
            headers = {"Content-Length": str(stop - start), "Accept-Ranges": "bytes"} | ({"ETag": tag} if tag else {})
            headers |= {"Content-Range": f"bytes {start}-{stop - 1}/{size}"} if part else {}
            self._send(206 if part else 200, headers | wrong.headers)
            sent = body[start:stop]
            self.wfile.write(sent if wrong.cut is None else sent[: wrong.cut])
            self.wfile.flush()
            self.close_connection = wrong.cut is not None

        def _send(self, status: int, headers: dict[str, str]) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()


def packed(data: bytes) -> bytes:
    """A body as a server packs it."""
    return gzip.compress(data, mtime=0)
