"""Building a collection of documents with questions: one sentence store of finished batches, and the questions beside it."""

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
    """What became of questions that were to be given wrong options (corpora/choices).

    Attributes:
        questions: what can be asked, in order.
        report: counts, and the version of what made them.
    """

    questions: list[PreparedQuestion]
    report: dict[str, Any]


Maker = Callable[[Background, Sequence[PreparedQuestion]], Chosen]


@dataclass(frozen=True, slots=True)
class Built:
    """What became of a collection.

    Attributes:
        meta: as in meta.json.
        questions: everything that can be asked.
    """

    meta: dict[str, Any]
    questions: list[PreparedQuestion]

    @property
    def report(self) -> dict[str, Any]:
        """Counts: documents and what cleaning left out of them, questions by part and kind, how far evidence is known, what was left out or noted."""
        kinds = Counter(f"{each.source.part} {each.source.kind}" for each in self.questions)
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
        provenance: what meta.json says of the source.
        maker: gives questions wrong options (corpora/choices); None: they stay as they are.

    Raises:
        CorpusError: no sentence is left, nothing can be asked, or something is asked in another part than its document's.
    """
    meta = merge(batches, params.corpus, tokenizers, target, provenance)
    found, left_out = prepare(Background(target), questions, params.clean, params.fuzzy)
    made = maker(Background(target), found) if maker and found else Chosen(found, {})
    if not found:
        raise CorpusError(
            f"no question about {meta['documents']} documents can be used ({dict(left_out)})", where="these documents",
            fix=f"look at set {params.set!r} of source {params.source!r}",
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
