"""What the Hub and the network do while a release is sent: it goes on, or it ends in one line, and the same command goes on."""

from __future__ import annotations

import re

import pytest

from pipelines.project import Project
from tests.hub import Fault
from tests.hub_uploads import UploadHub
from tests.pipelines import tiny
from tests.pipelines.hub.publisher import Publisher

PASSING = [
    Fault("/lfs/*", "PUT", status=429, after=2, headers={"Retry-After": "0"}),
    Fault("/lfs/*", "PUT", status=500, after=3),
    Fault("/lfs/*", "PUT", is_abort=True, after=4),
]
ENDING = {
    "500 at a commit": (Fault("*/commit/*", "POST", status=500), "status 500"),
    "cut at a commit": (Fault("*/commit/*", "POST", is_abort=True, after=1), "cannot be reached"),
    "expired in mid-upload": (
        Fault("*/preupload/*", "POST", status=401, after=1),
        "token is missing, invalid or expired",
    ),
    "may not create": (Fault("*/repos/create", "POST", status=403), "no permission"),
    "storage full": (Fault("/lfs/*", "PUT", status=400, after=1), "refuses the request"),
    "500 at the tag": (Fault("*/tag/*", "POST", status=500), "status 500"),
    "500 that stays": (Fault("/lfs/*", "PUT", status=500, times=1000), ""),
}
GOES_ON = ("cut at a commit", "storage full", "500 at the tag", "500 that stays")


@pytest.fixture(autouse=True)
def _mended(hub: UploadHub) -> None:
    hub.faults = []


def test_it_goes_on(hub: UploadHub, publish: Publisher, here: Project) -> None:
    hub.faults = [*PASSING]
    done = publish(here.root, "org/on", "--yes")
    assert done.returncode == 0 and re.search(r"^(Retrying in|Rate limited. Waiting) ", done.stderr, re.M), done.stderr
    assert not any(trouble.times for trouble in PASSING) and set(hub.tags["org/on"]) == {"v0.1.0"}


@pytest.mark.parametrize(
    "what", [pytest.param(what, marks=pytest.mark.slow if "stay" in what else []) for what in ENDING]
)
def test_it_ends_in_one_line_and_goes_on_later(hub: UploadHub, publish: Publisher, here: Project, what: str) -> None:
    repo, (fault, words) = f"org/end{list(ENDING).index(what)}", ENDING[what]
    hub.faults = [fault]
    line = tiny.one_line(publish(here.root, repo, "--yes"))
    assert words in line and repo in line and hub.url not in line, line
    assert not hub.tags.get(repo)
    hub.faults = []
    if what in GOES_ON:
        assert publish(here.root, repo, "--yes").returncode == 0
        paths = [path for commit in hub.history[repo] for path in commit.changes]
        assert len(paths) == len(set(paths)) == len(hub.files(repo, "v0.1.0")) - 1  # the Hub's own .gitattributes


def test_other_bytes_on_the_hub_are_seen_before_the_tag(hub: UploadHub, publish: Publisher, here: Project) -> None:
    hub.spoiled = "data/babilong/qa2/4k/test-00000-of-00001.parquet"
    line = tiny.one_line(publish(here.root, "org/spoiled", "--yes"))
    assert "qa2/4k/test-00000-of-00001.parquet has other bytes than the release" in line
    assert not hub.tags.get("org/spoiled")
    assert publish(here.root, "org/spoiled", "--yes").returncode == 0
    assert list(hub.history["org/spoiled"][-1].changes) == ["data/babilong/qa2/4k/test-00000-of-00001.parquet"]
    assert set(hub.tags["org/spoiled"]) == {"v0.1.0"}


def test_somebody_else_commits_in_between(hub: UploadHub, publish: Publisher, here: Project) -> None:
    def watch(request: str) -> None:
        if request.startswith("POST /api/datasets/org/two/commit/") and len(hub.history.get("org/two", [])) == 1:
            hub.commit("org/two", hub.files("org/two") | {"notes.txt": b"mine"})
            hub.watch = lambda request: None

    hub.watch = watch
    line = tiny.one_line(publish(here.root, "org/two", "--yes"))
    assert "another commit was made" in line and not hub.tags.get("org/two")
    assert "contains notes.txt, which is not part of a release" in tiny.one_line(publish(here.root, "org/two", "--yes"))
