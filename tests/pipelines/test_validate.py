"""The checks catch damage: one way of breaking a release at a time, each found by the check that stands for it."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from haymaker.core.errors import CheckFailed, ReleaseError
from haymaker.core.rows.parquet import open_writer
from haymaker.core.rows.row_checks import Check
from haymaker.core.rows.schema import arrow_schema
from haymaker.core.text.equivalents import accepted
from pipelines import stages
from pipelines.checks.row_checks import Findings, RowChecks, _length, across
from pipelines.project import Project
from pipelines.stages import records
from tests.errors import refused
from tests.pipelines import tiny

Row = dict[str, Any]
Rows = list[Row]


@pytest.fixture
def mine(built_root: Path, tmp_path: Path) -> Project:
    """A copy of the finished tiny project, to be damaged; it knows which files passed, so that only the others are checked."""
    project = tiny.copy(built_root, tmp_path / "mine")
    shutil.copytree(Project(built_root).work / "validate", project.work / "validate")
    return project


def path_of(project: Project, task: str, length: str, split: str = "test") -> Path:
    return project.release / "data/babilong" / task / length / f"{split}-00000-of-00001.parquet"


def change(path: Path, edit: Callable[[Rows], Rows | None]) -> None:
    """Rewrite a file with edited rows, as if the generator had made it so."""
    rows = pq.read_table(path).to_pylist()
    rows = edit(rows) or rows
    with open_writer(path, 1) as writer:
        writer.write_table(pa.Table.from_pylist(rows, schema=arrow_schema()))
    bless(path)


def bless(path: Path) -> None:
    """Write the record of `generate` for the files as they are: what is wrong must then be seen in the rows themselves."""
    project = Project(path.parents[7])
    noted = records.read(project, "generate") or {}
    records.write(project, "generate", {}, **{key: noted[key] for key in noted.keys() - {"made_by", "files"}})


def report(project: Project) -> dict[str, Any]:
    return dict(json.loads((project.reports / "validate.json").read_text()))


def failed(project: Project) -> tuple[dict[str, int], str]:
    """Failures by check, and the error's line."""
    with pytest.raises(CheckFailed) as caught:
        stages.run(Project(project.root), "validate")
    return report(project)["failed"], str(caught.value)


def facts_of(row: Row) -> list[dict[str, Any]]:
    return [s for s in row["spans"] if s["kind"] in ("fact", "support")]


def put(**values: Any) -> Callable[[Rows], None]:
    """Set columns of the second row."""
    return lambda rows: rows[1].update(values)


def add(**amounts: int) -> Callable[[Rows], None]:
    """Add to columns of the second row."""
    return lambda rows: rows[1].update({name: rows[1][name] + amount for name, amount in amounts.items()})


unused_wrong = add(unused_tokens=1)


def over_budget(rows: Rows) -> None:
    add(reserved_template_tokens=rows[1]["unused_tokens"] + 1)(rows)
    put(unused_tokens=-1)(rows)


def words_wrong(rows: Rows) -> None:
    rows[1]["token_counts"][0]["tokens"] += 1


def support_unmarked(rows: Rows) -> None:
    for span in facts_of(rows[1]):
        span["kind"] = "fact"


def span_moved(rows: Rows) -> None:
    span = facts_of(rows[1])[0]
    span["start"] += 1
    span["end"] += 1


def fact_deleted(rows: Rows) -> None:
    row = rows[1]
    span = next(s for s in row["spans"] if s["kind"] == "support")
    row["prompt"] = row["prompt"][: span["start"] - 1] + row["prompt"][span["end"] :]


def sentences_swapped(rows: Rows) -> None:
    """Two background sentences change places; no fact moves, no length changes."""
    row = rows[1]
    gaps, at = [], row["context_start"]
    for span in facts_of(row):
        gaps.append((at, span["start"]))
        at = span["end"]
    start, end = max(gaps, key=lambda gap: gap[1] - gap[0])
    stretch = row["prompt"][start:end]
    first, second = re.findall(r"(?<= )[A-Z][^.]*\.(?= )", stretch)[1:3]
    changed = stretch.replace(first, "\0").replace(second, first).replace("\0", second)
    assert changed != stretch and len(changed) == len(stretch)
    row["prompt"] = row["prompt"][:start] + changed + row["prompt"][end:]


def answer_changed(rows: Rows) -> None:
    rows[1]["answers"] = [next(c for c in rows[1]["choices"] if c != rows[1]["answers"][0])]


