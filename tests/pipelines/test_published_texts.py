"""The texts of a release: valid as their formats want them, made of the manifest alone, and nothing in them of who built it where."""

from __future__ import annotations

import getpass
import json
import re
import shutil
import socket
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml

from haymaker.core.errors import ReleaseError
from haymaker.core.files.disk import read_json
from haymaker.core.rows.schema import LEAN_COLUMNS
from haymaker.releases import manifest
from haymaker.releases.configs import configs
from haymaker.releases.exact_tasks import EXACT, LETTER, RULES
from pipelines.project import Project
from pipelines.publishing.card.evaluation import listed
from pipelines.publishing.card.texts import texts
from pipelines.run import verify
from tests.errors import refused
from tests.extras import needs

ADDRESS = "data/releases/tiny"


def said(project: Project) -> dict[str, Any]:
    found: dict[str, Any] = read_json(project.release / "manifest.json")
    return found


def test_every_text_can_be_made_again_from_the_manifest(built: Project) -> None:
    """For the Hub, the same facts stand under another address."""
    here, there = texts(said(built), ADDRESS), texts(said(built), "org/tiny")
    assert set(here) == set(manifest.TEXTS) == {path.name for path in built.release.iterdir() if path.is_file()}
    for name, text in here.items():
        assert (built.release / name).read_bytes() == text.encode(), name
    assert here["manifest.json"] == there["manifest.json"]
    assert ADDRESS in here["README.md"] and ADDRESS not in "".join(there.values())
    assert yaml.safe_load(there["CITATION.cff"])["url"].endswith("/datasets/org/tiny/tree/v0.1.0")
    assert "url" not in yaml.safe_load(here["CITATION.cff"])


def test_a_text_that_was_changed_or_taken_away_or_is_foreign_is_named(mine: Project) -> None:
    manifest.verify(mine.release)
    verify.check_no_foreign_files(mine)
    for name in ("SHA256SUMS", "mini/x.parquet", "mini/babilong/qa1/loader.py"):
        (mine.release / name).write_text("")
        for check in (partial(verify.check_no_foreign_files, mine), partial(manifest.verify, mine.release)):
            with refused(ReleaseError, f"data/releases/tiny/{name}"):
                check()
        (mine.release / name).unlink()
    card = mine.release / "README.md"
    for name in manifest.TEXTS[1:]:
        place, whole = mine.release / name, card.read_text()
        good = place.read_bytes()
        place.write_bytes(good + b"\n")
        with refused(ReleaseError, name, "card"):
            manifest.verify(mine.release)
        place.unlink()
        with refused(ReleaseError, f"data/releases/tiny/{name}"):
            manifest.verify(mine.release)
        place.write_bytes(good)
        card.write_text(re.sub(rf".*`{re.escape(name)}`, SHA-256 .*\n", "", whole))
        with pytest.raises(ReleaseError):
            manifest.verify(mine.release)
        card.write_text(whole)


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
        records = {row["mini/id"].decode(): row for row in dataset.records("mini")}
        rows = [row for path in (folder / "mini").rglob("*.parquet") for row in pq.ParquetFile(path).read().to_pylist()]
        assert records.keys() == {row["id"] for row in rows}
        for row in rows:
            found = records[row["id"]]
            assert found["mini/prompt"].decode() == row["prompt"]
            assert [answer.decode() for answer in found["mini/answers"]] == row["answers"]
            assert [span["mini/spans/start"] for span in found["mini/spans"]] == [
                span["start"] for span in row["spans"]
            ]


# What inspect-ai allows in a task of eval.yaml (inspect_ai 0.3.285).
TASK = {"id", "config", "split", "field_spec", "solvers", "scorers"}


def test_leaderboards_name_configs_that_are_there(built: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    found = yaml.safe_load((built.release / "eval.yaml").read_text())
    assert set(found) == {"name", "description", "evaluation_framework", "tasks"}
    assert [task["id"] for task in found["tasks"]] == [
        "overall", *(f"babilong_{name}" for name in ("qa1", "qa2", "qa3", "qa1_quarter", "qa1_grid"))
    ]  # fmt: skip
    known = {config.name: config for config in configs(said(built))}
    for task in found["tasks"]:
        assert set(task) == TASK and {scorer["name"] for scorer in task["scorers"]} <= {"match", "pattern"}
        assert set(task["field_spec"].values()) <= set(known[task["config"]].columns)
        assert task["split"] in known[task["config"]].files
    assert {task["config"] for task in found["tasks"]} >= {EXACT, "babilong_qa1_sim_16k", "babilong_qa3_sim_1k"}
    assert {column for rule in RULES.values() for column in rule.fields.values()} <= set(LEAN_COLUMNS)
    assert re.search(LETTER.args["pattern"], 'So it is {"option": "b"}.', re.IGNORECASE)
    monkeypatch.setattr("haymaker.releases.configs.MOST", 28)  # where all configs are too many, some lengths have none
    few = {config.name for config in configs(said(built))}
    assert "babilong_qa1_sim_16k" not in few and {task["config"] for task in listed(said(built))} <= few


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


def test_no_text_tells_who_built_it_where_and_when(built: Project) -> None:
    for planted in ("hf_abcdefghijklmnopqrstuvwx", "built 2026-11-23", "pyarrow " + version("pyarrow"), "/tmp/x"):
        assert told(f"some text, {planted}", built.root)
    for address in (ADDRESS, "org/tiny"):
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
