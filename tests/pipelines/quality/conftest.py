"""Fixtures: a project whose reports go elsewhere, with no mirror, and a small mirror of books."""

from __future__ import annotations

from pathlib import Path

import pytest

from haymaker.core.files.disk import sha256_file
from pipelines.project import Project
from worlds.novels import write_novel

_TITLES = ("One by Ann Lee", "Two by Ann Lee", "Three by Bo", "Four by Cy")


@pytest.fixture
def project(built: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """The finished project, but for its reports: they go to `tmp_path`; no mirror is set."""
    monkeypatch.delenv("HAYMAKER_MIRROR", raising=False)

    class Apart(Project):
        @property
        def reports(self) -> Path:
            return tmp_path / "reports"

    return Apart(built.root)


@pytest.fixture(scope="package")
def books(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A mirror of four short novels that are taken for real books, two by one author."""
    root = tmp_path_factory.mktemp("mirror")
    for i in range(4):
        file = root / "pg19" / ("test" if i < 2 else "train") / f"{i}.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(write_novel(8, i, words=6000).text, encoding="utf-8")
    table = "".join(f"{i},{title},1900,\n" for i, title in enumerate(_TITLES))
    (root / "pg19/metadata.csv").write_text(table, encoding="utf-8")
    files = sorted(path for path in root.rglob("*") if path.is_file())
    sums = "".join(f"{sha256_file(path)}  {path.relative_to(root).as_posix()}\n" for path in files)
    (root / "SHA256SUMS").write_text(sums, encoding="utf-8")
    return root
