"""Publishing ended by kill -9 at any of its requests: the same command goes on, and what stands on the Hub is the same."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from pipelines.project import Project
from pipelines.publishing.card.texts import texts
from tests.hub_uploads import UploadHub
from tests.pipelines.hub.publisher import Publisher

TENTHS = range(10)
QUICK = (4, 9)


@pytest.fixture(scope="module")
def requests(hub: UploadHub, publish: Publisher, here: Project) -> int:
    """How many requests it takes when nothing happens."""
    begun = len(hub.requests)
    assert publish(here.root, "org/whole", "--yes").returncode == 0
    return len(hub.requests) - begun


@pytest.mark.parametrize(
    "tenth", [pytest.param(tenth, marks=[] if tenth in QUICK else pytest.mark.slow) for tenth in TENTHS]
)
def test_killed_and_resumed(hub: UploadHub, publish: Publisher, here: Project, requests: int, tenth: int) -> None:
    repo, at = f"org/killed{tenth}", 3 + (requests - 3) * tenth // max(TENTHS)
    assert publish.killed_at(at, here.root, repo, "--yes")
    was_tagged = bool(hub.tags.get(repo))
    assert publish(here.root, repo, "--yes").returncode == 0
    assert published(hub, repo) == published(hub, "org/whole")
    hold(hub, repo)
    assert was_tagged <= (tenth == max(TENTHS)), "only the last request may tag"


def published(hub: UploadHub, repo: str) -> dict[str, bytes]:
    """What the tag names, without texts that name their repository: those are held to be what the manifest gives there."""
    files = hub.files(repo, "v0.1.0")
    for name, text in texts(json.loads(files["manifest.json"]), repo).items():
        assert files[name] == text.encode()
    return {name: data for name, data in files.items() if name == "manifest.json" or name.endswith(".parquet")}


def hold(hub: UploadHub, repo: str) -> None:
    """Nothing was committed twice, texts came after all rows, and the tag came last, after the listing check."""
    history = hub.history[repo]
    assert set(Counter(path for commit in history for path in commit.changes).values()) == {1}
    rows = {path for path in hub.files(repo, "v0.1.0") if path.endswith(".parquet")}
    for commit in history:
        files = set(hub.files(repo, commit.sha))
        assert "README.md" not in files or rows <= files
    mine = [line for line in hub.requests if f"{repo}/" in line or f"{repo}.git" in line]
    tag = max(i for i, line in enumerate(mine) if "/tag/" in line)
    head = history[-1].sha
    looked = [i for i, line in enumerate(mine) if f"/tree/{head}" in line]
    assert max(i for i, line in enumerate(mine) if "/commit/" in line) < min(i for i in looked if i < tag) < tag
    assert hub.tags[repo] == {"v0.1.0": head}
