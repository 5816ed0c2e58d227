"""MS MARCO passages v1 and the TREC Deep Learning queries on them (docs/spec/helmet.md 3, 6).

The text keeps the wrong characters that the published file has.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from corpora.sources.addressed import Addressed, Mirrored
from corpora.sources.base import Batch, RawFile
from corpora.sources.formats.fields import whole_number
from corpora.sources.formats.lines import line_batches
from corpora.sources.formats.tsv import plain_file, plain_rows
from corpora.sources.question_source import QuestionSource, held_out
from haymaker.core.errors import SourceError
from haymaker.core.rows.source_records import Evidence, Passage, Question, Split

_COLLECTION = "unpacked/collection.tsv"
_TOP_GRADE = 3
_QUERIES = {year: f"msmarco-test20{year[2:]}-queries.tsv" for year in ("dl19", "dl20")}
_QRELS = {year: f"20{year[2:]}qrels-pass.txt" for year in _QUERIES}
_FIRST, _SLICE = "first100.tsv", "slice.tsv"


class MsMarcoPassages(Addressed):
    """Options of kind `msmarco_passages`, 8,841,823 passages without titles: `url`."""

    kind: ClassVar[str] = "msmarco_passages"

    def check(self, raw: Path) -> None:
        next(self.passages(raw, self.batches(raw)[0]), None)

    def batches(self, raw: Path) -> list[Batch]:
        return _collection_batches(raw, [_COLLECTION])

    def passages(self, raw: Path, batch: Batch) -> Iterator[Passage]:
        return collection(raw, batch)


class _Searches(QuestionSource):
    """Judged queries.

    Attributes:
        demos: number of queries of each set that are held out for worked examples (split train).
    """

    demos: Annotated[int, Field(ge=0)] = 5

    def searches(
        self, raw: Path, files: tuple[str, str], name: str, split: Split, known: Set[str] | None = None
    ) -> Iterator[Question]:
        """Queries of a set and split with their judged passages, in the order of the file of queries.

        `files` are the queries (qid, text) and the qrels (qid, Q0, pid, grade); judgements on passages that are not in
        `known` are left out.
        """
        judged = judgements(raw, files[1])
        queries = {qid: text for _, (qid, text) in plain_file(raw, files[0], 2)}
        if missing := judged.keys() - queries.keys():
            raise SourceError(f"judged query {min(missing)} has no text", where=files[0], fix="fetch the source again")
        demos = held_out(sorted(judged), self.demos, name)
        for qid, text in queries.items():
            grades = judged.get(qid, {})
            if grades and split == ("train" if qid in demos else "test"):
                kept = (item for item in grades.items() if known is None or item[0] in known)
                evidence = tuple(Evidence(passage_id=pid, grade=grade) for pid, grade in kept)
                yield Question(qid, split, text.strip(), "search", evidence=evidence)


class TrecDl(_Searches, Addressed):
    """Options of kind `trec_dl`, the judged queries of 2019 and 2020.

    Attributes:
        years: sets to read: dl19 (43 judged queries), dl20 (54).
    """

    kind: ClassVar[str] = "trec_dl"
    years: Annotated[tuple[Literal["dl19", "dl20"], ...], Field(min_length=1)] = ("dl19", "dl20")

    def question_sets(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.years))

    def files(self) -> list[RawFile]:
        known = {file.path: file for file in super().files()}
        names = [table[year] for table in (_QUERIES, _QRELS) for year in self.question_sets()]
        return [known.get(f"{name}.gz") or known[name] for name in names]

    def load(self, raw: Path, name: str, split: Split) -> Iterator[Question]:
        return self.searches(raw, (_QUERIES[name], _QRELS[name]), name, split)


class MsMarcoMirror(Mirrored, _Searches):
    """Options of kind `msmarco_mirror`, passages of grade 1 to 3 for the 2019 queries, with their real grades: `demos`."""

    kind: ClassVar[str] = "msmarco_mirror"
    sets: ClassVar[tuple[str, ...]] = ("dl19",)

    def batches(self, raw: Path) -> list[Batch]:
        return _collection_batches(raw, [_FIRST, _SLICE])

    def passages(self, raw: Path, batch: Batch) -> Iterator[Passage]:
        first, rest = ({pid for _, (pid, _) in plain_file(raw, path, 2)} for path in (_FIRST, _SLICE))
        for piece in batch.pieces:
            found = collection(raw, Batch(batch.index, (piece,)))
            yield from (each for each in found if piece.path == _SLICE or each.passage_id not in first & rest)

    def load(self, raw: Path, name: str, split: Split) -> Iterator[Question]:
        known = {passage.passage_id for batch in self.batches(raw) for passage in self.passages(raw, batch)}
        return self.searches(raw, ("queries.tsv", "qrels.txt"), name, split, known)


def collection(raw: Path, batch: Batch) -> Iterator[Passage]:
    """Passages of a batch of lines "pid, tab, text"; nothing is quoted."""
    for piece in batch.pieces:
        for where, (pid, text) in plain_rows(raw, piece, 2):
            yield Passage(str(whole_number(pid, "pid", where)), "", "", "", text.strip())


def judgements(raw: Path, path: str) -> dict[str, dict[str, int]]:
    """Query -> passage -> grade of a qrels file (qid, Q0, pid, grade).

    Raises:
        SourceError: a line of another shape, a grade above 3, a passage judged twice, or no judgement.
    """
    found: dict[str, dict[str, int]] = {}
    for where, (qid, _, pid, shown) in plain_file(raw, path, 4, separator=None):
        grade = whole_number(shown, "grade", where)
        grades = found.setdefault(qid, {})
        if grade > _TOP_GRADE or pid in grades:
            problem = f"passage {pid} is judged twice" if pid in grades else f"grade {grade} is above {_TOP_GRADE}"
            raise SourceError(problem, where=where, fix="fetch the source again")
        grades[pid] = grade
    if not found:
        raise SourceError("contains no judgement", where=path, fix="fetch the source again")
    return found


def _collection_batches(raw: Path, paths: list[str]) -> list[Batch]:
    found = line_batches(raw, paths)
    if not found:
        raise SourceError("contains no passage", where=paths[0], fix="fetch the source again")
    return found
