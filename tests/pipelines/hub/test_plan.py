"""What publishing would do, without a Hub: which files are uploaded and removed, and which tasks changed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from haymaker.releases.remote.backend import RemoteFile, RemoteState
from pipelines.publishing.publish_plan import UploadPlan, changes, upload_plan
from pipelines.publishing.release_files import LocalFile, ReleaseFiles

TEXTS = ["README.md", "manifest.json"]


def name(task: int, file: int) -> str:
    return f"data/suite/t{task:02d}/4k/test-{file:05d}-of-00099.parquet"


def staged(files: dict[str, str], version: str = "0.2.0") -> ReleaseFiles:
    manifest = {"name": "many", "version": version, "files": {path: {"sha256": sha} for path, sha in files.items()}}
    texts = {text: LocalFile(Path(text), 1, version) for text in TEXTS}
    return ReleaseFiles(Path(), manifest, {path: LocalFile(Path(path), 1, sha) for path, sha in files.items()} | texts)


def held(of: ReleaseFiles) -> dict[str, RemoteFile]:
    return {path: RemoteFile(local.size, local.sha256) for path, local in of.files.items()}


def test_only_what_differs_and_what_is_gone() -> None:
    before = staged({name(0, 0): "a", name(0, 1): "a", name(1, 0): "a", name(2, 0): "a"}, "0.1.0")
    now = staged({name(0, 0): "b", name(1, 0): "a", name(3, 0): "a"})
    assert upload_plan(before, RemoteState()) == UploadPlan(list(before.manifest["files"]), TEXTS, [])
    there = RemoteState(True, "0" * 40, versions={"0.1.0": "0" * 40}, files=held(before), manifest=before.manifest)
    assert upload_plan(now, there) == UploadPlan([name(0, 0), name(3, 0)], TEXTS, [name(0, 1), name(2, 0)])
    assert changes(now, there) == {"suite/t00": (0, 1, 1), "suite/t02": (0, 0, 1), "suite/t03": (1, 0, 0)}
    done = replace(there, files=held(now) | {".gitattributes": RemoteFile(1, "", "x")})
    assert upload_plan(now, done) == UploadPlan([], [], [])


def test_texts_are_compared_by_the_hash_of_git(tmp_path: Path) -> None:
    text = tmp_path / "README.md"
    text.write_text("hello\n")
    release = ReleaseFiles(tmp_path, {"files": {}}, {text.name: LocalFile(text, 6, "a")})
    blob = "ce013625030ba8dba906f756967f9e9ca394464a"  # git hash-object
    assert not upload_plan(release, RemoteState(files={text.name: RemoteFile(6, "", blob)})).texts
    assert upload_plan(release, RemoteState(files={text.name: RemoteFile(6, "", "0" * 40)})).texts
