"""`haymaker export lm_eval | inspect | lighteval | every_eval_ever`: what is written, and the real programs where they are installed.

They live in environments of their own (their versions are not ours): HAYMAKER_HARNESS_PYTHON names the interpreter of one.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from haymaker.core.rows.schema import Sample
from haymaker.evaluation.export.inspect import means
from haymaker.evaluation.export.rows import prompt_of, scores
from haymaker.evaluation.export.tables import ExportedTables, table_rows
from haymaker.evaluation.score.figures import cell_figures, primary_rows
from haymaker.evaluation.score.options import ScoringOptions
from haymaker.evaluation.score.overall import Summary, summary
from haymaker.evaluation.score.row_scores import RowScore
from haymaker.evaluation.score.run import scored
from haymaker.releases.messages import messages
from tests.pipelines import tiny
from tests.rows import conversation
from tests.scoring.test_scorecard import Release, sample

PYTHON = os.environ.get("HAYMAKER_HARNESS_PYTHON", sys.executable)
ROOT = Path(__file__).resolve().parents[2]
RULER, KV = ("ruler_all@strict", "ruler_all@official"), ("kv@strict", "kv@official")
VALUE = "11112222-3333-4444-8555-66667777888{}"
SILENT = "citation_recall@strict"  # a model decides: no harness has that score


def rows() -> Iterator[Sample]:
    """Three tasks, one of conversations; room, stop strings and system message are not the same for all."""
    for length in ("4k", "8k"):
        for number in range(6):
            found = sample("vt", length, number, (*RULER, SILENT), [str(number), "blue"])
            yield _asked(found, f"Names {number} in {length}?", 8 + number, ["\n"] if number else [])
    for number in range(4):
        found = sample("json_kv", "4k", number, KV, [VALUE.format(number)], suite="helmet")
        yield _asked(found, f"Value {number} {{{{ braces }}}}?", 40, ["\n\n"])
    for number in range(2):
        found = sample("talk", "4k", number, RULER, [str(number)], suite="frontier")
        yield conversation(found, f"Say {number}.", f"It is {number}.", "Say it again?")


def _asked(found: Sample, text: str, room: int, stop: list[str]) -> Sample:
    prompt = f"{text}\nValue:"
    return replace(
        found, prompt=prompt.encode(), answer_prefix_start=len(text), system="Be brief.", max_new_tokens=room, stop=stop
    )


def told(row_id: str, answers: list[str]) -> str:
    """What the model says: right for two rows of three."""
    return "nothing" if sum(row_id.encode()) % 3 == 0 else ", ".join(answers)


@pytest.fixture
def release(tmp_path: Path) -> Release:
    made = Release(tmp_path, rows())
    made.manifest()
    return made


def export(folder: Path, form: str, *options: str) -> Path:
    done = tiny.called(folder, "export", form, "--release", "tiny", "--out", f"out_{form}", *options)
    assert done.returncode == 0, done.stderr
    return folder / f"out_{form}"


def test_a_task_a_table_and_a_group_a_length_and_suite(tmp_path: Path, release: Release) -> None:
    folder = export(tmp_path, "lm_eval", "--prompting", "base", "--thinking-tokens", "100")
    first = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert first.keys() == {
        "haymaker_rows.py", "haymaker_helmet_json_kv_4k.yaml", "haymaker_synthetic_vt_4k.yaml", "haymaker_synthetic_vt_8k.yaml",
        "group_4k.yaml", "group_8k.yaml", "group_helmet.yaml", "group_synthetic.yaml", ".haymaker-export",
        "group_helmet_4k.yaml", "group_synthetic_4k.yaml", "group_synthetic_8k.yaml",
        "haymaker_frontier_talk_4k.yaml", "group_frontier.yaml", "group_frontier_4k.yaml",
    }  # fmt: skip
    task = yaml.safe_load(first["haymaker_synthetic_vt_4k.yaml"].decode().replace("!function ", ""))
    assert task["generation_kwargs"] == {"until": ["\n"], "max_gen_toks": 113, "do_sample": False, "temperature": 0.0}
    assert [each["metric"] for each in task["metric_list"]] == ["score", *RULER], "none that a judge decides"
    assert task["description"] == "" and task["doc_to_text"] == "haymaker_rows.base_text"
    assert task["metadata"]["version"] == "1.2.3" and len(task["metadata"]["digest"]) == 64
    for group, members in (
        ("4k", ["haymaker_frontier_talk_4k", "haymaker_helmet_json_kv_4k", "haymaker_synthetic_vt_4k"]),
        ("synthetic", ["haymaker_synthetic_4k", "haymaker_synthetic_8k"]),
    ):
        assert yaml.safe_load(first[f"group_{group}.yaml"])["task"] == members
    export(tmp_path, "lm_eval", "--prompting", "base", "--thinking-tokens", "100")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == first
    assert not any(b"Conversations" in data for data in first.values()), "a base model continues the prompt"
    export(tmp_path, "lm_eval")
    marked = {path.name for path in folder.iterdir() if b"Conversations" in path.read_bytes()}
    assert marked == {"haymaker_rows.py", "haymaker_frontier_talk_4k.yaml"}
    left = {path.name for path in export(tmp_path, "lm_eval", "--lengths", "8k").iterdir()}
    assert "haymaker_synthetic_vt_4k.yaml" not in left and "haymaker_synthetic_vt_8k.yaml" in left


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("openai_jsonl", "--out", "x"), "add --model NAME"),
        (("inspect", "--out", "x", "--prompting", "base"), "Inspect supports only chat models"),
        (("every_eval_ever", "--out", "x", "--outputs", "outputs.jsonl", "--model", "gpt"), "'gpt' is not ORG/NAME"),
        (("lm_eval", "--out", "mine"), "contains 'notes.txt', which was not written by an export"),
    ],
)  # fmt: skip
def test_mistakes(tmp_path: Path, outputs: Path, options: tuple[str, ...], said: str) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/notes.txt").write_text("keep")
    done = tiny.called(tmp_path, "export", *options, "--release", "tiny")
    assert done.returncode == 2 and said in done.stderr and len(done.stderr.strip().splitlines()) == 1
    assert (tmp_path / "mine/notes.txt").read_text() == "keep" and not (tmp_path / "x").exists()


def test_scores_and_means_of_exported_rows_are_those_of_haymaker_score(tmp_path: Path, release: Release) -> None:
    facts = ExportedTables.read(export(tmp_path, "inspect"))
    assert (facts.release, facts.version, facts.base, facts.thinking_tokens) == ("small", "1.2.3", False, 0)
    read = [row for table in facts.tables for row in table_rows(table)]
    assert sorted(row["id"] for row in read) == sorted(row.id for row in release.samples)
    for base, ends in ((False, ("?", "?\n\n")), (True, (":",))):
        found: dict[tuple[str, str], float] = {}
        for row in read:
            assert prompt_of(row, base=base).endswith(ends)
            assert ("messages" in row) == (row["task"] == "talk") == ("It is" in prompt_of(row, base=base))
            of_row = scores(row, told(row["id"], row["answers"]), base=base)
            assert of_row.pop("score") == of_row[row["metrics"][0]]
            found |= {(row["id"], metric): value for metric, value in of_row.items()}
        assert found == by_score(tmp_path, release, "--prompting", "base" if base else "chat")
    pairs = ((row, scores(row, told(row["id"], row["answers"]), base=False)["score"]) for row in read)
    assert means(pairs) == pytest.approx(means_of(release))
    assert means([])["overall"] != means([])["overall"], "not a number"


def by_score(folder: Path, release: Release, *options: str) -> dict[tuple[str, str], float]:
    """Scores of `haymaker score` by row and metric, without those that a model decides."""
    release.outputs({row.id: told(row.id, row.answers) for row in release.samples})
    done = tiny.called(folder, "score", "outputs.jsonl", "--release", "tiny", "--row-scores", "rows.jsonl", *options)
    assert done.returncode == 0, done.stderr
    records = [json.loads(line) for line in (folder / "rows.jsonl").read_text().splitlines()]
    return {(r["id"], r["metric"]): r["score"] for r in records if r["metric"] != SILENT}


def primary_scores(release: Release) -> list[RowScore]:
    """What `haymaker score` makes of the outputs of `told`."""
    outputs = release.outputs({row.id: told(row.id, row.answers) for row in release.samples})
    return primary_rows(scored(release.folder, outputs, ScoringOptions()).rows, None)


def summary_of(release: Release) -> Summary:
    """The overall score and its parts, 0 to 1."""
    found = summary(primary_scores(release))
    assert found
    return found


def means_of(release: Release) -> dict[str, float]:
    """The means of `haymaker score` under the names that they have in Inspect."""
    found = summary_of(release)
    cells = cell_figures(primary_scores(release))
    tables = {f"{cell['suite']}_{cell['task']}_{cell['length']}": cell["mean"] for cell in cells}
    suites = {suite: of.mean for suite, of in found.suites.items()}
    assert found.overall.error is not None
    return {"overall": found.overall.mean, "overall_stderr": found.overall.error} | suites | tables


# ---------------------------------------------------------------------------------------------------- every_eval_ever

UUID4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


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


def test_files_of_every_eval_ever(tmp_path: Path, outputs: Path, release: Release) -> None:
    """Their fields are those of the format, their scores those of `haymaker score`; of a prompt they have the hash."""
    done = exported(tmp_path, "--organization", "Acme")
    assert done.returncode == 0, done.stderr
    means, lines = files(tmp_path)
    assert means["schema_version"] == "0.3.0"
    assert means["source_metadata"]["evaluator_relationship"] == "first_party"
    detail = means["detailed_evaluation_results"]
    data = (tmp_path / "out" / detail["file_path"]).read_bytes()
    assert detail["checksum"] == hashlib.sha256(data).hexdigest() and detail["total_rows"] == len(lines)
    results = {each["evaluation_result_id"]: each for each in means["evaluation_results"]}
    assert len(results) == len(means["evaluation_results"])
    for each in results.values():
        assert 0 <= each["score_details"]["score"] <= 1 == each["metric_config"]["max_score"]
    hashes = {row.id: hashlib.sha256(row.prompt).hexdigest() for row in release.samples}
    rows = {}
    for line in lines:
        name, result = line["sample_id"], line["evaluation_result_id"]
        assert result in results and line["evaluation_id"] == means["evaluation_id"]
        assert line["metadata"]["prompt_sha256"] == hashes[name] and hashes[name] in line["input"]["raw"]
        assert "Value:" not in json.dumps(line["input"]) and line["output"]["raw"][0].startswith("<think>")
        assert "@strict" not in result or "<" not in line["answer_attribution"][0]["extracted_value"]
        rows[name, result.rpartition("/")[2]] = line["evaluation"]["score"]
    assert rows == by_score(tmp_path, release), "metrics that a model decides are left out"
    found = {each["evaluation_name"]: each["score_details"] for each in means["evaluation_results"]}
    ours = summary_of(release)
    assert found["overall"]["score"] == pytest.approx(ours.overall.mean)
    assert found["overall"]["uncertainty"]["standard_error"]["value"] == pytest.approx(ours.overall.error)
    suites = {suite: of.mean for suite, of in ours.suites.items()}
    assert {suite: found[suite]["score"] for suite in suites} == pytest.approx(suites)
    assert exported(tmp_path, "--tasks", "vt", "--lengths", "4k").returncode == 0


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


# ------------------------------------------------------------------------------------------------------- real programs


def in_harness(folder: Path, release: Release, library: str, script: str, *options: str) -> Any:
    """What a script prints of an export, as JSON, in the interpreter that has a library; its scores are ours."""
    export(folder, library.removesuffix("_ai"), *options)
    (folder / "told.json").write_text(json.dumps({row.id: told(row.id, row.answers) for row in release.samples}))
    known = subprocess.run([PYTHON, "-c", f"import {library}"], capture_output=True, check=False)
    if known.returncode:
        pytest.skip(f"NOT RUN: needs {library} (HAYMAKER_HARNESS_PYTHON names an interpreter that has it)")
    cache = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_CACHE": str(folder / "cache"), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [PYTHON, "-c", script], cwd=folder, env=os.environ | cache, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert {(i, m): v for i, m, v in found["scores"] if m != "score"} == by_score(folder, release)
    return found


_LM_EVAL = """
import json, sys
from lm_eval import simple_evaluate
from lm_eval.api.model import LM
from lm_eval.tasks import TaskManager
told, seen = json.load(open("told.json")), {}
class Parrot(LM):
    tokenizer_name = "parrot"
    def generate_until(self, requests, disable_tqdm=False):
        seen.update({each.doc["id"]: each.args for each in requests})
        return [told[each.doc["id"]] for each in requests]
    loglikelihood = loglikelihood_rolling = None
    def apply_chat_template(self, history, add_generation_prompt=True):
        return json.dumps([{"role": each["role"], "content": each["content"]} for each in history])
