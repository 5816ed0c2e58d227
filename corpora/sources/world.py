"""Simulated sources: written here instead of downloaded, in the layouts of the real ones, and read back the same way.

Kinds `world_babi` and `world_novels`. More questions or novels of a part never change those that were there before.
"""

from __future__ import annotations

import csv
import io
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self, cast

from pydantic import Field, model_validator

from corpora.sources.base import Batch, SourceInfo
from corpora.sources.simulated import Simulated
from haymaker.core.errors import BuildError
from haymaker.core.files.disk import link_or_copy, write_text
from haymaker.core.rows.source_records import Document, Split, StoryQuestion
from worlds.babi_worlds.answers import Balance
from worlds.babi_worlds.vocabulary import VocabularyName

Seed = Annotated[int, Field(ge=0)]
Counts = Annotated[dict[Split, Annotated[int, Field(ge=0, le=999_999)]], Field(min_length=1)]
_FIRST_NOVEL: dict[Split, int] = {"test": 0, "dev": 1_000_000, "train": 2_000_000}
_NOVEL_FOLDER: dict[Split, str] = {"test": "test", "dev": "validation", "train": "train"}
_TITLES = "metadata.csv"
_WORD_BYTES = 5.7


def _info(title: str, role: str, note: str) -> SourceInfo:
    return SourceInfo(
        title=title, homepage="", licence="CC0-1.0", edition="world", roles=(role,), download_bytes=0, note=note
    )


class WorldBabi(Simulated):
    """Options of kind `world_babi`.

    Attributes:
        seed: of the stories.
        tasks: "qa1" ...
        questions: how many of each part, per task.
        vocabulary: "classic" has the words of bAbI v1.2, "large" hundreds of people, places and objects.
        facts: how many stand before the last question of every story; left out: lengths as in the real files.
        balance: shares of the answers, "natural" as in the real files or "even".
    """

    kind: ClassVar[str] = "world_babi"
    info: ClassVar[SourceInfo] = _info("bAbI, simulated", "stories", "same line format and folders as bAbI v1.2")
    seed: Seed
    tasks: Annotated[tuple[str, ...], Field(min_length=1)]
    questions_: Counts = Field(alias="questions")
    vocabulary: VocabularyName = "classic"
    facts_: Annotated[int, Field(ge=1)] | None = Field(default=None, alias="facts")
    balance: Balance = "natural"

    @model_validator(mode="after")
    def _can_be_simulated(self) -> Self:
        from worlds.babi import check

        try:
            for task in self.tasks:
                check(task, self.vocabulary, self.facts_)
        except BuildError as error:
            raise ValueError(f"{error.what}; {error.fix}") from None
        return self

    def parts(self) -> dict[str, float]:
        bytes_each = self.download_bytes() / max(1, len(self.tasks) * sum(self.questions_.values()))
        return {f"{task}-{part}": count * bytes_each for task in self.tasks for part, count in self.questions_.items()}

    def write_part(self, part: str, folder: Path) -> None:
        from worlds.babi import HOME, write_files

        task, _, split = part.partition("-")
        counts = {each: count for each, count in self.questions_.items() if each == split}
        (path,) = write_files(
            folder,
            tasks=[task],
            questions=counts,
            seed=self.seed,
            vocabulary=self.vocabulary,
            facts=self.facts_,
            balance=self.balance,
        )
        path.rename(folder / path.name)
        shutil.rmtree(folder / HOME.partition("/")[0])

    def join_parts(self, parts: Mapping[str, Path], stage: Path) -> None:
        from worlds.babi import HOME

        for folder in parts.values():
            for path in folder.glob("*.txt"):
                link_or_copy(path, stage / HOME / path.name)

    def check(self, raw: Path) -> None:
        for task in self.tasks:
            for part, count in self.questions_.items():
                if count:
                    self.stories(raw, task, part)

    def stories(self, raw: Path, task: str, part: Split) -> list[StoryQuestion]:
        from corpora.sources.babi import story_questions

        return story_questions(raw, task, part, "en-10k", name=self.name)

    def vocabulary_name(self) -> str:
        return self.vocabulary

    def download_bytes(self) -> int:
        """Nothing is downloaded: bytes that are written, 45 a line; a question comes with 4 facts, or a fifth of `facts`."""
        return int(len(self.tasks) * sum(self.questions_.values()) * 45 * (1 + (self.facts_ or 20) / 5))

    def facts(self) -> dict[str, Any]:
        from worlds.babi import BABI_WORLD_VERSION

        return {"world_version": BABI_WORLD_VERSION}


class WorldNovels(Simulated):
    """Options of kind `world_novels`.

    Attributes:
        seed: of the texts.
        novels: how many of each part.
        words: length of each novel, in words.
    """

    kind: ClassVar[str] = "world_novels"
    info: ClassVar[SourceInfo] = _info("Novels, simulated", "documents", "same folders as PG-19")
    seed: Seed
    novels: Counts
    words: Annotated[int, Field(ge=500, le=10_000_000)]

    def parts(self) -> dict[str, float]:
        counts = {part: self.novels.get(part, 0) for part in _FIRST_NOVEL}
        size = self.words * _WORD_BYTES
        return {f"{part}-{number:06d}": size for part, count in counts.items() for number in range(count)}

    def write_part(self, part: str, folder: Path) -> None:
        from worlds.novels import write_novel

        split, number = _split(part)
        novel = write_novel(self.seed, _FIRST_NOVEL[split] + number, words=self.words)
        write_text(folder / f"{novel.doc_id}.txt", novel.text)
        row = io.StringIO(newline="")
        csv.writer(row, lineterminator="\n").writerow(
            (novel.doc_id, f"{novel.title} by {novel.author}", novel.year, "")
        )
        write_text(folder / _TITLES, row.getvalue())

    def join_parts(self, parts: Mapping[str, Path], stage: Path) -> None:
        write_text(stage / _TITLES, "".join((folder / _TITLES).read_text("utf-8") for folder in parts.values()))
        for part, folder in parts.items():
            for path in folder.glob("*.txt"):
                link_or_copy(path, stage / _NOVEL_FOLDER[_split(part)[0]] / path.name)

    def check(self, raw: Path) -> None:
        self.batches(raw)

    def batches(self, raw: Path) -> list[Batch]:
        from corpora.sources.books import book_batches

        return book_batches(raw, [part for part in _FIRST_NOVEL if self.novels.get(part)], self.name)

    def read(self, raw: Path, batch: Batch) -> Iterator[Document]:
        from corpora.sources.books import read_books

        return read_books(raw, batch)

    def download_bytes(self) -> int:
        return int(
            sum(self.novels.values()) * self.words * _WORD_BYTES
        )  # nothing is downloaded: bytes that are written

    def facts(self) -> dict[str, Any]:
        from worlds.novels import NOVELS_VERSION

        return {"world_version": NOVELS_VERSION}


def _split(part: str) -> tuple[Split, int]:
    """Split and number of a part's novel."""
    split, _, number = part.partition("-")
    return cast("Split", split), int(number)
