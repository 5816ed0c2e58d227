"""The encyclopaedia as files: articles in the layout of KILT's knowledge source, questions one a line.

Articles lie in shards of SHARD blocks. Each shard and each question file is a pure function of the seed, so a shard that is
there needs no second writing, and shards may be written in any order.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from haymaker.errors import SourceError
from haymaker.files import write_text
from haymaker.records import Article, Evidence, Question, Split

from .model import BLOCK
from .page import write_page
from .questions.sets import Counts, write_questions

SHARD = 10  # blocks
_MARKS = {"title": "{}\n", "section": "Section::::{}.\n", "bullet": "BULLET::::- {}\n", "text": "{}\n"}


def shard_names(articles: int) -> list[str]:
    """File names of the shards of so many articles."""
    return [f"articles-{number:05d}.jsonl" for number in range(-(-articles // (SHARD * BLOCK)))]


def write_shard(folder: Path, seed: int, articles: int, number: int) -> None:
    """Write one shard: whole or not at all."""
    first = number * SHARD * BLOCK
    last = min(first + SHARD * BLOCK, articles)
    lines = (kilt_line(write_page(seed, index).article) for index in range(first, last))
    write_text(folder / shard_names(articles)[number], "".join(f"{line}\n" for line in lines))


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
    """File of a question set, all parts."""
    return f"questions-{name}.jsonl"


def write_sets(folder: Path, seed: int, articles: int, counts: Counts) -> None:
    """Write all question sets.

    Args:
        folder: where.
        seed: of the world.
        articles: how many the world has.
        counts: set -> part -> how many.

    Raises:
        BuildError: the world is too small for a count.
    """
    for name, made in write_questions(seed, articles, counts).items():
        lines = [json.dumps(_plain(question), ensure_ascii=False) for question in made]
        write_text(folder / question_file(name), "".join(f"{line}\n" for line in lines))


def _plain(question: Question) -> dict[str, Any]:
    record = {key: value for key, value in asdict(question).items() if value not in ((), None, "")}
    for evidence in (*record.get("evidence", ()), *record.get("shown", ())):
        for key in [key for key, value in evidence.items() if value in (None, "")]:
            del evidence[key]
    return record


def read_set(path: Path, part: Split) -> list[Question]:
    """The questions of one part, in file order.

    Raises:
        SourceError: the file is missing, or a line is no question; names it.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        raise SourceError("missing or unreadable", where=path.name, fix="write the source again") from None
    return [question for question in _questions(path.name, lines) if question.part == part]


_FIELDS = {field.name for field in fields(Question)}


def _questions(name: str, lines: list[str]) -> Iterator[Question]:
    for number, line in enumerate(lines, 1):
        try:
            yield _question(json.loads(line))
        except (ValueError, TypeError, KeyError, AttributeError):
            raise SourceError("is no question", where=f"{name}:{number}", fix="write the source again") from None


def _question(record: dict[str, Any]) -> Question:
    if not record.keys() <= _FIELDS:
        raise ValueError
    for key in ("evidence", "shown"):
        record[key] = tuple(Evidence(**evidence) for evidence in record.get(key, ()))
    record["answer_groups"] = tuple(map(tuple, record.get("answer_groups", ())))
    for key in ("answers", "readings", "references"):
        record[key] = tuple(record.get(key, ()))
    return Question(**record)
