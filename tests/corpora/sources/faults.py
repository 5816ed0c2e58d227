"""A web server with faults: each fault applies to some responses, then the server works."""

from __future__ import annotations

import gzip
import io
import re
import tarfile
import threading
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Literal

PAGE = b"\n<!DOCTYPE html>\n<html><body>We will be back soon.</body></html>\n"


@dataclass
class Wrong:
    """A fault.

    Attributes:
        status: HTTP status without a file; 0: the file is sent.
        headers: additional headers.
        times: number of responses with the fault; -1: all.
        cut: bytes after which the connection breaks.
        body: function that replaces the body.
        whole: Range is ignored.
        odd: another Content-Range for range requests.
        when: condition on the request.
    """

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    times: int = -1
    cut: int | None = None
    body: Callable[[bytes], bytes] | None = None
    whole: bool = False
    odd: str = ""
    when: Callable[[BaseHTTPRequestHandler], bool] = lambda request: True


class Server:
    """Files by path. `tags` off: no ETag; `moved`: files redirect to /moved; `redirects`: target by path, PORT is the port.

    `seen` records path and headers of every request.
    """

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.wrong: list[Wrong] = []
        self.tags = True
        self.moved = False
        self.redirects: dict[str, str] = {}
        self.url = ""
        self.seen: list[dict[str, str]] = []
        self._lock = threading.Lock()

    def strikes(self, request: BaseHTTPRequestHandler) -> Wrong:
        with self._lock:
            self.seen.append({"path": request.path} | {key.lower(): value for key, value in request.headers.items()})
            for wrong in self.wrong:
                if wrong.times and wrong.when(request):
                    wrong.times -= 1
                    return wrong
        return Wrong()

    def starts(self) -> list[int]:
        """First byte of every range request."""
        return [int(each["range"][6:].split("-")[0]) for each in self.seen if "range" in each]


@contextmanager
def serving() -> Iterator[Server]:
    """Serve on a free port until the block ends."""
    state = Server()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            target = state.redirects.get(self.path, "").replace("PORT", str(self.server.server_address[1]))
            if state.moved and not self.path.startswith("/moved/"):
                target = f"/moved{self.path}"
            wrong = state.strikes(self)
            if target:
                self._send(307, {"Location": target, "Content-Length": "0"})
                return
            path = self.path.removeprefix("/moved")
            data = state.files.get(path, state.files.get(path.split("?")[0]))
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
            headers |= {"Content-Range": wrong.odd or f"bytes {start}-{stop - 1}/{size}"} if part else {}
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

    class Quiet(ThreadingHTTPServer):
        def handle_error(self, *_: object) -> None:
            """Clients that close the connection print nothing."""

    server = Quiet(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()


def zipped(members: Mapping[str, bytes | str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


def tarred(members: Mapping[str, str], mode: Literal["w", "w:gz"] = "w") -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as tar:
        for name, text in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            tar.addfile(member, io.BytesIO(text.encode()))
    return out.getvalue()


def packed(data: bytes) -> bytes:
    """Compress a body as a server does."""
    return gzip.compress(data, mtime=0)
