"""Build a document collection for the stage prepare: split and counted, with the evidence of every question."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from corpora.choices.llm import CALL
from corpora.choices.make import CHOICES_VERSION, Maker
from corpora.choices.published import published
from corpora.choices.review import read_sheet
from corpora.sources.document_source import REPLIES, REVIEW, WithChoices
from corpora.stores.documents.build import Built, build
from corpora.stores.documents.store import DOCUMENTS_VERSION, DocumentParams
from corpora.stores.sentences.build import build_batch
from corpora.stores.sentences.clean import CLEANING_VERSION
from corpora.stores.sentences.split import SENTENCES_VERSION
from corpora.stores.sentences.store import BACKGROUND_VERSION
from corpora.tokenizers.tokenizer import COUNTING_VERSION
from generators.inputs import Inputs, Use
from haymaker.core.errors import CorpusError, HaymakerError
from haymaker.core.params import parse
from haymaker.core.rows.model_requests import read_replies
from pipelines.execution.worker_state import inputs_of
from pipelines.stages.prepare import Recipe, batch_of, batches_of, provenance, result, store_of

T = TypeVar("T")


def recipe(inputs: Inputs, name: str) -> Recipe:
    """Return the recipe of data/documents/<name>/.

    Raises:
        CorpusError: the source has no documents or no questions.
    """
    wanted = _params(inputs, name)
    batches = batches_of(inputs, Use("documents", name), wanted.source, "documents")
    if not inputs.source(wanted.source).document_questions(inputs.raw(wanted.source), wanted.set):
        fix = f"check source {wanted.source!r}"
        raise CorpusError("the source has no questions", where=f"documents.{name}", fix=fix)
    versions = (DOCUMENTS_VERSION, BACKGROUND_VERSION, CLEANING_VERSION, SENTENCES_VERSION, COUNTING_VERSION)
    choices = (CHOICES_VERSION,) if wanted.choices else ()
    return Recipe(wanted.source, batches, (wanted.model_dump_json(), *versions, *choices))


def merged(sent: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Merge the batches into the collection, locate the evidence and add wrong options.

    Raises:
        CorpusError: no usable question.
    """
    inputs = inputs_of(sent)
    wanted = _params(inputs, sent["name"])
    raw = inputs.raw(wanted.source)
    questions = inputs.source(wanted.source).document_questions(raw, wanted.set)
    facts = provenance(inputs, wanted.source)
    built = build(sent["shards"], questions, wanted, inputs.tokenizers, store_of(folder), facts, _maker(inputs, wanted))
    return result(folder, built.report, _summary(built))


def _maker(inputs: Inputs, wanted: DocumentParams) -> Maker | None:
    """Return the maker of wrong options, with the replies, review sheet and published options of the source."""
    if wanted.choices is None:
        return None
    source = inputs.source(wanted.source)
    known = published(source.published) if isinstance(source, WithChoices) else {}
    replies = read_user_file(inputs, wanted.source, REPLIES, lambda path: read_replies(path, (CALL,)))
    return Maker(wanted.choices, replies, read_user_file(inputs, wanted.source, REVIEW, read_sheet), known)


def read_user_file(inputs: Inputs, source: str, name: str, read: Callable[[Path], T]) -> T | None:
    """Read the replies or the review sheet of a source, or return None without such a file; errors name the user's file."""
    copy = inputs.raw(source) / name
    if not copy.is_file():
        return None
    try:
        return read(copy)
    except HaymakerError as error:
        given = getattr(inputs.source(source), WithChoices.user_files[name])
        where = f"{given}{error.where.partition(name)[2]}"
        raise type(error)(error.what, where=where, fix=error.fix) from None


def batch(sent: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Build one shard: the documents of one batch that have questions or may serve as distractor documents."""
    inputs = inputs_of(sent)
    wanted = _params(inputs, sent["name"])
    source, raw = inputs.source(wanted.source), inputs.raw(wanted.source)
    doc_ids = _doc_ids(sent["params"], sent["data"], sent["state"], sent["name"])
    documents = source.read(raw, batch_of(sent))
    return build_batch((d for d in documents if d.doc_id in doc_ids), wanted.corpus, inputs.tokenizers, folder)


def _params(inputs: Inputs, name: str) -> DocumentParams:
    return parse(DocumentParams, inputs.params.documents[name], where=f"documents.{name}")


@cache
def _doc_ids(params: str, data: Path, state: str, name: str) -> frozenset[str]:
    """Return the ids of documents with questions in `set` or `distractor_sets`; read once per worker and source state."""
    inputs = inputs_of({"params": params, "data": data, "state": state})
    wanted = _params(inputs, name)
    source, raw = inputs.source(wanted.source), inputs.raw(wanted.source)
    sets = (wanted.set, *wanted.distractor_sets)
    return frozenset().union(*(source.document_ids(raw, name) for name in sets))


def _summary(built: Built) -> str:
    report = built.report
    known = ", ".join(f"{count:,} {status}" for status, count in report["evidence"].items()) or "none"
    text = (
        f"{report['documents']:,} documents, {report['tokens-0']:,} tokens, {len(built.questions):,} questions "
        f"(evidence: {known}); left out or noted: {_listed(report['questions_left_out']) or 'nothing'}"
    )
    made = {name: counts for name, counts in report.get("choices", {}).items() if counts and name != "version"}
    if made:
        counted = [f"{name.replace('_', ' ')}: {_listed(counts)}" for name, counts in made.items()]
        text += f"; options: {'; '.join(counted)}"
    if not built.questions:
        text += ". No question has enough options. Next: haymaker dev options requests (docs/reference/choices.md)"
    return text


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items())