def question_replaced(rows: Rows) -> None:
    other = next(c for c in ("Mary", "John", "Sandra", "Daniel") if c not in rows[1]["question"])
    rows[1]["prompt"] = re.sub(r"Where is \w+\?(?=\nAnswer:$)", f"Where is {other}?", rows[1]["prompt"])


@pytest.mark.parametrize(
    ("edit", "check", "words"),
    [
        (add(prompt_tokens=1, unused_tokens=-1), "BUDGET", r"counts \d+, the stored count is \d+"),
        (unused_wrong, "BUDGET", "parts add up to 4097, not 4096"),
        (over_budget, "BUDGET", "over budget by 1 tokens"),
        (put(length="2k"), "BUDGET", "length 2k does not match length_tokens 4096"),
        (words_wrong, "BUDGET", "words counts"),
        (add(prompt_tokens=-600, unused_tokens=600), "FILL", "filled to 85"),
        (span_moved, "VERBATIM", "the facts are not at their spans in order"),
        (support_unmarked, "VERBATIM", "supporting facts are not marked as supporting"),
        (fact_deleted, "VERBATIM", "the facts are not at their spans in order"),
        (sentences_swapped, "VERBATIM", "does not match its background"),
        (answer_changed, "ORACLE", r"returns \['\w+'\], the stored answers are \['\w+'\]"),
        (question_replaced, "ORACLE", ""),
        (put(answers=[""]), "STRICT", "babilong@strict cannot score it: it has no answers"),
        (lambda rows: [*rows[:-1], rows[0]], "UNIQUE", "id appears twice"),
        (lambda rows: [*rows[:-1], rows[0] | {"id": "another"}], "UNIQUE", "same facts and question as"),
    ],
)
def test_a_damaged_row_is_found(mine: Project, edit: Callable[[Rows], Rows | None], check: str, words: str) -> None:
    change(path_of(mine, "qa1", "4k"), edit)
    found, line = failed(mine)
    assert found.get(check), (found, line)
    failures = report(mine)["first_failures"]
    assert any(text.startswith(f"{check}: ") and re.search(words, text) for text in failures), failures
    assert line.startswith("data/reports/tiny/validate.json: ")
    assert "\n" not in line


def test_a_test_question_in_train_is_found(mine: Project) -> None:
    source = pq.read_table(path_of(mine, "qa1", "0k")).to_pylist()[0]
    change(path_of(mine, "qa1", "0k", "train"), lambda rows: [*rows[:-1], source | {"id": "leak", "split": "train"}])
    found, line = failed(mine)
    assert found == {"APART": 1}
    assert "APART: leak: same facts and question in test and train" in line


def test_a_test_book_in_train_is_found(mine: Project) -> None:
    def edit(rows: Rows) -> None:
        rows[0]["doc_ids"].append("novel-000001")

    change(path_of(mine, "qa1", "1k", "train"), edit)
    found, _ = failed(mine)
    assert found["APART"] == 1
    failures = report(mine)["first_failures"]
    assert "APART: novel-000001: background document in test and train" in failures


def test_a_longer_context_must_hold_the_shorter() -> None:
    findings = Findings()
    findings.ranges["kept"] = {"4k": [["a", 2, 40], ["b", 0, 9]], "1k": [["a", 3, 9], ["a", 10, 11]]}
    findings.ranges["order"] = {"1k": [["a", 10, 11], ["a", 3, 9]], "4k": [["a", 2, 40]]}
    findings.ranges["gone"] = {"1k": [["c", 0, 1]], "4k": [["a", 2, 40]]}
    findings.ranges["longest"] = {"1M": [["a", 0, 1]], "512k": [["a", 0, 2]]}
    across(findings)
    assert findings.checked["NESTED"] == 4
    assert sorted(text.split(": ")[1] for text in findings.failures) == ["gone", "longest", "order"]


# ----------------------------------------------------------------------------------------------------- whole files


def test_a_truncated_file_another_schema_and_a_row_too_few_are_one_clear_line(mine: Project) -> None:
    path = path_of(mine, "qa1", "4k")
    table, data = pq.read_table(path), path.read_bytes()
    path.write_bytes(data[:-1000])
    with refused(ReleaseError, "4k/test-00000-of-00001.parquet", "changed"):
        stages.run(mine, "validate")
    bless(path)
    where = "data/releases/tiny/data/babilong/qa1/4k/test-00000-of-00001.parquet"
    tiny.one_line(tiny.called(mine.root, "dev", "stage", "validate"), where, "damaged")
    at = table.schema.get_field_index("prompt_tokens")
    pq.write_table(table.set_column(at, "prompt_tokens", table["prompt_tokens"].cast(pa.int64())), path)
    bless(path)
    with refused(ReleaseError, path.name, "schema"):
        stages.run(mine, "validate")
    path.write_bytes(data)
    change(path_of(mine, "qa2", "0k"), lambda rows: rows[:-1])
    with refused(ReleaseError, "data/releases/tiny/data/babilong/qa2/0k/test", 7, 8):
        stages.run(mine, "validate")


