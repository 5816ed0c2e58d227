"""Publishing as a person does it: looked at, done, done again, raised, read back; and everything that is refused."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from haymaker.core.errors import HaymakerError, ParamsError
from haymaker.core.files.disk import json_text, sha256_file
from pipelines.project import Project
from pipelines.publishing.card import licences
from pipelines.publishing.card.texts import texts
from pipelines.publishing.publish import PublishOptions, _permitted
from tests.hub_uploads import GIT_ATTRIBUTES, UploadHub
from tests.pipelines import tiny
from tests.pipelines.hub.publisher import READER, TOKEN, Publisher


@pytest.fixture(scope="module")
def here(built_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A finished project that was published as org/tiny."""
    return tiny.copy(built_root, tmp_path_factory.mktemp("project") / "mine")


@pytest.fixture(scope="module")
def first(hub: UploadHub, publish: Publisher, here: Project) -> str:
    """What the first publishing printed."""
    result = publish(here.root, "org/tiny", "--yes")
    assert result.returncode == 0, result.stderr
    return result.stdout


def refused(result: subprocess.CompletedProcess[str], *words: str) -> None:
    line = tiny.one_line(result)
    assert all(word in line for word in words), line


def test_without_yes_nothing_is_sent(hub: UploadHub, publish: Publisher, here: Project) -> None:
    begun = len(hub.log)
    result = publish(here.root, "org/looked", "--public")
    assert result.returncode == 0
    assert {line.split()[0] for line in hub.log[begun:]} == {"GET"}
    assert "new, public" in result.stdout
    assert "CC0-1.0" in result.stdout and "74 rows, 174,966 tokens" in result.stdout
    assert "Next: haymaker publish org/looked --public --yes" in result.stdout
    assert not (here.root / "data/work/published.json").exists()


def test_published_is_what_was_built(hub: UploadHub, first: str, here: Project) -> None:
    held = hub.files("org/tiny", "v0.1.0")
    assert set(held) == {*GIT_ATTRIBUTES, *tiny.digests(here.root)}
    manifest = here.release / "manifest.json"
    for name in json.loads(manifest.read_text())["files"]:
        assert held[name] == (here.release / name).read_bytes()
    assert held["manifest.json"] == manifest.read_bytes()
    assert b'"org/tiny"' in held["README.md"]
    assert "org/tiny" in hub.private
    record = json.loads((here.root / "data/work/published.json").read_text())
    assert record == {"tiny": {"repo": "org/tiny", "version": "0.1.0", "manifest": sha256_file(manifest)}}
    assert "all compared" in first


def test_published_files_tell_nothing_of_this_machine(hub: UploadHub, first: str, here: Project) -> None:
    words = [TOKEN, str(here.root), str(Path.home()) + "/", "127.0.0.1", sys.prefix]
    words += [socket.gethostname()] if len(socket.gethostname()) > 5 else []
    for name, data in hub.files("org/tiny").items():
        assert not [word for word in words if word.encode() in data], name
        if not name.endswith(".parquet"):
            assert not re.search(rb"\b20\d\d-\d\d-\d\d|\d\d:\d\d:\d\d", data), name
    work = [path for path in (here.root / "data/work").rglob("*") if path.is_file()]
    assert not [path for path in work if TOKEN.encode() in path.read_bytes()]


def test_a_second_time_makes_no_commit(hub: UploadHub, publish: Publisher, first: str, here: Project) -> None:
    begun, commits = len(hub.log), len(hub.history["org/tiny"])
    result = publish(here.root, "org/tiny", "--yes")
    assert result.returncode == 0 and "already published" in result.stdout
    assert len(hub.history["org/tiny"]) == commits
    assert {line.split()[0] for line in hub.log[begun:]} == {"GET", "HEAD"}


def test_one_task_changed_sends_that_task(
    hub: UploadHub, publish: Publisher, first: str, here: Project, tmp_path: Path
) -> None:
    changed = tiny.copy(here.root, tmp_path / "next")
    values = {"release.version": "0.2.0", "suites.babilong.tasks.qa2.lengths.0k": 6, "suites.babilong.tasks.qa3": None}
    tiny.write_params(changed.root, tiny.params(**values))
    tiny.run(changed, "generate", "validate", "card")
    before = len(hub.history["org/tiny"])
    seen = publish(changed.root, "org/tiny").stdout
    assert "babilong/qa2: 0 new, 1 changed, 0 gone" in seen and "babilong/qa3: 0 new, 0 changed, 1 gone" in seen
    assert publish(changed.root, "org/tiny", "--yes").returncode == 0
    made = [commit.changes for commit in hub.history["org/tiny"][before:]]
    assert made[0] == {"data/babilong/qa2/0k/test-00000-of-00001.parquet": "lfsFile"}
    assert len(made) == 2 and {"manifest.json", "README.md"} <= set(made[1])
    of_tasks = {path: kind for path, kind in made[1].items() if path.startswith("data/")}
    assert of_tasks == {"data/babilong/qa3/1k/test-00000-of-00001.parquet": "deletedFile"}
    assert set(hub.tags["org/tiny"]) == {"v0.1.0", "v0.2.0"}
    lower = tiny.copy(here.root, tmp_path / "lower")
    rendered(lower, version="0.0.9")
    refused(
        publish(lower.root, "org/tiny", "--yes"),
        "0.0.9 is lower than the published version 0.2.0",
        "make release.version higher",
    )
    assert "already published" in publish(here.root, "org/tiny", "--yes").stdout  # an older one that is there


