"""Build a passage store: batches in parallel (here), then one merge; layout in corpora/stores/passages/store.py."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Any

from corpora.stores.passages.lookup import name_hash, title_hash
from corpora.stores.passages.merge import ARROW_FILE, HASH_FILE, HASHES, merge
from corpora.stores.passages.store import FIELDS, OPENER, SEPARATOR, PassageParams, schema, unit
from corpora.tokenizers.tokenizer import Tokenizer
from haymaker.core.files.disk import disk_errors, remove, replace_folder, temporary_name
from haymaker.core.rows.source_records import Passage
from haymaker.core.text.fix_text import LOST
from haymaker.core.text.strings import text_hash

_ROWS = 4096  # passages in memory at a time


def build_batch(
    passages: Iterable[Passage],
    params: PassageParams,
    tokenizers: Sequence[Tokenizer],
    folder: Path,
    dropped: Counter[str],
) -> dict[str, Any]:
    """Filter and count some passages into an existing `folder`; a few thousand are in memory at a time.

    Args:
        passages: in order.
        params: of the corpus.
        tokenizers: release tokenizer first.
        folder: output folder.
        dropped: reason -> number left out; may already contain counts.

    Returns:
        passages: number kept; dropped.
    """
    import numpy as np
    import pyarrow as pa

    stream, fields = iter(passages), schema(len(tokenizers))
    hashes = [np.zeros((len(HASHES), 0), "<u8")]
    with pa.OSFile(str(folder / ARROW_FILE), "wb") as file, pa.ipc.new_file(file, fields) as writer:
        while some := list(islice(stream, _ROWS)):
            kept = [passage for given in some if (passage := _screened(given, params, dropped))]
            units = [unit(passage.title, passage.text) for passage in kept]
            counts = [tokenizer.count_units(units) for tokenizer in tokenizers]
            found = np.array([_hashes(passage) for passage in kept], "<u8").reshape(-1, len(HASHES)).T
            values = [[getattr(passage, name) for passage in kept] for name in FIELDS]
            columns = [*values, found[HASHES.index("texts")], *counts]
            arrays = [pa.array(column, field.type) for column, field in zip(columns, fields, strict=True)]
            writer.write_batch(pa.record_batch(arrays, schema=fields))
            hashes.append(found)
    table = np.concatenate(hashes, axis=1)
    (folder / HASH_FILE).write_bytes(table.tobytes())
    return {"passages": table.shape[1], "dropped": dict(sorted(dropped.items()))}


def _screened(passage: Passage, params: PassageParams, dropped: Counter[str]) -> Passage | None:
    """The passage in the form that the store keeps, or None with the reason counted."""
    title = " ".join(passage.title.split()) if params.titles else ""
    text = passage.text.strip()
    if not _encodable(passage.passage_id, passage.article_id, title, passage.section, text):
        dropped["half_a_character"] += 1
    elif not any(map(str.isalnum, text)):
        dropped["no_words"] += 1
    elif params.cut.fix_encoding and LOST in title + text:
        dropped["lost_character"] += 1
    elif SEPARATOR + OPENER in text:
        dropped["holds_a_boundary"] += 1
    else:
        return replace(passage, title=title, text=text)
    return None


def _encodable(*texts: str) -> bool:
    """Whether they are whole Unicode: JSON can bring one half of a surrogate pair."""
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:
        return False
    return True


def _hashes(passage: Passage) -> tuple[int, ...]:
    title, text = title_hash(passage.title), text_hash(passage.text)
    both = blake2b(title.to_bytes(8, "little") + text.to_bytes(8, "little"), digest_size=8).digest()
    return int.from_bytes(both, "little"), name_hash(passage.passage_id), name_hash(passage.article_id), title, text


def build_store(
    passages: Iterable[Passage],
    folder: Path,
    params: PassageParams,
    tokenizers: Sequence[Tokenizer],
    provenance: dict[str, Any],
) -> dict[str, Any]:
    """Build and write a whole store of at most a few million passages, replacing an older one at the end."""
    work = temporary_name(folder.with_name(f"{folder.name}.new"))
    with disk_errors(folder):
        remove(work)
        (work / "batch").mkdir(parents=True)
        try:
            result = build_batch(passages, params, tokenizers, work / "batch", Counter())
            meta = merge([(work / "batch", result)], params, tokenizers, work / "store", provenance)
            replace_folder(work / "store", folder)
        finally:
            remove(work)
    return meta
