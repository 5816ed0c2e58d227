"""TriviaQA as reading: a question with a short page of Wikipedia that holds its answer (Joshi et al. 2017). Kind `triviaqa_reading`.

Part test is the publisher's validation set, as its test set has no answers. Of a question's pages the first counts that has fewer
than `words_below` words (LongBench bounds examples at 1,000) and holds an alias as whole words; a question without one is left out.
"""

from __future__ import annotations

from collections import Counter
from typing import Annotated, ClassVar

from pydantic import Field

from corpora.sources.base import SourceInfo
from corpora.sources.formats.fields import answers, id_of, text, text_of, texts, value_of
from corpora.sources.formats.text_cleanup import without_pictures
from corpora.sources.hub_rows import Entry, HubDocuments, Row, structs
from corpora.sources.trivia_aliases import answering
from haymaker.core.errors import SourceError
from haymaker.core.rows.source_records import DocumentQuestion, Split
from haymaker.core.text.strings import filter_aliases, holds, padded


class TriviaQaReading(HubDocuments):
    """Options of kind `triviaqa_reading`.

    Attributes:
        words_below: a page must have fewer words.
        parts, files_each, revision, url: as of every source of Parquet files on the Hub.
    """

    kind: ClassVar[str] = "triviaqa_reading"
    version: ClassVar[int] = 3
    info: ClassVar[SourceInfo] = SourceInfo(
        title="TriviaQA: questions with Wikipedia pages",
        homepage="https://nlp.cs.washington.edu/triviaqa",
        licence="Apache-2.0 (questions); CC BY-SA (Wikipedia)",
        redistribution="with attribution, pages under the same licence",
        roles=("documents", "document_questions"),
        download_bytes=500_000_000,
        note="7,993 questions of validation, one file of train; the size is an estimate",
    )
    repo: ClassVar[str] = "mandarjoshi/trivia_qa"
    sets: ClassVar[tuple[str, ...]] = ("triviaqa",)
    words_below: Annotated[int, Field(ge=50)] = 1000
    parts: Annotated[tuple[Split, ...], Field(min_length=1)] = ("test", "train")
    files_each: Annotated[int, Field(ge=1)] = 1
    globs: ClassVar[dict[Split, str]] = {
        "test": "rc.wikipedia/validation-*.parquet",
        "train": "rc.wikipedia/train-*.parquet",
    }
    plain: ClassVar[dict[Split, str]] = {
        "test": "rc.wikipedia/validation-00000-of-00001.parquet",
        "train": "rc.wikipedia/train-00000-of-00001.parquet",
    }
    texts: ClassVar[tuple[str, ...]] = ("question", "question_id")
    others: ClassVar[tuple[str, ...]] = ("entity_pages", "answer")

    def entry(self, row: Row, left_out: Counter[str]) -> Entry | None:
        given = value_of(row.fields, "answer", row.where)
        if not isinstance(given, dict):
            raise SourceError("'answer' is no object", where=row.where, fix="fetch the source again")
        accepted = answers([text(given, "value", row.where), *texts(given, "aliases", row.where)], row.where)
        pages = structs(row.fields, "entity_pages", row.where)
        given_texts = (text_of(value_of(page, "wiki_context", row.where), "wiki_context", row.where) for page in pages)
        contexts = list(map(without_pictures, given_texts))
        short = [
            number for number, page in enumerate(contexts) if page.strip() and len(page.split()) < self.words_below
        ]
        aliases = filter_aliases(accepted)
        found = next((number for number in short if holds(padded(contexts[number]), aliases)), None)
        if found is None:
            left_out["questions without a short page that holds an answer"] += 1
            return None
        key = id_of(row.fields["question_id"], "question_id", row.where)
        passage, words = contexts[found], text(row.fields, "question", row.where)
        ordered = answering(accepted, passage)
        asked = DocumentQuestion(key, row.key, row.part, "qa", words, answers=ordered)
        return Entry(passage, text_of(pages[found].get("title") or "", "title", row.where), (asked,))
