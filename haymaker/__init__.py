"""The floor of Haymaker, and its public face: what users import, fetched from where it lives when it is first asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from corpora.tokenizers.truncate import middle_truncate
    from pipelines.reports.scorecard import score
    from pipelines.training.stream import training_stream

__all__ = ["__version__", "middle_truncate", "score", "training_stream"]
__version__ = "0.1.0"

_HOMES = {
    "middle_truncate": "corpora.tokenizers.truncate",
    "score": "pipelines.reports.scorecard",
    "training_stream": "pipelines.training.stream",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
