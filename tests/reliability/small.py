"""A complete project, made small: simulated stories, a folder of texts, articles and questions, five tables, every stage at work."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from haymaker.core.errors import HaymakerError
from haymaker.core.files.disk import sha256_file
from haymaker.core.rng import Stream
from pipelines.project import Project
from tests.pipelines import tiny
from tests.reliability import mining_small

PARAMS: dict[str, Any] = {
    "sources.stories": {"kind": "simulated_babi", "seed": 3, "tasks": ["qa1"], "questions": {"test": 30, "train": 20}},
    "sources.novels": None,
    "sources.notes": {"kind": "text_folder", "path": "texts/books"},
    "sources.articles": {"kind": "articles_jsonl", "path": "texts/many"},
    "sources.asked": {"kind": "questions_jsonl", "path": "texts/questions.jsonl"},
    "corpora.books.source": "notes",
    "passages": {"pumps": {"source": "articles"}},
    "indexes": {"pumps": {"lexical": {}}},
    "retrieval_sets": {
        "pumps": {
            "questions": "asked", "set": "user", "passages": "pumps", "retriever": "lexical",
            "count": {"test": 12, "train": 4}, "top_k": 60, "num_negatives": 20, "num_negatives_train": 5,
        },
    },
    "suites.babilong.lengths": {"0k": {"test": 6, "train": 4}, "1k": {"test": 6, "train": 4}, "4k": 6},
    "suites.babilong.tasks": {"qa1": {}},
}  # fmt: skip
FOLDERS = ("releases", "reports", "counts", "raw", "tokenizers", "corpora", "indexes", "retrieval_sets", "stages")
"""Folders of data/ in which every byte must be the same after any failure."""
_WORDS = (
    "morning river stone letter harbour candle winter garden silence orchard carriage village shadow ribbon thunder "
    "meadow parson ledger chimney sparrow lantern journey bridge market anchor copper saddle barley willow cottage"
).split()


def text(name: str, words: int) -> str:
    """Sentences without meaning, all different."""
    stream, lines, count = Stream("reliability", name), list[str](), 0
    while count < words:
        length = stream.between(9, 17)
        line = " ".join(stream.choice(_WORDS) for _ in range(length))
        lines.append(f"{line.capitalize()} {name} {len(lines)}.")
        count += length + 2
    return "\n".join(lines) + "\n"


def make(root: Path, **changes: Any) -> Project:
    """Create the project with nothing built: two test books and one train book, three files of articles."""
    project = tiny.make(root, **(PARAMS | changes))
    for name in ("test/one", "test/two", "train/three"):
        file = root / "texts/books" / f"{name}.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text(name.rpartition("/")[2], 9000), encoding="utf-8")
    mining_small.write_files(root, files=3, per_file=40, test=12, train=4)
    return project


def without_rows(root: Path) -> Path:
    """Remove all that the last three stages made, DVC's cache too: a run begins with `generate`."""
    for below in ("data/releases", "data/reports", "data/work/generate", "data/work/mini", ".dvc/cache"):
        shutil.rmtree(root / below, ignore_errors=True)
    return root


def promised(root: Path) -> dict[str, str]:
    """SHA-256 of every file that must be the same after any failure, dvc.lock included; build.json contains the time, and a kill may leave temporary files of DVC."""
    found = {f"data/{below}/{k}": v for below in FOLDERS for k, v in tiny.digests(root, f"data/{below}").items()}
    found = {
        name: sha256 for name, sha256 in found.items() if not name.endswith(("/build.json", "/.gitignore", ".tmp"))
    }
    return found | {"dvc.lock": sha256_file(root / "dvc.lock")}


def differing(root: Path, wanted: dict[str, str]) -> list[str]:
    """Names of promised files that are not the wanted ones."""
    found = promised(root)
    return sorted(name for name in found.keys() | wanted.keys() if found.get(name) != wanted.get(name))


def work(root: Path) -> set[str]:
    """Names of all files in data/work except lock files."""
    folder = root / "data/work"
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != ".lock")
    return {path.relative_to(folder).as_posix() for path in files}


def finished(root: Path, pattern: str = "inputs/*/*") -> dict[str, tuple[int, int]]:
    """Finished shards in data/work -> inode and time of the receipt: a shard that was built again has others."""
    place = root / "data/work"
    stats = {path.parent.relative_to(place).as_posix(): path.stat() for path in place.glob(f"{pattern}/done.json")}
    return {name: (stat.st_ino, stat.st_mtime_ns) for name, stat in stats.items()}


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
