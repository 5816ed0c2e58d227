"""What the tests of HELMET's kinds of tasks share: the suite over a folder of prepared inputs, and rows proved as releases are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from generators.inputs import Inputs
from generators.spec import TaskSpec
from generators.suite import ReleaseSuite, Suite
from haymaker.core.params import Params
from pipelines.checks.row_checks import Findings, RowChecks, across
from tests.pipelines import tiny


def suite(
    specs: Sequence[TaskSpec],
    folder: Path,
    tasks: dict[str, Any],
    tokenizers: Sequence[str],
    *,
    mined: dict[str, Any] | None = None,
    seed: int = tiny.PARAMS["release"]["seed"],
    **options: Any,
) -> ReleaseSuite:
    """The suite with some of its tasks over prepared inputs under `folder`.

    Args:
        specs: tasks that it knows.
        folder: data folder.
        tasks: entries of the parameters.
        tokenizers: release tokenizer first.
        mined: how sets are mined, where that matters.
        seed: of the release.
        options: other keys of `suites.helmet`, e.g. buckets.
    """
    given = {key: tiny.PARAMS[key] for key in ("release", "parquet", "validation", "sources", "corpora")}
    none: dict[str, Any] = {key: {} for key in ("passages", "indexes", "labelled", "documents")}
    params = Params.model_validate(
        {
            **given,
            "release": {**given["release"], "seed": seed},
            **none,
            "mined": mined or {},
            "tokenizer": {"release": tokenizers[0], "also": list(tokenizers[1:])},
            "suites": {"helmet": {"tasks": tasks, **options}},
        }
    )
    return ReleaseSuite(Suite("helmet", "", "", tuple(specs)), params.suites["helmet"], Inputs(params, folder))


def findings_of(suite: ReleaseSuite, rows: Iterable[dict[str, Any]]) -> Findings:
    """What `validate` finds in finished rows, each of them recounted."""
    checks, findings = RowChecks(suite, suite.inputs.tokenizers, lambda row, index: True), Findings()
    for index, row in enumerate(rows):
        checks.look(row, index, findings)
        checks.remember(row, findings)
    across(findings)
    return findings
