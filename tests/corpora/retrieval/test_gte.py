"""gte-large's published form, tiny: its weights' names and configuration, read by the library's own model, against its formulas."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from corpora.retrieval.encoder import Encoder
from corpora.retrieval.gte import converted
from corpora.retrieval.models import DenseParams
from haymaker.core.errors import EnvironmentProblem
from tests.corpora.retrieval import small_models
from tests.corpora.retrieval.small_models import MARKS, WORDS
from tests.corpora.retrieval.test_exact import unit
from tests.errors import refused
from tests.extras import needs

pytestmark = needs("embed-cpu", "sentence_transformers")
HIDDEN, HEADS, LAYERS, INNER, KINDS = 16, 2, 2, 24, 2
CONFIG: dict[str, Any] = {
    "architectures": ["NewModel"], "model_type": "new", "attention_probs_dropout_prob": 0.0, "hidden_act": "gelu", "hidden_dropout_prob": 0.1,
    "auto_map": {"AutoConfig": "Alibaba-NLP/new-impl--configuration.NewConfig", "AutoModel": "Alibaba-NLP/new-impl--modeling.NewModel"},
    "hidden_size": HIDDEN, "intermediate_size": INNER, "num_attention_heads": HEADS, "num_hidden_layers": LAYERS, "layer_norm_eps": 1e-12,
    "layer_norm_type": "layer_norm", "logn_attention_clip1": False, "logn_attention_scale": False, "max_position_embeddings": 64,
    "pack_qkv": True, "pad_token_id": 0, "position_embedding_type": "rope", "rope_scaling": {"factor": 2.0, "type": "ntk"},
    "rope_theta": 160000, "type_vocab_size": KINDS, "unpad_inputs": False, "use_memory_efficient_attention": False,
    "vocab_size": len(MARKS) + len(WORDS) + 1, "torch_dtype": "float32",
}  # fmt: skip


def weights() -> dict[str, np.ndarray]:
    """Random numbers under the published names."""
    number = itertools.count()

    def some(*shape: int) -> np.ndarray:
        return 2 * unit(f"weights {next(number)}", math.prod(shape[:-1]), shape[-1]).reshape(shape)

    def norm_of(at: str) -> dict[str, np.ndarray]:
        return {f"{at}.weight": 1 + some(HIDDEN), f"{at}.bias": some(HIDDEN)}

    made = {
        "embeddings.word_embeddings.weight": some(CONFIG["vocab_size"], HIDDEN),
        "embeddings.token_type_embeddings.weight": some(KINDS, HIDDEN),
    } | norm_of("embeddings.LayerNorm")
    kinds = {
        "attention.qkv_proj": (3 * HIDDEN, HIDDEN),
        "attention.o_proj": (HIDDEN, HIDDEN),
        "mlp.down_proj": (HIDDEN, INNER),
    }
    for at in (f"encoder.layer.{layer}" for layer in range(LAYERS)):
        for name, shape in kinds.items():
            made |= {f"{at}.{name}.weight": some(*shape), f"{at}.{name}.bias": some(shape[0])}
        made |= norm_of(f"{at}.attn_ln") | norm_of(f"{at}.mlp_ln")
        made[f"{at}.mlp.up_gate_proj.weight"] = some(2 * INNER, HIDDEN)
    return made


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from safetensors.numpy import save_file

    folder = tmp_path_factory.mktemp("gte")
    small_models.vocabulary(folder)
    (folder / "config.json").write_text(json.dumps(CONFIG))
    save_file(weights(), folder / "model.safetensors", {"format": "pt"})
    small_models.modules(folder, HIDDEN, 64, "cls", "Normalize")
    return folder


def norm(x: np.ndarray, made: dict[str, np.ndarray], at: str) -> np.ndarray:
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12) * made[f"{at}.weight"] + made[f"{at}.bias"]


def turned(x: np.ndarray) -> np.ndarray:
    """Rotary positions under NTK scaling by 2: (heads, places, numbers of a head), halves turned together."""
    numbers = x.shape[-1]
    powers = np.arange(0, numbers, 2) / numbers
    speeds = 1 / (160_000 * 2.0) ** powers / 2 ** (2 / numbers)
    angles = np.arange(x.shape[1])[:, None] * speeds
    first, second = x[..., : numbers // 2], x[..., numbers // 2 :]
    cos, sin = np.cos(angles), np.sin(angles)
    return np.concatenate([first * cos - second * sin, second * cos + first * sin], -1)


def formulas(ids: list[int]) -> np.ndarray:
    """The unit vector of a text: what the model's description says, in double precision."""
    made = {name: value.astype(np.float64) for name, value in weights().items()}
    x = made["embeddings.word_embeddings.weight"][ids] + made["embeddings.token_type_embeddings.weight"][0]
    x = norm(x, made, "embeddings.LayerNorm")
    gelu = np.vectorize(lambda v: v * 0.5 * (1 + math.erf(v / math.sqrt(2))))
    for layer in range(LAYERS):
        at = f"encoder.layer.{layer}"
        packed = x @ made[f"{at}.attention.qkv_proj.weight"].T + made[f"{at}.attention.qkv_proj.bias"]
        q, k, v = (part.reshape(len(ids), HEADS, -1).transpose(1, 0, 2) for part in np.split(packed, 3, -1))
        scores = turned(q) @ turned(k).transpose(0, 2, 1) / math.sqrt(HIDDEN // HEADS)
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        seen = (shares / shares.sum(-1, keepdims=True) @ v).transpose(1, 0, 2).reshape(len(ids), HIDDEN)
        seen = seen @ made[f"{at}.attention.o_proj.weight"].T + made[f"{at}.attention.o_proj.bias"]
        x = norm(x + seen, made, f"{at}.attn_ln")
        up, gate = np.split(x @ made[f"{at}.mlp.up_gate_proj.weight"].T, 2, -1)
        inner = (up * gelu(gate)) @ made[f"{at}.mlp.down_proj.weight"].T + made[f"{at}.mlp.down_proj.bias"]
        x = norm(x + inner, made, f"{at}.mlp_ln")
    return x[0] / np.linalg.norm(x[0])


@pytest.mark.parametrize("words", [3, 40])
def test_the_model_is_what_its_formulas_say(published: Path, words: int) -> None:
    encoder = Encoder(DenseParams(model=str(published), dimensions=HIDDEN), "cpu")
    chosen = [WORDS[(i * 5) % len(WORDS)] for i in range(words)]
    ids = [MARKS.index("[CLS]"), *(len(MARKS) + WORDS.index(word) for word in chosen), MARKS.index("[SEP]")]
    assert np.abs(encoder.query(" ".join(chosen)) - formulas(ids)).max() < 1e-5


@pytest.mark.parametrize(
    "changes",
    [{"model_type": "newer"}, {"position_embedding_type": "absolute"}, {"logn_attention_scale": True}, {"pack_qkv": False},
     {"rope_scaling": {"type": "dynamic", "factor": 2.0}}, {"layer_norm_type": "rms_norm"}],
)  # fmt: skip
def test_other_architectures_are_not_taken_for_it(published: Path, tmp_path: Path, changes: dict[str, Any]) -> None:
    assert converted(CONFIG | changes) is None
    for path in published.iterdir():
        (tmp_path / path.name).symlink_to(path)
    (tmp_path / "config.json").unlink()
    (tmp_path / "config.json").write_text(json.dumps(CONFIG | changes))
    with refused(EnvironmentProblem, "", tmp_path):
        Encoder(DenseParams(model=str(tmp_path), dimensions=HIDDEN), "cpu")
