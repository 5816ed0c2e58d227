"""A small Hugging Face Hub on the loopback: dataset info, refs, tree, paths-info and resolve, with commits, tags and faults.

The client libraries read HF_ENDPOINT at import, so run them in a subprocess with `LocalHub.environment()`.
"""

from __future__ import annotations

import fnmatch
import hashlib
import os
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from urllib.parse import parse_qs

import uvicorn
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

_CHUNK_BYTES = 8192
UNUSABLE = [
    ("ALL_PROXY", "ftp://user:secret@127.0.0.1:9"),
    ("HTTPS_PROXY", "http://user:secret@127.0.0.1:port"),
    ("SSL_CERT_FILE", "/no/such/file.pem"),
]
"""Environment variables with which no HTTP client can be created."""


@dataclass
class Fault:
    """What goes wrong with requests.

    Attributes:
        path: pattern of the paths that it strikes.
        method: of the requests; empty: any.
        times: requests that it strikes, then it is over.
        after: requests of this kind that it lets through before.
        status: with which they are refused; 0: they are answered.
        headers: of the refusal.
        is_abort: the connection breaks after the first bytes of the request.
        cut: bytes of the body after which the connection breaks.
        served: bytes that are sent instead of the file's.
    """

    path: str
    method: str = ""
    times: int = 1
    after: int = 0
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    is_abort: bool = False
    cut: int | None = None
    served: Callable[[bytes], bytes] | None = None


