"""A small project with articles and questions of the user: two corpora, lexical and vector indexes, mined sets."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from haymaker.core.rng import Stream
from pipelines.project import Project
from tests.pipelines import tiny

_SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu".split()
_VOCABULARY = 400  # few enough that several articles share a word of a question
FEW = 64
"""Articles of one passage each that are embedded."""
SHARD = 8
"""Passages in one shard of vectors."""


def name(number: int) -> str:
    """A different name for every number."""
    rest, syllables = number + len(_SYLLABLES) ** 2, ""
    while rest:
        rest, digit = divmod(rest, len(_SYLLABLES))
        syllables += _SYLLABLES[digit]
    return syllables.capitalize()


def words(stream: Stream, count: int) -> str:
    """Invented words of two syllables."""
    numbers = (stream.below(_VOCABULARY) for _ in range(count))
    return " ".join(_SYLLABLES[n // 20] + _SYLLABLES[n % 20] for n in numbers)


def article(number: int, prose: int = 30) -> dict[str, str]:
    """An article about a pump; its first paragraph contains the answer to `question(number)`."""
    stream = Stream("own", "article", number)
    fact = f"{words(stream, prose).capitalize()}. Pump {number} was mounted by {name(number)}."
    return {"id": str(number), "title": f"Pump {number}", "text": f"{fact}\n\n{words(stream, prose).capitalize()}."}


def question(number: int, split: str) -> dict[str, Any]:
    """A question about a pump, in words that other articles contain too."""
    hint = words(Stream("own", "question", number), 5)
    return {
        "id": f"q{number}",
        "split": split,
        "question": f"By whom was pump {number} mounted: {hint}?",
        "answers": [name(number)],
        "evidence": [{"article_id": str(number), "paragraph": 1}],
    }


def lines(path: Path, records: list[dict[str, Any]]) -> Path:
    """Write a JSON Lines file, compressed if its name ends in .gz."""
    raw = "".join(json.dumps(record) + "\n" for record in records).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(raw, mtime=0) if path.suffix == ".gz" else raw)
    return path


def write_files(root: Path, files: int, per_file: int, test: int, train: int) -> None:
    """Write texts/many (compressed files, each of them one batch), texts/few.jsonl and texts/questions.jsonl."""
    for number in range(files):
        numbers = range(number * per_file, (number + 1) * per_file)
        lines(root / f"texts/many/{number:03d}.jsonl.gz", [article(i) for i in numbers])
    lines(root / "texts/few.jsonl", [article(i, 12) for i in range(FEW)])
    questions = [question(i, "test") for i in range(test)] + [question(test + i, "train") for i in range(train)]
    lines(root / "texts/questions.jsonl", questions)


def params(test: int, train: int) -> dict[str, Any]:
    """Changes to tiny.PARAMS."""
    common = {"questions": "asked", "set": "user", "count": {"test": test, "train": train}, "num_negatives_train": 5}
    dense = {"dimensions": 384, "shard_passages": SHARD, "batch": 8}
    return {
        "sources.many": {"kind": "articles_jsonl", "path": "texts/many"},
        "sources.few": {"kind": "articles_jsonl", "path": "texts/few.jsonl"},
        "sources.asked": {"kind": "questions_jsonl", "path": "texts/questions.jsonl"},
        "passages": {"many": {"source": "many"}, "few": {"source": "few"}},
        "indexes": {"many": {"lexical": {}}, "few": {"lexical": {}, "dense": dense}},
        "retrieval_sets": {
            "words": {**common, "passages": "many", "retriever": "lexical", "top_k": 200, "num_negatives": 50},
            "vectors": {
                **common, "count": {"test": 8}, "passages": "few", "retriever": "hybrid", "top_k": 30, "num_negatives": 20,
            },
        },
    }  # fmt: skip


def make(root: Path, *, files: int = 20, per_file: int = 40, test: int = 136, train: int = 8) -> Project:
    """Create the project with nothing built."""
    write_files(root, files, per_file, test, train)
    return tiny.make(root, **params(test, train))


def run(project: Project, *only: str) -> None:
    """Run the stages that prepare inputs, or the given stages, in this process."""
    tiny.run(project, *(only or ("download", "prepare", "retrieve")))
