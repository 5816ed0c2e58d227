"""data/reports/<name>/build.json: CycloneDX by its form, true of this environment, and apart from the release."""

from __future__ import annotations

import json
import platform
import socket
import subprocess
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from haymaker.core.files.disk import sha256_file
from pipelines.project import Project
from pipelines.run import sbom
from tests.pipelines import tiny


def record_of(project: Project) -> dict[str, Any]:
    sbom.write(project)
    found: dict[str, Any] = json.loads((project.reports / "build.json").read_bytes())
    return found


def test_it_says_what_the_release_was_built_with(mine: Project) -> None:
    before = tiny.digests(mine.root, "data/releases/tiny")
    record = record_of(mine)
    assert tiny.digests(mine.root, "data/releases/tiny") == before
    assert (record["bomFormat"], record["specVersion"], record["version"]) == ("CycloneDX", "1.6", 1)
    about = record["metadata"]
    assert datetime.fromisoformat(about["timestamp"]).tzinfo is not None
    assert about["component"] == {
        "type": "data", "name": "tiny", "version": "0.1.0",
        "hashes": [{"alg": "SHA-256", "content": sha256_file(mine.release / "manifest.json")}],
    }  # fmt: skip
    facts = {each["name"].removeprefix("haymaker:"): each["value"] for each in about["properties"]}
    assert facts["python"] == platform.python_version() and facts["seed"] == "7" and "commit" not in facts
    text = (mine.reports / "build.json").read_text()
    assert str(mine.root) not in text and str(Path.home()) not in text and socket.gethostname() not in text


def test_a_commit_is_named_and_whether_files_differ_from_it(fresh: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", "/dev/null")
    mail = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    for command in (["init", "-q"], ["add", "params.yaml"], [*mail, "commit", "-qm", "x"]):
        subprocess.run(["git", *command], cwd=fresh.root, check=True)
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=fresh.root, capture_output=True, text=True, check=True)

    def commit() -> str:
        record = record_of(fresh)
        assert "hashes" not in record["metadata"]["component"]  # nothing is built
        return next(each["value"] for each in record["metadata"]["properties"] if each["name"] == "haymaker:commit")

    assert commit() == head.stdout.strip()
    with (fresh.root / "params.yaml").open("a") as file:
        file.write("\n# changed\n")
    assert commit() == f"{head.stdout.strip()}-dirty"
