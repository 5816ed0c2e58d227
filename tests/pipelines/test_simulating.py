"""Simulated sources side by side: the same bytes whoever writes their parts, and parts of other options are not taken."""

from __future__ import annotations

from pathlib import Path

from pipelines import simulating
from pipelines.project import Project
from pipelines.stages import download
from tests.pipelines import tiny


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_parts_of_all_sources_are_written_at_once_and_taken_up(fresh: Project, tmp_path: Path) -> None:
    names = simulating.wanted(fresh, force=False)
    assert names == list(fresh.params.sources)
    written = simulating.write(fresh, names)
    inodes = {
        path.stat().st_ino for parts in written.values() for folder in parts.values() for path in folder.iterdir()
    }
    for name in names:
        assert list(written[name]) == list(fresh.inputs.source(name).parts())  # type: ignore[attr-defined]
        download.run(fresh, name)
        fresh.inputs.source(name).fetch(tmp_path / name, fresh.fetch_context())  # one by one, in this process
        made = fresh.data / "raw" / name
        assert bytes_of(made) == bytes_of(tmp_path / name)
        assert any(path.stat().st_ino in inodes for path in made.rglob("*"))
    assert not list((fresh.work / "simulated").glob("[!.]*")), "parts that were taken up are removed"


def test_parts_of_other_options_are_not_taken(fresh: Project) -> None:
    before = {part: bytes_of(folder) for part, folder in simulating.write(fresh, ["novels"])["novels"].items()}
    tiny.write_params(fresh.root, tiny.params(**{"sources.novels.seed": 4}))
    other = Project(fresh.root)
    after = {part: bytes_of(folder) for part, folder in simulating.write(other, ["novels"])["novels"].items()}
    assert before.keys() == after.keys()
    assert all(before[part] != after[part] for part in before)
    download.run(other, "novels")
    assert not list((fresh.work / "simulated").glob("[!.]*"))