Parrot.__abstractmethods__ = frozenset()
found = simple_evaluate(Parrot(), tasks=["haymaker_frontier", "haymaker_helmet", "haymaker_synthetic"], task_manager=TaskManager(include_path="out_lm_eval"),
                        log_samples=True, apply_chat_template=True, bootstrap_iters=0)
scores = [[each["doc"]["id"], metric, each[metric]] for samples in found["samples"].values() for each in samples for metric in each["metrics"]]
means = {name: of["score,none"] for name, of in found["results"].items() if "score,none" in of}
print(json.dumps({"scores": scores, "asked": {name: list(args) for name, args in seen.items()}, "means": means}))
"""


def test_lm_eval_asks_and_scores_as_we_do(tmp_path: Path, release: Release) -> None:
    found = in_harness(tmp_path, release, "lm_eval", _LM_EVAL)
    for row in release.samples:
        text, how = found["asked"][row.id]
        assert json.loads(text) == messages(asdict(row) | {"prompt": row.text})
        assert how["until"] == [] and how["max_gen_toks"] >= row.max_new_tokens
    ours = {f"haymaker_{suite}_{length}": of.mean for (suite, length), of in summary_of(release).grid.items()}
    assert {name: found["means"][name] for name in ours} == pytest.approx(ours)
    tables = [mean for name, mean in found["means"].items() if name.startswith("haymaker_synthetic_vt_")]
    assert found["means"]["haymaker_synthetic"] == pytest.approx(sum(tables) / 2), "groups of groups: mean over tables"


_INSPECT = """
import json, sys
sys.path.insert(0, "out_inspect")
from haymaker_tasks import haymaker
from inspect_ai import eval
from inspect_ai.model import ModelOutput, ModelUsage, get_model
told, asked = json.load(open("told.json")), {}
task = haymaker(rows="4k,8k")
ids = {tuple(m.content for m in each.input): each.id for each in task.dataset}
def answer(messages, tools, choice, config):
    row = ids[tuple(m.text for m in messages)]
    asked[row] = [[each.role for each in messages], config.max_tokens]
    out = ModelOutput.from_content("mockllm", told[row])
    out.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)  # else it asks the web for a tokenizer
    return out
