"""The texts of a release: valid as their formats want them, made of the manifest alone, and nothing in them of who built it where."""

from __future__ import annotations

import getpass
import json
import re
import shutil
import socket
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml

from haymaker.core.errors import ReleaseError
from haymaker.core.files.disk import read_json
from haymaker.core.rows.schema import FIELD_NOTES, arrow_schema
from haymaker.releases import manifest
from haymaker.releases.configs import configs
from haymaker.releases.exact_tasks import EXACT, LETTER, RULES, Rule
from pipelines.project import Project
from pipelines.publishing.card.evaluation import listed
from pipelines.publishing.card.texts import texts
from pipelines.run import verify
from tests.errors import refused
from tests.extras import needs

CASES = Path(__file__).parents[1] / "metrics"
ADDRESS = "data/releases/tiny"


def said(project: Project) -> dict[str, Any]:
    found: dict[str, Any] = read_json(project.release / "manifest.json")
    return found


def test_every_text_can_be_made_again_from_the_manifest(built: Project) -> None:
    made = texts(said(built), ADDRESS)
    assert set(made) == set(manifest.TEXTS) == {path.name for path in built.release.iterdir() if path.is_file()}
    for name, text in made.items():
        assert (built.release / name).read_bytes() == text.encode(), name


def test_for_the_hub_the_same_facts_stand_under_another_address(built: Project) -> None:
    here, there = texts(said(built), ADDRESS), texts(said(built), "org/tiny")
    assert here["manifest.json"] == there["manifest.json"]
    assert ADDRESS in here["README.md"] and ADDRESS not in "".join(there.values())
    assert yaml.safe_load(there["CITATION.cff"])["url"].endswith("/datasets/org/tiny/tree/v0.1.0")
    assert "url" not in yaml.safe_load(here["CITATION.cff"])


@pytest.mark.parametrize("name", manifest.TEXTS[1:])
def test_a_text_that_was_changed_or_taken_away_is_named(mine: Project, name: str) -> None:
    manifest.verify(mine.release)
    place = mine.release / name
    good = place.read_bytes()
    place.write_bytes(good + b"\n")
    with refused(ReleaseError, name, "card"):
        manifest.verify(mine.release)
    place.unlink()
    with refused(ReleaseError, f"data/releases/tiny/{name}"):
        manifest.verify(mine.release)
    place.write_bytes(good)
    card = mine.release / "README.md"
    card.write_text(re.sub(rf".*`{re.escape(name)}`, SHA-256 .*\n", "", card.read_text()))
    with pytest.raises(ReleaseError):
        manifest.verify(mine.release)


# ------------------------------------------------------------------------------------------------- CITATION, Croissant


def test_citation_has_what_its_format_demands_and_no_person(built: Project) -> None:
    """Citation File Format 1.2.0: required keys; a reference has authors, title and type; an entity has a name alone."""
    text = (built.release / "CITATION.cff").read_text()
    found = yaml.safe_load(text)
    assert found["cff-version"] == "1.2.0" and found["type"] == "dataset" and found["version"] == "0.1.0"
    assert all(isinstance(found[key], str) and found[key] for key in ("message", "title"))
    assert len(found["references"]) == len(said(built)["sources"])
    for entry in (found, *found["references"]):
        assert entry["authors"] and all(set(author) == {"name"} for author in entry["authors"])
        assert entry["title"] and entry["type"]
    assert not {key for key in _keys(found) if key.startswith("date") or ("name" in key and key != "name")}
    assert "&" not in text, "no YAML anchors: not every reader of the format follows them"


