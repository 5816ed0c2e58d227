"""What is asked: bAbI questions as candidates, read and sifted once for all entries of a process."""

from __future__ import annotations

from collections import Counter
from functools import cache, cached_property, partial
from typing import Annotated, Any, ClassVar

from pydantic import Field

from generators.babilong.placing import Placement
from generators.babilong.prompts import load_prompts
from generators.babilong.questions import Read, pool
from generators.babilong.retrieval import Retrieval
from generators.inputs import Corpus, RawSource
from generators.pool import Pool
from generators.spec import Candidate, TaskSettings
from generators.task import Task
from haymaker.core.errors import ParamsError
from haymaker.core.rows.source_records import Split, StoryQuestion


class BABILongSettings(TaskSettings):
    """Keys of `suites.babilong`, or of one entry.

    Attributes:
        questions: source of bAbI stories.
        background: corpus to hide them in.
        placement: uniform, quarter or grid (generators/babilong/placing.py).
        depths: points of the grid.
        retrieval: retriever whose ranks each row gets (generators/babilong/retrieval.py), or none.
    """

    questions: RawSource
    background: Corpus
    placement: Placement = "uniform"
    depths: Annotated[int, Field(ge=2, le=101)] = 5
    retrieval: Retrieval = "none"
    shared_by: ClassVar[str] = "depths"

    @property
    def variants(self) -> int:
        """One, four quarters, or the points of the grid."""
        return {"uniform": 1, "quarter": 4, "grid": self.depths}[self.placement]


class QuestionTask(Task[BABILongSettings]):
    """A task whose candidates are the questions of a bAbI task."""

    settings_type = BABILongSettings
    no_background = True

    def check(self) -> None:
        """Refuse a background in which hundreds of ordinary words may stand in sentences that look like facts.

        Raises:
            ParamsError: the questions are `large`, and the corpus keeps such sentences.
        """
        params, questions, corpus = self.inputs.params, self.settings.questions, self.settings.background
        if questions not in params.sources or corpus not in params.corpora:
            return  # pipelines say which name is unknown
        if self.vocabulary == "large" and "babi_large" not in self.inputs.corpus(corpus).clean.drop_lookalikes:
            raise ParamsError(
                f"questions of {questions!r} are of the vocabulary large, the corpus keeps sentences that look like theirs",
                where=f"corpora.{corpus}.clean.drop_lookalikes", fix="add babi_large",
            )  # fmt: skip

    def fingerprint(self) -> dict[str, Any]:
        """The splits that its questions are kept apart from, their vocabulary, the prompt."""
        prompt = load_prompts(self.vocabulary)[self.spec.name].model_dump(mode="json")
        return {"parts": sorted(self._parts), "vocabulary": self.vocabulary, "texts": prompt}

    @cached_property
    def vocabulary(self) -> str:
        """Edition of the questions."""
        return self.inputs.source(self.settings.questions).vocabulary_name()

    @cached_property
    def _read(self) -> Read:
        """Gives the questions of a file, which is read once."""
        name = self.settings.questions
        read = partial(self.inputs.source(name).stories, self.inputs.raw(name))
        return self.inputs.shared(("bAbI", name), lambda: cache(read))

    @cached_property
    def _parts(self) -> frozenset[Split]:
        """Parts that the release asks of this bAbI task, under any name."""
        alike = (entry for entry in self.entry.siblings.values() if entry.spec.name == self.spec.name)
        return frozenset({"test", *(part for entry in alike for _, part, _ in entry.rows)})

    def _pool(self, part: Split) -> tuple[list[StoryQuestion], Counter[str]]:
        """Questions that can be asked, in the release's order, and how many cannot, by reason."""
        of, key, parts = self.spec.name, self.release.stream_key, self._parts
        return self.inputs.shared(
            ("bAbI pool", self.settings.questions, of, part, parts),
            lambda: pool(self._read, of, part, stream_key=key, apart_from=parts, vocabulary=self.vocabulary),
        )

    def pool(self, part: Split) -> Pool[StoryQuestion]:
        """Questions, numbered by their position in their file; left out: repeated, asked in another split, or undecidable."""
        items, left_out = self._pool(part)

        def key(index: int) -> str:
            return f"{self.spec.name}-{part}-{items[index].position:05d}"

        return Pool(part, items, key, lambda index: items[index].position, left_out)

    def question(self, candidate: Candidate) -> StoryQuestion:
        """What a candidate asks."""
        return self._read(self.spec.name, candidate.part)[candidate.number]
