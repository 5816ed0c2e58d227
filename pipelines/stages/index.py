"""Build the indexes of passage corpora for the stage retrieve: BM25 and vectors, in parallel shards.

Finished shards stay in data/work/index as hard links: changing the lexical part or the backend does not repeat the
embedding, which takes GPU hours for a large corpus.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from corpora.retrieval import bm25_index, vectors
from corpora.retrieval.bm25_index import LEXICAL_VERSION
from corpora.retrieval.embedding import build_index, embed_shard, finish
from corpora.retrieval.encoder import Encoder
from corpora.retrieval.faiss_search import check_faiss, check_ivfpq, on_gpu
from corpora.retrieval.index import INDEX_VERSION, IndexParams
from corpora.retrieval.models import DenseParams, best_device, gpu_count, locate, model_facts
from corpora.retrieval.snapshots import fetch
from corpora.retrieval.vectors import DENSE_VERSION, Vectors, shard_ranges
from corpora.stores.passages.store import Passages
from generators.inputs import Use
from haymaker.core.errors import EnvironmentProblem
from haymaker.core.files.disk import link_or_copy, locked, remove, write_json
from haymaker.core.params import parse
from haymaker.core.rng import Key, digest
from pipelines.execution.executor import Done, Job, cluster_gpus
from pipelines.execution.executor import run as execute
from pipelines.project import Project
from pipelines.stages import inputs

_HELD = ExitStack()
"""Lock on the GPU of this process, held until the process ends."""
_BACKEND_KEYS = {
    "backend",
    "ivfpq",
    "flat_shard",
    "query_prefix",
}  # fields of DenseParams that do not change the passage vectors


@dataclass(frozen=True)
class _Index:
    """An index to build: its parameters and its passage store."""

    project: Project
    name: str
    params: IndexParams
    store: Passages

    @property
    def use(self) -> Use:
        return Use("indexes", self.name)

    def work(self, part: str, *material: Key) -> str:
        """Return the folder of finished shards below data/work; kept to reuse vectors with other parts and backends."""
        return f"index/{self.name}-{part}-{digest(self.store.digest, *material, size=6).hex()}"

    @cached_property
    def model(self) -> dict[str, Any]:
        """Facts of the embedding model."""
        assert self.params.dense
        return model_facts(self.params.dense, locate(self.params.dense))

    @cached_property
    def fingerprint(self) -> str:
        """Fingerprint of everything that determines the files."""
        model = repr(sorted(self.model.items())) if self.params.dense else ""
        parts = ((self.params.lexical, LEXICAL_VERSION), (self.params.dense, DENSE_VERSION))
        versions = [INDEX_VERSION, *(version for wanted, version in parts if wanted)]
        return digest(self.store.digest, self.params.model_dump_json(), model, *versions, size=6).hex()

    @property
    def lexical_work(self) -> str:
        return self.work("lexical", LEXICAL_VERSION)

    @property
    def dense_work(self) -> str:
        assert self.params.dense
        embedding = self.params.dense.model_dump_json(exclude=_BACKEND_KEYS)
        return self.work("dense", embedding, repr(sorted(self.model.items())), DENSE_VERSION)


def build(project: Project, names: Iterable[str]) -> inputs.Kept:
    """Build the named indexes; finished indexes are reused."""
    every = {each.use: each for each in (_opened(project, name) for name in names)}
    found, unfinished = inputs.split_finished(project, {use: each.fingerprint for use, each in every.items()})
    open_ = [every[use] for use in unfinished]
    inputs.check(project, [Use("passages", each.name) for each in open_])
    lexical = _lexical(project, [each for each in open_ if each.params.lexical])
    dense = _dense(project, [each for each in open_ if each.params.dense])
    joins = [_join(each, lexical.get(each.name, []), dense.get(each.name, [])) for each in open_]
    for each, done in zip(open_, execute(joins, project.work, title="index: join"), strict=True):
        found[each.use] = done
        _forget_old(project, each)
    return found


def _opened(project: Project, name: str) -> _Index:
    """Open an index and check its model, settings and libraries before the hours of embedding start."""
    params = parse(IndexParams, project.params.indexes[name], where=f"indexes.{name}")
    store = Passages(project.data / "corpora" / name)
    if params.dense:
        gpu_count()
        fetch(params.dense, project.fetch_context())
        if params.dense.backend != "exact":
            check_faiss()
        if params.dense.backend == "faiss_ivfpq":
            where = f"indexes.{name}.dense.ivfpq"
            gpu = on_gpu(best_device())
            check_ivfpq(params.dense.ivfpq, params.dense.dimensions, len(store), gpu=gpu, where=where)
    return _Index(project, name, params, store)


def _lexical(project: Project, indexes: Sequence[_Index]) -> dict[str, list[Done]]:
    """Build the lexical shards; return index name -> finished shards."""
    jobs = [
        Job(
            f"{each.lexical_work}/shard-{number:05d}",
            "pipelines.stages.index:lexical_shard",
            {"store": each.store.folder, "number": number},
        )
        for each in indexes
        for number in range(bm25_index.shard_count(len(each.store)))
    ]
    return _by_index(indexes, execute(jobs, project.work, title="index: words"))


def _dense(project: Project, indexes: Sequence[_Index]) -> dict[str, list[Done]]:
    """Build the vector shards; return index name -> finished shards."""
    jobs = []
    if not indexes:
        return {}
    gpus, is_given = gpu_count(), bool(cluster_gpus())
    device = {"locks": project.work / "locks", "gpus": gpus, "is_given": is_given}
    for each in indexes:
        assert each.params.dense
        sent = {"store": each.store.folder, "params": each.params.dense.model_dump_json(), **device}
        for i, (first, last) in enumerate(shard_ranges(len(each.store), each.params.dense.shard_passages)):
            job = Job(
                f"{each.dense_work}/shard-{i:05d}",
                "pipelines.stages.index:dense_shard",
                {**sent, "range": (first, last), "number": i},
                last - first,
                gpu=True,
            )
            jobs.append(job)
    workers = None if is_given else gpus or None
    return _by_index(indexes, execute(jobs, project.work, title="index: vectors", unit="passages", workers=workers))


def _by_index(indexes: Iterable[_Index], done: Iterable[Done]) -> dict[str, list[Done]]:
    """Group finished shards by index name."""
    found: dict[str, list[Done]] = {each.name: [] for each in indexes}
    for shard in done:
        found[shard.key.partition("/")[2].rpartition("/")[0].rsplit("-", 2)[0]].append(shard)
    return found


def _join(each: _Index, lexical: list[Done], dense: list[Done]) -> Job:
    sent = {
        "store": each.store.folder,
        "params": each.params.model_dump_json(),
        "lexical": [(shard.folder, list(shard.files), shard.result) for shard in lexical],
        "dense": [(shard.folder, list(shard.files), shard.result) for shard in dense],
        "model": each.model if each.params.dense else {},
    }
    return Job(inputs.key(each.use, each.fingerprint), "pipelines.stages.index:joined", sent, float(len(each.store)))


def joined(sent: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Join the finished shards of one index."""
    params, store = IndexParams.model_validate_json(sent["params"]), Passages(sent["store"])
    target = folder / inputs.STORE
    counts: dict[str, Any] = {"passages": len(store)}
    if params.lexical:
        _gather(sent["lexical"], target / "lexical")
        results = [result for _, _, result in sent["lexical"]]
        meta = bm25_index.finish(store, target / "lexical", params.lexical, results)
        counts["lexical"] = {"words": meta["words"], "bytes": _bytes(meta)}
    if params.dense:
        counts["dense"] = _joined_vectors(sent, params.dense, store, target / "dense")
    write_json(target / "index.json", {"version": INDEX_VERSION, "store": store.digest, "parts": params.parts()})
    parts = "; ".join(_summary(part, counts[part]) for part in params.parts())
    write_json(folder / "counts.json", counts)
    return {"summary": f"{len(store):,} passages; {parts}"}


