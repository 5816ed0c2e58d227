"""A corpus of one's own, in any language, declared in the parameters alone; and a release of real files."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from corpora.stores.sentences.store import Background
from generators.babilong import oracle
from generators.babilong.prompts import load_prompts, render_head, render_tail
from pipelines.project import Project
from tests.pipelines import tiny
from tests.pipelines.test_stages import rows_of
from worlds.novels import write_novel

_PLACES = ("河邊", "山上", "城裡", "橋下", "村口", "廟前", "田間", "樹下", "井旁", "湖心")
_TIMES = ("清晨", "中午", "傍晚", "深夜", "春天", "夏天", "秋天", "冬天", "昨日", "當年", "每逢雨天", "下雪的時候")


def chinese(number: int) -> str:
    """A text of 960 different sentences: not a language lesson, but characters, stops and no spaces."""
    sentences = [
        f"{time}，第{number * 1000 + i * 80 + j}個人在{place}{j}里外讀一本舊書，一直沒有離開。"
        for i, time in enumerate(_TIMES)
        for j, place in enumerate(_PLACES * 8)
    ]
    return "\r\n\r\n".join("".join(sentences[at : at + 4]) for at in range(0, len(sentences), 4))


def test_a_chinese_corpus_in_json_lines_end_to_end(tmp_path: Path) -> None:
    file = tmp_path / "judgements.jsonl"
    records = [{"no": f"判決-{n}", "body": chinese(n), "name": f"第{n}號"} for n in range(3)]
    lines = [json.dumps(record, ensure_ascii=n == 1) for n, record in enumerate(records)]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    source: dict[str, Any] = {
        "kind": "jsonl", "path": str(file), "text_key": "body", "id_key": "no", "title_key": "name", "split": "test",
    }  # fmt: skip
    clean = {"splitter": "cjk", "front_matter": False, "min_tokens": 5}
    changes: dict[str, Any] = {
        "sources.novels": source,
        "corpora.books": {"source": "novels", "language": "zh", "clean": clean},
        "release.edition": "real",
        "suites.babilong.tasks": {"qa1": {"lengths": {"0k": 2, "4k": 3, "16k": 2}}},
    }
    project = tiny.make(tmp_path / "project", **changes)
    tiny.run(project)
    store = Background(project.data / "corpora/books")
    assert [(e.doc_id, e.title) for e in store.documents] == [(f"判決-{n}", f"第{n}號") for n in range(3)]
    assert store.meta["totals"]["units"] == 3 * 960
    rows = rows_of(project, "qa1", "16k")
    assert len(rows) == 2
    for row in rows:
        assert "一直沒有離開。" in row["prompt"]
        assert row["unused_tokens"] <= 82
        assert row["prompt"][row["context_start"]] != " "
    assert json.loads((project.reports / "validate.json").read_text())["failures"] == 0


def test_own_text_files_by_shares(tmp_path: Path) -> None:
    """A folder of texts with Windows line ends, parted by shares; train and test never share a document."""
    (tmp_path / "texts").mkdir()
    for n in range(6):
        text = write_novel(9, n, words=2500).text.replace("\n", "\r\n")
        (tmp_path / f"texts/book {n}.txt").write_bytes(b"\xef\xbb\xbf" + text.encode())
    changes: dict[str, Any] = {
        "sources.novels": {"kind": "text_folder", "path": str(tmp_path / "texts"), "splits": {"test": 1, "train": 1}},
        "suites.babilong.tasks": {"qa1": {"lengths": {"1k": {"test": 4, "train": 4}}}},
    }
    project = tiny.make(tmp_path / "project", **changes)
    tiny.run(project, "download", "prepare", "generate")
    splits = {e.doc_id: e.split for e in Background(project.data / "corpora/books").documents}
    assert set(splits) == {f"book {n}" for n in range(6)}
    for split in ("test", "train"):
        used = {doc for row in rows_of(project, "qa1", "1k", split) for doc in row["doc_ids"]}
        assert used and {splits[doc] for doc in used} == {split}


# ---------------------------------------------------------------------------------------------------------- real


@pytest.mark.real
def test_the_solver_on_every_real_question(mirror: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each finished 0k prompt of the 1,000 test questions: 100, 100, 100, 100 and 99.8 % give the stored answer."""
    monkeypatch.setenv("HAYMAKER_MIRROR", str(mirror))
    project = tiny.make(
        tmp_path, **{"sources.stories": {"kind": "babi_mirror", "variant": "en-10k"}, "release.edition": "real"}
    )
    tiny.run(project, "download")
    right = Counter[str]()
    for task in ("qa1", "qa2", "qa3", "qa4", "qa5"):
        head = render_head(load_prompts()[task])
        for question in project.inputs.source("stories").stories(project.inputs.raw("stories"), task, "test"):
            prompt = head + " ".join(question.facts) + render_tail(question.question)
            right[task] += oracle.solve(task, prompt).answer == question.answer
    assert right == {"qa1": 1000, "qa2": 1000, "qa3": 1000, "qa4": 1000, "qa5": 998}


def test_real_files_are_never_needed_for_the_default() -> None:
    sources = Project(tiny.ROOT).with_release("demo").params.sources
    assert all(source.kind.startswith("simulated_") for source in sources.values())
