"""A Hub on the loopback that holds the tiny release, and `haymaker` in a process of its own that pulls from it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from haymaker.core.files.disk import sha256_file
from haymaker.releases.pulled.partial_pull import CONFIGS
from pipelines.publishing.card.texts import texts
from tests.hub import LocalHub
from tests.pipelines.forks import Programs

REPO, MINI = "org/tiny", "mini/babilong/qa1/test-00000-of-00001.parquet"
TOKEN = "hf_" + "Secret" * 6


@dataclass
class Reader:
    """A person with a cache folder of her own, far from any project."""

    hub: LocalHub
    programs: Programs
    home: Path
    more: dict[str, str] = field(default_factory=dict)

    def start(self, *arguments: str) -> int:
        """The program, running: its process."""
        return self.programs.start(self.home, *arguments, **{"HAYMAKER_HOME": str(self.home / "cache")} | self.more)

    def __call__(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """The program, to its end; the token never shows."""
        self.start(*arguments)
        done = self.programs.end()
        assert TOKEN not in done.stdout + done.stderr and "Bearer" not in done.stdout + done.stderr
        return done

    @property
    def folder(self) -> Path:
        """Where the release lies."""
        return self.home / "cache/releases" / REPO / "0.1.0"

    def files(self) -> set[str]:
        """Files of the release that are here, and whatever else lies there under a name of its own."""
        found = (path.relative_to(self.folder) for path in self.folder.rglob("*") if path.is_file())
        return {path.as_posix() for path in found if path.parts[0] not in (".cache", CONFIGS)}

    def fetched(self) -> set[str]:
        """Files that were asked of the hub."""
        asked = (line for line in self.hub.requests if line.startswith("GET /datasets"))
        return {line.partition("/resolve/")[2].partition("/")[2] for line in asked}


def release(folder: Path, **changes: Any) -> dict[str, bytes]:
    """The files of a release as they are published: texts made for that name.

    Args:
        folder: of a built release.
        changes: of its manifest.
    """
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    files = {name: (folder / name).read_bytes() for name in manifest["files"]}
    return files | published(manifest | changes)


def published(manifest: dict[str, Any]) -> dict[str, bytes]:
    """Its texts."""
    return {name: text.encode() for name, text in texts(manifest, REPO).items()}


def fitting(manifest: dict[str, Any]) -> dict[str, bytes]:
    """Any manifest at all, and a card that names it."""
    said = json.dumps(manifest).encode()
    card = f"---\nconfigs: []\n---\n`manifest.json`, SHA-256 `{sha256(said).hexdigest()}`\n"
    return {"manifest.json": said, "README.md": card.encode()}


@pytest.fixture(scope="session")
def _served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LocalHub, Programs]]:
    with LocalHub().serving() as served:
        programs = Programs(served, tmp_path_factory.mktemp("huggingface"))
        yield served, programs
        programs.close()


@pytest.fixture
def hub(built_root: Path, _served: tuple[LocalHub, Programs]) -> LocalHub:
    """With version 0.1.0 of org/tiny alone, in order and unasked."""
    hub, url = _served[0], _served[0].url
    vars(hub).update(vars(LocalHub()) | {"url": url})
    hub.commit(REPO, release(built_root / "data/releases/tiny"))
    hub.tag(REPO, "v0.1.0")
    return hub


@pytest.fixture
def reader(hub: LocalHub, _served: tuple[LocalHub, Programs], tmp_path: Path) -> Reader:
    return Reader(hub, _served[1], tmp_path)


def right(reader: Reader, built_root: Path) -> bool:
    """Every file of rows that is here has the bytes that were built."""
    built = built_root / "data/releases/tiny"
    return all(
        sha256_file(reader.folder / name) == sha256_file(built / name)
        for name in reader.files()
        if name.startswith("data/")
    )
