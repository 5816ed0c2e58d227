"""`haymaker export every_eval_ever`: what the format wants, and its own validator where the program is installed.

It needs Python 3.12 and libraries of other versions: HAYMAKER_HARNESS_PYTHON names the interpreter of its environment.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.pipelines import tiny
from tests.pipelines.test_harness import PYTHON, by_score, release, summary_of, told
from tests.scoring.test_scorecard import Release

__all__ = ["release"]
UUID4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
AGGREGATE = {
    "schema_version", "evaluation_id", "retrieved_timestamp", "source_metadata", "eval_library", "model_info", "evaluation_results",
    "detailed_evaluation_results",
}  # fmt: skip
RESULT = {"evaluation_result_id", "evaluation_name", "source_data", "metric_config", "score_details"}
SAMPLE = {
    "schema_version", "evaluation_id", "model_id", "evaluation_name", "evaluation_result_id", "sample_id", "sample_hash",
    "interaction_type", "input", "output", "answer_attribution", "evaluation", "metadata",
}  # fmt: skip


def exported(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    given = ("--outputs", "outputs.jsonl", "--model", "acme/parrot-7b", "--release", "tiny", "--out", "out")
    return tiny.called(folder, "export", "every_eval_ever", *given, *options)


@pytest.fixture
def outputs(tmp_path: Path, release: Release) -> Path:
    """Outputs with reasoning and with a line break that is none in JSON lines."""
    said = {row.id: f"<think>a\u2028b</think>{told(row.id, row.answers)}" for row in release.samples}
    return release.outputs(said)


def files(folder: Path) -> tuple[Any, list[Any]]:
    """The means and the rows of the only export in a folder."""
    (path,) = (folder / "out/data/small/acme/parrot-7b").glob("*.json")
    assert UUID4.fullmatch(path.stem)
    lines = path.with_name(f"{path.stem}_samples.jsonl").read_text(encoding="utf-8").splitlines()
    return json.loads(path.read_bytes()), [json.loads(line) for line in lines]


def test_both_files_have_the_fields_of_the_format(tmp_path: Path, outputs: Path) -> None:
    done = exported(tmp_path, "--organization", "Acme")
    assert done.returncode == 0, done.stderr
    means, lines = files(tmp_path)
    assert means.keys() == AGGREGATE and means["schema_version"] == "0.3.0"
    assert means["source_metadata"]["evaluator_relationship"] == "first_party"
    detail = means["detailed_evaluation_results"]
    data = (tmp_path / "out" / detail["file_path"]).read_bytes()
    assert detail["checksum"] == hashlib.sha256(data).hexdigest() and detail["total_rows"] == len(lines)
    results = {each["evaluation_result_id"]: each for each in means["evaluation_results"]}
    assert len(results) == len(means["evaluation_results"])
    for each in results.values():
        assert each.keys() == RESULT
        assert 0 <= each["score_details"]["score"] <= 1 == each["metric_config"]["max_score"]
    assert all(line.keys() == SAMPLE and line["evaluation_result_id"] in results for line in lines)
    assert {line["evaluation_id"] for line in lines} == {means["evaluation_id"]}
    strict = next(line for line in lines if "@strict" in line["evaluation_result_id"])
    assert (
        strict["output"]["raw"][0].startswith("<think>")
        and "<" not in strict["answer_attribution"][0]["extracted_value"]
    )


def test_scores_are_those_of_haymaker_score(tmp_path: Path, outputs: Path, release: Release) -> None:
    assert exported(tmp_path).returncode == 0
    means, lines = files(tmp_path)
    rows = {
        (each["sample_id"], each["evaluation_result_id"].rpartition("/")[2]): each["evaluation"]["score"]
        for each in lines
    }
    assert rows == by_score(tmp_path, release), "metrics that a model decides are left out"
    found = {each["evaluation_name"]: each["score_details"] for each in means["evaluation_results"]}
    ours = summary_of(release)
    assert found["overall"]["score"] == pytest.approx(ours.overall.mean)
    assert found["overall"]["uncertainty"]["standard_error"]["value"] == pytest.approx(ours.overall.error)
    assert {suite: found[suite]["score"] for suite in ours.suites} == pytest.approx(
        {suite: of.mean for suite, of in ours.suites.items()}
    )


def test_no_prompt_is_in_the_files_but_its_hash(tmp_path: Path, outputs: Path, release: Release) -> None:
    assert exported(tmp_path, "--tasks", "vt", "--lengths", "4k").returncode == 0
    _, lines = files(tmp_path)
    hashes = {row.id: hashlib.sha256(row.prompt).hexdigest() for row in release.samples}
    assert {line["sample_id"].rsplit("-", 3)[0] for line in lines} == {"vt-4k"}
    for line in lines:
        assert line["metadata"]["prompt_sha256"] == hashes[line["sample_id"]]
        assert hashes[line["sample_id"]] in line["input"]["raw"] and "Value:" not in json.dumps(line["input"])


def test_the_same_outputs_give_the_same_bytes(
    tmp_path: Path, outputs: Path, release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read() -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()}

    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    assert exported(tmp_path).returncode == 0
    first = read()
    assert any(b'"retrieved_timestamp": "1700000000"' in data for data in first.values())
    os.utime(outputs, (1, 1))
    assert exported(tmp_path).returncode == 0 and read() == first
    release.outputs({row.id: "other" for row in release.samples})
    assert exported(tmp_path).returncode == 0 and len(read()) == 4, "other outputs are another record"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("every_eval_ever", "--model", "a/b"), "add --outputs FILE"),
        (("every_eval_ever", "--outputs", "outputs.jsonl", "--model", "gpt"), "'gpt' is not ORG/NAME"),
        (("every_eval_ever", "--outputs", "outputs.jsonl", "--model", "../x"), "is not ORG/NAME"),
        (("lm_eval", "--outputs", "outputs.jsonl"), "exports rows, not scores"),
        (("every_eval_ever", "--outputs", "none.jsonl", "--model", "a/b"), "none.jsonl"),
    ],
)  # fmt: skip
def test_mistakes(tmp_path: Path, outputs: Path, options: tuple[str, ...], said: str) -> None:
    done = tiny.called(tmp_path, "export", *options, "--release", "tiny", "--out", "out")
    assert done.returncode == 2 and said in done.stderr and len(done.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_the_validator_of_the_format_passes(tmp_path: Path, outputs: Path) -> None:
    if subprocess.run([PYTHON, "-c", "import every_eval_ever"], capture_output=True, check=False).returncode:
        pytest.skip("NOT RUN: needs every_eval_ever (HAYMAKER_HARNESS_PYTHON names an interpreter that has it)")
    assert exported(tmp_path).returncode == 0 and exported(tmp_path, "--lengths", "4k").returncode == 0
    for command in (["validate", "data/*/*/*/*.json*"], ["check-duplicates", "data"]):
        program = [PYTHON, "-m", "every_eval_ever", *command]
        done = subprocess.run(program, cwd=tmp_path / "out", capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout
