"""Build a sentence store: batches in parallel, then one merge; layout in corpora/stores/sentences/store.py."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpora.sources.babi_shapes import lookers
from corpora.stores.sentences import languages
from corpora.stores.sentences.clean import CleaningParams, sentences
from corpora.stores.sentences.speech import is_balanced, marks_of, without_announcements
from corpora.stores.sentences.store import BACKGROUND_VERSION, BREAK, COLUMNS, CorpusParams, Entry
from corpora.stores.store import write_meta
from corpora.tokenizers.tokenizer import Tokenizer
from haymaker.core.errors import CorpusError
from haymaker.core.files.disk import write_text, written
from haymaker.core.rows.source_records import Document
from haymaker.core.text.fix_text import LOST

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]
    Flags = npt.NDArray[np.bool_]

_HASH_UNITS = 1 << 24  # hashes held in memory at a time while looking for duplicates


def build_batch(
    documents: Iterable[Document], params: CorpusParams, tokenizers: Sequence[Tokenizer], folder: Path
) -> dict[str, Any]:
    """Clean, split and count some documents into `folder`, one in memory at a time.

    Returns:
        documents: one entry each with its number of units; dropped: reason -> count.
    """
    import numpy as np

    dropped: Counter[str] = Counter()
    entries = []
    screen = _Screen(params.clean)
    with (
        (folder / "text.bin").open("wb") as text_file,
        (folder / "units.i32").open("wb") as unit_file,
        (folder / "hashes.u64").open("wb") as hash_file,
    ):
        for document in documents:
            found = list(sentences(document.text, params.clean, dropped))
            if params.clean.fix_encoding and any(LOST in sentence for sentence, _ in found):
                dropped["lost_character"] += 1
                continue
            units = [f" {sentence}" for sentence, _ in found]
            counts = [tokenizer.count_units(units) for tokenizer in tokenizers]
            keep = screen.keep(units, counts[0], document.text, dropped)
            if not params.clean.as_written:
                screened, keep = len(keep), without_announcements(found, keep)
                dropped["announces_what_is_left_out"] += screened - len(keep)
            units, counts = [units[i] for i in keep], [[count[i] for i in keep] for count in counts]
            words = [unit.count(" ") for unit in units]
            if params.clean.as_written:
                units = _broken(units, [found[i][1] for i in keep])
                counts = [t.count_opening(units, count) for t, count in zip(tokenizers, counts, strict=True)]
            raw = [unit.encode() for unit in units]
            columns = [list(map(len, raw)), list(map(len, units)), words, *counts]
            table = np.array(columns, dtype="<i4").T
            text_file.write(b"".join(raw))
            unit_file.write(table.tobytes())
            hash_file.write(b"".join(blake2b(unit, digest_size=8).digest() for unit in raw))
            entries.append(
                {"doc_id": document.doc_id, "title": document.title, "split": document.split, "units": len(keep)}
            )
    return {"documents": entries, "dropped": dict(sorted(dropped.items()))}


def _broken(units: Sequence[str], paragraphs: Sequence[int]) -> list[str]:
    """Return the units with a blank line in place of the space at the start of each paragraph."""
    before = [-1, *paragraphs]
    return [BREAK + unit[1:] if a != b else unit for unit, a, b in zip(units, before, paragraphs, strict=False)]


class _Screen:
    """The rules on single sentences: length, and looks."""

    def __init__(self, rules: CleaningParams) -> None:
        self._low, self._high = rules.min_tokens, rules.max_tokens
        self._whole = rules.joins_speech
        self._lookers = lookers(rules.decontaminate)

    def keep(self, units: Sequence[str], tokens: Sequence[int], text: str, dropped: Counter[str]) -> list[int]:
        """Indices of the units that stay; counts the rest by reason, and near misses that stay."""
        kept = []
        for i, count in enumerate(tokens):
            if count < self._low:
                dropped["too_short"] += 1
            elif count > self._high:
                dropped["too_long"] += 1
            elif self._whole and not is_balanced(units[i], marks_of(text)):
                dropped["half_of_a_speech"] += 1
            else:
                looks = {looker.look(units[i]) for looker in self._lookers}
                if "fact" in looks:
                    dropped["looks_like_a_fact"] += 1
                    continue
                dropped["kept_though_near_a_fact"] += "near" in looks
                kept.append(i)
        return kept


def merge(
    batches: Sequence[tuple[Path, dict[str, Any]]],
    params: CorpusParams,
    tokenizers: Sequence[Tokenizer],
    target: Path,
    provenance: dict[str, Any],
) -> dict[str, Any]:
    """Merge finished batches into one store without repeated sentences; return the content of meta.json.

    Args:
        batches: folder and result of build_batch, in order.
        params: of the corpus.
        tokenizers: the same as in build_batch, the release tokenizer first.
        target: folder to write.
        provenance: SOURCE.json of the source.
    """
    import numpy as np

    folders = [folder for folder, _ in batches]
    repeated = np.zeros(0, dtype=np.int64) if params.duplicates else _repeated(folders)
    columns = [*COLUMNS, *(f"tokens-{j}" for j in range(len(tokenizers)))]
    totals, entries = _write_units(batches, repeated, columns, target)
    dropped: Counter[str] = Counter(duplicate=len(repeated))
    for _, result in batches:
        dropped.update(result["dropped"])
    twice = [doc_id for doc_id, count in Counter(entry.doc_id for entry in entries).items() if count > 1]
    if twice:
        raise CorpusError(
            f"document id {twice[0]!r} appears twice", where="the source of this corpus", fix="make ids unique"
        )
    if not totals["units"]:
        raise CorpusError(f"no sentence is left after cleaning {len(entries)} documents", where="this corpus",
                          fix="check the source, or loosen corpora.<name>.clean")  # fmt: skip
    write_text(target / "documents.jsonl", "".join(json.dumps(asdict(e), ensure_ascii=False) + "\n" for e in entries))
    split_by = languages.made_by(params.clean.splitter)
    return write_meta(
        target, BACKGROUND_VERSION, params, provenance, tokenizers, totals, dropped, documents=len(entries),
        **({"splitter": split_by} if split_by else {}),
    )  # fmt: skip


def _repeated(folders: Sequence[Path]) -> Ints:
    """Global indices, ascending, of units whose text came before; one slice of the hashes' value range at a time."""
    import numpy as np

    sizes = [(folder / "hashes.u64").stat().st_size // 8 for folder in folders]
    slices = max(1, -(-sum(sizes) // _HASH_UNITS))
    found = []
    for k in range(slices):
        values, places, start = [], [], 0
        for folder, size in zip(folders, sizes, strict=True):
            array = np.fromfile(folder / "hashes.u64", dtype="<u8")
            picked = np.flatnonzero(array % np.uint64(slices) == k)
            values.append(array[picked])
            places.append(picked + start)
            start += size
        value, place = np.concatenate(values), np.concatenate(places)
        order = np.argsort(value, kind="stable")
        again = np.flatnonzero(value[order][1:] == value[order][:-1]) + 1
        found.append(place[order][again])
    return np.sort(np.concatenate(found))


def _write_units(
    batches: Sequence[tuple[Path, dict[str, Any]]], repeated: Ints, columns: list[str], target: Path
) -> tuple[dict[str, int], list[Entry]]:
    """Concatenate texts, turn lengths into prefix sums, place the documents; one batch in memory at a time."""
    import numpy as np

    sums = np.zeros(len(columns), dtype=np.int64)
    seen = kept = 0
    entries: list[Entry] = []
    with contextlib.ExitStack() as stack:
        text = stack.enter_context(stack.enter_context(written(target / "text.bin")).open("wb"))
        files = [stack.enter_context(stack.enter_context(written(target / f"{c}.i64")).open("wb")) for c in columns]
        for file in files:
            file.write(bytes(8))
        for folder, result in batches:
            table = np.fromfile(folder / "units.i32", dtype="<i4").reshape(-1, len(columns)).astype(np.int64)
            keep = np.ones(len(table), dtype=bool)
            inside = repeated[np.searchsorted(repeated, seen) : np.searchsorted(repeated, seen + len(table))]
            keep[inside - seen] = False
            raw = (folder / "text.bin").read_bytes()
            for first, last in _stretches(keep, np.concatenate(([0], np.cumsum(table[:, 0])))):
                text.write(memoryview(raw)[first:last])
            running = np.cumsum(table[keep], axis=0) + sums
            for j, file in enumerate(files):
                file.write(running[:, j].astype("<i8").tobytes())
            entries += _entries(result["documents"], np.concatenate(([0], np.cumsum(keep))), kept)
            sums = running[-1] if len(running) else sums
            seen += len(table)
            kept += int(keep.sum())
    return {"units": kept} | dict(zip(columns, sums.tolist(), strict=True)), entries


def _stretches(keep: Flags, byte_at: Ints) -> Iterator[tuple[int, int]]:
    """Byte ranges of neighbouring units that stay."""
    import numpy as np

    edges = np.flatnonzero(np.diff(np.concatenate(([False], keep, [False])).astype(np.int8)))
    for first, last in edges.reshape(-1, 2).tolist():
        yield int(byte_at[first]), int(byte_at[last])


def _entries(documents: list[dict[str, Any]], kept_before: Ints, start: int) -> Iterator[Entry]:
    """Yield the places of the documents of a batch.

    Args:
        documents: with their number of units before duplicates were removed.
        kept_before: units kept before unit i of the batch.
        start: units kept before the batch.
    """
    at = 0
    for document in documents:
        first, at = at, at + document["units"]
        yield Entry(
            document["doc_id"], document["title"], document["split"],
            start + int(kept_before[first]), start + int(kept_before[at]),
        )  # fmt: skip
