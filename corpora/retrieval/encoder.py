"""Texts to vectors with a sentence-transformers model: unit length, in batches that depend only on the texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import TYPE_CHECKING, Any

from corpora.retrieval.gte import native
from corpora.retrieval.models import loading, locate, model_facts, offline
from haymaker.core.errors import CorpusError, ParamsError
from haymaker.core.progress import say

if TYPE_CHECKING:
    import torch
    from sentence_transformers import SentenceTransformer

    from corpora.retrieval.models import DenseParams
    from corpora.retrieval.search import Floats

_UNPADDED: Any = {"text": {"padding": False}, "common": {"return_tensors": None}}
_TEXT = {"modality": "text"}  # what the model is told of its input
_AHEAD = 4  # batches
_NEAR_ZERO = 1e-6  # shorter vectors have no direction worth the name


class Encoder:
    """A loaded model.

    Raises:
        EnvironmentProblem: a library or the model is missing.
        ParamsError: the vectors of the model have another length, or it reads fewer word pieces.
    """

    def __init__(self, params: DenseParams, device: str) -> None:
        self._params, self._device = params, device
        self._folder = locate(params)
        with offline(params), native(self._folder) as folder:
            from sentence_transformers import SentenceTransformer

            self._model: SentenceTransformer = SentenceTransformer(str(folder), device=device, **loading(params)).eval()
        self._check_dimensions()
        self._limit_pieces()
        if params.compile:
            say("  the model is compiled with the first batch: one or two minutes")
            self._model.compile(dynamic=True)

    @cached_property
    def facts(self) -> dict[str, Any]:
        """What names the model in provenance (see model_facts)."""
        return model_facts(self._params, self._folder)

    def _check_dimensions(self) -> None:
        given, found = self._params.dimensions, self._model.get_embedding_dimension()
        if found != given:
            raise ParamsError(
                f"model {self._params.model} returns vectors of {found} dimensions, not {given}",
                where="dense.dimensions",
                fix=f"set it to {found}",
            )

    def _limit_pieces(self) -> None:
        wanted, most = self._params.max_pieces, self._model.max_seq_length
        if wanted and most and wanted > most:
            raise ParamsError(
                f"model {self._params.model} accepts at most {most} word pieces, not {wanted}",
                where="dense.max_pieces",
                fix="remove it",
            )
        if wanted:
            self._model.max_seq_length = wanted

    def query(self, text: str) -> Floats:
        """The vector of a query, float32 (dimensions,); computed alone, so that no other query touches it."""
        vector: Floats = self._encode([self._params.query_prefix + text])[0]
        return vector

    def passages(self, texts: Sequence[str]) -> Floats:
        """Vectors of passages, float32 (n, dimensions); texts of about equal length share a batch, so that little is padded."""
        return self._encode([self._params.passage_prefix + text for text in texts])

    def _encode(self, texts: Sequence[str]) -> Floats:
        """Vectors of texts. All batches are sent to the device before the first result is read."""
        import numpy as np
        import torch

        if not texts:
            return np.empty((0, self._params.dimensions), np.float32)
        features = self._model.preprocess(texts, processing_kwargs=_UNPADDED)
        tokens = {name: values for name, values in features.items() if isinstance(values, list)}
        counts = [len(ids) for ids in tokens["input_ids"]]
        longest_first = sorted(range(len(texts)), key=lambda i: (-counts[i], i))
        batches = [longest_first[at : at + self._params.batch] for at in range(0, len(texts), self._params.batch)]
        with torch.inference_mode():
            parts = [self._model(batch)["sentence_embedding"] for batch in self._padded(tokens, batches)]
            found = torch.cat(parts).float().cpu().numpy()
        out = np.empty_like(found)
        out[longest_first] = found
        return _normalised(out)

    def _padded(self, tokens: Mapping[str, list[Any]], batches: Sequence[Sequence[int]]) -> Iterator[dict[str, Any]]:
        """Batches on the device, as the model reads them; the next ones are padded while the device computes."""

        def padded(batch: Sequence[int]) -> dict[str, Any]:
            some = {name: [values[i] for i in batch] for name, values in tokens.items()}
            found = self._model.tokenizer.pad(some, return_tensors="pt")
            return {name: _pinned(value, self._device) for name, value in found.items()}

        with ThreadPoolExecutor(1) as pool:
            ahead = [pool.submit(padded, batch) for batch in batches[:_AHEAD]]
            for following in [*batches[_AHEAD:], *([] for _ in ahead)]:
                features = ahead.pop(0).result()
                if following:
                    ahead.append(pool.submit(padded, following))
                yield {name: value.to(self._device, non_blocking=True) for name, value in features.items()} | _TEXT


def _pinned(value: torch.Tensor, device: str) -> torch.Tensor:
    """The values in memory that a GPU copies from without waiting; elsewhere as they are."""
    return value.pin_memory() if device.startswith("cuda") else value


def _normalised(vectors: Floats) -> Floats:
    """Scale vectors to unit length; raise BadVector for zero, NaN or infinity."""
    import numpy as np

    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1)
    bad = np.flatnonzero(~np.isfinite(lengths) | (lengths < _NEAR_ZERO))
    if len(bad):
        raise BadVector(int(bad[0]), "is zero" if np.isfinite(lengths[bad[0]]) else "contains NaN or infinity")
    unit: Floats = (vectors / lengths[:, None]).astype(np.float32)
    return unit


class BadVector(CorpusError):
    """The model returned no usable vector for text number `row`."""

    def __init__(self, row: int, problem: str) -> None:
        super().__init__(
            f"the vector of text {row} {problem}", fix="check that text, or compute in float32 (dense.compute)"
        )
        self.row, self.problem = row, problem

    def __reduce__(self) -> tuple[object, ...]:
        return BadVector, (self.row, self.problem)