class LocalHub:
    """Dataset repositories in memory. `url` is set while it is served."""

    def __init__(self) -> None:
        self.url = ""
        self.requests: list[str] = []
        self.status = 0  # with which files are refused
        self.gated: set[str] = set()  # repositories that anybody may list and nobody may read
        self.private: set[str] = set()  # repositories for those who bring a good token
        self.tokens: dict[str, str] = {}  # good token -> what it may do: read or write
        self.faults: list[Fault] = []
        self.sent: Counter[str] = Counter()  # bytes of files by path, as far as they left
        self.watch: Callable[[str], None] = lambda event: None  # told every request, and every piece of a file
        self._tags: dict[str, dict[str, str]] = {}
        self._commits: dict[str, dict[str, dict[str, bytes]]] = {}
        self._head: dict[str, str] = {}

    def commit(self, repo: str, files: dict[str, bytes]) -> str:
        """A new commit that holds exactly these files; becomes `main`."""
        state = hashlib.sha1(self._head.get(repo, repo).encode())
        for path in sorted(files):
            state.update(path.encode() + files[path])
        sha = state.hexdigest()
        self._commits.setdefault(repo, {})[sha] = dict(files)
        self._head[repo] = sha
        return sha

    def tag(self, repo: str, name: str, sha: str | None = None) -> None:
        """Name a commit, the newest one if none is said."""
        self._tags.setdefault(repo, {})[name] = sha or self._head[repo]

    def environment(self, home: os.PathLike[str]) -> dict[str, str]:
        """Variables for a client process."""
        return {
            **{key: value for key, value in os.environ.items() if not key.startswith("HF_")},
            "HF_ENDPOINT": self.url,
            "HF_HOME": os.fspath(home),
            "HF_HUB_DISABLE_XET": "1",
            "HF_HUB_DISABLE_TELEMETRY": "1",
            "NO_PROXY": "127.0.0.1",
        }

    @contextmanager
    def serving(self) -> Iterator[LocalHub]:
        """Answer on a free port until the block ends."""
        self._app = Starlette(routes=self._routes())
        config = uvicorn.Config(
            self._answer, interface="asgi3", host="127.0.0.1", port=0, log_level="error", lifespan="off"
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        self.url = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
        try:
            yield self
        finally:
            server.should_exit = True
            thread.join(10)

    def _routes(self) -> list[Route]:
        api = "/api/datasets/{owner}/{name}"
        return [
            Route(api, self._info),
            Route(api + "/revision/{revision}", self._info),
            Route(api + "/refs", self._refs),
            Route(api + "/tree/{revision}", self._tree),
            Route(api + "/tree/{revision}/{path:path}", self._tree),
            Route(api + "/paths-info/{revision}", self._paths_info, methods=["POST"]),
            Route("/datasets/{owner}/{name}/resolve/{revision}/{path:path}", self._resolve),
            Route("/api/models/{owner}/{name}", self._info),
            Route("/api/models/{owner}/{name}/revision/{revision}", self._info),
            Route("/api/models/{owner}/{name}/tree/{revision}", self._tree),
            Route("/{owner}/{name}/resolve/{revision}/{path:path}", self._resolve),
        ]

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Note the request, let a fault happen, or answer."""
        if scope["type"] != "http":
            return
        self.requests.append(f"{scope['method']} {scope['path']}")
        self.watch(self.requests[-1])
        request = Request(scope, receive)
        fault = self._strikes(request, lambda fault: bool(fault.status) or fault.is_abort)
        if fault is None:
            with suppress(ClientDisconnect):  # the client was killed
                await self._app(scope, receive, send)
        elif fault.status:
            await request.body()  # a client that is still sending would see a cut connection
            await _missing("", fault.status, fault.headers)(scope, receive, send)
        else:
            await receive()
            send.__self__.transport.abort()  # type: ignore[attr-defined]
            while (await receive())["type"] != "http.disconnect":
                pass

    def _find(self, request: Request) -> tuple[str, str, dict[str, bytes]] | Response:
        repo = f"{request.path_params['owner']}/{request.path_params['name']}"
        if refused := self._refused(request, repo):
            return refused
        if repo not in self._commits:
            return _missing("RepoNotFound", 404)
        revision = request.path_params.get("revision", "main")
        sha = self._head[repo] if revision == "main" else self._tags.get(repo, {}).get(revision, revision)
        if sha not in self._commits[repo]:
            return _missing("RevisionNotFound", 404)
        return repo, sha, self._commits[repo][sha]

    def _refused(self, request: Request, repo: str) -> Response | None:
        """The answer to who may not."""
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        if token and token not in self.tokens and self.tokens:
            return _missing("", 401, {"X-Error-Message": "Invalid credentials in Authorization header"})
        return _missing("RepoNotFound", 401) if repo in self.private and token not in self.tokens else None

    def _strikes(self, request: Request, kind: Callable[[Fault], bool]) -> Fault | None:
        for fault in self.faults:
            fits = fnmatch.fnmatch(request.url.path, fault.path) and fault.method in ("", request.method)
            if kind(fault) and fits and fault.times > 0:
                if not fault.after:
                    fault.times -= 1
                    return fault
                fault.after -= 1
        return None

    async def _refs(self, request: Request) -> Response:
        found = self._find(request)
        if isinstance(found, Response):
            return found
        repo = found[0]
        tags = [
            {"name": name, "ref": f"refs/tags/{name}", "targetCommit": sha}
            for name, sha in self._tags.get(repo, {}).items()
        ]
        main = {"name": "main", "ref": "refs/heads/main", "targetCommit": self._head[repo]}
        return JSONResponse({"branches": [main], "tags": tags, "converts": []})

    async def _info(self, request: Request) -> Response:
        found = self._find(request)
        if isinstance(found, Response):
            return found
        repo, sha, files = found
        body = {"id": repo, "sha": sha, "private": False, "gated": False, "tags": [], "downloads": 0}
        return JSONResponse({**body, "siblings": [{"rfilename": path} for path in sorted(files)]})

    async def _tree(self, request: Request) -> Response:
        found = self._find(request)
        if isinstance(found, Response):
            return found
        files = found[2]
        prefix = request.path_params.get("path", "").strip("/")
        prefix = f"{prefix}/" if prefix else ""
        inside = {path: data for path, data in files.items() if path.startswith(prefix)}
        if prefix and not inside:
            return _missing("EntryNotFound", 404)
        deep = request.query_params.get("recursive", "").lower() in ("true", "1")
        folders = {prefix + path[len(prefix) :].split("/")[0] for path in inside if "/" in path[len(prefix) :]}
        nodes = [{"type": "directory", "path": path, "oid": "0" * 40, "size": 0} for path in sorted(folders)]
        nodes += [_node(path, inside[path]) for path in sorted(inside) if deep or "/" not in path[len(prefix) :]]
        return JSONResponse(nodes)

    async def _paths_info(self, request: Request) -> Response:
        found = self._find(request)
        if isinstance(found, Response):
            return found
        wanted = parse_qs((await request.body()).decode()).get("paths", [])
        return JSONResponse([_node(path, found[2][path]) for path in wanted if path in found[2]])

    async def _resolve(self, request: Request) -> Response:
        found = self._find(request)
        if isinstance(found, Response):
            return found
        repo, sha, files = found
        if self.status or repo in self.gated:
            return _missing("GatedRepo" if repo in self.gated else "", self.status or 403)
        path = request.path_params["path"]
        if path not in files:
            return _missing("EntryNotFound", 404)
        data, digest = files[path], hashlib.sha256(files[path]).hexdigest()
        headers = {"X-Repo-Commit": sha, "ETag": f'"{digest}"', "Accept-Ranges": "bytes"}
        if _large(path):
            headers |= {"X-Linked-Size": str(len(data)), "X-Linked-ETag": f'"{digest}"'}
        return self._sent(request, path, data, headers)

    def _sent(self, request: Request, path: str, data: bytes, headers: dict[str, str]) -> Response:
        """The file, or the range that is asked for, piece by piece."""
        if request.method == "HEAD":
            return Response(b"", 200, {**headers, "Content-Length": str(len(data))})
        if fault := self._strikes(request, lambda fault: fault.served is not None):
            assert fault.served is not None
            data = fault.served(data)
        start, stop, status = 0, len(data), 200
        requested = request.headers.get("range", "")
        if requested.startswith("bytes="):
            first, _, last = requested.removeprefix("bytes=").partition("-")
            start, stop, status = int(first), min(int(last or len(data) - 1) + 1, len(data)), 206
            headers["Content-Range"] = f"bytes {start}-{stop - 1}/{len(data)}"
        cut = self._strikes(request, lambda fault: fault.cut is not None)
        headers["Content-Length"] = str(stop - start)
        return StreamingResponse(self._pieces(path, data[start:stop], cut), status, headers)

    async def _pieces(self, path: str, data: bytes, cut: Fault | None) -> AsyncIterator[bytes]:
        until = len(data) if cut is None or cut.cut is None else cut.cut
        for at in range(0, until, _CHUNK_BYTES):
            piece = data[at : min(at + _CHUNK_BYTES, until)]
            yield piece
            self.sent[path] += len(piece)
            self.watch(f"PIECE {path}")
        if until < len(data):
            raise ConnectionAbortedError(path)


def _large(path: str) -> bool:
    return fnmatch.fnmatch(path, "*.parquet")


def _node(path: str, data: bytes) -> dict[str, object]:
    blob = hashlib.sha1(f"blob {len(data)}\0".encode() + data).hexdigest()
    node: dict[str, object] = {"type": "file", "path": path, "oid": blob, "size": len(data)}
    if _large(path):
        node["lfs"] = {"oid": hashlib.sha256(data).hexdigest(), "size": len(data), "pointerSize": 134}
    return node


def _missing(code: str, status: int, headers: dict[str, str] | None = None) -> Response:
    return JSONResponse({"error": code}, status, {**({"X-Error-Code": code} if code else {}), **(headers or {})})
