"""FAISS: check the installed build, and the approximate backend, whose candidates are scored again exactly."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterator
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpora.retrieval.exact import BLOCK_ROWS, ranked
from corpora.retrieval.search import Hits
from corpora.retrieval.vectors import INDEX_FILE
from haymaker.core.errors import CorpusError, EnvironmentProblem, ParamsError
from haymaker.core.extras import install_command

if TYPE_CHECKING:
    from corpora.retrieval.models import IvfPqParams
    from corpora.retrieval.search import Floats
    from corpora.retrieval.vectors import Vectors

SELECTED = 2048
"""What faiss-gpu can select."""
_BITS = 8  # a code
QUERIES = 256
"""Searched at a time."""
_BUILDS = ("faiss-cpu", "faiss-gpu", "faiss-gpu-cuvs")
_GPU_CODES = (1, 2, 3, 4, 8, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64, 96)
"""Code sizes that faiss-gpu has; their tables of half-precision numbers fit into the shared memory of every card."""
_GPU_PROBES = 2048


def check_faiss() -> str:
    """Return name and version of the installed build of FAISS; none, or several builds, is an EnvironmentProblem."""
    found = [f"{name} {version}" for name in _BUILDS if (version := _version(name))]
    if len(found) > 1:
        raise EnvironmentProblem(
            f"{' and '.join(found)} are installed and overwrite each other",
            fix=f"pip uninstall -y {' '.join(_BUILDS)}, then install one of them",
        )
    if not found:
        raise EnvironmentProblem(
            "FAISS is not installed", fix=f"{install_command('.[embed-cpu]')}, or set `backend: exact`"
        )
    return found[0]


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""


@cache
def faiss_module() -> Any:
    """Import FAISS after check_faiss, once per process."""
    check_faiss()
    import faiss

    return faiss


def check_ivfpq(
    params: IvfPqParams, dimensions: int, passages: int, *, gpu: bool = False, where: str = "dense.ivfpq"
) -> None:
    """Check settings against the vectors, and with `gpu` against the limits of faiss-gpu, before anything is embedded."""
    if dimensions % params.codes:
        raise ParamsError(f"{dimensions} dimensions cannot be split into {params.codes} codes", where=f"{where}.codes")
    needed = max(params.lists, 1 << _BITS)
    if min(passages, params.train) < needed:
        raise ParamsError(
            f"{params.lists} lists and {1 << _BITS} codewords need at least {needed:,} vectors; "
            f"there are {min(passages, params.train):,}",
            where=f"{where}.lists",
            fix="use fewer lists, raise `train`, or set `backend: exact` for a small corpus",
        )
    if params.probes > params.lists:
        raise ParamsError(f"{params.probes} probes are more than the {params.lists} lists", where=f"{where}.probes")
    if gpu:
        _check_gpu(params, dimensions, where)


def _check_gpu(params: IvfPqParams, dimensions: int, where: str) -> None:
    """Check the settings that faiss-gpu limits."""
    if params.codes not in _GPU_CODES:
        possible = ", ".join(str(codes) for codes in _GPU_CODES if dimensions % codes == 0)
        raise ParamsError(
            f"faiss-gpu has no codes of {params.codes} bytes", where=f"{where}.codes", fix=f"use one of {possible}"
        )
    if params.probes > _GPU_PROBES:
        raise ParamsError(
            f"{params.probes} probes are more than faiss-gpu can do", where=f"{where}.probes", fix=f"use {_GPU_PROBES}"
        )


def build_ivfpq(vectors: Vectors, params: IvfPqParams, target: Path, device: str = "cpu") -> None:
    """Learn, fill and write an IVF-PQ index, in blocks; memory holds the training vectors and the codes."""
    import numpy as np

    faiss = faiss_module()
    check_ivfpq(params, vectors.dimensions, len(vectors), gpu=on_gpu(device))
    index = faiss.IndexIVFPQ(
        faiss.IndexFlatIP(vectors.dimensions), vectors.dimensions, params.lists, params.codes, _BITS,
        faiss.METRIC_INNER_PRODUCT,
    )  # fmt: skip
    count = min(params.train, len(vectors))
    spaced = np.arange(count, dtype=np.int64) * len(vectors) // count
    index.cp.min_points_per_centroid = 1  # check_ivfpq says when there are too few; FAISS would print
    index.pq.cp.min_points_per_centroid = 1
    at_work = to_gpu(index) if on_gpu(device) else index
    at_work.train(vectors.take(spaced).astype(np.float32))
    for _, block in vectors.blocks(BLOCK_ROWS):
        at_work.add(block.astype(np.float32))
    faiss.write_index(faiss.index_gpu_to_cpu(at_work) if on_gpu(device) else index, str(target))


def to_gpu(index: Any) -> Any:
    """Copy an index to the first GPU.

    Tables of product codes are in half precision there: in single precision those of 64 codes do not fit into the shared
    memory of a card.
    """
    options = faiss_module().GpuClonerOptions()
    options.useFloat16 = isinstance(index, faiss_module().IndexIVFPQ)
    return faiss_module().index_cpu_to_gpu(_gpu_memory(), 0, index, options)


@cache
def _gpu_memory() -> Any:
    """Temporary memory of FAISS on the GPU, reserved once per process."""
    return faiss_module().StandardGpuResources()


class IvfPq:
    """The approximate backend faiss_ivfpq (see Finder); a GPU requires faiss-gpu."""

    def __init__(self, vectors: Vectors, params: IvfPqParams, device: str) -> None:
        self._vectors, self._params = vectors, params
        self._gpu = on_gpu(device)

    def limit(self) -> tuple[int, str]:
        """See Finder: faiss-gpu selects 2,048 candidates at most."""
        if self._gpu:
            return SELECTED // self._params.rescore, f"the limit of faiss-gpu ({SELECTED:,} candidates)"
        return len(self._vectors), "the number of passages in the corpus"

    def find(self, queries: Floats, k: int) -> Iterator[Hits]:
        """See Finder; a damaged index file is a CorpusError."""
        candidates = min(k * self._params.rescore, len(self._vectors))
        for first in range(0, len(queries), QUERIES):
            some = queries[first : first + QUERIES]
            _, found = self._index.search(some, candidates)
            for query, row in zip(some, found, strict=True):
                passages = row[row >= 0]
                yield ranked(query, passages, self._vectors.take(passages), k)

    @cached_property
    def _index(self) -> Any:
        index = open_index(self._vectors.folder / INDEX_FILE)
        index.nprobe = self._params.probes
        if self._gpu:
            return to_gpu(index)
        return index


def on_gpu(device: str) -> bool:
    """Check whether FAISS searches on a GPU."""
    faiss = faiss_module()
    return device != "cpu" and hasattr(faiss, "StandardGpuResources") and faiss.get_num_gpus() > 0


def open_index(path: Path) -> Any:
    """Open an index file; a damaged one is a CorpusError."""
    try:
        return faiss_module().read_index(str(path))
    except RuntimeError as error:
        raise CorpusError(
            f"is damaged: {error!s:.120}", where=str(path), fix="build it again with haymaker run"
        ) from None
