"""Simulated sources: parts of all of them side by side, the same bytes as one by one, and none of other options."""

from __future__ import annotations

from pathlib import Path

from corpora.sources.simulated import Simulated
from pipelines.project import Project
from tests.pipelines import tiny


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_sources_are_written_in_parts_and_kept(fresh: Project, tmp_path: Path) -> None:
    tiny.run(fresh, "download")
    for name in fresh.params.sources:
        source = fresh.inputs.source(name)
        assert isinstance(source, Simulated)
        source.fetch(tmp_path / name, fresh.fetch_context())  # one by one, in this process
        assert bytes_of(fresh.data / "raw" / name) == bytes_of(tmp_path / name)
        kept = fresh.work / f"inputs/sources/{name}-{source.made_by()}/store"
        assert all(path.samefile(fresh.data / "raw" / name / path.relative_to(kept)) for path in kept.rglob("*.txt"))
    assert not list(fresh.work.glob("simulated/*/*")), "parts of finished sources are removed"
    before = {path.name: path.stat().st_mtime_ns for path in fresh.work.glob("inputs/sources/*")}
    tiny.write_params(fresh.root, tiny.params(**{"sources.novels.seed": 4}))
    tiny.run(fresh, "download")
    after = {path.name: path.stat().st_mtime_ns for path in fresh.work.glob("inputs/sources/*")}
    assert before.items() <= after.items() and len(after) == len(before) + 1, "other options are written beside it"
