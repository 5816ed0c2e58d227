"""What parameters say of the dense part of an index."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from corpora.retrieval.models import ModelParams
from haymaker.core.params import Section, omit_if_default

Backend = Literal["exact", "faiss_flat", "faiss_ivfpq"]


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
        query_prefix, passage_prefix: inserted before a text, as some models require.
        shard_passages: passages per shard, the most work that a killed run loses. Batches do not cross shards, so it
            affects vectors.
        backend: exact (all vectors, streamed from disk), faiss_flat (all vectors, in FAISS indexes; same results) or
            faiss_ivfpq (approximate).
        flat_shard: vectors per index of faiss_flat; affects only memory and speed.
        ivfpq: settings of faiss_ivfpq.
    """

    dimensions: Annotated[int, Field(ge=1, le=16_384)]
    query_prefix: str = ""
    passage_prefix: str = ""
    shard_passages: Annotated[int, Field(ge=1)] = 8192
    backend: Backend = "exact"
    flat_shard: Annotated[int, Field(ge=1)] = omit_if_default(1_000_000)
    ivfpq: IvfPqParams = IvfPqParams()
