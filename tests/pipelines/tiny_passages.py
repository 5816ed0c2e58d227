"""A release of passages as small as can be: 1,000 articles, four sets of questions, one task of each kind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pipelines.project import Project
from tests.pipelines import tiny

_COUNT = {"test": 8, "train": 10}


def _mined(name: str, **more: Any) -> dict[str, Any]:
    base = {"questions": "world", "set": name, "passages": "encyclopaedia", "retriever": "lexical", "top_k": 900}
    return {**base, "count": _COUNT, "num_negatives": 400, **more}


CHANGES: dict[str, Any] = {
    "sources": {
        "stories": {"kind": "simulated_babi", "seed": 3, "tasks": ["qa1"], "questions": {"test": 20}},
        "novels": {"kind": "simulated_novels", "seed": 3, "novels": {"test": 1}, "words": 3000},
        "world": {
            "kind": "simulated_encyclopaedia",
            "seed": 6,
            "articles": 1000,
            "questions": {name: {"test": 14, "train": 20} for name in ("single", "twohop", "search", "list")},
        },
    },
    "passages": {"encyclopaedia": {"source": "world"}},
    "indexes": {"encyclopaedia": {"lexical": {}, "dense": None}},
    "retrieval_sets": {
        "nq": _mined("single"),
        "hotpotqa": _mined("twohop", include_released_passages=True),
        "search": _mined("search", num_negatives_train=20),
        "qampari": {**_mined("list"), "count": {"test": 8, "train": 18}},
    },
    "suites": {
        "babilong": {"questions": "stories", "background": "books", "tasks": {"qa1": {"lengths": {"0k": 3}}}},
        "helmet": {
            "tasks": {
                "kilt_nq": {"retrieval_set": "nq", "lengths": {"4k": 12, "16k": 12}},
                "kilt_hotpotqa": {"retrieval_set": "hotpotqa", "lengths": {"4k": 6, "16k": 3}},
                "msmarco_rerank": {"retrieval_set": "search", "lengths": {"8k": 6, "16k": 3}},
                "alce_qampari": {"retrieval_set": "qampari", "lengths": {"8k": 3, "16k": 2}},
                "alce_qampari_nocite": {"retrieval_set": "qampari", "lengths": {"8k": 3, "16k": 2}},
            }
        },
        "synthetic": {
            "background": "books",
            "tasks": {
                "qa_1": {"retrieval_set": "nq", "lengths": {"4k": 6, "16k": 6}},
                "qa_2": {"retrieval_set": "hotpotqa", "lengths": {"4k": 3}},
            },
        },
    },
}
ROWS = {
    (task, length): count
    for task, entry in CHANGES["suites"]["helmet"]["tasks"].items()
    for length, count in entry["lengths"].items()
}


def make(root: Path, **changes: Any) -> Project:
    """A project folder of this release."""
    return tiny.make(root, **CHANGES, **changes)
