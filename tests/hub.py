"""A small Hugging Face Hub on the loopback: dataset info, tree, paths-info and resolve, with commits.

The client libraries read HF_ENDPOINT at import, so run them in a subprocess with `LocalHub.environment()`.
"""

from __future__ import annotations

import fnmatch
import hashlib
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route


class LocalHub:
    """Dataset repositories in memory. `url` is set while it is served."""

    def __init__(self) -> None:
        self.url = ""
        self.requests: list[str] = []
        self.moved = ""  # where files are said to lie now
        self.status = 0  # with which files are refused
        self.gated: set[str] = set()  # repositories that anybody may list and nobody may read
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
        config = uvicorn.Config(self._app(), host="127.0.0.1", port=0, log_level="error", lifespan="off")
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

    def _app(self) -> Starlette:
        api = "/api/datasets/{owner}/{name}"
        return Starlette(
            routes=[
                Route(api, self._info),
                Route(api + "/revision/{revision}", self._info),
                Route(api + "/tree/{revision}", self._tree),
                Route(api + "/tree/{revision}/{path:path}", self._tree),
                Route(api + "/paths-info/{revision}", self._paths_info, methods=["POST"]),
                Route("/datasets/{owner}/{name}/resolve/{revision}/{path:path}", self._resolve),
            ]
        )

    def _find(self, request: Request) -> tuple[str, str, dict[str, bytes]] | Response:
        self.requests.append(f"{request.method} {request.url.path}")
        repo = f"{request.path_params['owner']}/{request.path_params['name']}"
        if repo not in self._commits:
            return _missing("RepoNotFound", 404)
        revision = request.path_params.get("revision", "main")
        sha = self._head[repo] if revision == "main" else revision
        if sha not in self._commits[repo]:
            return _missing("RevisionNotFound", 404)
        return repo, sha, self._commits[repo][sha]

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
        form = await request.form()
        wanted = [str(value) for key, value in form.multi_items() if key == "paths"]
        return JSONResponse([_node(path, found[2][path]) for path in wanted if path in found[2]])

    async def _resolve(self, request: Request) -> Response:
        found = self._find(request)
        if isinstance(found, Response):
            return found
        repo, sha, files = found
        if self.status or repo in self.gated:
            return _missing("GatedRepo" if repo in self.gated else "", self.status or 403)
        if self.moved:
            return Response(status_code=302, headers={"Location": self.moved})
        path = request.path_params["path"]
        if path not in files:
            return _missing("EntryNotFound", 404)
        data, digest = files[path], hashlib.sha256(files[path]).hexdigest()
        headers = {"X-Repo-Commit": sha, "ETag": f'"{digest}"', "Accept-Ranges": "bytes"}
        if _large(path):
            headers |= {"X-Linked-Size": str(len(data)), "X-Linked-ETag": f'"{digest}"'}
        requested = request.headers.get("range", "")
        if requested.startswith("bytes="):
            first, _, last = requested.removeprefix("bytes=").partition("-")
            start, stop = int(first), min(int(last or len(data) - 1) + 1, len(data))
            headers["Content-Range"] = f"bytes {start}-{stop - 1}/{len(data)}"
            return Response(data[start:stop], 206, headers)
        return Response(data, 200, headers)


def _large(path: str) -> bool:
    return fnmatch.fnmatch(path, "*.parquet")


def _node(path: str, data: bytes) -> dict[str, object]:
    blob = hashlib.sha1(f"blob {len(data)}\0".encode() + data).hexdigest()
    node: dict[str, object] = {"type": "file", "path": path, "oid": blob, "size": len(data)}
    if _large(path):
        node["lfs"] = {"oid": hashlib.sha256(data).hexdigest(), "size": len(data), "pointerSize": 134}
    return node


def _missing(code: str, status: int) -> Response:
    return JSONResponse({"error": code}, status, {"X-Error-Code": code})
