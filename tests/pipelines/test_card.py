"""The card: its configs load, its snippet runs, its tables stand whatever a title holds, and it says what the manifest says."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter, defaultdict
from copy import deepcopy
from fnmatch import fnmatch
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from haymaker.core.choices import SPLITS
from haymaker.core.errors import ReleaseError
from haymaker.core.rows.schema import LEAN_COLUMNS, arrow_schema
from haymaker.releases.configs import MOST, configs, example_rows, unlisted_lengths
from haymaker.releases.manifest import TEXTS
from pipelines.project import Project
from pipelines.publishing.card.texts import texts
from tests.errors import refused
from tests.pipelines import tiny
from tests.pipelines.test_stages import ROWS

HUB = "acme/longest-texts"
MOST_LINES = 180
"""Of the card, without its front matter."""
LENGTHS = ("0k", "1k", "4k", "128k", "1M", "natural", "0-4k", "8k+")
Manifest = dict[str, Any]


@pytest.fixture
def manifest(built: Project) -> Manifest:
    """Of the tiny release, without what not every release says of a task; to be changed."""
    said = dict(json.loads((built.release / "manifest.json").read_text(encoding="utf-8")))
    for task in said["suites"]["babilong"]["tasks"]:
        for key in ("licence", "simulated", "reserved_output_tokens"):
            task.pop(key, None)
    said.pop("mini", None)
    return said


def card(manifest: Manifest, address: str = HUB) -> str:
    return texts(manifest, address)["README.md"]


def page(manifest: Manifest, name: str) -> str:
    """A long table beside the card: TASKS, BASELINES or CHECKS."""
    return texts(manifest, HUB)[f"{name}.md"]


def front(text: str) -> Manifest:
    return dict(yaml.safe_load(text.split("---\n")[1]))


def body(text: str) -> list[Token]:
    shown = text.split("---\n", 2)[2] if text.startswith("---\n") else text
    return MarkdownIt("commonmark").enable("table").parse(shown)


def table(text: str, *starts: str) -> list[list[str]]:
    """Lines of the table whose head begins so, as a reader sees them."""
    found: list[list[list[str]]] = []
    tokens = body(text)
    for token, inner in pairwise(tokens):
        if token.type == "table_open":
            found.append([])
        elif token.type == "tr_open":
            found[-1].append([])
        elif token.type in {"th_open", "td_open"}:
            found[-1][-1].append("".join(child.content for child in inner.children or []))
    return next(lines for lines in found if lines[0][: len(starts)] == list(starts))


# ------------------------------------------------------------------------------------------------ configs


def made(tasks: dict[tuple[str, str], list[str]]) -> Manifest:
    """What a manifest says of tasks: (suite, task) -> lengths."""
    suites: dict[str, Any] = {}
    for (suite, task), lengths in tasks.items():
        entry = {"name": task, "of_output": False, "metrics": ["exact"], "lengths": {b: {"test": 1} for b in lengths}}
        suites.setdefault(suite, {"title": suite, "tasks": []})["tasks"].append(entry)
    return {"suites": suites}


NAMES = st.sampled_from(["all", "mini", "world", "a", "b", "a_b", "a_all", "k4", "a_sim", "sim_b", "qa1"])
TASKS = st.dictionaries(
    st.tuples(NAMES, NAMES),
    st.tuples(
        st.lists(st.sampled_from(LENGTHS), min_size=1, unique=True), st.booleans(), st.booleans(),
        st.lists(st.sampled_from(SPLITS), min_size=1, unique=True),
    ),
    min_size=1, max_size=9,
)  # fmt: skip


@given(tasks=TASKS, mini=st.booleans())
def test_no_name_comes_twice_and_every_file_has_its_configs(tasks: Any, mini: bool) -> None:
    """Tasks called like suites, groups and lengths; simulated ones, outputs, any splits."""
    manifest = made({key: lengths for key, (lengths, *_) in tasks.items()})
    files, single = [], Counter[str]()
    for suite, facts in manifest["suites"].items():
        for task in facts["tasks"]:
            lengths, task["simulated"], task["of_output"], splits = tasks[suite, task["name"]]
            task["lengths"] = {length: dict.fromkeys(splits, 1) for length in lengths}
            ending = "_sim" if task["simulated"] and not task["name"].endswith("_sim") else ""
            for length in lengths:
                single[f"{suite}_{task['name']}{ending}_{length}"] += 1
                files += [f"data/{suite}/{task['name']}/{length}/{split}-00000-of-00001.parquet" for split in splits]
    manifest |= {"mini": {"tasks": {"a": {"b": {"one_answer": False}}}}} if mini else {}
    if max(single.values()) > 1:  # two tasks of such names: nobody is given the rows of the other
        with refused(ReleaseError, "", 2):
            configs(manifest)
        return
    found = configs(manifest)
    assert max(Counter(config.name for config in found).values()) == 1
    assert set(single) <= {config.name for config in found}
    assert (found[0].name == "mini") is mini
    for config in found:
        for split, patterns in config.files.items():
            here = [file for pattern in patterns for file in files if matches(file, pattern)]
            assert len(here) == len(set(here))
            if config.length:
                assert here and {file.split("/")[3] for file in here} == {config.length}
                assert {Path(file).name.split("-")[0] for file in here} == {split}


def matches(file: str, pattern: str) -> bool:
    """As `datasets` does: a star ends at a slash."""
    return file.count("/") == pattern.count("/") and all(map(fnmatch, file.split("/"), pattern.split("/")))


def test_simulated_rows_and_outputs_are_apart_from_the_others() -> None:
    """Simulated rows are never named like real ones; lengths of outputs stand under their suite alone."""
    manifest = made({("helmet", "nq"): ["4k", "8k"], ("helmet", "own"): ["4k"], ("ruler", "kv"): ["4k"]})
    manifest["suites"]["helmet"]["tasks"][0]["simulated"] = True
    groups = ("all_sim_4k", "all_sim_8k", "helmet_sim_4k", "helmet_sim_8k", "ruler_4k")
    tables = ("helmet_nq_sim_8k", "helmet_own_4k", "ruler_kv_4k")
    names = ["helmet_nq_sim_4k", *groups, *tables, *(f"{name}_full" for name in groups)]
    assert [config.name for config in configs(manifest)] == names
    manifest = made({("helmet", "nq"): ["128k"], ("outputs", "diary"): ["4k", "128k"]})
    manifest["suites"]["outputs"]["tasks"][0]["of_output"] = True
    found = {config.name: config.files["test"] for config in configs(manifest)}
    assert found["all_128k"] == ("data/helmet/*/128k/test-*.parquet",)
    assert found["outputs_4k"] == ("data/outputs/*/4k/test-*.parquet",) and "all_4k" not in found
    assert example_rows(manifest).length == "128k"


def test_above_what_the_viewer_takes_lengths_of_fewest_tasks_go_without() -> None:
    tasks = {("s", f"t{i}"): ["4k", "8k"] if i < 1400 else ["4k"] for i in range(1600)}
    tasks["s", "t0"] = ["4k", "8k", "1M"]
    wide = made(tasks)
    found = configs(wide)
    assert unlisted_lengths(wide) == ["1M", "8k"] and len(found) == 1600 + 2 * 6 <= MOST
    listed = {config.name for config in found}
    assert {"s_t0_4k", "s_1M", "all_8k"} <= listed and not {"s_t0_8k", "s_t0_1M"} & listed
    assert unlisted_lengths(made({("s", f"t{i}"): ["4k", "8k"] for i in range(1494)})) == []  # 2,988, 8 and 3
    assert unlisted_lengths(made({("s", f"t{i}"): ["4k", "8k"] for i in range(1495)})) == ["4k"]


# ------------------------------------------------------------------------------------------------ readers without code of ours

SCRIPT = """
import json, re, sys
from datasets import disable_progress_bars, get_dataset_config_names, load_dataset, load_dataset_builder
disable_progress_bars()
root, seen = sys.argv[1], {}
names = get_dataset_config_names(root)
for config in sys.argv[2:] or names:
    for split, files in load_dataset_builder(root, config).config.data_files.items():
        whole = load_dataset(root, config, split=split)
        streamed = load_dataset(root, config, split=split, streaming=True)
        few = load_dataset(root, config, split=split, streaming=True, columns=["id", "prompt", "answers"])
        ids = [row["id"] for row in streamed]
        first = next(iter(few))
        seen[f"{config} {split}"] = {
            "rows": len(whole), "same": ids == whole["id"][:] and next(iter(streamed)) == whole[0], "columns": sorted(first),
            "prompt": first["prompt"] == whole[0]["prompt"], "fields": list(whole.features),
            "files": sorted(path.rpartition("/tiny/")[2] for path in files),
            "schema": str(whole.features.arrow_schema.remove_metadata()),
        }
default = load_dataset(root, split="test")
exec(re.search(r"```python\\n(.*?)```", open(f"{root}/README.md").read(), re.S)[1])
print(json.dumps({"configs": seen, "default": [default[0]["id"], len(default)], "names": names, "snippet": len(rows)}))
"""
EACH_KIND = ("mini", "mini_full", "all_sim_4k", "babilong_sim_0k_full", "babilong_qa1_sim_1k")


def configs_of(task: str, length: str) -> list[str]:
    """All configs that hold a table."""
    groups = [f"{group}_sim_{length}" for group in ("all", "babilong")]
    return [f"babilong_{task}_sim_{length}", *groups, *(f"{group}_full" for group in groups)]


@pytest.mark.parametrize("wanted", [EACH_KIND, pytest.param((), marks=pytest.mark.slow, id="every config")])
def test_load_dataset_reads_each_config_and_the_snippet_of_the_card_runs(
    built: Project, tmp_path: Path, wanted: tuple[str, ...]
) -> None:
    read = subprocess.run(
        [sys.executable, "-c", SCRIPT, "data/releases/tiny", *wanted],
        env=tiny.environment(
            PYTHONPATH=None,
            HF_DATASETS_CACHE=str(tmp_path / "cache"),
            HF_HOME=str(tmp_path / "home"),
            USE_TORCH="0",  # a reader has none
        ),
        capture_output=True,
        text=True,
        timeout=240,
        cwd=built.root,
        check=False,
    )
    assert read.returncode == 0, read.stderr[-3000:]
    found = json.loads(read.stdout.splitlines()[-1])
    expected = Counter({f"{name} test": 11 for name in ("mini", "mini_exact", "mini_full")})
    files: dict[str, list[str]] = defaultdict(list)
    for (task, length, split), rows in ROWS.items():
        for name in configs_of(task, length):
            expected[f"{name} {split}"] += rows
            files[f"{name} {split}"].append(f"data/babilong/{task}/{length}/{split}-00000-of-00001.parquet")
    asked = {key: rows for key, rows in expected.items() if not wanted or key.split(" ")[0] in wanted}
    assert {key: facts["rows"] for key, facts in found["configs"].items()} == asked
    for key, facts in found["configs"].items():
        assert facts["same"] and facts["prompt"] and facts["columns"] == ["answers", "id", "prompt"], key
        assert key not in files or facts["files"] == sorted(files[key]), "a reader of 4k fetches 4k alone"
        columns = arrow_schema().names if "_full " in key else list(LEAN_COLUMNS)
        assert facts["fields"] == columns, key
        assert facts["schema"] == str(pa.schema([arrow_schema().field(name) for name in columns])), key
    assert found["default"] == ["babilong-qa1-4k-qa1-test-00031", 11] and found["snippet"] == ROWS["qa1", "1k", "test"]
    names = found["names"]
    assert set(names) == {key.split(" ")[0] for key in expected} and len(names) == len(set(names))
    assert names[:5] == ["mini", "all_sim_0k", "all_sim_1k", "all_sim_4k", "all_sim_16k"]
    tables = {table.config for suite in built.built_suites() for table in suite.tables()}
    assert tables == {f"babilong_{task}_sim_{length}" for task, length, _ in ROWS}, "what plan says"


# ------------------------------------------------------------------------------------------------ the text


def test_hostile_words_break_no_table_and_make_no_tag(manifest: Manifest) -> None:
    evil = 'a | b\n| c | <script src="x">\n---\n# `d [e](f) *g* \\| h'
    seen = 'a | b | c | <script src="x"> --- # `d [e](f) *g* \\| h'
    task = manifest["suites"]["babilong"]["tasks"][0]
    task |= {"title": evil, "licence": evil, "skips": {"CLEAN": evil}}
    task |= {"allows": {"majority": {"percent": 60, "why": evil}}}
    manifest |= {"title": evil, "unavailable": {"helmet": {"nq": evil}}}
    manifest["sources"]["stories"] |= {"title": evil, "licence": evil, "homepage": "https://x.example/) <b>"}
    manifest["sources"]["novels"] |= {"homepage": "https://books.example/a?b=1"}
    manifest["suites"]["babilong"]["shortcuts"] = {
        "qa1": {"4k": {"questions": 50, "majority": {"score": 52.0, "limit": 60}}}
    }
    manifest["example"]["row"] |= {"prompt": f"{evil}\n```\n<b>", "question": evil}
    made = {name: text for name, text in texts(manifest, HUB).items() if name.endswith(".md")}
    assert front(made["README.md"])["pretty_name"] == seen
    links = []
    for name, text in made.items():
        inline = [child for token in body(text) for child in (token, *(token.children or []))]
        assert not [child for child in inline if child.type in {"html_inline", "html_block"}], name
        links += [child.attrs["href"] for child in inline if child.type == "link_open"]
        assert ("```" in text) is (name == "README.md") and text.count("\n```") % 2 == 0
    assert {link for link in links if "://" in link} == {"https://books.example/a?b=1"}
    assert {link.split("#")[0] for link in links if "://" not in link} <= set(TEXTS)
    assert made["README.md"].split("---\n", 2)[2].count("\n") <= MOST_LINES
    tasks = made["TASKS.md"]
    assert table(tasks, "task", "question")[1][:5] == ["qa1", seen, "babilong@strict", "20", seen]
    assert table(tasks, "source")[2] == ["stories", seen, seen]
    assert table(tasks, "suite", "task", "reason")[1] == ["helmet", "nq", seen]
    assert seen in [line[2] for line in table(made["CHECKS.md"], "check", "skipped by")]


def test_contents_come_first_in_order_of_length(manifest: Manifest) -> None:
    task = manifest["suites"]["babilong"]["tasks"][0]
    task["lengths"] |= {"natural": {"test": 3}, "8k+": {"test": 2, "dev": 1}, "0-4k": {"test": 1}, "128k": {"test": 9}}
    head, rows_of, tokens_of = table(card(manifest), "suite")
    order = ["0k", "1k", "4k", "16k", "128k", "natural", "0-4k", "8k+"]
    assert head == ["suite", "tasks", *order] and rows_of[:2] == ["BABILong", "5"] and rows_of[-1] == "2 + 1 dev"
    rows = {length: sum(n for (_, b, split), n in ROWS.items() if (b, split) == (length, "test")) for length in order}
    assert [cell.split(" ")[0] for cell in rows_of[2:6]] == [str(rows[length]) for length in order[:4]]
    assert table(page(manifest, "TASKS"), "task", "question")[0][4:] == order
    tokens = sum(facts["tokens"] for name, facts in manifest["files"].items() if "/4k/" in name)
    assert 100_000 <= tokens < 999_500 and tokens_of[head.index("4k")] == f"{tokens / 1000:.0f}k"


def test_the_head_says_only_what_is_true(manifest: Manifest) -> None:
    head = front(card(manifest))
    assert (head["license"], head["language"], head["size_categories"]) == ("cc0-1.0", ["en"], ["n<1K"])
    assert head["task_categories"] == ["question-answering"]
    assert head["annotations_creators"] == head["language_creators"] == ["machine-generated"]
    real = deepcopy(manifest)
    real["sources"]["stories"] |= {"edition": "real"}
    real["suites"]["babilong"]["tasks"][0] |= {"metrics": ["option@strict"]}
    head = front(card(real))
    assert "annotations_creators" not in head and "language_creators" not in head
    assert head["task_categories"] == ["question-answering", "multiple-choice"]


def test_rows_of_one_question_are_told_from_questions(built: Project, manifest: Manifest) -> None:
    """Six depths of a question are six rows; the card says how many questions there are, where these are fewer."""
    task = manifest["suites"]["babilong"]["tasks"][0]
    rows = {length: splits["test"] for length, splits in task["lengths"].items() if "test" in splits}
    assert {length: task["questions"][length]["test"] for length in rows} == rows, "here each row asks its own"
    plain = table(page(manifest, "TASKS"), "task", "question")[1]
    assert not any("(" in cell for cell in plain[4:])
    task["lengths"]["4k"], task["questions"]["4k"] = {"test": 60, "train": 12}, {"test": 10, "train": 2}
    lines = table(page(manifest, "TASKS"), "task", "question")
    assert lines[1][lines[0].index("4k")] == "60 + 12 train (10)"
    whole = (built.release / "TASKS.md").read_text(encoding="utf-8")
    by_name = {line[0]: line for line in table(whole, "task", "question")}
    assert by_name["qa1_quarter"][by_name["task"].index("4k")] == "8 (2)"


def test_a_release_over_a_limit_says_so_first(manifest: Manifest) -> None:
    figures: Manifest = {"rows": 50, "questions": 50, "majority": {"score": 52.0, "limit": 37.2}}
    manifest["suites"]["babilong"]["shortcuts"] = {"qa1": {"4k": figures}}
    assert "above their limits" not in card(manifest) and "⚠ |" not in page(manifest, "BASELINES")
    assert "No shortcut baseline is above its limit at the 1 tasks with limits" in card(manifest)
    figures["majority"]["above"] = True
    head = card(manifest).split("## Read before use")[1].split("## Columns")[0]
    assert "**Shortcuts above their limits at 1 of the 1 tasks with limits.**" in head
    assert "babilong/qa1 (majority)." in head
    text = page(manifest, "BASELINES")
    assert table(text, "task", "majority") == [["task", "majority"], ["qa1", "52 / 37 ⚠"]], "what has a figure alone"
    del figures["majority"]["above"]
    manifest["suites"]["babilong"]["shortcuts"]["qa2"] = {"4k": {**figures, "questions": 4}}
    assert [line[1] for line in table(page(manifest, "BASELINES"), "task", "majority")[1:]] == ["52 / 37", "52 / few"]


def test_measures_of_some_tasks_have_a_table_of_their_own(manifest: Manifest) -> None:
    every: Manifest = {"questions": 50, "majority": {"score": 5.0, "limit": 16.0}}
    gold = {"score": 72.0, "few": 90.0, "rank": 2, "of": 21, "limit": 73.9}
    shortcuts = {"qa1": {"4k": every}, "qa2": {"4k": {**every, "gold_rank": gold, "single_hop": {}}}}
    manifest["suites"]["babilong"]["shortcuts"] = shortcuts
    text = page(manifest, "BASELINES")
    assert [line[0] for line in table(text, "task", "majority")] == ["task", "qa1", "qa2"]
    assert table(text, "task", "gold_rank") == [["task", "gold_rank"], ["qa2", "72 / 74, 2 of 21"]]
    assert "60 (`gold_rank`)" in text and "40 (`single_hop`)" in text, "each limit is said"


def test_floors_have_a_table_if_a_task_declares_any(manifest: Manifest) -> None:
    assert "## Floors" not in page(manifest, "BASELINES")
    figures: Manifest = {"questions": 50, "majority": {"score": 5.0, "limit": 16.0}}
    lengths = {
        "4k": {**figures, "floors": {"first": 58.04, "random": 58}},
        "8k": {**figures, "floors": {"random": 57.96}},
    }
    manifest["suites"]["babilong"]["shortcuts"] = {"qa1": {"4k": figures}, "qa2": lengths}
    expected = [["task", "length", "first", "random"], ["qa2", "4k", "58.0", "58.0"], ["qa2", "8k", "-", "58.0"]]
    assert table(page(manifest, "BASELINES"), "task", "length", "first") == expected


def test_the_example_is_a_row_with_long_values_shortened(built: Project, manifest: Manifest) -> None:
    found = json.loads(card(manifest).split("```json\n")[1].split("```")[0])
    row = next(pq.ParquetFile(built.release / manifest["example"]["file"]).iter_batches(1)).to_pylist()[0]
    assert list(found) == list(LEAN_COLUMNS)
    assert all(found[name] == row[name] for name in ("id", "question", "answers", "prompt_tokens"))
    begin, end = found["prompt"].split(f" [... {len(row['prompt']) - 200:,} characters ...] ")
    assert row["prompt"].startswith(begin) and row["prompt"].endswith(end) and len(begin) == len(end) == 100
    assert found["spans"][-1] == f"... {len(row['spans']) - 2} more"
    manifest["files"] = {name: facts for name, facts in manifest["files"].items() if "/qa1/" not in name}
    del manifest["example"]
    assert "## Example row" not in card(manifest)
