"""gte-large-en-v1.5 and related models without their own code: their configuration, converted for GteModel.

The published configuration has a model type ("new") that needs Python files of another repository. `transformers`
contains the same architecture and renames the published weights. The converted configuration lies in a temporary folder
of links while the model loads. NTK scaling of rotary positions by f multiplies the base by f and divides all
frequencies by f ** (2 / d), d being the dimensions of a head: for gte-large theta 160,000 becomes 320,000 and the
linear factor is 2 ** (1 / 32).
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PUBLISHED = "new"
"""The model type of the published configurations."""
_WANTED = {"position_embedding_type": "rope", "layer_norm_type": "layer_norm", "pack_qkv": True}
_UNWANTED = ("logn_attention_scale", "logn_attention_clip1")
_OWN_CODE = (
    *_WANTED,
    *_UNWANTED,
    "auto_map",
    "rope_theta",
    "rope_scaling",
    "unpad_inputs",
    "use_memory_efficient_attention",
)


def converted(config: Mapping[str, Any]) -> dict[str, Any] | None:
    """Convert a published configuration; None if it has another architecture."""
    same = all(config.get(key, value) == value for key, value in _WANTED.items())
    if config.get("model_type") != PUBLISHED or not same or any(config.get(key) for key in _UNWANTED):
        return None
    scaling = config.get("rope_scaling") or {"type": "", "factor": 1.0}
    if scaling.get("type") not in ("", "ntk") or scaling.get("mixed_b") is not None:
        return None
    factor, theta = float(scaling["factor"]), float(config["rope_theta"])
    numbers = config["hidden_size"] // config["num_attention_heads"]
    rope = {"rope_type": "linear", "factor": factor ** (2 / numbers), "rope_theta": theta * factor}
    kept = {key: value for key, value in config.items() if key not in _OWN_CODE}
    names = [str(name).replace("New", "Gte", 1) for name in config.get("architectures") or ["NewModel"]]
    return {**kept, "model_type": "gte", "architectures": names, "rope_parameters": rope}


@contextmanager
def native(folder: Path) -> Iterator[Path]:
    """Yield the folder to load a model from: itself, or links to its files and a converted configuration."""
    config = _config(folder)
    mine = converted(config) if config else None
    if mine is None:
        yield folder
        return
    with tempfile.TemporaryDirectory(prefix="haymaker-gte-") as place:
        for path in folder.iterdir():
            if path.name != "config.json":
                (Path(place) / path.name).symlink_to(path.resolve())
        (Path(place) / "config.json").write_text(json.dumps(mine))
        yield Path(place)


def _config(folder: Path) -> dict[str, Any]:
    try:
        found = json.loads((folder / "config.json").read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
