"""A corpus in German and one in Chinese, from texts to scores: the example of docs/reference/own-language.md, word for word, by `haymaker run`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml

from corpora.stores.sentences.store import Background
from generators.synthetic import phrases
from pipelines.project import Project
from tests import languages
from tests.pipelines import tiny

PAGE = tiny.ROOT / "docs/reference/own-language.md"


def example() -> str:
    """The parameter file of the page."""
    return re.findall(r"```yaml\n(release:.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[0]  # type: ignore[no-any-return]


def project(root: Path, text: str, language: str, **splits: int) -> Path:
    tiny.make(root)
    tiny.write_params(root, text)
    languages.write(root / "texts/dorf", language, **(splits or {"test": 6}))
    return root


def rows(root: Path) -> list[dict[str, Any]]:
    files = sorted((root / "data/releases/haymaker-dorf/data").rglob("*.parquet"))
    return [row for file in files for row in pq.read_table(file).to_pylist()]


def test_a_few_rows_of_the_example_are_verified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    values = yaml.safe_load(example())
    values["suites"]["synthetic"] |= {"lengths": {"4k": 11}, "tasks": {"niah": {}, "vt": {}}}
    root = project(tmp_path / "project", yaml.safe_dump(values), "de", test=2)
    monkeypatch.chdir(root)
    tiny.run_alone(Project(root))
    report = json.loads((root / "data/reports/haymaker-dorf/validate.json").read_text())
    assert (report["rows"], report["failures"]) == (22, 0)
    assert {row["language"] for row in rows(root)} == {"de"}


@pytest.mark.slow
@pytest.mark.parametrize("language", ["de", "zh"])
def test_the_example_of_the_page_from_texts_to_scores(language: str, tmp_path: Path) -> None:
    spoken = re.sub(r"(language|phrases): de\b", rf"\1: {language}", example())
    assert spoken.count(f" {language}") >= 3
    root = project(tmp_path / "project", spoken, language)
    done = tiny.haymaker(root, "run")
    assert done.returncode == 0, done.stderr
    store = Background(root / "data/corpora/dorf")
    assert (store.meta["splitter"], store.meta["params"]["clean"]["splitter"]) == ("sentencex 1.0.32", language)
    report = json.loads((root / "data/reports/haymaker-dorf/validate.json").read_text())
    assert (report["rows"], report["failures"]) == (264, 0)
    built = rows(root)
    assert len({row["task"] for row in built}) == 6 and {row["language"] for row in built} == {language}
    manifest = json.loads((root / "data/releases/haymaker-dorf/manifest.json").read_text())
    assert manifest["suites"]["synthetic"]["phrases"] == {language: phrases.load(language, root).digest}
    outputs = root / "outputs.jsonl"
    gold = ({"id": row["id"], "output": row["answers"][0]} for row in built)
    outputs.write_text("".join(json.dumps(each, ensure_ascii=False) + "\n" for each in gold))
    release = ("--release", "data/releases/haymaker-dorf")
    assert tiny.called(root, "score", str(outputs), *release, "--json", "scores.json").returncode == 0
    figures = json.loads((root / "scores.json").read_text())["cells"]
    strict = [cell for cell in figures if cell["metric"].endswith("@strict")]
    assert len(strict) >= 12 and {cell["mean"] for cell in strict} == {1.0}


@pytest.mark.slow
def test_a_phrase_that_is_edited_builds_the_rows_anew_and_nothing_else_does(tmp_path: Path) -> None:
    values = yaml.safe_load(example())
    values["suites"]["synthetic"] |= {"phrases": "texts/own.yaml", "lengths": {"4k": 11}, "tasks": {"niah": {}}}
    root = project(tmp_path / "project", yaml.safe_dump(values), "de", test=3)
    own = root / "texts/own.yaml"
    text = (Path(phrases.__file__).with_name("languages") / "de.yaml").read_text(encoding="utf-8")
    own.write_text(text, encoding="utf-8")
    assert tiny.haymaker(root, "run").returncode == 0
    first = {row["id"]: row["prompt"] for row in rows(root)}
    assert "generate" not in tiny.haymaker(root, "run").stderr
    own.write_text(text.replace("{key} lautet {value}.", "{key} heißt {value}."), encoding="utf-8")
    changed = tiny.haymaker(root, "run")
    assert "generate: phrase files have changed" in changed.stderr and "download" not in changed.stderr
    now = {row["id"]: row["prompt"] for row in rows(root)}
    assert now.keys() == first.keys() and all(" heißt " in now[name] and now[name] != first[name] for name in now)
    own.write_text(text.replace("same:", "sme:"), encoding="utf-8")
    tiny.one_line(tiny.called(root, "run"), "texts/own.yaml", "'sme'", fix="'same'")
