"""Making the vectors of a passage store (layout: corpora/retrieval/vectors.py), one shard at a time."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpora.retrieval.vectors import DENSE_VERSION, INDEX_FILE, Vectors, shard_name, shard_ranges
from corpora.stores.passages.store import Passages
from haymaker.core.errors import CorpusError
from haymaker.core.files.disk import sha256_file, write_json

if TYPE_CHECKING:
    from corpora.retrieval.encoder import Encoder
    from corpora.retrieval.models import DenseParams


def embed_shard(store: Passages, encoder: Encoder, first: int, last: int, path: Path) -> None:
    """Embed passages first .. last - 1 into a shard file; a passage without a usable vector is a CorpusError."""
    from corpora.retrieval.encoder import BadVector

    try:
        vectors = encoder.passages(store.search_texts(first, last))
    except BadVector as error:
        passage = store.passage(first + error.row).passage_id
        raise CorpusError(
            f"the vector of passage {passage!r} {error.problem}", where=str(store.folder), fix=error.fix
        ) from None
    vectors.astype("<f2").tofile(path)


def build_dense(store: Passages, folder: Path, params: DenseParams, device: str = "cpu") -> dict[str, Any]:
    """Embed a whole small store, one shard after another, and return the content of meta.json."""
    from corpora.retrieval.encoder import Encoder

    encoder = Encoder(params, device)
    folder.mkdir(parents=True, exist_ok=True)
    for number, (first, last) in enumerate(shard_ranges(len(store), params.shard_passages)):
        embed_shard(store, encoder, first, last, folder / shard_name(number))
    meta = finish(store, folder, params, encoder.facts)
    if params.backend == "exact":
        return meta
    build_index(Vectors(folder, store), params, folder, device)
    return finish(store, folder, params, encoder.facts)


def build_index(vectors: Vectors, params: DenseParams, folder: Path, device: str) -> None:
    """Write the files of a FAISS backend into `folder`, for `finish` to note."""
    from corpora.retrieval.faiss_flat import build_flat, flat_name, flat_ranges
    from corpora.retrieval.faiss_search import build_ivfpq

    if params.backend == "faiss_ivfpq":
        build_ivfpq(vectors, params.ivfpq, folder / INDEX_FILE, device)
    if params.backend == "faiss_flat":
        for number, (first, last) in enumerate(flat_ranges(len(vectors), params.flat_shard)):
            build_flat(vectors, first, last, folder / flat_name(number))


def finish(store: Passages, folder: Path, params: DenseParams, model: Mapping[str, Any]) -> dict[str, Any]:
    """Write meta.json of a folder of shards and FAISS indexes, and return its content; `model` is Encoder.facts."""
    shards = len(shard_ranges(len(store), params.shard_passages))
    names = [shard_name(number) for number in range(shards)]
    names += sorted(path.name for path in folder.glob("*.faiss"))
    meta = {
        "version": DENSE_VERSION,
        "params": params.model_dump(mode="json"),
        "model": dict(model),
        "store": store.digest,
        "totals": {"passages": len(store), "dimensions": params.dimensions},
        "files": {n: {"bytes": (folder / n).stat().st_size, "sha256": sha256_file(folder / n)} for n in names},
    }
    write_json(folder / "meta.json", meta)
    return meta
