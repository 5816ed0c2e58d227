"""Download models of the Hub at their pinned commit, once; sources.lock.json contains the digests of their files.

Only safetensors, configuration and tokenizer are fetched, no files that contain code.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from corpora.retrieval.models import SNAPSHOT, locate, model_files, on_this_machine
from corpora.sources.transport.lock import FileLock, read_lock, write_lock
from corpora.sources.transport.rawfile import FetchContext
from haymaker.core.errors import SourceError
from haymaker.core.files.addresses import explain
from haymaker.core.files.disk import locked, sha256_file
from haymaker.core.files.hub_client import configure_hub_client

if TYPE_CHECKING:
    from corpora.retrieval.models import ModelParams

_BYTES = {"Alibaba-NLP/gte-large-en-v1.5": 1_740_000_000}
_OTHERS_BYTES = 500_000_000


def expected_bytes(params: ModelParams) -> int:
    """Return the download size of a model for `plan`: a guess for unknown models, 0 for local ones."""
    return _BYTES.get(params.model, _OTHERS_BYTES) if params.on_hub else 0


def fetch(params: ModelParams, context: FetchContext) -> Path:
    """Return the folder of a model; a Hub model is fetched if needed, and its files are compared with the lock file.

    Raises:
        UnavailableError: no such model or commit, or refused.
        SourceError: the Hub is out of reach, or a file differs from the first download.
        EnvironmentProblem: a local model is missing.
    """
    if not params.on_hub:
        return locate(params)
    key = f"model:{params.model}@{params.revision}"
    with locked(context.cache / "models.lock"):
        folder = on_this_machine(params) or _download(params, context)
        known = read_lock(context.lock_file, key).files
        found = {name: FileLock(path.stat().st_size, sha256_file(path)) for name, path in model_files(folder).items()}
        if not any(name.endswith(".safetensors") for name in found):
            what = "has no weights in safetensors format; other formats can run code and are not loaded"
            raise SourceError(what, where=key, fix="use a model, or a revision, with safetensors weights")
        if not found.items() <= known.items():
            write_lock(context.lock_file, key, revision=params.revision, files=found)
    return folder


def _download(params: ModelParams, context: FetchContext) -> Path:
    from huggingface_hub import get_cached_repo_tree, snapshot_download
    from huggingface_hub.errors import CachedRepoTreeNotFoundError
    from huggingface_hub.utils import disable_progress_bars

    configure_hub_client()
    disable_progress_bars()
    context.report(f"fetching model {params.model}: about {expected_bytes(params) / 1e6:,.0f} MB")
    where = f"hf://{params.model}@{params.revision}"
    try:
        folder = Path(snapshot_download(params.model, revision=params.revision, **SNAPSHOT))
        get_cached_repo_tree(params.model, revision=params.revision)
    except CachedRepoTreeNotFoundError:  # the library takes what is in its cache when the Hub is out of reach
        what = "the Hub cannot be reached, and the copy in the cache may be incomplete"
        raise SourceError(
            what, where=where, fix="run this once with a network connection, then copy the Hub's cache to this machine"
        ) from None
    except Exception as error:
        raise explain(error, where) from None
    return folder
