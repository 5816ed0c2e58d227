"""Mistakes that people make, through the real program: one clear line, exit status 2, nothing half-written."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml

from pipelines.project import Project
from tests.pipelines import tiny

QA1 = "suites.babilong.tasks.qa1"


@pytest.mark.parametrize(
    ("key", "value", "where", "values", "fix"),
    [
        ("release.sed", 7, "params.yaml: release.sed", ("'sed'",), "'seed'"),
        ("sorces", {}, "params.yaml: sorces", ("'sorces'",), "'sources'"),
        ("corpora.books.clean.min_token", 7, "corpora.books: clean.min_token", (), "'min_tokens'"),
        ("suites.babilong.lengths.4k", 0, "suites.babilong: lengths.4k.test", ("(given: 0)",), ""),
        ("suites.babilong.lengths.4k", {"tests": 3}, "suites.babilong: lengths.4k.tests", ("tests",), ""),
        ("suites.babilong.placement", "middle", "suites.babilong: placement", ("uniform", "(given: 'middle')"), ""),
        ("suites.babilong.tasks.qa99", {}, "suites.babilong.tasks.qa99", ("'qa99'",), ""),
        ("suites.babylong", {"tasks": {}}, "suites", ("'babylong'",), "'babilong'"),
        ("suites", {}, "suites", ("no rows",), "task"),
        ("sources.novels.kind", "simulated_novel", "sources.novels", ("'simulated_novel'",), "'simulated_novels'"),
        ("corpora.books.source", "novel", "corpora.books.source", ("'novel'",), "'novels'"),
        ("suites.babilong.background", "book", "suites.babilong.background", ("'book'",), "'books'"),
        ("suites.babilong.background", None, "suites.babilong.tasks.qa1: background", (), ""),
        ("release.language", False, "release.language", ("text", "(given: False)"), '"false"'),
        ("release.seed", "seven", "release.seed", ("number", "(given: 'seven')"), ""),
        ("release", None, "params.yaml: release", (), ""),
    ],
)
def test_a_wrong_parameter_is_named(
    fresh: Project, key: str, value: Any, where: str, values: tuple[object, ...], fix: str
) -> None:
    tiny.write_params(fresh.root, tiny.params(**{key: value}))
    tiny.one_line(tiny.called(fresh.root, "plan"), where, *values, fix=fix)
    assert not fresh.data.exists()


def test_a_file_that_is_no_yaml(fresh: Project) -> None:
    for text, where, value in (
        ("release: [\n", "params.yaml:2", "YAML"),
        ("release: {}\nrelease: {}\n", "params.yaml:2", "'release'"),
        ("[" * 2000, "params.yaml:1", 100),
    ):
        tiny.write_params(fresh.root, text)
        tiny.one_line(tiny.called(fresh.root, "plan"), where, value)


def test_a_corpus_too_small(mine: Project) -> None:
    tiny.write_params(mine.root, tiny.params(**{QA1: {"lengths": {"1M": 1}}}))
    before = tiny.digests(mine.root, "data/releases/tiny/data")
    line = tiny.one_line(tiny.called(mine.root, "dev", "stage", "generate"))
    found = re.search(r"babilong_qa1_sim_1M test: .*'books' .*?([\d,]+) tokens .*1,000,000", line)
    assert found, line
    there = mine.inputs.background("books").split("test")
    tokens = mine.inputs.background("books").tokens_at(mine.inputs.tokenizers[0].fingerprint)
    assert int(found[1].replace(",", "")) == tokens[there[-1].last] - tokens[there[0].first]
    assert tiny.digests(mine.root, "data/releases/tiny/data") == before


def test_more_rows_than_questions(mine: Project) -> None:
    """Or rows of a split without books; or a corpus of which nothing is left."""

    def generate(rows: Any) -> subprocess.CompletedProcess[str]:
        tiny.write_params(mine.root, tiny.params(**{QA1: {"lengths": rows}}))
        return tiny.called(mine.root, "dev", "stage", "generate")

    line = tiny.one_line(generate({"0k": 1000}), "babilong_qa1_sim_0k test", 1000, 60)
    possible = re.search(r"Next: .*?(\d+)", line)
    assert possible, line
    assert generate({"0k": int(possible[1])}).returncode == 0
    done = generate({"0k": int(possible[1]) + 1})
    tiny.one_line(done, "babilong_qa1_sim_0k test", int(possible[1]) + 1, possible[1], fix=possible[1])
    tiny.one_line(generate({"4k": {"dev": 1}}), "", "dev")
    tiny.write_params(mine.root, tiny.params(**{"corpora.books.clean.min_tokens": 500}))
    tiny.one_line(tiny.called(mine.root, "dev", "stage", "prepare"), "", 4, fix="corpora.<name>.clean")


def test_a_local_path_with_a_slip_changes_nothing(fresh: Project) -> None:
    (fresh.root / "books").mkdir()
    for source, wrong, program in (
        ({"kind": "text_folder", "path": "./boks", "split": "test"}, "boks", tiny.haymaker),
        ({"kind": "jsonl", "path": ["books", "b.jsonl"], "text_key": "t", "split": "test"}, "b.jsonl", tiny.called),
    ):
        values = tiny.params(**{"sources.novels": source, "release.edition": "real"})
        (fresh.root / "params/b9.yaml").write_text(yaml.safe_dump(values))
        before = {name: sha for name, sha in tiny.digests(fresh.root, ".").items() if "/locks/" not in name}
        tiny.one_line(tiny.called(fresh.root, "plan", "b9"), wrong, fix="sources.novels")
        tiny.one_line(program(fresh.root, "run", "b9"), wrong, fix="sources.novels")
        assert before.items() <= tiny.digests(fresh.root, ".").items()


def test_files_that_were_copied_already_may_be_gone(fresh: Project) -> None:
    (fresh.root / "books").mkdir()
    (fresh.root / "books/1.txt").write_text("It was a day. " * 50)
    source = {"kind": "text_folder", "path": "books", "split": "test"}
    tiny.write_params(fresh.root, tiny.params(**{"sources.novels": source, "release.edition": "real"}))
    assert tiny.called(fresh.root, "dev", "stage", "download").returncode == 0
    shutil.rmtree(fresh.root / "books")
    assert tiny.called(fresh.root, "plan").returncode == 0
    source["path"] = "boks"
    tiny.write_params(fresh.root, tiny.params(**{"sources.novels": source, "release.edition": "real"}))
    tiny.one_line(tiny.called(fresh.root, "plan"), "boks", fix="sources.novels")


def test_a_release_is_known_by_the_name_of_its_file(fresh: Project) -> None:
    (fresh.root / "params/demo.yaml").write_text(yaml.safe_dump(tiny.params(**{"release.name": "my-demo"})))
    (fresh.root / "params/broken.yaml").write_text("- a\n")
    for command in ("plan", "run"):
        done = tiny.called(fresh.root, command, "my-demo")
        tiny.one_line(done, "", "'my-demo'", fix=("'demo'", "params/demo.yaml"))
    for name in ("my-demo", "demo"):
        done = tiny.called(fresh.root, "score", "x.jsonl", "--release", name)
        tiny.one_line(done, fix="haymaker run demo")


def test_show(built: Project) -> None:
    shown = tiny.called(built.root, "show", "qa1", "--length", "4k", "--index", "5")
    assert shown.returncode == 0 and "Question: Where is" in shown.stdout, shown.stderr
    for arguments, where, values, fix in (
        (["qa11"], "", ("'qa11'",), "'qa1'"),
        (["qa1", "--length", "5k"], "", ("'5k'", "qa1"), ""),
        (["qa1", "--length", "4k", "--index", "6"], "", ("qa1 4k", 6, "test"), ""),
        *((["qa1", "--split", split], "--split", (repr(split), "train"), "") for split in ("../", "*", "", "a\nb")),
    ):
        tiny.one_line(tiny.called(built.root, "show", *arguments), where, *values, fix=fix)


def test_score(built: Project, tmp_path: Path) -> None:
    files = sorted((built.release / "data/babilong").rglob("*.parquet"))
    rows = [row for path in files for row in pq.read_table(path, columns=["id", "task", "answers"]).to_pylist()]
    file = tmp_path / "out.jsonl"

    def score(lines: list[str]) -> subprocess.CompletedProcess[str]:
        file.write_text("\n".join(lines) + "\n")
        return tiny.called(built.root, "score", str(file))

    good = [json.dumps({"id": row["id"], "output": row["answers"][0]}) for row in rows]
    none = [json.dumps({"id": row["id"], "output": ""}) for row in rows if row["task"] == "qa2"]
    assert re.search(r"^qa1 +babilong@strict .*100\.0.* 22\s*$", score(good).stdout, re.MULTILINE)
    assert re.search(r"^qa2 +babilong@strict +0\.0.* 13\s*$", score(none).stdout, re.MULTILINE)
    for lines, where, value in (
        (["{"], f"{file}:1", "JSON"),
        ([good[0], '{"id": "x"}'], f"{file}:2", "output"),
        ([good[0], "[1]"], f"{file}:2", "JSON object"),
        ([good[0], '{"id": ["a"], "output": "x"}'], f"{file}:2", ""),
        ([good[0], good[0]], f"{file}:2", f"id '{rows[0]['id']}'"),
        (['{"id": "x", "output": "y"}'], str(file), "'x'"),
    ):
        tiny.one_line(score(lines), where, value)
    file.write_bytes(b"\xff\xfe")
    tiny.one_line(tiny.called(built.root, "score", str(file)), f"{file}:1", "byte 1", "UTF-8")
    tiny.one_line(tiny.called(built.root, "score", str(tmp_path / "none.jsonl")), str(tmp_path / "none.jsonl"))
