"""Stage index: BM25 and vectors of one passage corpus, in shards side by side.

Finished shards stay in data/work/index (as further names of the same files): changing the lexical part or the backend embeds
nothing again, which takes hours of a GPU for a large corpus.
"""

from __future__ import annotations

import fcntl
import os
from functools import cache
from pathlib import Path
from typing import Any

from corpora.retrieval import bm25_index, vectors
from corpora.retrieval.bm25_index import LEXICAL_VERSION, LexicalParams
from corpora.retrieval.dense_params import DenseParams
from corpora.retrieval.embedding import build_index, embed_shard, finish
from corpora.retrieval.encoder import Encoder
from corpora.retrieval.faiss_search import check_faiss, check_ivfpq
from corpora.retrieval.index import INDEX_VERSION, IndexParams
from corpora.retrieval.models import best_device, gpu_count, locate, model_facts
from corpora.retrieval.snapshots import fetch
from corpora.retrieval.vectors import DENSE_VERSION, Vectors, shard_ranges
from corpora.stores.passages.store import Passages
from haymaker.errors import EnvironmentProblem
from haymaker.files import disk_errors, link_or_copy, remove, replace_folder, write_json
from haymaker.params import parse
from haymaker.rng import digest
from pipelines.executor import Done, Job, cluster_gpus
from pipelines.executor import run as execute
from pipelines.progress import say
from pipelines.project import Project

_BACKEND_KEYS = {
    "backend",
    "ivfpq",
    "flat_shard",
    "query_prefix",
}  # of DenseParams: what no vector of a passage depends on


def run(project: Project, name: str) -> None:
    """Build data/indexes/<name>/ from data/corpora/<name>/."""
    params = parse(IndexParams, project.params.indexes[name], where=f"indexes.{name}")
    store = Passages(project.data / "corpora" / name)
    store.verify()
    place = project.work / "index"
    staging, target = place / f"{name}.staging", project.data / "indexes" / name
    kept: list[Path] = []
    with disk_errors(target):
        remove(staging)
        report: dict[str, Any] = {"passages": len(store)}
        if params.dense:  # first what can still be wrong: model, settings, libraries
            _check(project, params.dense, store, name)
        if params.lexical:
            report["lexical"] = _lexical(store, params.lexical, place, name, staging, kept)
        if params.dense:
            report["dense"] = _dense(store, params.dense, place, name, staging, kept)
        write_json(staging / "index.json", {"version": INDEX_VERSION, "store": store.digest, "parts": params.parts()})
        replace_folder(staging, target)
        for old in place.glob(f"{name}-*"):
            if old not in kept:
                remove(old)
    write_json(project.counts / f"index-{name}.json", report)
    say(f"  {len(store):,} passages; " + "; ".join(_summary(part, report[part]) for part in params.parts()))


def _summary(part: str, facts: dict[str, Any]) -> str:
    more = f"{facts['words']:,} words" if part == "lexical" else f"{facts['dimensions']} dimensions, {facts['model']}"
    return f"{part} {facts['bytes'] / 1e6:,.1f} MB ({more})"


def _check(project: Project, params: DenseParams, store: Passages, name: str) -> None:
    """What is wrong is said before hours of work."""
    gpu_count()
    fetch(params, project.fetch_context())
    if params.backend != "exact":
        check_faiss()
    if params.backend == "faiss_ivfpq":
        check_ivfpq(params.ivfpq, params.dimensions, len(store), where=f"indexes.{name}.dense.ivfpq")


def _lexical(
    store: Passages, params: LexicalParams, place: Path, name: str, staging: Path, kept: list[Path]
) -> dict[str, Any]:
    work = place / f"{name}-lexical-{digest(store.digest, LEXICAL_VERSION, size=6).hex()}"
    kept.append(work)
    function = "pipelines.stages.index:lexical_shard"
    jobs = [
        Job(f"shard-{number:05d}", function, {"store": store.folder, "number": number})
        for number in range(bm25_index.shard_count(len(store)))
    ]
    done = execute(jobs, work, title=f"index {name}: words")
    _gather(done, staging / "lexical")
    meta = bm25_index.finish(store, staging / "lexical", params, [shard.result for shard in done])
    return {"words": meta["words"], "bytes": _bytes(meta)}


