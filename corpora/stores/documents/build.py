"""Write documents with questions: the sentence store, evidence, and wrong options."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from corpora.stores.documents.evidence import prepare
from corpora.stores.documents.store import (
    DOCUMENTS_VERSION,
    QUESTIONS,
    DocumentParams,
    PreparedQuestion,
    write_questions,
)
from corpora.stores.sentences.build import merge
from corpora.stores.sentences.store import Background
from corpora.tokenizers.tokenizer import Tokenizer
from haymaker.core.errors import CorpusError
from haymaker.core.files.disk import sha256_file, write_json
from haymaker.core.rows.source_records import DocumentQuestion


class Chosen(NamedTuple):
    """Questions with wrong options (corpora/choices), in order, and counts with the version of the writer."""

    questions: list[PreparedQuestion]
    report: dict[str, Any]


Maker = Callable[[Background, Sequence[PreparedQuestion]], Chosen]


@dataclass(frozen=True, slots=True)
class Built:
    """A finished collection: the content of meta.json, and all its questions."""

    meta: dict[str, Any]
    questions: list[PreparedQuestion]

    @property
    def report(self) -> dict[str, Any]:
        """Counts of documents, questions by split and kind, evidence, and items left out."""
        kinds = Counter(f"{each.source.split} {each.source.kind}" for each in self.questions)
        evidence = Counter(each.evidence for each in self.questions)
        return {
            "documents": self.meta["documents"],
            **self.meta["totals"],
            "left_out": self.meta["dropped"],
            "questions": dict(sorted(kinds.items())),
            "evidence": dict(sorted(evidence.items())),
            "questions_left_out": self.meta["questions_left_out"],
            **({"choices": self.meta["choices"]} if "choices" in self.meta else {}),
        }


def build(
    batches: Sequence[tuple[Path, dict[str, Any]]],
    questions: Iterable[DocumentQuestion],
    params: DocumentParams,
    tokenizers: Sequence[Tokenizer],
    target: Path,
    provenance: dict[str, Any],
    maker: Maker | None = None,
) -> Built:
    """Write a collection.

    Args:
        batches: folder and result of corpora.stores.sentences.build.build_batch, in order.
        questions: of the source, in its order.
        params: of the collection.
        tokenizers: the same as in build_batch, the release tokenizer first.
        target: folder to write.
        provenance: SOURCE.json of the source.
        maker: writes wrong options (corpora/choices); None: questions stay unchanged.

    Raises:
        CorpusError: no sentence or question is left, or a question is in another split than its document.
    """
    meta = merge(batches, params.corpus, tokenizers, target, provenance)
    found, left_out = prepare(Background(target), questions, params.clean, params.fuzzy_match_threshold)
    made = maker(Background(target), found) if maker and found else Chosen(found, {})
    if not found:
        raise CorpusError(
            f"no question about {meta['documents']} documents can be used ({dict(left_out)})", where="these documents",
            fix=f"check set {params.set!r} of source {params.source!r}",
        )  # fmt: skip
    found = made.questions
    path = target / QUESTIONS
    write_questions(path, found)
    file = {"bytes": path.stat().st_size, "sha256": sha256_file(path)}
    meta |= {
        "params": params.model_dump(mode="json"),
        "questions_version": DOCUMENTS_VERSION,
        "questions": len(found),
        "questions_left_out": dict(sorted(left_out.items())),
        "files": meta["files"] | {QUESTIONS: file},
        **({"choices": made.report} if made.report else {}),
    }
    write_json(target / "meta.json", meta)
    return Built(meta, found)