def _keys(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set(value) | {key for inner in value.values() for key in _keys(inner)}
    return {key for inner in value for key in _keys(inner)} if isinstance(value, list) else set()


@pytest.mark.parametrize("address", [ADDRESS, "org/tiny"])
def test_croissant_describes_every_column_of_every_set(built: Project, address: str) -> None:
    found = json.loads(texts(said(built), address)["croissant.json"])
    files = {entry["@id"]: entry for entry in found["distribution"]}
    sets = {entry["@id"]: entry for entry in found["recordSet"]}
    assert list(sets) == ["mini", "babilong"]
    for name, records in sets.items():
        assert [field["@id"] for field in records["field"]] == [f"{name}/{column}" for column in arrow_schema().names]
        assert {field["source"]["fileSet"]["@id"] for field in records["field"]} == {f"files-{name}"}
        assert list(built.release.glob(files[f"files-{name}"]["includes"]))
        assert ("containedIn" in files[f"files-{name}"]) == (address == "org/tiny")
    assert [entry["@id"] for entry in found["distribution"] if entry["@type"] == "cr:FileObject"] == (
        ["repository"] if address == "org/tiny" else []
    )


@pytest.mark.slow
@needs("harnesses", "mlcroissant")
@pytest.mark.parametrize("address", [ADDRESS, "org/tiny"])
def test_croissant_is_valid_and_its_records_are_the_rows(built: Project, tmp_path: Path, address: str) -> None:
    import mlcroissant

    folder = tmp_path / "release"
    shutil.copytree(built.release, folder)
    (folder / "croissant.json").write_text(texts(said(built), address)["croissant.json"])
    dataset = mlcroissant.Dataset(jsonld=folder / "croissant.json")
    issues = dataset.metadata.ctx.issues
    assert not issues.errors and {"datePublished" in warning for warning in issues.warnings} == {True}
    if address == ADDRESS:
        rows = {row["mini/id"].decode(): row for row in dataset.records("mini")}
        assert len(rows) == sum(task["rows"] for task in said(built)["mini"]["tasks"]["babilong"].values())
        for row in (
            row for path in (folder / "mini").rglob("*.parquet") for row in pq.ParquetFile(path).read().to_pylist()
        ):
            assert rows[row["id"]]["mini/prompt"].decode() == row["prompt"]
            assert [answer.decode() for answer in rows[row["id"]]["mini/answers"]] == row["answers"]
            assert [span["mini/spans/start"] for span in rows[row["id"]]["mini/spans"]] == [
                s["start"] for s in row["spans"]
            ]


# ----------------------------------------------------------------------------------------------------------- eval.yaml

# What inspect-ai allows in a task of eval.yaml, and the names of scorers and solvers it knows (inspect_ai 0.3.285).
TASK = {"id", "config", "split", "field_spec", "solvers", "scorers"}
SCORERS = {
    "includes",
    "match",
    "pattern",
    "answer",
    "exact",
    "f1",
    "choice",
    "math",
    "model_graded_qa",
    "model_graded_fact",
}


def test_leaderboards_name_configs_that_are_there(built: Project) -> None:
    found = yaml.safe_load((built.release / "eval.yaml").read_text())
    assert set(found) == {"name", "description", "evaluation_framework", "tasks"}
    assert found["evaluation_framework"] == "inspect-ai"
    assert [task["id"] for task in found["tasks"]] == [
        "overall", *(f"babilong_{name}" for name in ("qa1", "qa2", "qa3", "qa1_quarter", "qa1_grid"))
    ]  # fmt: skip
    known = {config.name: config for config in configs(said(built))}
    for task in found["tasks"]:
        assert set(task) == TASK and {scorer["name"] for scorer in task["scorers"]} <= SCORERS
        assert set(task["field_spec"].values()) <= set(FIELD_NOTES)
        assert task["split"] in known[task["config"]].files
    assert {task["config"] for task in found["tasks"]} >= {EXACT, "babilong_qa1_sim_16k", "babilong_qa3_sim_1k"}


def test_a_leaderboard_has_a_length_that_has_a_config(built: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where all configs are too many, lengths of few tasks have none: 16k here."""
    monkeypatch.setattr("haymaker.releases.configs.MOST", 18)
    facts = said(built)
    known = {config.name for config in configs(facts)}
    assert "babilong_qa1_sim_16k" not in known
    assert {task["config"] for task in listed(facts)} <= known


def test_a_task_that_no_rule_expresses_has_no_leaderboard(built: Project) -> None:
    facts = said(built)
    by_name = {task["name"]: task for task in facts["suites"]["babilong"]["tasks"]}
    by_name["qa1"]["metrics"] = ["subem@strict"]
    by_name["qa2"]["use_chat_template"] = False
    facts["mini"]["tasks"]["babilong"]["qa3"]["one_answer"] = False
    del facts["mini"]["tasks"]["babilong"]["qa1_grid"]
    found = yaml.safe_load(texts(facts, ADDRESS)["eval.yaml"])["tasks"]
    assert [task["id"] for task in found] == ["overall", "babilong_qa1_quarter"]
    exact = next(config for config in configs(facts) if config.name == EXACT)
    assert exact.files == {"test": ("mini/babilong/qa1_quarter/test-*.parquet",)}
    del facts["mini"]["tasks"]["babilong"]["qa1_quarter"]
    assert yaml.safe_load(texts(facts, ADDRESS)["eval.yaml"])["tasks"] == []


def compared(rule: Rule, output: str, row: dict[str, Any]) -> float:
    """What inspect-ai 0.3.285 gives: `match` at the end, of texts or of numbers, and `pattern`; written anew from what it does."""
    if rule is LETTER:
        found = re.search(rule.args["pattern"], output, re.IGNORECASE)
        right = next(answer for answer in row["answers"] if len(answer) == 1)
        return float(found is not None and found[1].lower() == right.lower())
    marks = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
    target, text = str(row["answers"]).strip(), output.strip()
    number = _number(re.sub(r"[$,£€*_]", "", target))
    if "numeric" in rule.args and number is not None:
        read = [found for word in re.sub(r"[$,£€*_]", "", text).split() if (found := _number(word)) is not None]
        return float(bool(read) and f"{read[-1]:.5g}" == f"{number:.5g}")
    return float(text.casefold().strip(marks).endswith(target.casefold().strip(marks)))


def _number(word: str) -> float | None:
    try:
        return float(word.strip("!?:;()[]{}'\"`").rstrip("."))
    except ValueError:
        return None


AGREED = {
    "babilong@strict": (69, 4, 22),
    "ruler_f1@strict": (22, 3, 8),
    "ruler_all@strict": (22, 3, 8),
    "kv@strict": (14, 2, 3),
    "infbench_kv@strict": (9, 1, 1),
    "passkey@strict": (11, 1, 3),
    "label@strict": (37, 4, 3),
    "longbench_count@strict": (9, 1, 2),
    "option@strict": (65, 3, 61),
}
"""Golden cases, most of them traps, on which inspect-ai itself gave our score, more, or less (docs/reference/published.md)."""


@pytest.mark.parametrize("metric", list(RULES))
def test_a_rule_says_what_our_metric_says_as_far_as_was_measured(metric: str) -> None:
    every = [case for path in sorted(CASES.glob("*.json")) for case in json.loads(path.read_text(encoding="utf-8"))]
    cases = [case for case in every if case["metric"] == metric and _has_one_answer(RULES[metric], case)]
    differences = [
        compared(RULES[metric], case["output"] if isinstance(case["output"], str) else "", case) - case["expected"]
        for case in cases
    ]
    counts = tuple(sum(test) for test in ((d == 0 for d in differences), (d > 0 for d in differences), (d < 0 for d in differences)))  # fmt: skip
    assert counts == AGREED[metric]
    plain = [case for case in cases if case["output"] == case["answers"][0]]
    assert plain and all(compared(RULES[metric], case["output"], case) == case["expected"] == 1.0 for case in plain)
    assert compared(RULES[metric], "", plain[0]) == 0.0


def _has_one_answer(rule: Rule, case: dict[str, Any]) -> bool:
    return rule is LETTER or (len(case["answers"]) == 1 and len(case.get("answer_groups") or [1]) == 1)


# ------------------------------------------------------------------------------------------- nothing of who built it where

PACKAGES = ("pyarrow", "numpy", "datasets", "huggingface_hub", "dvc", "pydantic")
_WHEN = re.compile(r"\b(?:19|20)\d\d-\d\d-\d\d(?![-\d])|\b\d\d:\d\d:\d\d\b|\b\d\d:\d\d(?:Z| ?[AP]M)\b")
_TOKEN = re.compile(r"\b(?:hf_|sk-|ghp_)[A-Za-z0-9]{16,}|(?i:authorization|bearer )")


def told(text: str, root: Path) -> list[str]:
    """What a text tells of the machine, the person and the moment."""
    names = [str(root), str(root.parent), str(Path.home()), f"/{getpass.getuser()}/", "/tmp/", "/home/"]
    found = [name for name in names if len(name) > 2 and name in text]
    if re.search(rf"\b{re.escape(socket.gethostname())}\b", text):
        found.append("host")
    found += [name for name in PACKAGES if re.search(rf"(?<![\d.]){re.escape(version(name))}(?![\d.])", text)]
    return found + _WHEN.findall(text) + _TOKEN.findall(text)


@pytest.mark.parametrize(
    "planted",
    [
        "hf_abcdefghijklmnopqrstuvwx", "Bearer x", "built 2026-11-23", "at 07:12:22", "pyarrow " + version("pyarrow"), str(Path.home()) + "/x",
        "on " + socket.gethostname() + ".", "/tmp/x",
    ],
)  # fmt: skip
def test_what_must_not_be_told_is_found(planted: str, tmp_path: Path) -> None:
    assert told(f"some text, {planted}", tmp_path) and not told("some text", tmp_path)


@pytest.mark.parametrize("address", [ADDRESS, "org/tiny"])
def test_no_text_tells_who_built_it_where_and_when(built: Project, address: str) -> None:
    for name, text in texts(said(built), address).items():
        assert not told(text, built.root), name


def test_no_parquet_file_tells_who_built_it_where_and_when(built: Project) -> None:
    """pyarrow writes its own name and version as `created_by`: part of the pinned bytes, and the one exception."""
    for path in sorted(built.release.rglob("*.parquet")):
        file = pq.ParquetFile(path)
        assert file.metadata.created_by == f"parquet-cpp-arrow version {version('pyarrow')}"
        assert set(file.metadata.metadata) == {b"ARROW:schema"} and file.schema_arrow.metadata is None
        rows = [{k: v for k, v in row.items() if k not in ("prompt", "question")} for row in file.read().to_pylist()]
        assert not told(json.dumps(rows), built.root), path.name
        footer = path.read_bytes()[-(file.metadata.serialized_size + 8) :].decode("latin-1")
        assert not told(footer.replace(file.metadata.created_by, ""), built.root), path.name


@pytest.mark.parametrize("name", ["SHA256SUMS", "loader.py", "mini/x.parquet", "mini/babilong/qa1/loader.py"])
def test_nothing_else_may_lie_there(mine: Project, name: str) -> None:
    verify.check_no_foreign_files(mine)
    (mine.release / name).write_text("")
    with refused(ReleaseError, f"data/releases/tiny/{name}"):
        verify.check_no_foreign_files(mine)
    with refused(ReleaseError, f"data/releases/tiny/{name}"):
        manifest.verify(mine.release)
