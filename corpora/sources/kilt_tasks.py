"""Natural Questions, TriviaQA and HotpotQA with provenance in the KILT knowledge source, and their places in the mirror.

HELMET asks KILT's dev questions and takes worked examples from train (docs/spec/helmet.md 5.1): dev is split "test" here, and
there is no split "dev". KILT's own test sets have no answers and are not used. TriviaQA's files hold only ids; the questions
are joined from the `unfiltered.nocontext` files of the TriviaQA data set. The mirror has Natural Questions with their gold
passage and TriviaQA without (docs/spec/helmet.md 5).
"""

from __future__ import annotations

import ast
import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from corpora.sources.addressed import Addressed, Mirrored
from corpora.sources.base import FetchContext, RawFile
from corpora.sources.formats.fields import answers, id_of, objects, text, text_of, texts, value_of, whole_number
from corpora.sources.formats.lines import json_file
from corpora.sources.formats.odd_records import OddRecordError
from corpora.sources.formats.parquet import check_columns, parquet_batches, rows
from corpora.sources.formats.tsv import plain_file
from corpora.sources.question_source import Placed, QuestionSource, Shared
from corpora.sources.transport.hub import list_files, resolve_revision
from corpora.sources.wikipedia import slice_pieces
from haymaker.core.errors import SourceError
from haymaker.core.rows.source_records import Evidence, Question, Split
from haymaker.core.text.strings import filter_aliases, holds, padded

_URL = "https://dl.fbaipublicfiles.com/KILT"
_TRIVIA = "mandarjoshi/trivia_qa"
_TRIVIA_FILES = ("unfiltered.nocontext/train-*.parquet", "unfiltered.nocontext/validation-*.parquet")
_FILES: dict[str, dict[Split, str]] = {
    "nq": {"test": "nq-dev-kilt.jsonl", "train": "nq-train-kilt.jsonl"},
    "triviaqa": {"test": "triviaqa-dev_id-kilt.jsonl", "train": "triviaqa-train_id-kilt.jsonl"},
    "hotpotqa": {"test": "hotpotqa-dev-kilt.jsonl", "train": "hotpotqa-train-kilt.jsonl"},
}
_BYTES = {"nq": 60_000_000, "triviaqa": 140_000_000, "hotpotqa": 55_000_000}
_NQ = "nq-open-oracle.jsonl"
TRIVIA = "topics.dpr.trivia.dev.txt"
Task = Literal["nq", "triviaqa", "hotpotqa"]


class KiltTasks(QuestionSource, Addressed):
    """Options of kind `kilt_tasks`.

    Attributes:
        tasks: sets to read: nq (dev 2,837, train 87,372), triviaqa (5,359, 61,844), hotpotqa (5,600, 88,869).
    """

    kind: ClassVar[str] = "kilt_tasks"
    version: ClassVar[int] = 2
    tasks: Annotated[tuple[Task, ...], Field(min_length=1)] = ("nq", "triviaqa", "hotpotqa")

    def question_sets(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.tasks))

    def download_bytes(self) -> int:
        return sum(_BYTES[task] for task in self.question_sets())

    def files(self) -> list[RawFile]:
        return [RawFile(name, f"{_URL}/{name}") for task in self.question_sets() for name in _FILES[task].values()]

    def resolve(self, context: FetchContext) -> str | None:
        return resolve_revision(_TRIVIA, None, self.lock_key() or "", context) if "triviaqa" in self.tasks else None

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        commit = self.resolve(context)
        return super().raw_files(context) + (list_files(_TRIVIA, commit, _TRIVIA_FILES) if commit else [])

    def load(self, raw: Path, name: str, split: Split) -> Iterator[Question]:
        file = _FILES[name].get(split)
        if file is None:
            return iter(())
        questions = trivia_questions(raw) if name == "triviaqa" else None

        return self.sound(
            f"{name} {split}", json_file(raw, file), lambda each: _question(*each, name, split, questions)
        )


def trivia_questions(raw: Path) -> dict[str, str]:
    """Id -> question of the TriviaQA files below `raw`."""
    columns = ("question_id", "question")
    paths = sorted(path.relative_to(raw).as_posix() for path in raw.glob("unfiltered.nocontext/*.parquet"))
    if not paths:
        raise SourceError("TriviaQA's questions are missing", where=_TRIVIA_FILES[0], fix="fetch the source again")
    for path in paths:
        check_columns(raw, path, texts=columns)
    batches = parquet_batches(raw, paths, "question")
    return {key: question for b in batches for piece in b.pieces for _, (key, question) in rows(raw, piece, columns)}


