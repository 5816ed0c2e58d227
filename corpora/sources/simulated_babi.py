"""Simulated bAbI stories and Python programs: kinds `simulated_babi` and `simulated_programs` (docs/worlds/README.md)."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from corpora.sources.code_folder import FILES, ArrangedCode
from corpora.sources.document_source import arranged
from corpora.sources.simulated import Seed, Simulated
from haymaker.core.errors import BuildError
from haymaker.core.rows.source_records import Split, StoryQuestion
from worlds.babi import BABI_WORLD_VERSION, HOME, check, write_files
from worlds.babi_worlds.answers import Balance
from worlds.babi_worlds.vocabulary import VocabularyName
from worlds.programs import PROGRAMS_VERSION

_PROGRAM_BYTES = 20_000
_LINE_BYTES = 45


class SimulatedBabi(Simulated):
    """Options of kind `simulated_babi`. More questions of a split never change the earlier ones.

    Attributes:
        seed: seed of the stories.
        tasks: bAbI tasks, as "qa1".
        questions: number of questions per task and split.
        vocabulary: "classic" has the words of bAbI v1.2, "large" hundreds of people, places and objects.
        facts: number of facts before the last question of every story; None: as in the real files.
        balance: shares of the answers, "natural" as in the real files or "even".
    """

    kind: ClassVar[str] = "simulated_babi"
    generator_version: ClassVar[int] = BABI_WORLD_VERSION
    pattern: ClassVar[str] = "*.txt"
    home: ClassVar[str] = HOME
    seed: Seed
    tasks: Annotated[tuple[str, ...], Field(min_length=1)]
    questions_: Annotated[dict[Split, Annotated[int, Field(ge=0, le=999_999)]], Field(min_length=1, alias="questions")]
    vocabulary: VocabularyName = "classic"
    facts_: Annotated[int, Field(ge=1)] | None = Field(default=None, alias="facts")
    balance: Balance = "natural"

    @model_validator(mode="after")
    def _can_be_simulated(self) -> Self:
        try:
            for task in self.tasks:
                check(task, self.vocabulary, self.facts_)
        except BuildError as error:
            raise ValueError(f"{error.what}; {error.fix}") from None
        return self

    def parts(self) -> dict[str, float]:
        size = _LINE_BYTES * (1 + (self.facts_ or 20) / 5)  # a question has 4 facts, or a fifth of `facts`
        return {f"{task}-{part}": count * size for task in self.tasks for part, count in self.questions_.items()}

    def write_part(self, part: str, folder: Path) -> None:
        task, _, split = part.partition("-")
        (path,) = write_files(
            folder,
            tasks=[task],
            questions={each: count for each, count in self.questions_.items() if each == split},
            seed=self.seed,
            vocabulary=self.vocabulary,
            facts=self.facts_,
            balance=self.balance,
        )
        path.rename(folder / path.name)
        shutil.rmtree(folder / HOME.partition("/")[0])

    def check(self, raw: Path) -> None:
        for task in self.tasks:
            for split, count in self.questions_.items():
                if count:
                    self.stories(raw, task, split)

    def stories(self, raw: Path, task: str, split: Split) -> list[StoryQuestion]:
        from corpora.sources.babi import story_questions

        return story_questions(raw, task, split, "en-10k", name=self.name)

    def vocabulary_name(self) -> str:
        return self.vocabulary


class SimulatedPrograms(Simulated, ArrangedCode):
    """Options of kind `simulated_programs`.

    Attributes:
        seed: seed of the programs.
        programs: number of programs per split; each is a package of 14 files (a main module, and three for each of four things).
    """

    kind: ClassVar[str] = "simulated_programs"
    version: ClassVar[int] = PROGRAMS_VERSION
    generator_version: ClassVar[int] = PROGRAMS_VERSION
    seed: Seed
    programs: Annotated[dict[Literal["test", "train"], Annotated[int, Field(ge=0, le=1000)]], Field(min_length=1)]

    def parts(self) -> dict[str, float]:
        return {"programs": float(sum(self.programs.values()) * _PROGRAM_BYTES)}

    def write_part(self, part: str, folder: Path) -> None:
        from worlds.programs.build import programs

        files = programs(self.seed, self.programs)
        arranged(folder / FILES, ({"id": file.path, "split": file.split, "text": file.text} for file in files))
