r"""The passage store of an article corpus: 100-word passages with exact spans, counted once (docs/spec/helmet.md 4).

A context of passages consists of units, each counted in the form it has inside the join: it begins with exactly one
space and ends with the word that opens the next one, so units add up exactly in any order:

    ...Document (Title: Ada): She was born in ...\n\nDocument (Title: Bo): ...
            [----------- unit of Ada ------------------------][--- unit of Bo ...

Numbers or ids ("Document [3] (Title: ...", "Document [ID: 77]: ...") are separate pieces before a unit, beginning with
a space. The head of the prompt ends with `OPENER`; the last unit of a context loses its `SEPARATOR + OPENER`.

    passages-00000.arrow ...     Arrow IPC files, not compressed: SHARD_BATCHES record batches of BATCH_ROWS passages
    ids.u64 ids.i32              hashes of passage ids, ascending, and the passage of each; likewise articles (the first
                                 passage of each), titles and texts (corpora/stores/passages/lookup.py)
    meta.json                    version, rules, counts of left out items by reason, totals, sizes and checksums
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from corpora.stores.passages.cut import CutParams
from corpora.stores.passages.lookup import Lookup, name_hash, title_hash
from corpora.stores.store import AGAIN, Store
from haymaker.core.errors import CorpusError
from haymaker.core.params import Name, RefersTo, Section
from haymaker.core.rows.source_records import Passage
from haymaker.core.text.strings import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    Ints = npt.NDArray[np.int64]

PASSAGES_VERSION = 1
OPENER = "Document"
SEPARATOR = "\n\n"
BATCH_ROWS = 8192
SHARD_BATCHES = 64
_KNOWN = 64  # batches whose place in a shard is kept
LOOKUPS = ("ids", "articles", "titles", "texts")
FIELDS = (
    "passage_id", "article_id", "title", "section", "text", "start", "end", "first_paragraph", "last_paragraph",
)  # fmt: skip


def unit(title: str, text: str) -> str:
    """A passage in the form it has inside a context; without the title part if it has none."""
    label = f" (Title: {title}):" if title else ""
    return f"{label} {text}{SEPARATOR}{OPENER}"


def search_text(title: str, text: str) -> str:
    """What retrievers see of a passage."""
    return f"{title}\n{text}" if title else text


class PassageParams(Section):
    """A corpus of passages (params key `passages.<name>`).

    Attributes:
        source: a source of articles (to be cut) or of passages.
        language: language of the texts (BCP 47).
        titles: keep the titles; false: remove them, as in MS MARCO.
        duplicates: keep passages with the words of an earlier one in title and text.
        cut: rules for cutting articles.
        note: free text.
    """

    source: Annotated[Name, RefersTo("sources", ("articles", "passages"))]
    language: str = "en"
    titles: bool = True
    duplicates: bool = False
    cut: CutParams = CutParams()
    note: Annotated[str, Field(max_length=200)] = ""


@cache
def schema(tokenizers: int) -> pa.Schema:
    """The Arrow schema of a store counted with that many tokenizers."""
    import pyarrow as pa

    kinds = dict.fromkeys(FIELDS[:4], pa.string()) | {"text": pa.large_string()} | dict.fromkeys(FIELDS[5:], pa.int32())
    counts = [(f"tokens_{j}", pa.int32()) for j in range(tokenizers)]
    return pa.schema([*kinds.items(), ("text_hash", pa.uint64()), *counts])


class Passages(Store):
    """A finished store, memory-mapped and shared between workers."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, PASSAGES_VERSION, "passage store", "passages")
        self._shards: dict[int, Any] = {}
        self._known: dict[int, pa.RecordBatch] = {}

    def __len__(self) -> int:
        return self.size

    @property
    def whole(self) -> bool:
        """Whether each passage is a whole article."""
        return bool(self.meta["params"].get("cut", {}).get("rule") == "whole")

    def passage(self, index: int) -> Passage:
        """Return a passage by its number."""
        if not 0 <= index < len(self):
            raise IndexError(f"passage {index} of {len(self)}")
        return Passage(**self._row(index, FIELDS))

    def take(self, indices: Sequence[int] | Ints, columns: Sequence[str] | None = None) -> pa.Table:
        """Return passages by their numbers, in the given order, repeats allowed; columns None: all."""
        import numpy as np
        import pyarrow as pa

        wanted = np.asarray(indices, dtype=np.int64)
        if len(wanted) and not 0 <= wanted.min() <= wanted.max() < len(self):
            raise IndexError(f"passages {wanted.min()} .. {wanted.max()} of {len(self)}")
        order = np.argsort(wanted, kind="stable")
        ascending = wanted[order]
        runs = np.split(ascending, np.flatnonzero(np.diff(ascending // BATCH_ROWS)) + 1) if len(wanted) else []
        fields = schema(len(self.meta["tokenizers"]))
        chosen = fields if columns is None else pa.schema([fields.field(name) for name in columns])
        batches = [self._batch(int(run[0]) // BATCH_ROWS).select(chosen.names).take(run % BATCH_ROWS) for run in runs]
        return pa.Table.from_batches(batches, chosen).combine_chunks().take(np.argsort(order, kind="stable"))

    def tokens(self, indices: Sequence[int] | Ints) -> npt.NDArray[np.int32]:
        """Tokens of unit(title, text) of some passages: int32 array (passages, tokenizers), as in meta."""
        import numpy as np

        names = [f"tokens_{j}" for j in range(len(self.meta["tokenizers"]))]
        table = self.take(indices, names)
        return np.stack([table[name].to_numpy() for name in names], axis=1)

    def batches(
        self, first: int = 0, last: int | None = None, columns: Sequence[str] | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Yield passages [first, last) in order, up to BATCH_ROWS at a time; None: to the end, all columns."""
        last = len(self) if last is None else min(last, len(self))
        while first < last:
            number, at = divmod(first, BATCH_ROWS)
            batch = self._batch(number)
            batch = batch.slice(at, min(last - first, BATCH_ROWS - at))
            yield batch if columns is None else batch.select(list(columns))
            first += batch.num_rows

    def search_texts(self, first: int = 0, last: int | None = None) -> list[str]:
        """Return the texts of passages [first, last) as retrievers see them."""
        return [
            search_text(title, text)
            for batch in self.batches(first, last, ("title", "text"))
            for title, text in zip(*(column.to_pylist() for column in batch.columns), strict=True)
        ]

    def by_id(self, passage_id: str) -> int | None:
        """The passage of that id."""
        return next(self._named("ids", "passage_id", passage_id), None)

    def by_ids(self, passage_ids: Iterable[str]) -> dict[str, int]:
        """Return the passages with some ids, looked up at once; unknown ids are missing."""
        ids = sorted(passage_ids)
        first = self._lookups["ids"].first([name_hash(each) for each in ids])
        here = first[first >= 0]
        found = dict(zip(self.take(here, ["passage_id"])["passage_id"].to_pylist(), here.tolist(), strict=True))
        for each in (each for each in ids if each not in found):  # none, or behind another one of the same hash
            if (at := self.by_id(each)) is not None:
                found[each] = at
        return found

    def by_article(self, article_id: str) -> tuple[int, int] | None:
        """The passages [first, last) of an article."""
        first = next(self._named("articles", "article_id", article_id), None) if article_id else None
        if first is None:
            return None
        last = first + 1
        while last < len(self) and self._row(last, ("article_id",))["article_id"] == article_id:
            last += 1
        return first, last

    def by_title(self, title: str) -> Ints:
        """Return passages with a title, ascending; if none, those whose titles have the same words."""
        import numpy as np

        title = " ".join(title.split())
        if not title:
            return np.zeros(0, dtype=np.int64)
        found = self._lookups["titles"].find(title_hash(title))
        titles = [self._row(index, ("title",))["title"] for index in found.tolist()]
        same = found[[known == title for known in titles]]
        return same if len(same) or not words(title) else found[[words(known) == words(title) for known in titles]]

    def by_hash(self, value: int) -> Ints:
        """Passages whose text has that haymaker.core.text.strings.text_hash, ascending."""
        return self._lookups["texts"].find(value)

    def _named(self, lookup: str, column: str, name: str) -> Iterator[int]:
        for index in self._lookups[lookup].find(name_hash(name)).tolist():
            if self._row(index, (column,))[column] == name:
                yield index

    def _row(self, index: int, columns: Sequence[str]) -> dict[str, Any]:
        number, at = divmod(index, BATCH_ROWS)
        batch = self._batch(number)
        return {name: batch.column(name)[at].as_py() for name in columns}

    def _batch(self, number: int) -> pa.RecordBatch:
        """Open a batch; recent ones are cached, since opening takes as long as reading a hundred rows."""
        import pyarrow as pa

        if number in self._known:
            return self._known[number]
        shard, at = divmod(number, SHARD_BATCHES)
        try:
            if shard not in self._shards:
                self._shards[shard] = pa.ipc.open_file(pa.memory_map(str(self.folder / shard_name(shard))))
            batch = self._shards[shard].get_batch(at)
        except FileNotFoundError:
            raise self._broken(shard, "file of the passage store is missing") from None
        except (OSError, pa.ArrowException):
            raise self._broken(shard, "is damaged") from None
        if len(self._known) >= _KNOWN:
            self._known.clear()
        self._known[number] = batch
        return batch

    def _broken(self, shard: int, what: str) -> CorpusError:
        return CorpusError(what, where=str(self.folder / shard_name(shard)), fix=AGAIN)

    @cached_property
    def _lookups(self) -> dict[str, Lookup]:
        return {name: Lookup(self.folder, name) for name in LOOKUPS}


def shard_name(number: int) -> str:
    """File name of a shard."""
    return f"passages-{number:05d}.arrow"