(log,) = eval(task, model=get_model("mockllm/model", custom_outputs=answer), log_dir="logs", display="none")
assert log.status == "success", log.error
scores = [[each.id, metric, value] for each in log.samples for score in each.scores.values() for metric, value in score.metadata.items()]
means = {name: of.value for name, of in log.results.scores[0].metrics.items()}
print(json.dumps({"scores": scores, "asked": asked, "means": means}))
"""


def test_inspect_asks_and_scores_as_we_do(tmp_path: Path, release: Release) -> None:
    found = in_harness(tmp_path, release, "inspect_ai", _INSPECT, "--thinking-tokens", "5")
    roles = {
        row.id: [m["role"] for m in row.messages or ({"role": "system"}, {"role": "user"})] for row in release.samples
    }
    assert found["asked"] == {row.id: [roles[row.id], row.max_new_tokens + 5] for row in release.samples}
    assert found["means"] == pytest.approx(means_of(release))


_LIGHTEVAL = """
import json
from pathlib import Path
from datasets import load_dataset
from lighteval.models.model_output import ModelResponse
from haymaker.evaluation.export.lighteval import tasks_of
told, scores, asked = json.load(open("told.json")), [], {}
for config in tasks_of(Path("out_lighteval")):
    for line in load_dataset(config.hf_repo, config.hf_subset, split="test"):
        doc = config.prompt_function(line, config.name)
        asked[line["id"]] = [doc.instruction, doc.query, config.generation_size]
        (metric,) = config.metrics
        found = metric.compute_sample(doc=doc, model_response=ModelResponse(text=[told[line["id"]]]))
        scores += [[line["id"], name, value] for name, value in found.items()]
print(json.dumps({"scores": scores, "asked": asked}))
"""


def test_lighteval_asks_and_scores_as_we_do(tmp_path: Path, release: Release) -> None:
    found = in_harness(tmp_path, release, "lighteval", _LIGHTEVAL)
    assert "sent as one user message" in (tmp_path / "out_lighteval/README.md").read_text()
    for row in release.samples:
        system, query, room = found["asked"][row.id]
        assert (system, query) == (row.system, row.prompt.decode()[: row.answer_prefix_start])
        assert room >= row.max_new_tokens


def test_the_validator_of_the_format_passes(tmp_path: Path, outputs: Path) -> None:
    if subprocess.run([PYTHON, "-c", "import every_eval_ever"], capture_output=True, check=False).returncode:
        pytest.skip("NOT RUN: needs every_eval_ever (HAYMAKER_HARNESS_PYTHON names an interpreter that has it)")
    assert exported(tmp_path).returncode == 0 and exported(tmp_path, "--lengths", "4k").returncode == 0
    for command in (["validate", "data/*/*/*/*.json*"], ["check-duplicates", "data"]):
        program = [PYTHON, "-m", "every_eval_ever", *command]
        done = subprocess.run(program, cwd=tmp_path / "out", capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout
