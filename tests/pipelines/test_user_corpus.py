"""A corpus of one's own, in any language, declared in the parameters alone; and a release of real files."""

from __future__ import annotations

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
