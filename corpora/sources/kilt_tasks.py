"""KILT tasks: Natural Questions, TriviaQA and HotpotQA with provenance in the KILT knowledge source.

HELMET asks KILT's dev questions and takes worked examples from train (docs/spec/helmet.md 5.1): dev is part "test" here, and
there is no part "dev". KILT's own test sets have no answers and are not used. TriviaQA's files hold ids alone; the questions
are joined from the `unfiltered.nocontext` files of the TriviaQA data set.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from corpora.sources.addressed import Addressed
from corpora.sources.base import FetchContext, RawFile, SourceInfo
from corpora.sources.formats.batches import Piece
from corpora.sources.formats.fields import answers, id_of, objects, text, text_of, value_of, whole_number
from corpora.sources.formats.lines import json_lines
from corpora.sources.formats.odd_records import OddRecordError, OddRecords
from corpora.sources.question_source import QuestionSource
from haymaker.core.errors import SourceError
from haymaker.core.rows.source_records import Evidence, Question, Split

_URL = "https://dl.fbaipublicfiles.com/KILT"
_TRIVIA = "mandarjoshi/trivia_qa"
_TRIVIA_FILES = ("unfiltered.nocontext/train-*.parquet", "unfiltered.nocontext/validation-*.parquet")
_FILES: dict[str, dict[Split, str]] = {
    "nq": {"test": "nq-dev-kilt.jsonl", "train": "nq-train-kilt.jsonl"},
    "triviaqa": {"test": "triviaqa-dev_id-kilt.jsonl", "train": "triviaqa-train_id-kilt.jsonl"},
    "hotpotqa": {"test": "hotpotqa-dev-kilt.jsonl", "train": "hotpotqa-train-kilt.jsonl"},
}
_BYTES = {"nq": 60_000_000, "triviaqa": 140_000_000, "hotpotqa": 55_000_000}
_JUDGEMENTS = frozenset({"yes", "no"})


class KiltTasks(QuestionSource, Addressed):
    """Options of kind `kilt_tasks`.

    Attributes:
        tasks: which of nq (dev 2,837, train 87,372), triviaqa (5,359, 61,844), hotpotqa (5,600, 88,869).
    """

    kind: ClassVar[str] = "kilt_tasks"
    info: ClassVar[SourceInfo] = SourceInfo(
        title="KILT tasks: Natural Questions, TriviaQA, HotpotQA",
        homepage="https://github.com/facebookresearch/KILT",
        licence="MIT (KILT); CC BY-SA 3.0 (NQ), Apache-2.0 (TriviaQA), CC BY-SA 4.0 (HotpotQA)",
        licences=("mit", "cc-by-sa-3.0", "apache-2.0", "cc-by-sa-4.0"),
        redistribution="with attribution, under the same licences",
        roles=("questions",),
        download_bytes=sum(_BYTES.values()),
        note="KILT's dev sets are part test, its train sets part train; TriviaQA's questions come from the Hub",
    )
    tasks: Annotated[tuple[Literal["nq", "triviaqa", "hotpotqa"], ...], Field(min_length=1)] = (
        "nq",
        "triviaqa",
        "hotpotqa",
    )

    def question_sets(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.tasks))

    def download_bytes(self) -> int:
        return sum(_BYTES[task] for task in self.question_sets())

    def files(self) -> list[RawFile]:
        return [RawFile(name, f"{_URL}/{name}") for task in self.question_sets() for name in _FILES[task].values()]

    def resolve(self, context: FetchContext) -> str | None:
        from corpora.sources.transport.hub import resolve_revision

        return resolve_revision(_TRIVIA, None, self.lock_key() or "", context) if "triviaqa" in self.tasks else None

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        from corpora.sources.transport.hub import list_files

        commit = self.resolve(context)
        return super().raw_files(context) + (list_files(_TRIVIA, commit, _TRIVIA_FILES) if commit else [])

    def load(self, raw: Path, name: str, part: Split) -> Iterator[Question]:
        file = _FILES[name].get(part)
        if file is None:
            return
        if not (raw / file).is_file():
            raise SourceError("is missing", where=f"source {self.name}: {file}", fix="fetch the source again")
        questions = trivia_questions(raw) if name == "triviaqa" else None
        odd = OddRecords(file)
        for number, record in json_lines(raw, Piece(file, 0, -1)):
            with odd:
                yield _question(record, f"{file}:{number}", name, part, questions)
        self.left_out_of(f"{name} {part}", odd)


def trivia_questions(raw: Path) -> dict[str, str]:
    """Id -> question of the TriviaQA files below `raw`.

    Raises:
        SourceError: no such file, or one without its columns.
    """
    from corpora.sources.formats.parquet import check_columns, parquet_batches, rows

    columns = ("question_id", "question")
    paths = sorted(path.relative_to(raw).as_posix() for path in raw.glob("unfiltered.nocontext/*.parquet"))
    if not paths:
        raise SourceError("TriviaQA's questions are missing", where=_TRIVIA_FILES[0], fix="fetch the source again")
    for path in paths:
        check_columns(raw, path, texts=columns)
    batches = parquet_batches(raw, paths, "question")
    return {key: question for b in batches for piece in b.pieces for _, (key, question) in rows(raw, piece, columns)}


def _question(record: dict[str, Any], where: str, task: str, part: Split, questions: dict[str, str] | None) -> Question:
    question_id = id_of(value_of(record, "id", where), "id", where)
    if questions is None:
        words = text(record, "input", where)
    elif question_id in questions:
        words = text(questions, question_id, where)
    else:
        raise OddRecordError(f"no question of id {question_id!r} in the TriviaQA files", where=where)
    outputs = objects(record, "output", where)
    accepted = answers((text(o, "answer", where) for o in outputs if o.get("answer")), where)
    evidence = tuple(dict.fromkeys(item for output in outputs for item in _evidence(output, where)))
    return Question(question_id, part, words, _kind(task, accepted), answers=accepted, evidence=evidence)


def _kind(task: str, accepted: tuple[str, ...]) -> str:
    """KILT keeps no type of HotpotQA's questions; yes and no answer comparisons alone, other comparisons count as bridges."""
    if task != "hotpotqa":
        return "single" if task == "nq" else "trivia"
    return "comparison" if {answer.lower() for answer in accepted} <= _JUDGEMENTS else "bridge"


def _evidence(output: dict[str, Any], where: str) -> Iterator[Evidence]:
    if output.get("provenance") is None:
        return
    for item in objects(output, "provenance", where):
        article = id_of(value_of(item, "wikipedia_id", where), "wikipedia_id", where)
        start = item.get("start_paragraph_id")
        paragraph = None if start is None else whole_number(start, "start_paragraph_id", where)
        yield Evidence(article_id=article, paragraph=paragraph, title=text_of(item.get("title") or "", "title", where))
