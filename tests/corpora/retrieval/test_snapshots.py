"""Models of the Hub, fetched by the pipeline: pinned, locked, without code, from a Hub on the loopback."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.corpora.retrieval import small_models
from tests.extras import needs
from tests.hub import LocalHub

pytestmark = needs("embed-cpu", "sentence_transformers")
REPO = "me/encoder"
CLIENT = """
import json, sys
from pathlib import Path
from corpora.retrieval.dense_params import DenseParams
from corpora.retrieval.encoder import Encoder
from corpora.retrieval.snapshots import fetch
from corpora.sources.base import FetchContext
from haymaker.errors import HaymakerError

root = Path(sys.argv[2])
params = DenseParams(model="me/encoder", revision=sys.argv[1], dimensions=16)
try:
    folder = fetch(params, FetchContext(None, root / "cache", root / "sources.lock.json"))
    names = sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())
    print(json.dumps({"names": names, "vector": Encoder(params, "cpu").query("comet").tolist()}))
except HaymakerError as error:
    print(json.dumps({"error": str(error)}))
"""


@pytest.fixture
def hub() -> Iterator[LocalHub]:
    with LocalHub().serving() as served:
        yield served


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = small_models.encoder(tmp_path_factory.mktemp("model"))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def client(hub: LocalHub, root: Path, sha: str) -> dict:
    root.mkdir(exist_ok=True)
    command = [sys.executable, "-c", CLIENT, sha, str(root)]
    done = subprocess.run(command, env=hub.environment(root / "home"), capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_a_pinned_model_is_fetched_once_without_what_is_not_read(hub, files, tmp_path):
    other = {
        "own.py": b"raise SystemExit",
        "pytorch_model.bin": b"pickle",
        "onnx/config.json": b"{}",
        "README.md": b"x",
    }
    sha = hub.commit(REPO, files | other)
    got = client(hub, tmp_path, sha)
    assert "error" not in got, got
    assert not {*other} & {*got["names"]} and "model.safetensors" in got["names"] and len(got["vector"]) == 16
    lock = json.loads((tmp_path / "sources.lock.json").read_bytes())[f"model:{REPO}@{sha}"]
    assert lock["revision"] == sha and set(lock["files"]) == {*got["names"]}
    hub.requests.clear()
    assert client(hub, tmp_path, sha) == got and not hub.requests


def test_a_file_that_is_not_the_first_downloads_is_refused(hub, files, tmp_path):
    sha = hub.commit(REPO, files)
    client(hub, tmp_path, sha)
    lock = json.loads((tmp_path / "sources.lock.json").read_bytes())
    lock[f"model:{REPO}@{sha}"]["files"]["config.json"]["sha256"] = "0" * 64
    (tmp_path / "sources.lock.json").write_text(json.dumps(lock))
    assert "sources.lock.json says 000000000000" in client(hub, tmp_path, sha)["error"]


def test_what_is_wrong_is_one_line_and_locks_nothing(hub, files, tmp_path):
    sha = hub.commit(REPO, {name: data for name, data in files.items() if not name.endswith(".safetensors")})
    assert "has no weights as safetensors" in client(hub, tmp_path / "a", sha)["error"]
    assert "no such file or repository" in client(hub, tmp_path / "b", "f" * 40)["error"]
    hub.url = "http://127.0.0.1:9"
    assert "cannot be reached" in client(hub, tmp_path / "c", sha)["error"]
    assert not list(tmp_path.rglob("sources.lock.json"))
