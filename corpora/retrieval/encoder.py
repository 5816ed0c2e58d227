"""Texts to vectors with a sentence-transformers model: unit length, in batches that depend only on the texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import TYPE_CHECKING, Any

from corpora.retrieval.gte import native
from corpora.retrieval.models import loading, locate, model_facts, offline
from haymaker.core.errors import CorpusError, ParamsError

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

    from corpora.retrieval.models import DenseParams
    from corpora.retrieval.search import Floats

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
        vector: Floats = self._encode([self._params.query_prefix + text], [[0]])[0]
        return vector

    def passages(self, texts: Sequence[str]) -> Floats:
        """Vectors of passages, float32 (n, dimensions); the longest go together, so that little is padded."""
        longest_first = sorted(range(len(texts)), key=lambda i: (-len(texts[i]), i))
        batch = self._params.batch
        batches = [longest_first[at : at + batch] for at in range(0, len(texts), batch)]
        return self._encode([self._params.passage_prefix + text for text in texts], batches)

    def _encode(self, texts: Sequence[str], batches: Sequence[Sequence[int]]) -> Floats:
        import numpy as np
        import torch

        out = np.empty((len(texts), self._params.dimensions), np.float32)
        with torch.inference_mode():
            for batch, features in self._prepared(texts, batches):
                moved = {key: _moved(value, self._device) for key, value in features.items()}
                out[batch] = self._model(moved)["sentence_embedding"].float().cpu().numpy()
        return _normalised(out)

    def _prepared(
        self, texts: Sequence[str], batches: Sequence[Sequence[int]]
    ) -> Iterator[tuple[Sequence[int], dict[str, Any]]]:
        """Batches as the model reads them; the next one is tokenised while this one is computed."""
        with ThreadPoolExecutor(1) as pool:
            ahead = [pool.submit(self._model.preprocess, [texts[i] for i in batch]) for batch in batches[:2]]
            for number, batch in enumerate(batches):
                features = ahead.pop(0).result()
                if number + 2 < len(batches):
                    ahead.append(pool.submit(self._model.preprocess, [texts[i] for i in batches[number + 2]]))
                yield batch, features


def _moved(value: Any, device: str) -> Any:
    return value.to(device, non_blocking=True) if hasattr(value, "to") else value


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
