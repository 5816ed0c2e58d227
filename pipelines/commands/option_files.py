"""`haymaker dev options`: model requests and a review sheet for wrong answer options (docs/reference/choices.md)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from haymaker.core.errors import EnvironmentProblem, ParamsError
from haymaker.core.extras import BUILD, require_packages

if TYPE_CHECKING:
    from corpora.choices.review import Line
    from corpora.stores.documents.store import DocumentParams, Documents
    from haymaker.core.rows.model_requests import Request
    from pipelines.project import Project

app = typer.Typer(
    help="Create wrong answer options with a model and review them.\n\n"
    "Example: haymaker dev options requests COLLECTION requests.jsonl",
    no_args_is_help=True,
)

Collection = Annotated[str, typer.Argument(help="Name of a document collection with `choices`, already built.")]


@app.command("requests")
def requests(
    name: Collection, file: Annotated[Path, typer.Argument(help="JSON lines file to write, for `haymaker ask`.")]
) -> None:
    """Write model requests for wrong options. Set the replies as option `replies` of the source.

    Example: haymaker dev options requests COLLECTION requests.jsonl
    """
    require_packages(*BUILD)
    from haymaker.core.progress import say
    from haymaker.core.rows.model_requests import write_requests
    from pipelines.project import Project

    project = Project.here()
    wanted, documents = _collection(project, name)
    shared: list[str] = []
    count = write_requests(file, _requests(project, wanted, documents, shared))
    noted = f"; {len(shared):,} questions have fewer segments than wrong options and use some twice" if shared else ""
    say(
        f"{count:,} requests in {file}{noted}. Next: haymaker ask {file} --out replies.jsonl, then sources.{wanted.source}.replies"
    )


@app.command("review")
def review(name: Collection, sheet: Annotated[Path, typer.Argument(help="CSV file to write.")]) -> None:
    """Write a review sheet for options, with existing verdicts. Set the result as option `review` of the source.

    Example: haymaker dev options review COLLECTION sheet.csv
    """
    require_packages(*BUILD)
    from corpora.choices.review import write_sheet
    from haymaker.core.progress import say
    from pipelines.project import Project

    if sheet.exists():
        raise EnvironmentProblem("already exists and may contain verdicts", where=str(sheet), fix="choose another name")
    project = Project.here()
    wanted, documents = _collection(project, name)
    lines = _lines(project, wanted, documents)
    write_sheet(sheet, lines)
    judged = sum(bool(line.verdict) for line in lines)
    say(
        f"{len(lines):,} questions in {sheet}, {judged:,} of them judged. Next: fill in `verdict`, then sources.{wanted.source}.review"
    )


def _collection(project: Project, name: str) -> tuple[DocumentParams, Documents]:
    """Return the parameters of a collection, and the built collection.

    Raises:
        ParamsError: no such collection, or it has no `choices`.
        CorpusError: the collection is not built.
    """
    from corpora.stores.documents.store import DocumentParams
    from haymaker.core.params import nearest, parse

    blocks = project.params.documents
    if name not in blocks:
        raise ParamsError(f"unknown collection {name!r}", where="documents", fix=nearest(name, list(blocks)))
    wanted = parse(DocumentParams, blocks[name], where=f"documents.{name}")
    if wanted.choices is None:
        raise ParamsError("has no `choices`", where=f"documents.{name}", fix=f"add documents.{name}.choices")
    return wanted, project.inputs.documents(name)


def _requests(project: Project, wanted: DocumentParams, documents: Documents, shared: list[str]) -> Iterator[Request]:
    """Yield requests for all questions without options; add questions with too few segments to `shared`."""
    from corpora.choices import llm
    from corpora.choices.form import form_of
    from corpora.choices.options import with_documents
    from corpora.stores.documents.evidence import prepare
    from corpora.tokenizers.tokenizer import load
    from generators.inputs import vocabularies

    assert wanted.choices is not None
    n = wanted.choices.options - 1
    tokenizer = load(llm.TOKENIZER, search=[vocabularies(project.data)])
    source, raw = project.inputs.source(wanted.source), project.inputs.raw(wanted.source)
    every = prepare(
        documents.store, source.document_questions(raw, wanted.set), wanted.clean, wanted.fuzzy_match_threshold
    )[0]
    doc_id, parts = "", list[str]()
    for question, asked in zip(every, with_documents(documents.store, every), strict=True):
        if question.source.kind != "qa" or form_of(asked.right) == "yes_no":
            continue
        if question.source.doc_id != doc_id:
            doc_id, parts = question.source.doc_id, llm.segments(asked.sentences, tokenizer, n)
        if len(parts) < n:
            shared.append(asked.question_id)
        yield from llm.requests(asked, parts, n)


def _lines(project: Project, wanted: DocumentParams, documents: Documents) -> list[Line]:
    """Return the already judged lines unchanged, then the options without a verdict."""
    from corpora.choices.options import Candidate
    from corpora.choices.review import Item, Line, read_sheet
    from corpora.sources.document_source import REVIEW
    from pipelines.stages.documents import read_user_file

    before = read_user_file(project.inputs, wanted.source, REVIEW, read_sheet)
    lines = before.judged if before else []
    known = {line.question_id for line in lines}
    for question in documents.all:
        source = question.source
        if source.kind == "choice" and source.origins and source.question_id not in known:
            right = source.answers[0]
            pairs = map(Candidate, source.choices, source.origins)
            item = Item(right, tuple(option for option in pairs if option.text != right))
            lines.append(Line(source.question_id, source.doc_id, source.text, item))
    return lines
