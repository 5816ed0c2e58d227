"""Use long-context benchmark releases: load them, make messages from rows, score outputs.

The names below are the public API; everything else may change. They are imported when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from haymaker.evaluation.score.run import score
    from haymaker.evaluation.score.score_row import SCORE_COLUMNS, score_row
    from haymaker.evaluation.score.scores import Scores
    from haymaker.releases.messages import messages
    from haymaker.releases.release import Release, load
    from haymaker.training import training_stream

__all__ = [
    "SCORE_COLUMNS", "Release", "Scores", "__version__", "load", "messages", "score", "score_row", "training_stream",
]  # fmt: skip
__version__ = "0.5.0"

_MODULES = {
    "SCORE_COLUMNS": "haymaker.evaluation.score.score_row",
    "Release": "haymaker.releases.release",
    "Scores": "haymaker.evaluation.score.scores",
    "load": "haymaker.releases.release",
    "messages": "haymaker.releases.messages",
    "score": "haymaker.evaluation.score.run",
    "score_row": "haymaker.evaluation.score.score_row",
    "training_stream": "haymaker.training",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