def _dense(
    store: Passages, params: DenseParams, place: Path, name: str, staging: Path, kept: list[Path]
) -> dict[str, Any]:
    model = model_facts(params, locate(params))
    embedding = params.model_dump_json(exclude=_BACKEND_KEYS)
    key = digest(store.digest, embedding, repr(sorted(model.items())), DENSE_VERSION, size=6).hex()
    work = place / f"{name}-dense-{key}"
    kept.append(work)
    gpus, is_given = gpu_count(), bool(cluster_gpus())
    device = {"locks": place, "gpus": gpus, "is_given": is_given}
    sent = {"store": store.folder, "params": params.model_dump_json(), **device}
    jobs = [
        Job(
            f"shard-{i:05d}",
            "pipelines.stages.index:dense_shard",
            {**sent, "range": (first, last), "number": i},
            last - first,
            gpu=True,
        )
        for i, (first, last) in enumerate(shard_ranges(len(store), params.shard_passages))
    ]
    workers = None if is_given else gpus or None
    done = execute(jobs, work, title=f"index {name}: vectors", unit="passages", workers=workers)
    folder = staging / "dense"
    _gather(done, folder)
    meta = finish(store, folder, params, model)
    if params.backend != "exact":
        settings = params.model_dump_json(include=_BACKEND_KEYS)
        made = work.with_name(f"{work.name}-{digest(settings, size=6).hex()}")
        kept.append(made)
        job = Job("faiss", "pipelines.stages.index:faiss_files", {**sent, "vectors": folder})
        _gather(execute([job], made, title=f"index {name}: {params.backend}", workers=1), folder)
        meta = finish(store, folder, params, model)
    return {"dimensions": params.dimensions, "model": model["model"], "shards": len(jobs), "bytes": _bytes(meta)}


def _gather(done: list[Done], folder: Path) -> None:
    """Give the files of finished shards a name in `folder`."""
    for shard in done:
        for name in shard.files:
            link_or_copy(shard.folder / name, folder / name)


def _bytes(meta: dict[str, Any]) -> int:
    return sum(facts["bytes"] for facts in meta["files"].values())


def lexical_shard(sent: dict[str, Any], folder: Path) -> dict[str, int]:
    """One shard of the lexical index."""
    return bm25_index.index_shard(Passages(sent["store"]), sent["number"], folder)


def dense_shard(sent: dict[str, Any], folder: Path) -> None:
    """One shard of vectors, on the GPU or the core that this process has for itself: given by Ray, or taken by a lock."""
    encoder = _encoder(sent["params"], best_device() if sent["is_given"] else _device(sent["locks"], sent["gpus"]))
    first, last = sent["range"]
    embed_shard(Passages(sent["store"]), encoder, first, last, folder / vectors.shard_name(sent["number"]))


def faiss_files(sent: dict[str, Any], folder: Path) -> None:
    """The index files of a FAISS backend, over all vectors."""
    opened = Vectors(sent["vectors"], Passages(sent["store"]))
    build_index(opened, DenseParams.model_validate_json(sent["params"]), folder)


@cache
def _encoder(params: str, device: str) -> Encoder:
    import torch

    if device == "cpu":  # as many processes as cores; a second thread would also change the last digits
        torch.set_num_threads(1)
    return Encoder(DenseParams.model_validate_json(params), device)


@cache
def _device(locks: Path, gpus: int) -> str:
    """The CPU, or the first GPU that no other process of this project has; it is kept until this process ends.

    Raises:
        EnvironmentProblem: others have them all.
    """
    if not gpus:
        return "cpu"
    for number in range(gpus):
        handle = os.open(locks / f"gpu-{number}.lock", os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
        else:
            return f"cuda:{number}"
    raise EnvironmentProblem(
        f"all {gpus} GPUs are in use by another run", where=str(locks), fix="wait for it, or stop it"
    )
