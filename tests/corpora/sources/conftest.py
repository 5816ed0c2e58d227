"""Fixtures for raw sources: a fetch context in a temporary folder, the mirror, a Hub and programs that know it, and a web server with faults."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from corpora.sources.base import FetchContext
from tests.forks import Forks
from tests.hub import LocalHub


@pytest.fixture
def context(tmp_path: Path) -> FetchContext:
    return FetchContext(None, tmp_path / "work" / "downloads", tmp_path / "sources.lock.json")


@pytest.fixture
def real(mirror: Path, tmp_path: Path) -> FetchContext:
    return FetchContext(mirror, tmp_path / "work" / "downloads", tmp_path / "sources.lock.json")


@pytest.fixture(scope="session")
def _served() -> Iterator[LocalHub]:
    with LocalHub().serving() as hub:
        yield hub


@pytest.fixture
def hub(_served: LocalHub) -> LocalHub:
    """A Hub on the loopback: in order, empty and unasked."""
    vars(_served).update(vars(LocalHub()) | {"url": _served.url})
    return _served


@pytest.fixture(scope="session")
def programs(_served: LocalHub, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forks]:
    """Programs in processes of their own, which take that Hub for the one there is."""
    imports = ("corpora.sources", "huggingface_hub.hf_api", "pyarrow.parquet")
    with closing(Forks(imports, _served.environment(tmp_path_factory.mktemp("home")))) as forks:
        yield forks


class FaultyServer:
    """Serves bytes by path. `cut` breaks an answer after so many bytes; `ranges` off ignores Range; `moved` redirects.

    `polite` answers HEAD as if nothing had moved.
    """

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.cut: int | None = None
        self.ranges = True
        self.moved: dict[str, str] = {}
        self.polite = False
        self.seen: list[tuple[str, str, str]] = []
        self.url = ""


@pytest.fixture
def web() -> Iterator[FaultyServer]:
    state = FaultyServer()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def do_HEAD(self) -> None:
            self._answer(body=False)

        def do_GET(self) -> None:
            self._answer(body=True)

        def _answer(self, *, body: bool) -> None:
            requested = self.headers.get("Range", "")
            state.seen.append((self.command, self.path, requested))
            if (target := state.moved.get(self.path)) is not None and (body or not state.polite):
                self.send_response(302)
                self.send_header("Location", target.replace("PORT", str(self.server.server_address[1])))
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            data = state.files.get(self.path.split("?")[0])
            if data is None:
                self.send_response(404)
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            found = re.fullmatch(r"bytes=(\d+)-(\d*)", requested) if state.ranges else None
            start = int(found[1]) if found else 0
            stop = min(int(found[2]) + 1, len(data)) if found and found[2] else len(data)
            self.send_response(206 if found else 200)
            if found:
                self.send_header("Content-Range", f"bytes {start}-{stop - 1}/{len(data)}")
            self.send_header("Content-Length", str(stop - start))
            self.end_headers()
            if body and state.cut is not None and stop > state.cut:
                self.wfile.write(data[start : max(start, state.cut)])
                self.wfile.flush()
                self.close_connection = True
            elif body:
                self.wfile.write(data[start:stop])

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield state
    server.shutdown()
    server.server_close()
