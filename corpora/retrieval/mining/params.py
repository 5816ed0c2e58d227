"""What can be asked of mining (params key `retrieval_sets.<set>`)."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from haymaker.core.params import Name, RefersTo, Section, omit_if_default
from haymaker.core.rows.source_records import Split

Count = Annotated[int, Field(ge=1, le=10_000_000)]
Share = Annotated[float, Field(ge=0, le=1)]

SPLITS: tuple[Split, ...] = ("test", "dev", "train")


class FilterParams(Section):
    """Rules for distractors in a search result, applied in this order after gold and judged passages are excluded.

    Attributes:
        first_rank: exclude better ranks; the first rank is 0.
        last_rank: exclude this rank and worse ranks; None: no limit.
        score_floor: exclude lower scores.
        score_ceiling: exclude higher scores.
        margin: minimum of score(gold) - score.
        relative_margin: exclude scores above score(gold) * (1 - relative_margin).
        gold_article: exclude passages of the articles of the gold (without article ids: of its titles).
        aliases: exclude passages with an alias of an answer as whole words in text or title.
        near_duplicates: exclude passages that share this part of their runs of three words (Jaccard) with gold or a better distractor;
            None: only equal texts.
    """

    first_rank: Annotated[int, Field(ge=0)] = 0
    last_rank: Count | None = None
    score_floor: float | None = None
    score_ceiling: float | None = None
    margin: float | None = None
    relative_margin: Share | None = None
    gold_article: bool = False
    aliases: bool = True
    near_duplicates: Annotated[float, Field(ge=0.5, le=1)] | None = 0.8

    @model_validator(mode="after")
    def _not_empty(self) -> Self:
        if self.last_rank is not None and self.last_rank <= self.first_rank:
            raise ValueError("last_rank must be above first_rank")
        if None not in (self.score_floor, self.score_ceiling) and self.score_floor > self.score_ceiling:  # type: ignore[operator]
            raise ValueError("score_ceiling must not be below score_floor")
        return self


class MiningParams(Section):
    """One retrieval set: questions with gold passages and distractors.

    Attributes:
        questions: source of the questions.
        set: name of the set in the source.
        passages: corpus that is searched.
        retriever: index of the corpus, or random draws; "released": no search, only passages that the publisher shows.
        count: number of questions per split; worked examples come from train.
        top_k: number of passages to retrieve per question.
        num_negatives: number of distractors per test or dev question.
        num_negatives_train: number of distractors per train question.
        gold: how gold passages are found. provenance: the source names the place of the answer. retrieved: the best passages with an
            answer in the article that the source names.
        gold_depth: a retrieved gold is among this many first results.
        require_annotator_agreement: leave out questions with an accepted answer that shares no word with the first, as their annotators
            disagreed.
        exclude_ids: ids of excluded questions whose gold, read by a person, does not contain the answer.
        sample: "first": keep the hardest; "keyed": draw from all that are left.
        include_released_passages: put the passages that the publisher shows next to the gold first, in its order. The filters by rank and
            score do not apply to them.
        filter: rules for distractors.
        note: free text.
    """

    questions: Annotated[Name, RefersTo("sources", ("questions",))]
    set: Name
    passages: Annotated[Name, RefersTo("passages")]
    retriever: Literal["lexical", "dense", "hybrid", "random", "released"]
    count: dict[Split, Count]
    top_k: Count
    num_negatives: Count
    num_negatives_train: Count = 10
    gold: Literal["provenance", "retrieved"] = "provenance"
    gold_depth: Count = 20
    require_annotator_agreement: bool = omit_if_default(False)
    exclude_ids: tuple[str, ...] = omit_if_default(())
    sample: Literal["first", "keyed"] = "first"
    include_released_passages: bool = omit_if_default(False)
    filter: FilterParams = FilterParams()
    note: Annotated[str, Field(max_length=200)] = ""

    @model_validator(mode="after")
    def _deep_enough(self) -> Self:
        if not self.count:
            raise ValueError("count contains no split")
        if self.retriever == "released" and not (self.include_released_passages and self.gold == "provenance"):
            raise ValueError(
                "retriever released requires include_released_passages: true and a source that marks its gold passages"
            )
        if max(self.num_negatives, self.num_negatives_train) > self.top_k:
            raise ValueError("top_k must be at least num_negatives and num_negatives_train")
        return self

    def wanted(self, split: Split) -> int:
        """Distractors wanted per question of a split."""
        return self.num_negatives_train if split == "train" else self.num_negatives