def _joined_vectors(sent: dict[str, Any], params: DenseParams, store: Passages, folder: Path) -> dict[str, Any]:
    _gather(sent["dense"], folder)
    meta = finish(store, folder, params, sent["model"])
    if params.backend != "exact":
        build_index(Vectors(folder, store), params, folder, best_device())
        meta = finish(store, folder, params, sent["model"])
    return {
        "dimensions": params.dimensions, "model": sent["model"]["model"], "shards": len(sent["dense"]), "bytes": _bytes(meta),
    }  # fmt: skip


def _gather(shards: Iterable[tuple[Path, list[str], Any]], folder: Path) -> None:
    """Link (or copy) the files of finished shards into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for source, names, _ in shards:
        for name in names:
            link_or_copy(source / name, folder / name)


def _bytes(meta: dict[str, Any]) -> int:
    return sum(int(facts["bytes"]) for facts in meta["files"].values())


def _summary(part: str, facts: dict[str, Any]) -> str:
    more = f"{facts['words']:,} words" if part == "lexical" else f"{facts['dimensions']} dimensions, {facts['model']}"
    return f"{part} {facts['bytes'] / 1e6:,.1f} MB ({more})"


def _forget_old(project: Project, each: _Index) -> None:
    """Remove shards made with other parameters."""
    wanted = {each.lexical_work} if each.params.lexical else set()
    wanted |= {each.dense_work} if each.params.dense else set()
    for folder in (project.work / "index").glob(f"{each.name}-*"):
        if folder.name.rsplit("-", 2)[0] == each.name and f"index/{folder.name}" not in wanted:
            remove(folder)


# --------------------------------------------------------------------------------------------------------- one shard


def lexical_shard(sent: dict[str, Any], folder: Path) -> Any:
    """Build one shard of the lexical index."""
    return bm25_index.index_shard(Passages(sent["store"]), sent["number"], folder)


def dense_shard(sent: dict[str, Any], folder: Path) -> None:
    """Embed one shard on a device that only this process uses: assigned by Ray, or reserved with a lock."""
    encoder = _encoder(sent["params"], best_device() if sent["is_given"] else _device(sent["locks"], sent["gpus"]))
    first, last = sent["range"]
    embed_shard(Passages(sent["store"]), encoder, first, last, folder / vectors.shard_name(sent["number"]))


@cache
def _encoder(params: str, device: str) -> Encoder:
    import torch

    if device == "cpu":  # one process per core; a second thread would also change the last digits
        torch.set_num_threads(1)
    return Encoder(DenseParams.model_validate_json(params), device)


@cache
def _device(locks: Path, gpus: int) -> str:
    """Return "cpu", or the first GPU that no other process of this project holds; locked until this process ends.

    Raises:
        EnvironmentProblem: all GPUs are in use.
    """
    for number in range(gpus):
        with suppress(EnvironmentProblem):
            _HELD.enter_context(locked(locks / f"gpu-{number}", patience_s=0))
            return f"cuda:{number}"
    if not gpus:
        return "cpu"
    raise EnvironmentProblem(
        f"all {gpus} GPUs are in use by another run", where=str(locks), fix="wait for it, or stop it"
    )
