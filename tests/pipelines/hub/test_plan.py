"""What publishing would do, without a Hub: which files go into which commit, what is above a limit, which version is newer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from haymaker.releases.pulled.ref import version_order
from haymaker.releases.remote.backend import RemoteFile
from pipelines.publishing.publish_plan import COMMIT_FILES, changes, largest_group, steps, task_of
from pipelines.publishing.publisher import RemoteState, UploadBatch
from pipelines.publishing.release_files import LocalFile, ReleaseFiles


def name(task: int, file: int) -> str:
    return f"data/suite/t{task:02d}/4k/test-{file:05d}-of-00099.parquet"


def staged(files: dict[str, str], version: str = "0.2.0") -> ReleaseFiles:
    said = {"name": "many", "version": version, "files": {path: {"sha256": sha} for path, sha in files.items()}}
    texts = {
        "README.md": LocalFile(Path("README.md"), 1, version),
        "manifest.json": LocalFile(Path("manifest.json"), 1, version),
    }
    return ReleaseFiles(Path(), said, {path: LocalFile(Path(path), 1, sha) for path, sha in files.items()} | texts)


def held(of: ReleaseFiles) -> dict[str, RemoteFile]:
    return {path: RemoteFile(local.size, local.sha256, "") for path, local in of.files.items()}


def test_a_task_stands_in_one_commit_and_texts_in_the_last() -> None:
    release = staged({name(task, file): "a" for task in range(9) for file in range(150 if task == 4 else 30)})
    found = steps(release, RemoteState("org/many"))
    for task in {task_of(path) for path in release.files} - {""}:
        assert len([step for step in found if any(task_of(path) == task for path in step.sent)]) == 1
    assert found[-1] == UploadBatch("many 0.2.0: card and manifest", ("README.md", "manifest.json"), ())
    assert [len(step.sent) for step in found] == [90, 30, 150, 90, 30, 2]
    assert all(len(step.sent) <= COMMIT_FILES for step in found if len({*map(task_of, step.sent)}) > 1)
    assert sum(len(step.sent) for step in found) == len(release.files)


def test_only_what_differs_and_what_is_gone() -> None:
    before = staged({name(0, 0): "a", name(0, 1): "a", name(1, 0): "a", name(2, 0): "a"}, "0.1.0")
    now = staged({name(0, 0): "b", name(1, 0): "a", name(3, 0): "a"})
    there = RemoteState("org/many", "0" * 40, tags={"0.1.0": "0" * 40}, files=held(before), manifest=before.manifest)
    first, last = steps(now, there)
    assert (first.sent, first.removed) == ((name(0, 0), name(3, 0)), (name(0, 1),))
    assert (last.sent, last.removed) == (("README.md", "manifest.json"), (name(2, 0),))
    told = {task: (c.new, c.changed, c.gone) for task, c in changes(now, there).items()}
    assert told == {"suite/t00": (0, 1, 1), "suite/t02": (0, 0, 1), "suite/t03": (1, 0, 0)}
    assert steps(now, replace(there, files=held(now) | {".gitattributes": RemoteFile(1, "", "x")})) == []


def test_versions_stand_in_their_order() -> None:
    assert max(["0.9.0", "0.10.0", "0.2.11"], key=version_order) == "0.10.0"


def test_row_groups_are_measured_where_a_reader_must_take_them_whole(tmp_path: Path) -> None:
    table = pa.table({"prompt": ["x" * 1000] * 50})
    sizes = {}
    for index in (True, False):
        path = tmp_path / f"{index}.parquet"
        pq.write_table(table, path, write_page_index=index, use_dictionary=False)
        sizes[index] = largest_group(ReleaseFiles(tmp_path, {}, {path.name: LocalFile(path, 1, "")}))
    assert sizes[True] == 0 and sizes[False] > 50_000
