"""The cross-encoder that judges distractors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from corpora.retrieval.cross_encoder import CrossEncoderScorer
from corpora.retrieval.models import ModelParams
from haymaker.core.errors import EnvironmentProblem, ParamsError
from tests.corpora.retrieval import small_models
from tests.errors import refused
from tests.extras import needs

pytestmark = needs("embed-cpu", "sentence_transformers")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_models.cross_encoder(tmp_path_factory.mktemp("cross") / "model")


def test_scores_are_those_of_the_model_whatever_the_batch(model: Path) -> None:
    from sentence_transformers import CrossEncoder

    texts = small_models.texts(11)
    expected = CrossEncoder(str(model), device="cpu").predict(
        [("river tower", text) for text in texts], show_progress_bar=False
    )
    for batch in (1, 3, 32):
        scores = CrossEncoderScorer(ModelParams(model=str(model), batch=batch), "cpu").scores("river tower", texts)
        assert scores.dtype == np.float32
        assert np.abs(scores - expected).max() < 2e-5
    assert len(set(expected.round(4).tolist())) > 5  # the model does tell them apart
    assert CrossEncoderScorer(ModelParams(model=str(model)), "cpu").scores("river", []).tolist() == []


def test_the_record_names_model_and_settings(model: Path) -> None:
    found = CrossEncoderScorer(ModelParams(model=str(model), batch=3), "cpu").fingerprint
    assert (found["model"], found["batch"], list(found["weights_sha256"])) == ("model", 3, ["model.safetensors"])


def test_mistakes_are_one_line(model: Path, tmp_path: Path) -> None:
    two = small_models.cross_encoder(tmp_path / "two", labels=2)
    with refused(ParamsError, "cross_encoder.model", 2):
        CrossEncoderScorer(ModelParams(model=str(two)), "cpu")
    with refused(EnvironmentProblem, "nothing", "model"):
        CrossEncoderScorer(ModelParams(model=str(tmp_path / "nothing")), "cpu")
