"""Mined questions: gold and ranked distractors with their texts; a release is rebuilt from this file only.

`data/retrieval_sets/<set>.parquet` has one row and one row group per question, so a reader holds one question in memory. Tokens
are counted for `unit(title, text)` (corpora/stores/passages/store.py), the form of passages in contexts. The metadata
contains parameters, retriever, sources and counts by reason as JSON. Dense scores differ in the last digits between
machines, so a release depends on the file, not on the search (docs/decisions/0008-mined-questions.md).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from corpora.stores.columns import Column
from corpora.stores.store import META, SetFile
from haymaker.core.errors import CorpusError
from haymaker.core.files.disk import written
from haymaker.core.rows.source_records import Split

if TYPE_CHECKING:
    import pyarrow as pa

MINED_VERSION = 4
AT_ONCE = 5  # first hits of a search, among which a passage is found without a second hop
_AGAIN = "mine it again with haymaker run"

GoldBy = Literal["", "provenance", "subject", "judged", "simulated"]
"""Source of the gold label: the publisher named the passage or article; the passage of the article about the subject states the
answer; people graded the passages; a program wrote question and text. Empty: no gold."""


@dataclass(frozen=True, slots=True)
class MinedPassages:
    """Passages of one question, as columns of equal length.

    Attributes:
        passage_id, article_id, title, section, text: as in the store.
        tokens: per passage, tokens of its unit for each tokenizer of the file.
        rank: place in the search result, from 0; None for gold that was not found.
        score: of the retriever; None if it has none.
        grade: relevance 0 .. 3 if judged.
        supports: supported answer groups; empty lists for distractors.
    """

    passage_id: Sequence[str]
    article_id: Sequence[str]
    title: Sequence[str]
    section: Sequence[str]
    text: Sequence[str]
    tokens: Sequence[Sequence[int]]
    rank: Sequence[int | None]
    score: Sequence[float | None]
    grade: Sequence[int | None]
    supports: Sequence[list[int]]

    def __len__(self) -> int:
        return len(self.passage_id)


@dataclass(frozen=True, slots=True)
class MinedQuestion:
    """One question with all material of a row; other fields are as in haymaker.core.rows.source_records.Question.

    Attributes:
        gold_source: source of the gold label.
        gold: passages with the answer, the deciding one first; for searches every judged passage.
        distractors: hardest first: the filtered search result in its order, after those that the publisher shows, if
            requested.
        removed: reason -> number of excluded passages of the search result.
        searched: number of passages of the search, and of shown ones not found by it.
        shown: number of first distractors that the publisher shows.
    """

    question_id: str
    split: Split
    question: str
    kind: str
    answers: list[str]
    answer_groups: list[list[str]]
    readings: list[str]
    references: list[str]
    popularity: int | None
    twin_of: str
    relation: str
    gold_source: GoldBy
    gold: MinedPassages
    distractors: MinedPassages
    removed: dict[str, int]
    searched: int
    shown: int = 0


def found_at_once(rank: int | None) -> bool:
    """Check whether the answering passage of a bridge question has so good a rank that one hop is enough."""
    return rank is not None and rank < AT_ONCE


@cache
def schema(*, shown: bool = False) -> pa.Schema:
    """The Arrow schema of a mined file; with the column `shown` if questions have such distractors."""
    import pyarrow as pa

    text, number = pa.large_string(), pa.int32()
    passages = pa.list_(
        pa.struct(
            [
                ("passage_id", pa.string()),
                ("article_id", pa.string()),
                ("title", pa.string()),
                ("section", pa.string()),
                ("text", text),
                ("tokens", pa.list_(number)),
                ("rank", number),
                ("score", pa.float32()),
                ("grade", pa.int8()),
                ("supports", pa.list_(number)),
            ]
        )
    )
    return pa.schema(
        [
            ("question_id", pa.string()),
            ("split", pa.string()),
            ("question", pa.string()),
            ("kind", pa.string()),
            ("answers", pa.list_(pa.string())),
            ("answer_groups", pa.list_(pa.list_(pa.string()))),
            ("readings", pa.list_(pa.string())),
            ("references", pa.list_(pa.string())),
            ("popularity", pa.int64()),
            ("twin_of", pa.string()),
            ("relation", pa.string()),
            ("gold_source", pa.string()),
            ("gold", passages),
            ("distractors", passages),
            ("removed", pa.string()),
            ("searched", number),
            ("n_gold", number),
            ("num_distractors", number),
            *([("shown", number)] if shown else []),
        ]
    )


def write_mined(questions: Iterable[MinedQuestion], path: Path, meta: dict[str, Any], *, shown: bool = False) -> None:
    """Write a set, one row group per question.

    Args:
        questions: in order of use.
        path: the file.
        meta: JSON; must contain "tokenizers" (fingerprints, release tokenizer first) and "sources" (name ->
            SOURCE.json).
        shown: whether questions may have distractors that the publisher shows.
    """
    _write((_table(question, schema(shown=shown)) for question in questions), path, meta, schema(shown=shown))


def join_mined(parts: Iterable[tuple[Path, int]], path: Path, meta: dict[str, Any], *, shown: bool = False) -> None:
    """Write a set from the first questions of other files of write_mined; holds one question in memory."""
    import pyarrow.parquet as pq

    tables = (pq.ParquetFile(part).read_row_group(i) for part, count in parts for i in range(count))
    _write(tables, path, meta, schema(shown=shown))


def _write(tables: Iterable[pa.Table], path: Path, meta: dict[str, Any], columns: pa.Schema) -> None:
    import pyarrow.parquet as pq

    facts = json.dumps({"version": MINED_VERSION, **meta}, sort_keys=True, ensure_ascii=False)
    kept = columns.with_metadata({META: facts.encode()})
    with (
        written(path) as temporary,
        pq.ParquetWriter(temporary, kept, compression="zstd", compression_level=3, use_dictionary=False) as writer,
    ):
        for table in tables:
            writer.write_table(table.replace_schema_metadata(kept.metadata))


def _table(question: MinedQuestion, kept: pa.Schema) -> pa.Table:
    """One row; passages go column by column, since there may be ten thousand of them."""
    import pyarrow as pa

    fields = {name: getattr(question, name) for name in kept.names if hasattr(question, name)}
    fields |= {"removed": json.dumps(question.removed, sort_keys=True)}
    fields |= {"n_gold": len(question.gold), "num_distractors": len(question.distractors)}
    columns = {
        field.name: _list(value, field.type) if isinstance(value := fields[field.name], MinedPassages)
        else pa.array([value], field.type)
        for field in kept
    }  # fmt: skip
    return pa.table(columns, schema=kept)


def _list(passages: MinedPassages, kind: pa.ListType) -> pa.ListArray:
    import pyarrow as pa

    columns = {name: getattr(passages, name) for name in MinedPassages.__slots__}
    columns["tokens"] = list(zip(*passages.tokens, strict=True)) if len(passages) else []
    arrays = [pa.array(columns[field.name], field.type) for field in kind.value_type]
    structs = pa.StructArray.from_arrays(arrays, fields=list(kind.value_type))
    return pa.ListArray.from_arrays(pa.array([0, len(passages)], pa.int32()), structs, type=kind)


class Mined(SetFile):
    """A finished set, data/retrieval_sets/<set>.parquet, read one question at a time."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, MINED_VERSION, "mined questions", _AGAIN)

    @cached_property
    def outline(self) -> list[dict[str, Any]]:
        """The questions without their passages, in order: all columns but gold and distractors."""
        names = [name for name in self._file.schema_arrow.names if name not in ("gold", "distractors")]
        return list(self._file.read(columns=names).to_pylist())

    def read(self, index: int) -> MinedQuestion:
        """Return question `index` of the outline, with its passages."""
        import pyarrow as pa

        try:
            table = self._file.read_row_group(
                index, use_threads=False
            )  # a process has one core: threads for one question cost more
        except (OSError, ValueError, pa.ArrowException):
            raise CorpusError(f"question {index} is damaged", where=str(self.path), fix=_AGAIN) from None
        fields = table.drop_columns(["gold", "distractors", "n_gold", "num_distractors"]).to_pylist()[0]
        fields["removed"] = json.loads(fields["removed"])
        return MinedQuestion(
            **fields, gold=self._passages(table["gold"]), distractors=self._passages(table["distractors"])
        )

    def _passages(self, column: pa.ChunkedArray) -> MinedPassages:
        import pyarrow as pa

        structs = column.combine_chunks().flatten()
        fields: dict[str, Any] = {name: Column(structs.field(name)) for name in MinedPassages.__slots__}
        counts, width = structs.field("tokens").flatten().to_numpy(), len(self.tokenizers)
        fields["tokens"] = [Column(pa.array(counts[j::width])) for j in range(width)]
        return MinedPassages(**fields)
