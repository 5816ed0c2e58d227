"""A simulated encyclopaedia: articles in the layout of KILT, one file of questions per set (docs/worlds/README.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import Field

from corpora.sources.base import Batch
from corpora.sources.formats.lines import line_batches
from corpora.sources.simulated import Count, Seed, Simulated
from corpora.sources.wikipedia import check_articles, kilt_articles
from haymaker.core.errors import SourceError
from haymaker.core.files.disk import write_json
from haymaker.core.rows.source_records import Article, Question, Split
from worlds.encyclopaedia import ENCYCLOPAEDIA_VERSION
from worlds.encyclopaedia.files import join, question_file, read_set, shard_names, write_block
from worlds.encyclopaedia.model import BLOCK
from worlds.encyclopaedia.names import ARTICLES_AT_MOST
from worlds.encyclopaedia.questions.sets import SetName

_MARKER = "WORLD.json"
_ARTICLE_BYTES = 2_000
_PASSAGES = 4  # per article
_BLOCKS = 2  # per part


class SimulatedEncyclopaedia(Simulated):
    """Options of kind `simulated_encyclopaedia`.

    Attributes:
        seed: seed of the articles.
        articles: number of articles; a multiple of 200, the size of a block.
        questions: question set -> split -> number of questions; other sets are omitted.
    """

    kind: ClassVar[str] = "simulated_encyclopaedia"
    version: ClassVar[int] = ENCYCLOPAEDIA_VERSION
    generator_version: ClassVar[int] = ENCYCLOPAEDIA_VERSION
    seed: Seed
    articles_: Annotated[int, Field(ge=BLOCK, le=ARTICLES_AT_MOST, multiple_of=BLOCK)] = Field(alias="articles")
    questions_: dict[SetName, dict[Split, Count]] = Field(default_factory=dict, alias="questions")

    def _blocks(self, first: int) -> range:
        return range(first, min(first + _BLOCKS, self.articles_ // BLOCK))

    def parts(self) -> dict[str, float]:
        starts = range(0, self.articles_ // BLOCK, _BLOCKS)
        return {f"blocks-{first:05d}": float(len(self._blocks(first)) * BLOCK * _ARTICLE_BYTES) for first in starts}

    def write_part(self, part: str, folder: Path) -> None:
        for number in self._blocks(int(part.rpartition("-")[2])):
            write_block(folder, self.seed, self.articles_, number, self.questions_)

    def join_parts(self, parts: Mapping[str, Path], stage: Path) -> None:
        write_json(stage / _MARKER, self.facts())
        blocks = [parts[f"blocks-{n - n % _BLOCKS:05d}"] for n in range(self.articles_ // BLOCK)]
        join(stage, blocks, self.articles_, self.questions_)

    def check(self, raw: Path) -> None:
        check_articles(raw, shard_names(self.articles_)[0])
        for name, splits in self.questions_.items():
            for split, count in splits.items():
                if len(self.questions(raw, name, split)) != count:
                    raise SourceError(f"does not contain {count} {split} questions", where=f"set {name}")

    def passage_count(self) -> int:
        return self.articles_ * _PASSAGES

    def batches(self, raw: Path) -> list[Batch]:
        return line_batches(raw, shard_names(self.articles_))

    def articles(self, raw: Path, batch: Batch) -> Iterator[Article]:
        return kilt_articles(raw, batch)

    def question_sets(self) -> tuple[str, ...]:
        return tuple(self.questions_)

    def questions(self, raw: Path, name: str, split: Split) -> list[Question]:
        self.check_set("questions", name, self.questions_)
        return read_set(raw / question_file(name), split)
