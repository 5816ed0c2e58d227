"""Stage documents: clean, split and count the documents of one collection, and find the evidence of what is asked of them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from corpora.choices.llm import CALL
from corpora.choices.make import CHOICES_VERSION, Maker
from corpora.choices.review import read_sheet
from corpora.sources.document_source import REPLIES, REVIEW
from corpora.stores.documents.build import Built, build
from corpora.stores.documents.store import DOCUMENTS_VERSION, DocumentParams
from corpora.stores.sentences.build import build_batch
from corpora.stores.sentences.clean import CLEANING_VERSION
from corpora.stores.sentences.split import SENTENCES_VERSION
from corpora.stores.sentences.store import BACKGROUND_VERSION
from corpora.tokenizers.tokenizer import COUNTING_VERSION
from generators.inputs import Inputs, Use
from haymaker.errors import CorpusError
from haymaker.exchange import read_replies
from haymaker.files import write_json
from haymaker.params import parse
from pipelines.integrity import demand_inputs
from pipelines.progress import say
from pipelines.project import Project
from pipelines.stages.batching import batch_of, build_store
from pipelines.workers import inputs_of


def run(project: Project, name: str) -> None:
    """Build data/documents/<name>/ from its source.

    Raises:
        CorpusError: the source has no documents or no questions, or none that can be used.
    """
    inputs, wanted = project.inputs, _params(project.inputs, name)
    demand_inputs(project, [Use("sources", wanted.source)])
    source, raw = inputs.source(wanted.source), inputs.raw(wanted.source)
    questions, batches = source.document_questions(raw, wanted.set), source.batches(raw)
    if not batches or not questions:
        raise CorpusError(
            f"the source has no {'questions' if batches else 'documents'}", where=f"documents.{name}",
            fix=f"look at source {wanted.source!r}",
        )  # fmt: skip
    maker = _maker(wanted, raw)
    versions: tuple[int, ...] = (
        DOCUMENTS_VERSION,
        BACKGROUND_VERSION,
        CLEANING_VERSION,
        SENTENCES_VERSION,
        COUNTING_VERSION,
    )
    if wanted.choices:
        versions += (CHOICES_VERSION,)
    built = build_store(
        project, "documents", name, wanted.source, batches, project.data / "documents" / name,
        (wanted.model_dump_json(), *versions),
        lambda shards, folder, provenance: build(shards, questions, wanted, inputs.tokenizers, folder, provenance, maker),
        mark=inputs.source_digest(wanted.source),
    )  # fmt: skip
    write_json(project.counts / f"documents-{name}.json", built.report)
    _report(built)


def _maker(wanted: DocumentParams, raw: Path) -> Maker | None:
    """Who gives questions wrong options, with the replies and the review that the source has."""
    if wanted.choices is None:
        return None
    replies = read_replies(raw / REPLIES, (CALL,)) if (raw / REPLIES).is_file() else None
    review = read_sheet(raw / REVIEW) if (raw / REVIEW).is_file() else None
    return Maker(wanted.choices, replies, review)


def batch(sent: dict[str, Any], folder: Path) -> dict[str, Any]:
    """One shard: those documents of one batch that something is asked of, or that may stand around these."""
    inputs = inputs_of(sent)
    wanted = _params(inputs, sent["name"])
    source, raw = inputs.source(wanted.source), inputs.raw(wanted.source)
    doc_ids = _doc_ids(sent["params"], sent["data"], sent["mark"], sent["name"])
    documents = source.read(raw, batch_of(sent))
    return build_batch((d for d in documents if d.doc_id in doc_ids), wanted.corpus, inputs.tokenizers, folder)


def _params(inputs: Inputs, name: str) -> DocumentParams:
    return parse(DocumentParams, inputs.params.documents[name], where=f"documents.{name}")


@cache
def _doc_ids(params: str, data: Path, mark: str, name: str) -> frozenset[str]:
    """Documents that something is asked of, in any set that is named; read once per worker and state of the source."""
    inputs = inputs_of({"params": params, "data": data, "state": mark})
    wanted = _params(inputs, name)
    source, raw = inputs.source(wanted.source), inputs.raw(wanted.source)
    sets = (wanted.set, *wanted.around)
    return frozenset(question.doc_id for name in sets for question in source.document_questions(raw, name))


def _report(built: Built) -> None:
    report = built.report
    known = ", ".join(f"{count:,} {status}" for status, count in report["evidence"].items())
    noted = ", ".join(f"{reason} {count:,}" for reason, count in report["questions_left_out"].items()) or "nothing"
    say(
        f"  {report['documents']:,} documents, {report['tokens-0']:,} tokens, {len(built.questions):,} questions "
        f"(evidence: {known}); left out or noted: {noted}"
    )
    if made := report.get("choices"):
        told = [f"{what.replace('_', ' ')}: {_listed(made[what])}" for what in _CHOICE_COUNTS if made[what]]
        say(f"  options: {'; '.join(told) or 'no question was given any'}")


_CHOICE_COUNTS = ("writers", "left_out", "removed", "replies", "review")


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items())
