"""Merging finished batches into one passage store; the layout is in corpora/stores/passages/store.py."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpora.stores.passages.lookup import name_hash, repeats, write_lookup
from corpora.stores.passages.store import (
    BATCH_ROWS,
    LOOKUPS,
    PASSAGES_VERSION,
    SHARD_BATCHES,
    PassageParams,
    schema,
    shard_name,
)
from corpora.stores.store import write_meta
from corpora.tokenizers.tokenizer import Tokenizer
from haymaker.core.errors import CorpusError
from haymaker.core.files.disk import written

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    Ints = npt.NDArray[np.int64]
    Hashes = npt.NDArray[np.uint64]

    from corpora.stores.passages.lookup import Entries

ARROW_FILE, HASH_FILE = "passages.arrow", "hashes.u64"  # of a batch
HASHES = ("keys", *LOOKUPS)  # what HASH_FILE has of each passage, one row of it each; "keys": title and text together
_NO_NAME = name_hash("")
_SOURCE = "the source of this corpus"

Batches = Sequence[tuple[Path, dict[str, Any]]]


def merge(
    batches: Batches, params: PassageParams, tokenizers: Sequence[Tokenizer], target: Path, provenance: dict[str, Any]
) -> dict[str, Any]:
    """Merge finished batches into one store without repeated passages; return the content of meta.json.

    Args:
        batches: folder and result of build_batch, in order.
        params: of the corpus.
        tokenizers: the same as in build_batch, the release tokenizer first.
        target: folder to write.
        provenance: SOURCE.json of the source.

    Raises:
        CorpusError: no passage is left, or an id is repeated.
    """
    import numpy as np

    total = sum(result["passages"] for _, result in batches)
    _refuse_repeats(batches, total)
    twice = np.zeros(0, np.int64) if params.duplicates else repeats(_entries(batches, "keys"), total)[:, 0]
    if total == len(twice):
        raise CorpusError(
            "no passage is left", where="this corpus", fix="check the source, or loosen passages.<name>.cut"
        )
    totals = _write_shards(batches, twice, len(tokenizers), target)
    _write_lookups(batches, twice, totals, target)
    dropped = Counter(duplicate=len(twice))
    for _, result in batches:
        dropped.update(result["dropped"])
    return write_meta(target, PASSAGES_VERSION, params, provenance, tokenizers, totals, dropped)


def _entries(batches: Batches, name: str, left_out: Ints | None = None) -> Entries:
    """One hash of every passage and the passage's number, a batch at a time, without those `left_out` (ascending)."""
    import numpy as np

    row = HASHES.index(name)

    def entries() -> Iterator[tuple[Hashes, Ints]]:
        start = number = 0
        for folder, result in batches:
            n = result["passages"]
            values = np.fromfile(folder / HASH_FILE, "<u8", n, offset=8 * row * n) if n else np.zeros(0, "<u8")
            if left_out is not None:
                values = values[_keep(left_out, start, n)]
            yield values, np.arange(number, number + len(values))
            start, number = start + n, number + len(values)

    return entries


def _starts(entries: Entries) -> Entries:
    """The first of each run of equal hashes."""
    import numpy as np

    def starts() -> Iterator[tuple[Hashes, Ints]]:
        before = np.uint64(_NO_NAME)
        for values, places in entries():
            new = np.diff(values, prepend=before) != 0
            yield values[new], places[new]
            before = values[-1] if len(values) else before

    return starts


def _named(entries: Entries) -> Entries:
    """Drop entries with an empty name."""
    import numpy as np

    def named() -> Iterator[tuple[Hashes, Ints]]:
        for values, places in entries():
            given = values != np.uint64(_NO_NAME)
            yield values[given], places[given]

    return named


def _keep(left_out: Ints, start: int, size: int) -> npt.NDArray[np.bool_]:
    """Return flags of the passages [start, start + size) to keep."""
    import numpy as np

    keep = np.ones(size, dtype=bool)
    keep[left_out[np.searchsorted(left_out, start) : np.searchsorted(left_out, start + size)] - start] = False
    return keep


