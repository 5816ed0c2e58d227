"""The simulated encyclopaedia as a source: KILT's layout for articles, one file of questions per set (docs/worlds/README.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import Field

from corpora.sources.base import Batch, SourceInfo
from corpora.sources.simulated import Simulated
from haymaker.core.errors import SourceError
from haymaker.core.files.disk import write_json
from haymaker.core.rows.source_records import Article, Question, Split
from worlds.encyclopaedia import ENCYCLOPAEDIA_VERSION
from worlds.encyclopaedia.model import BLOCK
from worlds.encyclopaedia.names import ARTICLES_AT_MOST
from worlds.encyclopaedia.questions.sets import SetName

Count = Annotated[int, Field(ge=0, le=100_000)]
_MARKER = "WORLD.json"
_ARTICLE_BYTES = 2_000
_PASSAGES = 4  # an article
_TOGETHER = 2  # blocks of a part


class WorldEncyclopaedia(Simulated):
    """Options of kind `world_encyclopaedia`.

    Attributes:
        seed: of the world.
        articles: how many; a multiple of the 200 of a block.
        questions: set -> part -> how many; left out sets are not written.
    """

    kind: ClassVar[str] = "world_encyclopaedia"
    version: ClassVar[int] = ENCYCLOPAEDIA_VERSION
    info: ClassVar[SourceInfo] = SourceInfo(
        title="Encyclopaedia, simulated",
        homepage="",
        licence="CC0-1.0",
        edition="world",
        roles=("articles", "questions"),
        download_bytes=0,
        note="articles in the layout of the KILT knowledge source, with questions of eight kinds",
        passages=_PASSAGES * 4_000,
    )
    seed: Annotated[int, Field(ge=0)]
    articles_: Annotated[int, Field(ge=BLOCK, le=ARTICLES_AT_MOST, multiple_of=BLOCK)] = Field(alias="articles")
    questions_: dict[SetName, dict[Split, Count]] = Field(default_factory=dict, alias="questions")

    def parts(self) -> dict[str, float]:
        """Some blocks each."""
        runs = range(0, self.articles_ // BLOCK, _TOGETHER)
        return {f"blocks-{first:05d}": float(_TOGETHER * BLOCK * _ARTICLE_BYTES) for first in runs}

    def write_part(self, part: str, folder: Path) -> None:
        from worlds.encyclopaedia.files import write_block

        first = int(part.rpartition("-")[2])
        for number in range(first, min(first + _TOGETHER, self.articles_ // BLOCK)):
            write_block(folder, self.seed, self.articles_, number, self.questions_)

    def join_parts(self, parts: Mapping[str, Path], stage: Path) -> None:
        from worlds.encyclopaedia.files import join

        write_json(stage / _MARKER, self.facts())
        blocks = (parts[f"blocks-{n - n % _TOGETHER:05d}"] for n in range(self.articles_ // BLOCK))
        join(stage, list(blocks), self.articles_, self.questions_)

    def check(self, raw: Path) -> None:
        from corpora.sources.wikipedia import check_articles

        check_articles(raw, self._shards()[0])
        for name, parts in self.questions_.items():
            for part, count in parts.items():
                if len(self.questions(raw, name, part)) != count:
                    raise SourceError(f"does not hold {count} {part} questions", where=f"set {name}")

    def passage_count(self) -> int:
        """About four an article."""
        return self.articles_ * _PASSAGES

    def batches(self, raw: Path) -> list[Batch]:
        from corpora.sources.formats.lines import line_batches

        return line_batches(raw, self._shards())

    def articles(self, raw: Path, batch: Batch) -> Iterator[Article]:
        from corpora.sources.wikipedia import kilt_articles

        return kilt_articles(raw, batch)

    def question_sets(self) -> tuple[str, ...]:
        return tuple(self.questions_)

    def questions(self, raw: Path, name: str, part: Split) -> list[Question]:
        from worlds.encyclopaedia.files import question_file, read_set

        if name not in self.questions_:
            known = ", ".join(self.questions_) or "none"
            raise SourceError(
                f"has no question set {name!r}", where=f"source {self.name}", fix=f"its sets are: {known}"
            )
        return read_set(raw / question_file(name), part)

    def download_bytes(self) -> int:
        """Nothing is downloaded: bytes that are written."""
        return self.articles_ * _ARTICLE_BYTES

    def facts(self) -> dict[str, Any]:
        return {"world_version": ENCYCLOPAEDIA_VERSION}

    def _shards(self) -> list[str]:
        from worlds.encyclopaedia.files import shard_names

        return shard_names(self.articles_)
