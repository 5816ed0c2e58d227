"""The sentence store of a book corpus: one contiguous buffer, offsets, and prefix sums per tokenizer.

Every unit begins with exactly one space, the form it has inside a haystack, so units add up exactly (spec/feasibility.md
E1). A haystack with k needles is then k + 1 slices and one join; nothing is tokenised again.

    text.bin              all units one after another, UTF-8
    bytes.i64 chars.i64   where unit i begins, in bytes and in characters (n + 1 values, little endian)
    words.i64             words before unit i
    tokens-<j>.i64        tokens before unit i under tokenizer j of meta.json
    documents.jsonl       documents in order: id, title, part, first unit, one past the last
    meta.json             version, rules, what was dropped and why, sizes and checksums
"""

from __future__ import annotations

import json
import mmap
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from corpora.cleaning import CleaningParams, sentences
from corpora.records import Document, Part
from haymaker.errors import CorpusError
from haymaker.files import sha256_file, write_json, write_text, written
from haymaker.params import Name, Section

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from corpora.tokenizer import Tokenizer

    Ints = npt.NDArray[np.int64]

BACKGROUND_VERSION = 1
_FIXED = ("bytes", "chars", "words")
_MERGE_UNITS = 1 << 20  # units held in memory at a time while merging
_HASH_UNITS = 1 << 24  # hashes held in memory at a time while looking for duplicates


class CorpusParams(Section):
    """A background corpus (params key `corpora.<name>`): which source, how it is cleaned."""

    source: Name
    language: str = "en"
    duplicates: bool = False
    clean: CleaningParams = CleaningParams()
    note: Annotated[str, Field(max_length=200)] = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """A document of the store and the units [first, last) that came of it."""

    doc_id: str
    title: str
    part: Part
    first: int
    last: int


# ------------------------------------------------------------------------------------------------ building one batch


