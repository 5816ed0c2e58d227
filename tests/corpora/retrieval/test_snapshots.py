"""Models of the Hub, fetched by the pipeline: pinned, locked, without code, from a Hub on the loopback."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from corpora.retrieval.models import ModelParams, model_facts
from tests.corpora.retrieval import small_models
from tests.extras import needs
from tests.forks import Forks
from tests.hub import LocalHub

pytestmark = needs("embed-cpu", "sentence_transformers")
REPO = "me/encoder"
Client = Callable[..., dict[str, Any]]
CLIENT = """
import json, sys
from pathlib import Path
from corpora.retrieval.models import DenseParams
from corpora.retrieval.snapshots import fetch
from corpora.sources.base import FetchContext
from haymaker.core.errors import HaymakerError

root = Path(sys.argv[2])
root.mkdir(exist_ok=True)
params = DenseParams(model="me/encoder", revision=sys.argv[1], dimensions=16)
try:
    folder = fetch(params, FetchContext(None, root / "cache", root / "sources.lock.json"))
    names = sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())
    print(json.dumps({"names": names}))
except HaymakerError as error:
    print(json.dumps({"error": str(error)}))
"""


@pytest.fixture(scope="module")
def served() -> Iterator[LocalHub]:
    with LocalHub().serving() as served:
        yield served


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where all programs have the Hub's cache."""
    return tmp_path_factory.mktemp("home")


def fetches(served: LocalHub, home: Path, **more: str) -> Iterator[Client]:
    """Fetches a commit, in a process of its own."""
    forks = Forks(("corpora.retrieval.snapshots", "huggingface_hub.hf_api"), served.environment(home) | more)
    yield lambda root, sha: forks(CLIENT, sha, str(root))
    forks.close()


@pytest.fixture(scope="module")
def client(served: LocalHub, home: Path) -> Iterator[Client]:
    yield from fetches(served, home)


@pytest.fixture(scope="module")
def cut_off(served: LocalHub, home: Path) -> Iterator[Client]:
    """The same on a machine that cannot reach the Hub."""
    yield from fetches(served, home, HF_ENDPOINT="http://127.0.0.1:9")


@pytest.fixture
def hub(served: LocalHub, home: Path) -> LocalHub:
    """In order and unasked, and nothing of it is in the cache."""
    vars(served).update(vars(LocalHub()) | {"url": served.url})
    shutil.rmtree(home / "hub", ignore_errors=True)
    return served


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = small_models.encoder(tmp_path_factory.mktemp("model"))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_pinned_model_is_fetched_once_without_what_is_not_read(hub, files, client, tmp_path):
    other = dict.fromkeys(("own.py", "pytorch_model.bin", "onnx/config.json", "README.md"), b"raise SystemExit")
    sha = hub.commit(REPO, files | other)
    got = client(tmp_path, sha)
    assert "error" not in got, got
    assert {*got["names"]} == {*files}
    lock = json.loads((tmp_path / "sources.lock.json").read_bytes())[f"model:{REPO}@{sha}"]
    assert lock["revision"] == sha and set(lock["files"]) == {*got["names"]}
    hub.requests.clear()
    assert client(tmp_path, sha) == got and not hub.requests


def test_what_another_program_left_of_a_model_is_fetched_whole(hub, files, client, cut_off, home, tmp_path):
    """Weights without the files that say how vectors are made of them would load, and give other vectors."""
    sha = hub.commit(REPO, files)
    whole = client(tmp_path, sha)
    cache = next(path.parent for path in home.rglob("snapshots"))
    shutil.rmtree(cache / "trees")
    for name in ("modules.json", "1_Pooling/config.json"):
        (cache / "snapshots" / sha / name).unlink()
    assert "the copy in the cache may be incomplete" in cut_off(tmp_path, sha)["error"]
    assert client(tmp_path, sha) == whole and {*whole["names"]} == {*files}


def test_files_that_are_not_read_name_no_other_model(files, tmp_path):
    params = ModelParams(model=str(tmp_path))
    (tmp_path / "onnx").mkdir()
    for name, data in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    before = model_facts(params, tmp_path)
    (tmp_path / "onnx/config.json").write_bytes(b"{}")
    assert model_facts(params, tmp_path) == before
    (tmp_path / "added.json").write_bytes(b"{}")
    assert model_facts(params, tmp_path) != before
