"""Documents with questions of one's own: what a line may be, and the example of docs/reference/own-corpus.md as far as choices."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from corpora.choices.llm import request_id
from corpora.choices.options import Asked
from corpora.sources import create
from corpora.stores.documents.store import Documents
from haymaker.core.errors import SourceError
from pipelines.project import Project
from tests.errors import refused
from tests.pipelines import tiny, tiny_bare

PAGE = (tiny.ROOT / "docs/reference/own-corpus.md").read_text(encoding="utf-8")
SECTION = PAGE.split("## Documents with questions")[1].split("\n## ")[0]
CHOICES = ["15 days", "16 days", "17 days", "Never"]
TOLD = "The ship lay in {} for {} days, and Bram Kley kept the keys."


def document(number: int) -> dict[str, Any]:
    """The document of the page, with a text as long as it needs."""
    (line,) = re.findall(r"```json\n(.*?)\n```", SECTION, re.DOTALL)
    record: dict[str, Any] = json.loads(line)
    text = " ".join(TOLD.format(port, 15 + i) for i, port in enumerate(("Noma", "Lyra", "Tola", "Vesk")))
    (question,) = record["questions"]
    question["id"] = f"log-{number}-days"
    return record | {"id": f"log-{number}", "text": f"{text} It is log {number}."}


def built(root: Path, *records: dict[str, Any], **more: Any) -> Documents:
    values = yaml.safe_load(re.findall(r"```yaml\n(.*?)```", SECTION, re.DOTALL)[0])
    file = root / "texts/logs.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    replies = root / "replies.jsonl"
    if not replies.is_file():
        del values["sources"]["logs"]["replies"]
    given = {key: str(path) for key, path in (("path", file), ("replies", replies)) if path.is_file()}
    source = values["sources"]["logs"] | given | more
    documents = {"logs": values["documents"]["logs"] | {"source": "books"}}
    tiny_bare.make(root, **{"sources.books": source, "documents": documents})
    project = Project(root)
    tiny.run(project, "download", "prepare")
    found = Documents(project.data / "documents/logs")
    found.verify()
    return found


def test_the_question_of_the_page_gets_options(tmp_path: Path) -> None:
    own = document(2)
    own["questions"][0] |= {"choices": CHOICES}
    first = document(1)
    question = first["questions"][0]
    about = request_id(Asked(question["id"], question["question"], question["answers"][0]))
    lines = ({"id": about, "call": f"option:{i}:1", "reply": json.dumps({"option": f"{i} days"})} for i in range(3, 6))
    (tmp_path / "replies.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    documents = built(tmp_path, first, own, {"id": 3, "text": "It was calm. Nobody asks."})
    first, second = (each.source for each in documents.all)
    assert (first.kind, first.sort, first.verified, len(set(first.choices))) == ("choice", "shortdep_qa", "auto", 4)
    assert first.answers == ("15 days",) and set(first.origins) == {"source", "llm:1"}
    assert second.choices == tuple(CHOICES) and second.origins == ()
    assert [each.doc_id for each in documents.store.documents] == ["log-1", "log-2"]


@pytest.mark.parametrize(
    ("of_document", "of_question", "message"),
    [
        ({"tittle": "x"}, {}, ("files/logs.jsonl:1", "'tittle'", "Next: 'title'")),
        ({}, {"choices": ["16 days", "14 days"]}, ("files/logs.jsonl:1: question", "`answers`", "`choices`")),
    ],
)
def test_mistakes_are_one_line(tmp_path: Path, context, of_document, of_question, message) -> None:
    record = document(1)
    record["questions"][0] |= of_question
    (tmp_path / "logs.jsonl").write_text(json.dumps(record | of_document) + "\n")
    source = create("books", "documents_jsonl", {"path": str(tmp_path / "logs.jsonl"), "split": "test"}, where="w")
    with refused(SourceError, *message):
        source.fetch(tmp_path / "raw", context)
