"""The archive as a source: written in the layout of PG-19, read back the same, independent of how much is asked for, refused when damaged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from corpora import sources
from corpora.sources.base import FetchContext, Source
from corpora.stores.documents.build import build
from corpora.stores.documents.store import DocumentParams
from corpora.stores.sentences.build import build_batch
from corpora.tokenizers import tokenizer
from haymaker.core.errors import ParamsError, SourceError
from haymaker.core.rng import Stream
from haymaker.core.rows.source_records import Document, DocumentQuestion, Split
from worlds.archive.files import QUESTIONS, write_document
from worlds.archive.model import FORMS, Form
from worlds.archive.questions import questions

SEED, WORDS = 4, 8_000
DOCUMENTS: dict[Split, int] = {"test": 2, "train": 1}
WHERE: tuple[tuple[str, Split, int], ...] = (
    ("000000", "test", 0),
    ("000001", "test", 1),
    ("2000000", "train", 2_000_000),
)
each_form = pytest.mark.parametrize("form", FORMS)


def source(form: Form = "stories", **options: Any) -> Source:
    given = {"form": form, "seed": SEED, "documents": DOCUMENTS, "words": WORDS}
    return sources.create("archive", "simulated_documents", given | options, where="params.yaml")


def fetched(folder: Path, form: Form = "stories", **options: Any) -> Path:
    context = FetchContext(mirror=None, cache=folder / "cache", lock_file=folder / "lock.json")
    source(form, **options).fetch(folder / "raw", context)
    return folder / "raw"


def documents(found: Source, raw: Path) -> list[Document]:
    return [document for batch in found.batches(raw) for document in found.read(raw, batch)]


@pytest.fixture(scope="module")
def raws(tmp_path_factory: pytest.TempPathFactory) -> dict[Form, Path]:
    return {form: fetched(tmp_path_factory.mktemp(form), form) for form in FORMS}


@each_form
def test_documents_and_asks_come_back_as_they_were_made(raws: dict[Form, Path], form: Form) -> None:
    texts: list[Document] = []
    made: list[DocumentQuestion] = []
    singular = {"stories": "story", "chronicles": "chronicle"}[form]
    for suffix, split, index in WHERE:
        work = write_document(SEED, form, index, WORDS)
        doc_id = f"{singular}-{suffix}"
        texts.append(Document(doc_id, work.title, split, work.text + "\n"))
        made += questions(work, doc_id, split, Stream(SEED, "archive", form, index, "asks"))
    assert documents(source(form), raws[form]) == texts
    assert source(form).document_sets() == (form,)
    assert source(form).document_questions(raws[form], form) == made
    found = {document.doc_id: document for document in texts}
    for ask in made:
        assert ask.split == found[ask.doc_id].split
        assert all(sentence in found[ask.doc_id].text for sentence in ask.evidence)
        assert bool(ask.evidence) == (ask.kind != "summary") == bool(ask.answers) == (not ask.references)


@each_form
def test_prepared_readings_find_every_sentence_of_evidence(raws: dict[Form, Path], form: Form, tmp_path: Path) -> None:
    """The stage that prepares documents verifies all of it, and each sentence is one unit of the store."""
    found, rules, counter = source(form), DocumentParams(source="archive", set=form), tokenizer.load("tekken")
    texts = documents(found, raws[form])
    asked = found.document_questions(raws[form], form)
    (tmp_path / "batch").mkdir()
    batch = build_batch(texts, rules.corpus, [counter], tmp_path / "batch")
    built = build([(tmp_path / "batch", batch)], asked, rules, [counter], tmp_path / "store", {})
    assert built.meta["questions_left_out"] == {}
    assert [each.source.question_id for each in built.questions] == [ask.question_id for ask in asked]
    for each in built.questions:
        assert each.evidence == ("unknown" if each.source.kind == "summary" else "verified")
        assert len(each.units) <= len(each.source.evidence)
        assert all(last - first <= 2 for first, last in each.units)


def test_a_document_does_not_depend_on_how_many_there_are(raws: dict[Form, Path], tmp_path: Path) -> None:
    """And a damaged line and a lost document are named."""
    one = source(documents={"test": 1})
    raw = fetched(tmp_path, documents={"test": 1})
    assert documents(source(), raws["stories"])[:1] == documents(one, raw)
    few = one.document_questions(raw, "stories")
    assert source().document_questions(raws["stories"], "stories")[: len(few)] == few
    lines = (raw / QUESTIONS).read_text(encoding="utf-8").splitlines()
    (raw / QUESTIONS).write_text("\n".join((*lines[:2], '{"question_id": "x"}')), encoding="utf-8")
    with pytest.raises(SourceError, match=r"questions\.jsonl:3: not a question"):
        one.document_questions(raw, "stories")
    (raw / QUESTIONS).write_text("\n".join(lines), encoding="utf-8")
    (raw / "test" / "story-000000.txt").unlink()
    with pytest.raises(SourceError, match="has 0 documents, and questions about 1"):
        one.check(raw)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"form": "poems"}, "form"),
        ({"form": "reports"}, "form"),
        ({"form": "lawsuits"}, "form"),
        ({"words": 500}, "words"),
        ({"documents": {}}, "documents"),
        ({"colour": 1}, "colour"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ParamsError, match=said):
        source(**options)


@pytest.mark.parametrize("name", ["demo", "world"])
def test_simulated_editions_have_no_task_without_a_twin(name: str) -> None:
    """No simulated document is like a court's papers, or like LongBench's texts of many fields."""
    given = yaml.safe_load((Path(__file__).parents[2] / f"params/{name}.yaml").read_text(encoding="utf-8"))
    entries = {task: entry for suite in given["suites"].values() for task, entry in suite["tasks"].items()}
    assert not {"multi_lexsum", "multifieldqa_en"} & {entry.get("of", task) for task, entry in entries.items()}
    assert {entry["documents"] for entry in entries.values() if "documents" in entry} == {"stories"}
