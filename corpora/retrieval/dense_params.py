"""What parameters say of the dense part of an index."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from corpora.retrieval.models import ModelParams
from haymaker.core.params import Section, omit_if_default

Backend = Literal["exact", "faiss_flat", "faiss_ivfpq"]


class IvfPqParams(Section):
    """An approximate FAISS index: inverted lists of product-quantised vectors.

    Attributes:
        lists: cells the vectors are sorted into (nlist).
        codes: bytes a vector is reduced to (m); divides the dimensions.
        probes: cells that a query looks into (nprobe).
        rescore: candidates per passage asked for; they are scored again exactly.
        train: vectors that cells and codes are learned from, evenly spaced over the corpus.
    """

    lists: Annotated[int, Field(ge=1)] = 4096
    codes: Annotated[int, Field(ge=1)] = 64
    probes: Annotated[int, Field(ge=1)] = 64
    rescore: Annotated[int, Field(ge=1)] = 4
    train: Annotated[int, Field(ge=256)] = 262_144


class DenseParams(ModelParams):
    """The dense part of an index (params key `indexes.<corpus>.dense`); the keys of ModelParams, and

    Attributes:
        dimensions: of a vector; checked against the model.
        query_prefix, passage_prefix: put before a text, as some models want it.
        shard_passages: passages embedded at a time; what a killed run loses at most. Part of the result: batches do not
            cross shards.
        backend: exact (every vector, streamed from disk), faiss_flat (every vector, in FAISS indexes: as exact, for any k) or
            faiss_ivfpq (approximate).
        flat_shard: vectors in one index of faiss_flat; changes nothing but memory and speed.
        ivfpq: settings of the last.
    """

    dimensions: Annotated[int, Field(ge=1, le=16_384)]
    query_prefix: str = ""
    passage_prefix: str = ""
    shard_passages: Annotated[int, Field(ge=1)] = 8192
    backend: Backend = "exact"
    flat_shard: Annotated[int, Field(ge=1)] = omit_if_default(1_000_000)
    ivfpq: IvfPqParams = IvfPqParams()
