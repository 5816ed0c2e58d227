"""Fixture: a project whose reports go elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipelines.project import Project


@pytest.fixture
def project(built: Project, tmp_path: Path) -> Project:
    """The finished project, but for its reports: they go to `tmp_path`."""

    class Apart(Project):
        @property
        def reports(self) -> Path:
            return tmp_path / "reports"

    return Apart(built.root)
