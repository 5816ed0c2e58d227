"""A complete project, made small: stories that are written, a folder of texts that is fetched, five tables, every stage."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from haymaker.errors import HaymakerError
from haymaker.rng import Stream
from pipelines.project import Project
from tests.pipelines import tiny

FIGURES = "HAYMAKER_FIGURES"
"""Folder into which the long forms write what they counted."""
_WORDS = (
    "morning river stone letter harbour candle winter garden silence orchard carriage village shadow ribbon thunder "
    "meadow parson ledger chimney sparrow lantern journey bridge market anchor copper saddle barley willow cottage"
).split()
PARAMS: dict[str, Any] = {
    "sources.stories": {"kind": "world_babi", "seed": 3, "tasks": ["qa1"], "questions": {"test": 30, "train": 20}},
    "sources.novels": None,
    "sources.notes": {"kind": "text_folder", "path": "texts"},
    "corpora.books.source": "notes",
    "suites.babilong.buckets": {"0k": {"test": 6, "train": 4}, "1k": {"test": 6, "train": 4}, "4k": 6},
    "suites.babilong.tasks": {"qa1": {}},
}
BELOW = ("releases", "reports", "counts", "raw", "tokenizers", "corpora", "prepared")
"""Folders of data/ whose every byte is promised."""


def text(name: str, words: int) -> str:
    """Sentences that mean nothing, none of them twice in a book."""
    stream, lines, count = Stream("reliability", name), [], 0
    while count < words:
        length = stream.between(9, 17)
        line = " ".join(stream.choice(_WORDS) for _ in range(length))
        lines.append(f"{line.capitalize()} {name} {len(lines)}.")
        count += length + 2
    return "\n".join(lines) + "\n"


def make(root: Path, words: int = 9000) -> Project:
    """The project, nothing built; two test books and one for training."""
    project = tiny.make(root, **PARAMS)
    for name in ("test/one", "test/two", "train/three"):
        file = root / "texts" / f"{name}.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text(name.rpartition("/")[2], words), encoding="utf-8")
    return project


def promised(root: Path) -> dict[str, str]:
    """SHA-256 of every file that must be the same after whatever happened, dvc.lock included."""
    found = {f"data/{below}/{k}": v for below in BELOW for k, v in tiny.digests(root, f"data/{below}").items()}
    return found | {"dvc.lock": tiny.sha256_file(root / "dvc.lock")}


def work(root: Path) -> set[str]:
    """What lies in data/work."""
    folder = root / "data/work"
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def half_written(root: Path) -> list[str]:
    """Files under a final name that cannot be read to their end."""
    import pyarrow.parquet as pq

    found = []
    for path in sorted((root / "data").rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(root).parts)
        try:
            if hidden or not path.is_file():
                continue
            if path.suffix == ".json":
                json.loads(path.read_bytes())
            elif path.suffix == ".parquet":
                pq.read_table(path)
        except FileNotFoundError:
            continue
        except (OSError, ValueError, HaymakerError):
            found.append(path.relative_to(root).as_posix())
    return found


def note(name: str, figures: dict[str, Any]) -> None:
    """Print what was counted, and write it down where HAYMAKER_FIGURES says."""
    text = json.dumps(figures, indent=1, sort_keys=True)
    print(f"{name}: {text}")
    folder = os.environ.get(FIGURES)
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        (Path(folder) / f"{name}.json").write_text(text + "\n", encoding="utf-8")
