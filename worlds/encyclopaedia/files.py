"""The encyclopaedia as files: articles in the layout of KILT's knowledge source, questions one a line.

Articles lie in shards of SHARD blocks. A block with its questions is a pure function of the seed and its number, so blocks may be
written in any order.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from haymaker.core.errors import SourceError
from haymaker.core.files.disk import read_json, write_json, write_text
from haymaker.core.rows.source_records import Article, Evidence, Question, Split

from .model import BLOCK
from .page import write_page
from .questions.sets import Counts, SetName, block_questions, in_order

SHARD = 10  # blocks
_MARKS = {"title": "{}\n", "section": "Section::::{}.\n", "bullet": "BULLET::::- {}\n", "text": "{}\n"}


def shard_names(articles: int) -> list[str]:
    """File names of the shards of so many articles."""
    return [f"articles-{number:05d}.jsonl" for number in range(-(-articles // (SHARD * BLOCK)))]


def write_block(folder: Path, seed: int, articles: int, number: int, counts: Counts) -> None:
    """Write one block: its articles, and what may be asked of them, a JSON object of a list of lines a set.

    Args:
        folder: where; other blocks may lie there too.
        seed: of the world.
        articles: how many it has.
        number: of the block.
        counts: set -> split -> how many questions the world has.
    """
    lines = (kilt_line(write_page(seed, index).article) for index in range(number * BLOCK, (number + 1) * BLOCK))
    write_text(folder / f"{number:05d}.jsonl", "".join(f"{line}\n" for line in lines))
    asked = block_questions(seed, articles, number, counts)
    made = {name: [json.dumps(_plain(each), ensure_ascii=False) for each in found] for name, found in asked.items()}
    write_json(folder / f"{number:05d}.json", made)


def join(folder: Path, blocks: Sequence[Path], articles: int, counts: Counts) -> None:
    """The encyclopaedia of its blocks.

    Args:
        folder: where.
        blocks: of each block the folder where `write_block` wrote it, in order.
        articles: how many the world has.
        counts: set -> split -> how many questions.

    Raises:
        BuildError: the world is too small for a count.
    """
    places = [place / f"{number:05d}" for number, place in enumerate(blocks)]
    for number, name in enumerate(shard_names(articles)):
        texts = (place.with_suffix(".jsonl").read_text("utf-8") for place in places[number * SHARD :][:SHARD])
        write_text(folder / name, "".join(texts))
    asked: list[dict[SetName, list[str]]] = [read_json(place.with_suffix(".json")) for place in places]
    for name, lines in in_order(asked, articles, counts).items():
        write_text(folder / question_file(name), "".join(f"{line}\n" for line in lines))


def kilt_line(article: Article) -> str:
    """An article as a line of KILT's knowledge source."""
    text = [_MARKS[paragraph.kind].format(paragraph.text) for paragraph in article.paragraphs]
    record = {
        "_id": article.article_id,
        "wikipedia_id": article.article_id,
        "wikipedia_title": article.title,
        "text": text,
    }
    return json.dumps(record, ensure_ascii=False)


def question_file(name: str) -> str:
    """File of a question set, all splits."""
    return f"questions-{name}.jsonl"


def _plain(question: Question) -> dict[str, Any]:
    record = {key: value for key, value in asdict(question).items() if value not in ((), None, "")}
    for evidence in (*record.get("evidence", ()), *record.get("shown", ())):
        for key in [key for key, value in evidence.items() if value in (None, "")]:
            del evidence[key]
    return record


def read_set(path: Path, split: Split) -> list[Question]:
    """The questions of one split, in file order.

    Raises:
        SourceError: the file is missing, or a line is no question; names it.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        raise SourceError("missing or unreadable", where=path.name, fix="write the source again") from None
    return [question for question in _questions(path.name, lines) if question.split == split]


_FIELDS = {field.name for field in fields(Question)}


def _questions(name: str, lines: list[str]) -> Iterator[Question]:
    for number, line in enumerate(lines, 1):
        try:
            yield _question(json.loads(line))
        except (ValueError, TypeError, KeyError, AttributeError):
            raise SourceError("is not a question", where=f"{name}:{number}", fix="write the source again") from None


def _question(record: dict[str, Any]) -> Question:
    if not record.keys() <= _FIELDS:
        raise ValueError
    for key in ("evidence", "shown"):
        record[key] = tuple(Evidence(**evidence) for evidence in record.get(key, ()))
    record["answer_groups"] = tuple(map(tuple, record.get("answer_groups", ())))
    for key in ("answers", "readings", "references"):
        record[key] = tuple(record.get(key, ()))
    return Question(**record)