def test_a_missing_folder_a_missing_part_and_a_folder_too_many(mine: Project) -> None:
    folder = mine.release / "data/babilong/qa1/4k"
    folder.rename(mine.release / "data/babilong/qa1/8k")
    with refused(ReleaseError, "babilong/qa1/4k/test", fix="haymaker run"):
        stages.run(mine, "validate")
    folder.with_name("8k").rename(folder)
    path_of(mine, "qa1", "4k", "train").unlink()
    with refused(ReleaseError, "babilong/qa1/4k/train", fix="haymaker run"):
        stages.run(mine, "validate")
    tiny.run(mine, "generate")
    shutil.copytree(folder, mine.release / "data/babilong/qa9/4k")
    with refused(ReleaseError, "babilong/qa9/4k/test"):
        stages.run(mine, "validate")


def test_a_file_is_checked_again_only_when_it_or_a_rule_changes(mine: Project) -> None:
    """Neither a second run nor another title does. A damaged file is found, also after it was verified."""

    def found() -> set[tuple[str, int]]:
        return {(str(path), path.stat().st_mtime_ns) for path in (mine.work / "validate/tiny").glob("*/done.json")}

    def checked(*, fresh: bool = False) -> int:
        """Files that were checked in a run."""
        before = found()
        stages.perform(Project(mine.root), "validate", fresh=fresh)
        assert len(found()) == everything, "checks of files that are gone are removed"
        return len(found() - before)

    everything = len(list(mine.release.rglob("data/**/*.parquet")))
    assert (checked(), checked(fresh=True)) == (0, everything)
    tiny.write_params(mine.root, tiny.params(**{"release.title": "Renamed"}))
    assert checked() == 0
    tiny.write_params(mine.root, tiny.params(**{"validation.recount_sample_per_file": 2}))
    assert checked() == everything
    change(path_of(mine, "qa1", "4k"), unused_wrong)
    assert failed(mine)[0] == {"BUDGET": 1}
    tiny.run(mine, "generate")
    assert checked() == 1


def test_two_suites_may_ask_the_same_in_tasks_of_one_name() -> None:
    """HELMET's and LongBench's narrativeqa over one collection: neither is a copy of the other, nor nested in it."""
    spec = SimpleNamespace(checks=frozenset(Check))
    task = SimpleNamespace(spec=spec, identity=lambda row: row["question"], background=lambda row: row["shown"])
    suite: Any = SimpleNamespace(task=lambda name: task)
    findings, checks = Findings(), RowChecks(suite, [], lambda row, index: False)
    row = {"task": "narrativeqa", "split": "test", "group_id": "g", "question": "q", "answers": ["a"], "choices": [],
           "prompt": "", "spans": [], "depth": 0.5, "doc_ids": ["d"],
           **dict.fromkeys(("answer_groups", "depth_index", "order_index", "variant", "unused_tokens"))}  # fmt: skip
    for suite_name, first in (("helmet", 9), ("longbench", 0)):
        for more, (length, tokens) in enumerate((("64k", 65536), ("1M", 10**6))):
            named = {"id": f"{suite_name}-{length}", "suite": suite_name, "length": length, "length_tokens": tokens}
            checks.remember({**row, **named, "shown": [("d", first, first + 5 + more)]}, findings)
    across(findings)
    assert not findings.failed


@pytest.mark.parametrize(("length", "fine"), [(9, True), (23, True), (11, False)])
def test_the_length_of_a_natural_row_counts_answers_without_their_equivalent_forms(length: int, fine: bool) -> None:
    """Two words are asked and four stand in the context; the second date may be given or an equivalent form."""
    answers = accepted(["14 July 1997", "July 14, 1997"], ["subem@strict"])
    row = {
        "question": "Since when?", "prompt": "It is since then.", "context_start": 0, "context_end": 17, "language": "en",
        "answers": answers, "metrics": ["subem@strict"], "length": "natural", "metadata": json.dumps({"length": length}),
    }  # fmt: skip
    assert answers[1] == "July 14, 1997" and sum(len(each.split()) for each in answers) == 17
    assert (not list(_length(row))) is fine