def build_batch(
    documents: Iterable[Document], params: CorpusParams, tokenizers: Sequence[Tokenizer], folder: Path
) -> dict[str, Any]:
    """Clean, split and count some documents into `folder`; memory is that of one document.

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
            units = [f" {sentence}" for sentence in sentences(document.text, params.clean, dropped)]
            counts = [tokenizer.count_units(units) for tokenizer in tokenizers]
            keep = screen.keep(units, counts[0], dropped)
            raw = [units[i].encode() for i in keep]
            table = np.array(
                [
                    [len(raw[k]), len(units[i]), units[i].count(" "), *(c[i] for c in counts)]
                    for k, i in enumerate(keep)
                ],
                dtype="<i4",
            ).reshape(len(keep), len(_FIXED) + len(counts))
            text_file.write(b"".join(raw))
            unit_file.write(table.tobytes())
            hash_file.write(b"".join(blake2b(unit, digest_size=8).digest() for unit in raw))
            entries.append(
                {"doc_id": document.doc_id, "title": document.title, "part": document.part, "units": len(keep)}
            )
    return {"documents": entries, "dropped": dict(sorted(dropped.items()))}


class _Screen:
    """The rules on single sentences: length, and looks."""

    def __init__(self, rules: CleaningParams) -> None:
        self._low, self._high = rules.min_tokens, rules.max_tokens
        self._lookalikes = None
        if "babi" in rules.drop_lookalikes:
            from corpora.sources.babi_shapes import Lookalikes

            self._lookalikes = Lookalikes()

    def keep(self, units: Sequence[str], tokens: Sequence[int], dropped: Counter[str]) -> list[int]:
        """Indices of the units that stay; counts the rest by reason, and near misses that stay."""
        kept = []
        for i, count in enumerate(tokens):
            if count < self._low:
                dropped["too_short"] += 1
            elif count > self._high:
                dropped["too_long"] += 1
            else:
                looks = self._lookalikes.look(units[i]) if self._lookalikes else ""
                if looks == "fact":
                    dropped["looks_like_a_fact"] += 1
                    continue
                dropped["kept_though_near_a_fact"] += looks == "near"
                kept.append(i)
        return kept


# --------------------------------------------------------------------------------------------------- merging batches


def merge(
    batches: Sequence[tuple[Path, dict[str, Any]]],
    params: CorpusParams,
    tokenizers: Sequence[Tokenizer],
    target: Path,
    provenance: dict[str, Any],
) -> dict[str, Any]:
    """Make one store of finished batches, leaving out repeated sentences; memory does not grow with the corpus.

    Args:
        batches: folder and result of build_batch, in order.
        params: of the corpus.
        tokenizers: the same as in build_batch, the release tokenizer first.
        target: folder to write.
        provenance: what meta.json says of the source.

    Raises:
        CorpusError: no sentence is left.
    """
    folders = [folder for folder, _ in batches]
    repeated = set() if params.duplicates else _repeated(folders)
    columns = [*_FIXED, *(f"tokens-{j}" for j in range(len(tokenizers)))]
    totals = _write_units(folders, repeated, columns, target)
    dropped: Counter[str] = Counter(duplicate=len(repeated))
    for _, result in batches:
        dropped.update(result["dropped"])
    entries = list(_entries(batches, repeated))
    if not totals["units"]:
        raise CorpusError(f"no sentence is left after cleaning {len(entries)} documents", where=str(target),
                          fix="look at the source, or loosen corpora.<name>.clean")  # fmt: skip
    write_text(target / "documents.jsonl", "".join(json.dumps(asdict(e), ensure_ascii=False) + "\n" for e in entries))
    names = ["text.bin", "documents.jsonl", *(f"{column}.i64" for column in columns)]
    meta = {
        "version": BACKGROUND_VERSION,
        "params": params.model_dump(mode="json"),
        "source": provenance,
        "tokenizers": [tokenizer.fingerprint for tokenizer in tokenizers],
        "totals": totals,
        "documents": len(entries),
        "dropped": dict(sorted(dropped.items())),
        "files": {n: {"bytes": (target / n).stat().st_size, "sha256": sha256_file(target / n)} for n in names},
    }
    write_json(target / "meta.json", meta)
    return meta


def _repeated(folders: Sequence[Path]) -> set[int]:
    """Global indices of units whose text came before. Hashes are looked at slice by slice of their value range."""
    import numpy as np

    arrays = [np.fromfile(folder / "hashes.u64", dtype="<u8") for folder in folders]
    total = sum(len(array) for array in arrays)
    slices = max(1, -(-total // _HASH_UNITS))
    starts = np.cumsum([0, *(len(array) for array in arrays)])
    repeated: set[int] = set()
    for k in range(slices):
        picked = [np.flatnonzero(array % np.uint64(slices) == k) for array in arrays]
        values = np.concatenate([array[p] for array, p in zip(arrays, picked, strict=True)])
        places = np.concatenate([p + start for p, start in zip(picked, starts, strict=False)])
        order = np.argsort(values, kind="stable")
        again = np.flatnonzero(values[order][1:] == values[order][:-1]) + 1
        repeated.update(places[order][again].tolist())
    return repeated


def _write_units(folders: Sequence[Path], repeated: set[int], columns: list[str], target: Path) -> dict[str, int]:
    """Concatenate texts and turn lengths into prefix sums, a million units at a time."""
    import contextlib

    import numpy as np

    sums = np.zeros(len(columns), dtype=np.int64)
    seen = kept = 0
    with contextlib.ExitStack() as stack:
        text = stack.enter_context(stack.enter_context(written(target / "text.bin")).open("wb"))
        files = [stack.enter_context(stack.enter_context(written(target / f"{c}.i64")).open("wb")) for c in columns]
        for file in files:
            file.write(bytes(8))
        for folder in folders:
            with (folder / "text.bin").open("rb") as source, (folder / "units.i32").open("rb") as units:
                while block := units.read(_MERGE_UNITS * 4 * len(columns)):
                    table = np.frombuffer(block, dtype="<i4").reshape(-1, len(columns)).astype(np.int64)
                    keep = np.fromiter(((seen + i) not in repeated for i in range(len(table))), bool, len(table))
                    for length, wanted in zip(table[:, 0].tolist(), keep.tolist(), strict=True):
                        piece = source.read(length)
                        if wanted:
                            text.write(piece)
                    running = np.cumsum(table[keep], axis=0) + sums
                    for j, file in enumerate(files):
                        file.write(running[:, j].astype("<i8").tobytes())
                    sums = running[-1] if len(running) else sums
                    seen += len(table)
                    kept += int(keep.sum())
    return {"units": kept} | dict(zip(columns, sums.tolist(), strict=True))


def _entries(batches: Sequence[tuple[Path, dict[str, Any]]], repeated: set[int]) -> Iterator[Entry]:
    seen = kept = 0
    for _, result in batches:
        for document in result["documents"]:
            units = document["units"]
            left = sum(1 for i in range(seen, seen + units) if i not in repeated) if repeated else units
            yield Entry(document["doc_id"], document["title"], document["part"], kept, kept + left)
            seen += units
            kept += left


# ------------------------------------------------------------------------------------------------------------ reading


class Background:
    """A finished store, memory-mapped: opening costs nothing, pages are shared between workers.

    Args:
        folder: where merge() wrote it.

    Raises:
        CorpusError: the store is missing, of another version, or a file has the wrong size.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            self.meta: dict[str, Any] = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
            for name, facts in self.meta["files"].items():
                size = (folder / name).stat().st_size
                if size != facts["bytes"]:
                    raise CorpusError(f"{size} bytes instead of {facts['bytes']}", where=str(folder / name), fix=_AGAIN)
        except FileNotFoundError as error:
            raise CorpusError("missing file of a background store", where=str(error.filename), fix=_AGAIN) from None
        except (ValueError, KeyError, TypeError):
            raise CorpusError("unreadable", where=str(folder / "meta.json"), fix=_AGAIN) from None
        if self.meta["version"] != BACKGROUND_VERSION:
            raise CorpusError(f"store of version {self.meta['version']}", where=str(folder), fix=_AGAIN)
        self.text = _map(folder / "text.bin")
        self.byte_at, self.char_at, self.word_at = (_map(folder / f"{c}.i64").cast("q") for c in _FIXED)

    @cached_property
    def documents(self) -> list[Entry]:
        """All documents in order."""
        lines = (self.folder / "documents.jsonl").read_text(encoding="utf-8").splitlines()
        return [Entry(**json.loads(line)) for line in lines]

    def part(self, part: str) -> list[Entry]:
        """Documents of one part that have at least one unit."""
        return [entry for entry in self.documents if entry.part == part and entry.last > entry.first]

    def tokens_at(self, fingerprint: str) -> memoryview:
        """Prefix sums of tokens: value i = tokens before unit i.

        Raises:
            CorpusError: the store was not counted with that tokenizer.
        """
        known = self.meta["tokenizers"]
        if fingerprint not in known:
            raise CorpusError(f"not counted with {fingerprint}", where=str(self.folder), fix=_AGAIN)
        return _map(self.folder / f"tokens-{known.index(fingerprint)}.i64").cast("q")

    def verify(self) -> list[str]:
        """Files whose bytes are not those of the build."""
        return [n for n, facts in self.meta["files"].items() if sha256_file(self.folder / n) != facts["sha256"]]

    @property
    def digest(self) -> str:
        """One name for the content: changes with any byte."""
        parts = sorted(f"{name}={facts['sha256']}" for name, facts in self.meta["files"].items())
        return blake2b("\n".join(parts).encode(), digest_size=16).hexdigest()


_AGAIN = "haymaker run builds it again"


def _map(path: Path) -> memoryview:
    with path.open("rb") as file:
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
