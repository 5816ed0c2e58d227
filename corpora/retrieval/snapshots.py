"""Models of the Hub on this machine: the pinned commit is fetched once, its files are known by their digests in sources.lock.json.

Stages that use a model call `fetch` before they work; so nobody fetches one by hand. Weights come as safetensors alone, beside configuration and
tokenizer: nothing that is code, and nothing that could hold code.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from corpora.retrieval.models import SNAPSHOT, locate, on_this_machine
from corpora.sources.transport.hub import guard_hub
from corpora.sources.transport.lock import FileLock, mismatch, read_lock, write_lock
from corpora.sources.transport.rawfile import FetchContext
from corpora.sources.transport.remote import explain
from haymaker.errors import SourceError
from haymaker.files import locked, sha256_file

if TYPE_CHECKING:
    from corpora.retrieval.models import ModelParams

_BYTES = {"Alibaba-NLP/gte-large-en-v1.5": 1_740_000_000, "cross-encoder/ms-marco-MiniLM-L6-v2": 92_000_000}
_OTHERS_BYTES = 500_000_000


def expected_bytes(params: ModelParams) -> int:
    """What a model takes to download, for `plan`; of models that we do not know a guess, of local ones nothing."""
    return _BYTES.get(params.model, _OTHERS_BYTES) if params.on_hub else 0


def fetch(params: ModelParams, context: FetchContext) -> Path:
    """The folder of a model; of one on the Hub the pinned commit, fetched if it is not here, its files as the lock file knows them.

    Raises:
        UnavailableError: no such model or commit, or refused.
        SourceError: the Hub is out of reach; or a file is not the one of the first download.
        EnvironmentProblem: a local model is not here.
    """
    if not params.on_hub:
        return locate(params)
    key = f"model:{params.model}@{params.revision}"
    with locked(context.cache / "models.lock"):
        folder = on_this_machine(params) or _download(params, context)
        known = read_lock(context.lock_file, key).files
        found = {name: FileLock(path.stat().st_size, sha256_file(path)) for name, path in _files(folder).items()}
        for name, file in known.items():
            if name in found and found[name] != file:
                raise mismatch(context.lock_file, key, name, file.sha256, found[name].sha256)
        if not any(name.endswith(".safetensors") for name in found):
            what = "has no weights as safetensors; other forms of weights can run code and are not read"
            raise SourceError(what, where=key, fix="take a model, or a revision, that has them")
        if found.keys() - known.keys():
            write_lock(context.lock_file, key, revision=params.revision, files=found)
    return folder


def _download(params: ModelParams, context: FetchContext) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.utils import disable_progress_bars

    guard_hub()
    disable_progress_bars()
    context.report(f"fetching model {params.model}: about {expected_bytes(params) / 1e6:,.0f} MB")
    try:
        return Path(snapshot_download(params.model, revision=params.revision, **SNAPSHOT))
    except Exception as error:
        raise explain(error, f"hf://{params.model}@{params.revision}") from None


def _files(folder: Path) -> dict[str, Path]:
    """What of a snapshot is used: name -> file."""
    from huggingface_hub.utils import filter_repo_objects

    every = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if path.is_file()}
    return {name: every[name] for name in filter_repo_objects(every, **SNAPSHOT)}
