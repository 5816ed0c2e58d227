"""A release of made-up tasks, shots and documents as small as can be: every kind once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pipelines.project import Project
from tests.pipelines import tiny

CHANGES: dict[str, Any] = {
    "sources": {
        "novels": {"kind": "simulated_novels", "seed": 3, "novels": {"test": 2}, "words": 12000},
        "said": {
            "kind": "simulated_utterances",
            "seed": 3,
            "sets": {"ferry": {"test": 1, "train": 16}, "coarse": {"test": 4, "train": 150}},
        },
        "files": {
            "kind": "simulated_documents",
            "form": "stories",
            "seed": 3,
            "documents": {"test": 4, "train": 2},
            "words": 8000,
        },
    },
    "classification_sets": {"ferry": {"source": "said", "set": "ferry"}, "coarse": {"source": "said", "set": "coarse"}},
    "documents": {"stories": {"source": "files", "set": "stories"}},
    "suites": {
        "helmet": {
            "lengths": {"4k": 8, "8k": 4},
            "tasks": {
                "icl_banking77": {"classification_set": "ferry", "lengths": {"4k": 8, "16k": 4}},
                "icl_natural": {"base": "icl_trec_coarse", "classification_set": "coarse", "labels": "natural"},
                "icl_aggregate": {"classification_set": "coarse", "lengths": {"4k": 10, "8k": 5}},
                "narrativeqa": {"documents": "stories"},
                "infbench_choice_eng": {"documents": "stories"},
                "infbench_sum_eng": {
                    "documents": "stories",
                    "distractor_documents": True,
                    "shots": 1,
                    "lengths": {"32k": 2},
                },
            },
        },
        "frontier": {
            "lengths": {"4k": 10, "8k": 10},
            "tasks": {
                "mrcr": {"lengths": {"4k": 4, "8k": 4}},
                "graphwalks": {},
                "graphwalks_path_length": {"base": "graphwalks", "operation": "path_length"},
            },
        },
        "synthetic": {
            "background": "books",
            "lengths": {"4k": 4, "16k": 4},
            "tasks": {
                "niah_single_2": {},
                "niah_multikey_2": {},
                "niah_unanswerable": {"base": "niah_single_1", "unanswerable": True},
                "vt": {},
                "cwe": {},
                "fwe": {},
                "json_kv": {"lengths": {"4k": 12, "16k": 6}},
                "passkey": {},
                "math_find": {"lengths": {"4k": 7, "16k": 7}},
                "math_calc": {},
                "code_run": {},
            },
        },
    },
}
ROWS = {"helmet": 8 + 4 + 8 + 4 + 10 + 5 + 2 * (8 + 4) + 2, "frontier": 8 + 2 * 20, "synthetic": 9 * 8 + 18 + 14}


def make(root: Path, **changes: Any) -> Project:
    """A project folder of this release."""
    return tiny.make(root, **CHANGES, **changes)