def _question(
    where: str, record: dict[str, Any], task: str, split: Split, questions: dict[str, str] | None
) -> Question:
    question_id = id_of(value_of(record, "id", where), "id", where)
    if questions is not None and question_id not in questions:
        raise OddRecordError(f"no question of id {question_id!r} in the TriviaQA files", where=where)
    words = text(record, "input", where) if questions is None else text(questions, question_id, where)
    outputs = objects(record, "output", where)
    accepted = answers((text(o, "answer", where) for o in outputs if o.get("answer")), where)
    evidence = tuple(dict.fromkeys(item for output in outputs for item in _evidence(output, where)))
    return Question(question_id, split, words, _kind(task, accepted), answers=accepted, evidence=evidence)


def _kind(task: str, accepted: tuple[str, ...]) -> str:
    """KILT keeps no type of HotpotQA's questions: those answered by yes or no are comparisons, all others bridges."""
    if task != "hotpotqa":
        return "single" if task == "nq" else "trivia"
    return "comparison" if {answer.lower() for answer in accepted} <= {"yes", "no"} else "bridge"


def _evidence(output: dict[str, Any], where: str) -> Iterator[Evidence]:
    if output.get("provenance") is None:
        return
    for item in objects(output, "provenance", where):
        article = id_of(value_of(item, "wikipedia_id", where), "wikipedia_id", where)
        start = item.get("start_paragraph_id")
        paragraph = None if start is None else whole_number(start, "start_paragraph_id", where)
        yield Evidence(article_id=article, paragraph=paragraph, title=text_of(item.get("title") or "", "title", where))


class NqMirror(Mirrored, Shared):
    """Options of kind `nq_mirror`: `splits`."""

    kind: ClassVar[str] = "nq_mirror"
    version: ClassVar[int] = 2
    sets: ClassVar[tuple[str, ...]] = ("nq",)

    def raw_records(self, raw: Path, name: str) -> Iterator[Placed]:
        for where, record in json_file(raw, _NQ):
            yield where, {**record, "id": where.rpartition(":")[2].zfill(5)}

    def question(self, record: dict[str, Any], where: str, split: Split) -> Question:
        accepted = answers(texts(record, "answers", where), where)
        evidence = tuple(
            Evidence(title=text(item, "title", where).replace("_", " "), text=piece)
            for item in objects(record, "ctxs", where)
            if item.get("isgold")
            for piece in pieces_with_answer(text(item, "text", where), accepted)
        )
        asked = text(record, "question", where)
        return Question(record["id"], split, asked, "single", answers=accepted, evidence=evidence)


class TriviaQaMirror(Mirrored, Shared):
    """Options of kind `triviaqa_mirror`: `splits`."""

    kind: ClassVar[str] = "triviaqa_mirror"
    sets: ClassVar[tuple[str, ...]] = ("triviaqa",)

    def raw_records(self, raw: Path, name: str) -> Iterator[Placed]:
        for number, (where, (question, listed)) in enumerate(plain_file(raw, TRIVIA, 2), 1):
            yield where, {"id": f"{number:05d}", "question": question, "answers": listed}

    def question(self, record: dict[str, Any], where: str, split: Split) -> Question:
        accepted = answers(_python_list(record["answers"], where), where)
        return Question(record["id"], split, unquoted(record["question"]), "trivia", answers=accepted)


def trivia_answers(raw: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Questions as the file of TriviaQA has them, with all their accepted answers."""
    for where, (question, listed) in plain_file(raw, TRIVIA, 2):
        yield question, answers(_python_list(listed, where), where)


def pieces_with_answer(paragraph: str, accepted: tuple[str, ...]) -> list[str]:
    """The passages of a paragraph that hold an answer, or all if none does (an answer cut in two, or one character)."""
    pieces, aliases = slice_pieces(paragraph), filter_aliases(accepted)
    return [piece for piece in pieces if holds(padded(piece), aliases)] or pieces


def unquoted(cell: str) -> str:
    """A question or answer without csv quotes; cells with quotation marks went through csv twice."""
    bare = cell.strip()
    while len(bare) > 1 and bare[0] == bare[-1] == '"' and '"' not in bare[1:-1].replace('""', ""):
        bare = bare[1:-1].replace('""', '"').strip()
    return bare


def _python_list(listed: str, where: str) -> list[str]:
    """A list of texts as Python writes it, inside csv quotes if it holds double quotes."""
    try:
        (cell,) = next(csv.reader([listed], delimiter="\t"))
        found = ast.literal_eval(cell)
    except (ValueError, SyntaxError, csv.Error, RecursionError, MemoryError, StopIteration) as error:
        raise SourceError(f"expected a list of answers: {error}", where=where, fix="fix that line") from None
    return texts({"answers": found}, "answers", where)