def test_read_back_by_tag(hub: UploadHub, first: str, tmp_path: Path) -> None:
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


def rendered(project: Project, **changes: Any) -> dict[str, Any]:
    """Change a finished release and what it says of itself."""
    said: dict[str, Any] = json.loads((project.release / "manifest.json").read_text()) | changes
    for name, text in texts(said, "data/releases/tiny").items():
        (project.release / name).write_text(text)
    return said


def test_what_may_not_be_published(
    hub: UploadHub, publish: Publisher, first: str, here: Project, tmp_path: Path
) -> None:
    mine = tiny.copy(here.root, tmp_path / "mine")
    said = rendered(mine, title="Another title")
    refused(
        publish(mine.root, "org/tiny", "--yes"), "v0.1.0 is already published with other bytes", "raise release.version"
    )
    rendered(mine, verification=said["verification"] | {"failed": {"FILL": 2}})
    refused(publish(mine.root, "org/none", "--yes"), "2 rows fail the check FILL")
    rendered(mine, verification=said["verification"] | {"rows": 70})
    refused(publish(mine.root, "org/none", "--yes"), "70 of 74 rows")
    told = rendered(mine, verification=said["verification"])
    del told["verification"]
    unverified = json_text(told)
    card = (mine.release / "README.md").read_text()
    old = sha256_file(mine.release / "manifest.json")
    (mine.release / "manifest.json").write_text(unverified)
    (mine.release / "README.md").write_text(card.replace(old, sha256_file(mine.release / "manifest.json")))
    refused(publish(mine.root, "org/none", "--yes"), "rows were not checked")
    rendered(mine, verification=said["verification"], name="other")
    refused(publish(mine.root, "org/tiny", "--yes"), "contains the release tiny, not other")
    rendered(mine, verification=said["verification"], name="tiny", title=f"Built in {mine.root}/data")
    refused(publish(mine.root, "org/none", "--yes"), "would contain a token or a folder of this machine")
    file = next(iter(said["files"]))
    (mine.release / file).write_bytes((mine.release / file).read_bytes() + b"x")
    refused(publish(mine.root, "org/none", "--yes"), file, "changed since it was released")
    assert "org/none" not in hub.history


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


def test_tokens(publish: Publisher, here: Project) -> None:
    refused(publish(here.root, "org/token", "--yes", HF_TOKEN=""), "no token is set", "hf auth login")
    refused(
        publish(here.root, "org/token", "--yes", HF_TOKEN="hf_hasExpiredLongAgo"),
        "token is missing, invalid or expired",
    )
    refused(publish(here.root, "org/token", "--yes", HF_TOKEN=READER), "read-only")


def test_an_existing_private_repository_stays_private(hub: UploadHub, publish: Publisher, here: Project) -> None:
    hub.commit("org/kept", GIT_ATTRIBUTES)
    hub.private.add("org/kept")
    result = publish(here.root, "org/kept", "--public", "--yes")
    assert result.returncode == 0 and "private (you can change this in its settings" in result.stdout
    assert "org/kept" in hub.private


def test_restricted_sources(here: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    said = json.loads((here.release / "manifest.json").read_text())
    monkeypatch.setattr(licences, "restricted", lambda manifest: {"stories": "CC BY-NC: non-commercial"})
    monkeypatch.setattr(licences, "without", lambda manifest, sources: {"without": sources})
    _, found = _permitted(PublishOptions("org/x"), said)
    assert [isinstance(error, HaymakerError) and error.where for error in found] == ["source stories"]
    assert "--allow stories" in str(found[0]) and "non-commercial" in str(found[0])
    assert _permitted(PublishOptions("org/x", allow=("stories",)), said) == (said, [])
    assert _permitted(PublishOptions("org/x", exclude_restricted=True), said) == ({"without": {"stories"}}, [])
    with pytest.raises(ParamsError, match="no source"):
        _permitted(PublishOptions("org/x", allow=("storeys",)), said)