def _refuse_repeats(batches: Batches, total: int) -> None:
    """Ids come once, and the passages of an article follow one another."""
    for later, first in repeats(_entries(batches, "ids"), total).tolist():
        if (name := _value(batches, later, "passage_id")) == _value(batches, first, "passage_id"):
            raise CorpusError(f"passage id {name!r} appears twice", where=_SOURCE, fix="make ids unique")
    for later, first in repeats(_named(_starts(_entries(batches, "articles"))), total).tolist():
        if (name := _value(batches, later, "article_id")) == _value(batches, first, "article_id"):
            raise CorpusError(
                f"passages of article {name!r} are not consecutive", where=_SOURCE, fix="list them one after another"
            )


def _value(batches: Batches, place: int, column: str) -> str:
    for folder, result in batches:
        if place < result["passages"]:
            for batch in _read(folder):
                if place < batch.num_rows:
                    return str(batch[column][place])
                place -= batch.num_rows
        place -= result["passages"]
    raise AssertionError("unreachable: the place is one of a passage")


def _read(folder: Path) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    with pa.memory_map(str(folder / ARROW_FILE)) as file:
        reader = pa.ipc.open_file(file)
        for i in range(reader.num_record_batches):
            yield reader.get_batch(i)


def _write_shards(batches: Batches, left_out: Ints, tokenizers: int, target: Path) -> dict[str, int]:
    """Write what stays in record batches of BATCH_ROWS; the cuts between the given batches leave no trace."""
    import pyarrow as pa

    totals: Counter[str] = Counter()
    fields = schema(tokenizers)
    rows = _even(_kept(batches, left_out), fields)
    shard = 0
    while some := next(rows, None):
        with (
            written(target / shard_name(shard)) as temporary,
            pa.OSFile(str(temporary), "wb") as file,
            pa.ipc.new_file(file, fields) as writer,
        ):
            writer.write_batch(some)
            _add(totals, some, tokenizers)
            for more in islice(rows, SHARD_BATCHES - 1):
                writer.write_batch(more)
                _add(totals, more, tokenizers)
        shard += 1
    return dict(totals)


def _add(totals: Counter[str], batch: pa.RecordBatch, tokenizers: int) -> None:
    import pyarrow.compute as pc

    totals["passages"] += batch.num_rows
    totals["characters"] += pc.sum(pc.utf8_length(batch["text"])).as_py()
    for j in range(tokenizers):
        totals[f"tokens-{j}"] += pc.sum(batch[f"tokens_{j}"]).as_py()


def _kept(batches: Batches, left_out: Ints) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    start = 0
    for folder, _ in batches:
        for batch in _read(folder):
            keep = _keep(left_out, start, batch.num_rows)
            yield batch if keep.all() else batch.filter(pa.array(keep))
            start += batch.num_rows


def _even(batches: Iterable[pa.RecordBatch], fields: pa.Schema) -> Iterator[pa.RecordBatch]:
    """The same rows in batches of BATCH_ROWS, the last one shorter."""
    import pyarrow as pa

    held: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        at = 0
        while rows + batch.num_rows - at >= BATCH_ROWS:
            held.append(batch.slice(at, BATCH_ROWS - rows))
            yield pa.concat_batches(held)
            at, rows, held = at + BATCH_ROWS - rows, 0, []
        held.append(batch.slice(at))
        rows += batch.num_rows - at
    if rows:
        yield pa.concat_batches(held)


def _write_lookups(batches: Batches, left_out: Ints, totals: dict[str, int], target: Path) -> None:
    size = totals["passages"]
    ids, articles, titles, texts = (_entries(batches, name, left_out) for name in LOOKUPS)
    write_lookup(target, "ids", ids, size)
    totals["articles"] = write_lookup(target, "articles", _named(_starts(articles)), size)
    write_lookup(target, "titles", _named(titles), size)
    write_lookup(target, "texts", texts, size)
