"""Publishing as a person does it: looked at, done, done again, raised, read back; and everything that is refused."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from haymaker.core.files.disk import sha256_file
from pipelines.project import Project
from tests.hub_uploads import GIT_ATTRIBUTES, UploadHub
from tests.pipelines import tiny
from tests.pipelines.hub.publisher import READER, TOKEN, Publisher


def refused(result: subprocess.CompletedProcess[str], *words: str) -> None:
    line = tiny.one_line(result)
    assert all(word in line for word in words), line


@pytest.fixture(scope="module")
def first(hub: UploadHub, publish: Publisher, here: Project) -> dict[str, bytes]:
    """The project is published as org/tiny: the files there. Without --yes nothing is sent, and again nothing more."""
    begun = len(hub.requests)
    looked = publish(here.root, "org/tiny")
    assert {line.split()[0] for line in hub.requests[begun:]} == {"GET"} and not (
        here.root / "data/work/published.json"
    ).exists()
    assert "new, private" in looked.stdout and "Next: haymaker publish org/tiny --yes" in looked.stdout
    assert "CC0-1.0" in looked.stdout and "74 rows, 174,966 tokens" in looked.stdout
    result = publish(here.root, "org/tiny", "--yes")
    assert result.returncode == 0 and "all compared" in result.stdout, result.stderr
    begun, commits = len(hub.requests), len(hub.history["org/tiny"])
    assert "already published" in publish(here.root, "org/tiny", "--yes").stdout
    assert len(hub.history["org/tiny"]) == commits
    assert {line.split()[0] for line in hub.requests[begun:]} == {"GET", "HEAD"}
    return hub.files("org/tiny", "v0.1.0")


def test_published_is_what_was_built(hub: UploadHub, first: dict[str, bytes], here: Project) -> None:
    assert set(first) == {*GIT_ATTRIBUTES, *tiny.digests(here.root)}
    manifest = here.release / "manifest.json"
    for name in json.loads(manifest.read_text())["files"]:
        assert first[name] == (here.release / name).read_bytes()
    assert first["manifest.json"] == manifest.read_bytes()
    assert b'"org/tiny"' in first["README.md"] and "org/tiny" in hub.private
    record = json.loads((here.root / "data/work/published.json").read_text())
    assert record == {"tiny": {"repo": "org/tiny", "version": "0.1.0", "manifest": sha256_file(manifest)}}
    words = [TOKEN, str(here.root), f"{Path.home()}/", "127.0.0.1", sys.prefix]
    words += [socket.gethostname()] if len(socket.gethostname()) > 5 else []
    for name, data in first.items():
        assert not [word for word in words if word.encode() in data], name
        if not name.endswith(".parquet"):
            assert not re.search(rb"\b20\d\d-\d\d-\d\d|\d\d:\d\d:\d\d", data), name
    work = [path for path in (here.root / "data/work").rglob("*") if path.is_file()]
    assert not [path for path in work if TOKEN.encode() in path.read_bytes()]


def test_one_task_changed_sends_that_task(
    hub: UploadHub, publish: Publisher, first: dict[str, bytes], here: Project, tmp_path: Path
) -> None:
    changed = tiny.copy(here.root, tmp_path / "next")
    tasks = {"qa2.lengths.0k": 6, "qa3": None, "qa1_quarter.lengths.2k": 2}
    values = {f"suites.babilong.tasks.{name}": value for name, value in tasks.items()}
    tiny.write_params(changed.root, tiny.params(**{"release.version": "0.2.0"}, **values))
    tiny.run(changed, "generate", "validate", "card")
    before = len(hub.history["org/tiny"])
    seen = publish(changed.root, "org/tiny").stdout
    for task, said in (
        ("qa2", "0 new, 1 changed, 0 gone"),
        ("qa3", "0 new, 0 changed, 1 gone"),
        ("qa1_quarter", "1 new"),
    ):
        assert f"babilong/{task}: {said}" in seen
    assert publish(changed.root, "org/tiny", "--yes").returncode == 0
    rows, rest = (commit.changes for commit in hub.history["org/tiny"][before:])
    parquet = "data/babilong/{}/test-00000-of-00001.parquet"
    assert rows == dict.fromkeys(map(parquet.format, ("qa1_quarter/2k", "qa2/0k")), "lfsFile")
    assert {"manifest.json", "README.md"} <= set(rest)
    gone = {path: kind for path, kind in rest.items() if path.startswith("data/")}
    assert gone == {parquet.format("qa3/1k"): "deletedFile"}
    assert set(hub.tags["org/tiny"]) == {"v0.1.0", "v0.2.0"}
    assert "already published" in publish(here.root, "org/tiny", "--yes").stdout  # an older one that is there


def test_read_back_by_tag(hub: UploadHub, first: dict[str, bytes], tmp_path: Path) -> None:
    script = """
from datasets import load_dataset
named = {"path": "org/tiny", "name": "babilong_qa1_sim_1k", "revision": "v0.1.0", "split": "test"}
plain = load_dataset(**named)
streamed = list(load_dataset(**named, streaming=True))
print(len(plain), [row["id"] for row in plain] == [row["id"] for row in streamed], plain[0]["prompt"] == streamed[0]["prompt"])
"""
    environment = hub.environment(tmp_path) | {"HF_TOKEN": TOKEN}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False)
    assert done.stdout == "6 True True\n", done.stderr[-2000:]


def test_where_nothing_may_be_published(hub: UploadHub, publish: Publisher, here: Project) -> None:
    hub.commit("org/foreign", {"README.md": b"mine", "train.csv": b"a,b"})
    refused(publish(here.root, "org/foreign", "--yes"), "org/foreign: contains README.md")
    hub.commit("org/code", {"loader.py": b"import os"})
    refused(publish(here.root, "org/code", "--yes"), "contains loader.py")
    hub.commit("org/open", GIT_ATTRIBUTES)
    refused(publish(here.root, "org/open", "--yes"), "org/open: public", "add --public")
    assert not {"org/foreign", "org/code", "org/open"} & set(hub.history)
    refused(publish(here.root, "org/tiny@0.1.0"), "omit the version")
    refused(publish(here.root, "tiny"), "is not the name of a release on the Hub")
    refused(publish(here.root, "org/tiny", "--allow", "novel"), "no source 'novel'", "novels")


def test_tokens_and_a_private_repository(hub: UploadHub, publish: Publisher, here: Project) -> None:
    for token, words in (
        ("", ("no token is set", "hf auth login")),
        ("hf_hasExpiredLongAgo", ("token is missing, invalid or expired",)),
        (READER, ("read-only",)),
    ):
        refused(publish(here.root, "org/token", "--yes", HF_TOKEN=token), *words)
    hub.commit("org/kept", GIT_ATTRIBUTES)
    hub.private.add("org/kept")
    result = publish(here.root, "org/kept", "--public", "--yes")
    assert result.returncode == 0 and "private (you can change this in its settings" in result.stdout
    assert "org/kept" in hub.private, "it stays private"
