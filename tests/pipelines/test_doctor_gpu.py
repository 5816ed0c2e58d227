"""`haymaker doctor --gpu`: without a GPU it says so, with one every check is good."""

from __future__ import annotations

from pathlib import Path

import pytest

from haymaker.core.files.disk import read_json
from pipelines.plan.doctor_gpu import searches
from tests.extras import needs
from tests.pipelines import tiny

pytestmark = needs("embed-cpu", "torch", "faiss")


def doctor(folder: Path) -> tuple[int, dict[str, str]]:
    """Exit status, and level by finding."""
    done = tiny.called(tiny.make(folder).root, "doctor", "--gpu", "--json", str(folder / "found.json"))
    report = read_json(folder / "found.json")
    return done.returncode, {each["finding"]: each["level"] for each in report["findings"]}


def test_small_searches_agree_with_themselves() -> None:
    assert [level for level, _, _ in searches("cpu")] == ["good", "good"]


def test_without_a_gpu_it_is_one_finding(tmp_path: Path) -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("NOT RUN: needs a machine without a GPU")
    code, found = doctor(tmp_path)
    assert code == 1 and found["PyTorch can use no GPU"] == "bad"


@pytest.mark.gpu
def test_a_gpu_passes(tmp_path: Path) -> None:
    code, found = doctor(tmp_path)
    assert code == 0 and all(
        level == "good" for finding, level in found.items() if "cuda" in finding or "GPU 0" in finding
    )
