"""A Hub on the loopback that holds the tiny release, and `haymaker` in a process of its own that pulls from it."""

from __future__ import annotations

import json
import subprocess
import sys
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
from tests.pipelines import tiny

REPO, MINI = "org/tiny", "mini/babilong/qa1/test-00000-of-00001.parquet"
TOKEN = "hf_" + "Secret" * 6
_FORKS = """
import json, os, resource, sys, time
import huggingface_hub.hf_api, huggingface_hub.utils.tqdm
import typer.main
from haymaker.cli import main
from haymaker.cli.app import app
from haymaker.evaluation.score import run
from haymaker.releases.display import show
from haymaker.releases.remote import pull
from pipelines.publishing.card import readme
from tests.pipelines import tiny

typer.main.get_command(app), list(map(readme._template, readme._PAGES.values()))  # each of them would put these together anew
wait = time.sleep
time.sleep = lambda seconds: wait(min(seconds, 0.01))  # libraries wait between attempts
for line in sys.stdin:
    asked = json.loads(line)
    pid = os.fork()
    if not pid:
        os.environ.update(asked["more"])
        if "LARGEST" in asked["more"]:  # of a file, in bytes: as if the disk were full
            resource.setrlimit(resource.RLIMIT_FSIZE, (int(asked["more"]["LARGEST"]),) * 2)
        os.chdir(asked["cwd"])
        for number, name in ((1, "out"), (2, "err")):
            os.dup2(os.open(asked[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        sys.argv = ["haymaker", *asked["arguments"]]
        main.main()
        os._exit(0)
    print(pid, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
"""


class Programs:
    """`haymaker` in a process of its own each time, forked from one that has imported it: to import takes seconds."""

    def __init__(self, hub: LocalHub, home: Path) -> None:
        found = {key: value for key, value in hub.environment(home).items() if key.startswith("HF_")}
        environment = tiny.environment(HF_HUB_OFFLINE=None) | found
        self.cache = home / "hub"  # of huggingface_hub
        self._all = subprocess.Popen(
            [sys.executable, "-c", _FORKS], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def start(self, home: Path, *arguments: str, **more: str) -> int:
        """Begin, standing in `home`; its process."""
        places = {name: str(home / name) for name in ("out", "err")}
        asked = {"arguments": arguments, "cwd": str(home), "more": more, **places}
        assert self._all.stdin
        self._all.stdin.write(json.dumps(asked) + "\n")
        self._all.stdin.flush()
        return int(self._said())

    def end(self, home: Path) -> subprocess.CompletedProcess[str]:
        """Wait for it; the token never shows."""
        code, (out, err) = int(self._said()), ((home / name).read_text() for name in ("out", "err"))
        assert TOKEN not in out + err and "Bearer" not in out + err
        return subprocess.CompletedProcess([], code, out, err)

    def close(self) -> None:
        assert self._all.stdin
        self._all.stdin.close()
        self._all.wait(60)

    def _said(self) -> str:
        assert self._all.stdout
        return self._all.stdout.readline()


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
        """The program, to its end."""
        self.start(*arguments)
        return self.programs.end(self.home)

    @property
    def folder(self) -> Path:
        """Where the release lies."""
        return self.home / "cache/releases" / REPO / "0.1.0"

    def files(self) -> set[str]:
        """Files of the release that are here, and whatever else lies there under a name of its own."""
        found = (path.relative_to(self.folder) for path in self.folder.rglob("*") if path.is_file())
        return {path.as_posix() for path in found if path.parts[0] not in (".cache", CONFIGS)}


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
