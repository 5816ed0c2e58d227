"""The small Hub of tests/hub.py, grown to what an upload needs: repositories, tokens, LFS files, commits, tags; and faults to order."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass
from typing import Any

import yaml
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.hub import LocalHub

GIT_ATTRIBUTES = {".gitattributes": b"*.parquet filter=lfs diff=lfs merge=lfs -text\n"}
"""What the Hub puts into a new repository."""
LFS_TYPE = "application/vnd.git-lfs+json"


@dataclass(frozen=True)
class Commit:
    """A commit that a client made: its changes as {path: "file", "lfsFile" or "deletedFile"}."""

    sha: str
    changes: dict[str, str]


class UploadHub(LocalHub):
    """Dataset repositories in memory that can be written to.

    Attributes:
        tokens: token -> role, write or read; other tokens have expired. Empty: anybody may do anything.
        spoiled: path of a file of which the Hub keeps other bytes than it was sent, once.
        history: repository -> commits that clients made, oldest first.
    """

    def __init__(self) -> None:
        super().__init__()
        self.spoiled = ""
        self.history: dict[str, list[Commit]] = {}
        self._stored: dict[tuple[str, str], bytes] = {}  # repository and SHA-256

    @property
    def tags(self) -> dict[str, dict[str, str]]:
        """Repository -> tag -> commit."""
        return self._tags

    def files(self, repo: str, revision: str = "main") -> dict[str, bytes]:
        """What a repository holds."""
        sha = self._head[repo] if revision == "main" else self.tags[repo].get(revision, revision)
        return self._commits[repo][sha]

    def _routes(self) -> list[Route]:
        api, git = "/api/datasets/{owner}/{name}", "/datasets/{owner}/{name}.git/info/lfs/objects/batch"
        return [
            Route("/api/repos/create", self._create, methods=["POST"]),
            Route("/api/whoami-v2", self._whoami),
            Route("/api/validate-yaml", self._validate_yaml, methods=["POST"]),
            Route(api + "/preupload/{revision}", self._preupload, methods=["POST"]),
            Route(git, self._batch, methods=["POST"]),
            Route("/lfs/{owner}/{name}/{oid}", self._put, methods=["PUT"]),
            Route("/lfs/{owner}/{name}/{oid}/verify", self._verify, methods=["POST"]),
            Route(api + "/commit/{revision}", self._commit, methods=["POST"]),
            Route(api + "/tag/{revision}", self._tag, methods=["POST"]),
            *super()._routes(),
        ]

    def _read_only(self, request: Request) -> Response | None:
        """The refusal of a client that may not write."""
        role = self.tokens.get(request.headers.get("authorization", "").removeprefix("Bearer "))
        if not self.tokens or role == "write":
            return None
        return JSONResponse({"error": "no write access"}, 403 if role else 401)

    async def _whoami(self, request: Request) -> Response:
        given = request.headers.get("authorization", "").removeprefix("Bearer ")
        role = self.tokens.get(given) if self.tokens else "write"
        if not given or role is None:
            return JSONResponse({"error": "Invalid credentials in Authorization header"}, 401)
        token = {"accessToken": {"displayName": "test", "role": role}}
        return JSONResponse({"type": "user", "name": "someone", "orgs": [], "auth": token})

    # repositories

    async def _create(self, request: Request) -> Response:
        if refused := self._read_only(request):
            return refused
        body = await request.json()
        repo = f"{body.get('organization') or 'someone'}/{body['name']}"
        url = f"{self.url}/datasets/{repo}"
        if repo in self._commits:
            return JSONResponse({"error": "You already created this dataset repo", "url": url}, 409)
        if body.get("private") or body.get("visibility") == "private":
            self.private.add(repo)
        self.commit(repo, GIT_ATTRIBUTES)
        return JSONResponse({"url": url, "name": repo})

    async def _info(self, request: Request) -> Response:
        found = self._find(request)
        if isinstance(found, Response):
            return found
        repo, sha, files = found
        every = {data for held in self._commits[repo].values() for data in held.values()}
        body = {"id": repo, "sha": sha, "private": repo in self.private, "gated": False, "tags": [], "downloads": 0}
        used = {"usedStorage": sum(map(len, every))}
        return JSONResponse({**body, **used, "siblings": [{"rfilename": path} for path in sorted(files)]})

    async def _tag(self, request: Request) -> Response:
        found = self._read_only(request) or self._find(request)
        if isinstance(found, Response):
            return found
        repo, sha, _ = found
        name = (await request.json())["tag"]
        if name in self.tags.setdefault(repo, {}):
            return JSONResponse({"error": "Tag reference exists already"}, 409)
        self.tags[repo][name] = sha
        return JSONResponse({})

    # files

    async def _validate_yaml(self, request: Request) -> Response:
        text = (await request.json())["content"].removeprefix("---\n").partition("\n---\n")[0]
        try:
            errors = [] if isinstance(yaml.safe_load(text), dict) else [{"message": "no metadata"}]
        except yaml.YAMLError as error:
            errors = [{"message": str(error)}]
        return JSONResponse({"errors": errors, "warnings": []}, 400 if errors else 200)

    async def _preupload(self, request: Request) -> Response:
        found = self._read_only(request) or self._find(request)
        if isinstance(found, Response):
            return found
        body = await request.json()
        answers = []
        for file in body["files"]:
            path = file["path"]
            oid = {"oid": _oid(path, found[2][path])} if path in found[2] else {}
            answers.append(
                {"path": path, "uploadMode": "lfs" if _is_lfs(path) else "regular", "shouldIgnore": False} | oid
            )
        return JSONResponse({"files": answers})

    async def _batch(self, request: Request) -> Response:
        if refused := self._read_only(request):
            return refused
        body = await request.json()
        repo = _repo(request)
        objects = []
        for wanted in body["objects"]:
            answer: dict[str, Any] = {"oid": wanted["oid"], "size": wanted["size"]}
            if (repo, wanted["oid"]) not in self._stored:
                place = f"{self.url}/lfs/{repo}/{wanted['oid']}"
                answer["actions"] = {
                    "upload": {"href": f"{place}?X-Amz-Signature=hushhush"},
                    "verify": {"href": f"{place}/verify"},
                }
            objects.append(answer)
        return JSONResponse({"transfer": "basic", "objects": objects}, media_type=LFS_TYPE)

    async def _put(self, request: Request) -> Response:
        data = await request.body()
        if hashlib.sha256(data).hexdigest() != request.path_params["oid"]:
            return JSONResponse({"error": "not these bytes"}, 400)
        self._stored[_repo(request), request.path_params["oid"]] = data
        return Response()

    async def _verify(self, request: Request) -> Response:
        body = await request.json()
        held = self._stored.get((_repo(request), body["oid"]))
        return Response(status_code=200 if held is not None and len(held) == body["size"] else 404)

    async def _commit(self, request: Request) -> Response:
        found = self._read_only(request) or self._find(request)
        if isinstance(found, Response):
            return found
        repo, sha, held = found
        files, changes = dict(held), {}
        for line in (await request.body()).splitlines():
            entry = json.loads(line)
            key, value = entry["key"], entry["value"]
            if key == "header":
                if value.get("parentCommit", sha) != self._head[repo]:
                    return JSONResponse({"error": "A commit has happened since. Please refresh and try again."}, 412)
                continue
            changes[value["path"]] = key
            if key == "deletedFile":
                del files[value["path"]]
            else:
                files[value["path"]] = self._kept(repo, key, value)
        new = self.commit(repo, files)
        self.history.setdefault(repo, []).append(Commit(new, changes))
        return JSONResponse({"commitUrl": f"{self.url}/datasets/{repo}/commit/{new}", "commitOid": new})

    def _kept(self, repo: str, key: str, value: dict[str, Any]) -> bytes:
        data = base64.b64decode(value["content"]) if key == "file" else self._stored[repo, value["oid"]]
        if self.spoiled and value["path"] == self.spoiled:
            self.spoiled = ""
            return data[:-1] + bytes([data[-1] ^ 1])
        return data


def _repo(request: Request) -> str:
    return f"{request.path_params.get('owner')}/{request.path_params.get('name')}"


def _is_lfs(path: str) -> bool:
    return path.endswith(".parquet")


def _oid(path: str, data: bytes) -> str:
    return (
        hashlib.sha256(data).hexdigest() if _is_lfs(path) else hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()
    )
