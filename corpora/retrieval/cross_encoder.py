"""A cross-encoder reads query and passage together: slow, and the best judge of whether a passage answers a query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from corpora.retrieval.gte import native
from corpora.retrieval.models import ModelParams, best_device, loading, locate, model_facts, offline
from haymaker.core.errors import EnvironmentProblem, ParamsError

if TYPE_CHECKING:
    from corpora.retrieval.search import Floats

_DECIMALS = 5


class CrossEncoderScorer:
    """Scores passages for a query.

    Args:
        params: a cross-encoder with one output, such as cross-encoder/ms-marco-MiniLM-L6-v2 at a revision.
        device: "cpu", "cuda:0" ...; None takes the first GPU, else the CPU.

    Raises:
        EnvironmentProblem: a library or the model is missing.
        ParamsError: the model has more than one output.
    """

    def __init__(self, params: ModelParams, device: str | None = None) -> None:
        self._params = params
        folder = locate(params)
        with offline(params), native(folder) as loaded:
            from sentence_transformers import CrossEncoder

            self._model = CrossEncoder(
                str(loaded), device=device or best_device(), max_length=params.max_pieces, **loading(params)
            )
        if self._model.num_labels != 1:
            raise ParamsError(
                f"cross-encoder {params.model} has {self._model.num_labels} outputs; a relevance model has one",
                where="cross_encoder.model",
            )
        self.fingerprint: dict[str, Any] = {
            **params.model_dump(mode="json", include=set(ModelParams.model_fields) - {"model"}), **model_facts(params, folder),
        }  # fmt: skip

    def scores(self, query: str, texts: Sequence[str]) -> Floats:
        """One score per text, as the model gives it (its own activation), float32, 5 decimals.

        Raises:
            EnvironmentProblem: a score is no number.
        """
        import numpy as np

        out = np.empty(len(texts), np.float32)
        order = sorted(range(len(texts)), key=lambda i: (-len(texts[i]), i))
        for at in range(0, len(order), self._params.batch):
            batch = order[at : at + self._params.batch]
            pairs = [(query, texts[i]) for i in batch]
            out[batch] = self._model.predict(pairs, batch_size=len(batch), show_progress_bar=False)
        if not np.isfinite(out).all():
            raise EnvironmentProblem(
                f"cross-encoder {self._params.model} gave a score that is not a number", fix="compute in float32"
            )
        return np.round(out, _DECIMALS)
