"""MS MARCO passages v1 and the TREC Deep Learning queries on them (docs/spec/helmet.md 3, 6).

Kinds `msmarco_passages` (8,841,823 passages without titles), `trec_dl` (judged queries of 2019 and 2020) and `msmarco_mirror`
(the passages of grade 1 to 3 for the 2019 queries). The text keeps the wrong characters that the published file has.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from corpora.sources.addressed import Addressed
from corpora.sources.base import Batch, FetchContext, RawFile, SourceInfo
from corpora.sources.formats.fields import whole_number
from corpora.sources.formats.lines import line_batches
from corpora.sources.formats.tsv import plain_file, plain_rows
from corpora.sources.question_source import QuestionSource, held_out
from haymaker.core.errors import SourceError
from haymaker.core.rows.source_records import Evidence, Passage, Question, Split

_HOST = "https://msmarco.z22.web.core.windows.net/msmarcoranking"
_NIST = "https://trec.nist.gov/data/deep"
_COLLECTION = "unpacked/collection.tsv"
_TERMS = "MS MARCO terms: research, no commercial use"
_TOP_GRADE = 3
_FIRST, _SLICE = "first100.tsv", "slice.tsv"

_QUERIES = {"dl19": "msmarco-test2019-queries.tsv", "dl20": "msmarco-test2020-queries.tsv"}
_RUNS = {"dl19": "msmarco-passagetest2019-top1000.tsv", "dl20": "msmarco-passagetest2020-top1000.tsv"}
_QRELS = {"dl19": "2019qrels-pass.txt", "dl20": "2020qrels-pass.txt"}
_QRELS_KNOWN = {
    "dl19": (187_092, "8a1f10d550732e4cd91d7fc49846a3784de4040972f583e69285a88f3c5fee92"),
    "dl20": (218_617, "60d4c34561f9687f8f73e0a752ba80ab80159b3e9c1bedd0a351f747ed6f5684"),
}
_MD5 = {
    "msmarco-test2019-queries.tsv": "eda71eccbe4d251af83150abe065368c",
    "msmarco-test2020-queries.tsv": "00a406fb0d14ed3752d70d1e4eb98600",
    "msmarco-passagetest2019-top1000.tsv": "ec9e012746aa9763c7ff10b3336a3ce1",
    "msmarco-passagetest2020-top1000.tsv": "aa6fbc51d66bd1dc745964c0e140a727",
}


def _info(title: str, roles: tuple[str, ...], size: int, note: str, passages: int = 0) -> SourceInfo:
    return SourceInfo(
        title=title,
        homepage="https://microsoft.github.io/msmarco",
        licence=_TERMS,
        licences=("research",),
        roles=roles,
        download_bytes=size,
        note=note,
        passages=passages,
    )


class MsMarcoPassages(Addressed):
    """Options of kind `msmarco_passages`: `url`."""

    kind: ClassVar[str] = "msmarco_passages"
    info: ClassVar[SourceInfo] = _info(
        "MS MARCO passages v1", ("passages",), 1_057_717_952, "unpacks to about 3 GB", 8_841_823
    )

    def files(self) -> list[RawFile]:
        name = "collectionandqueries.tar.gz"
        return [RawFile(name, f"{_HOST}/{name}", 1_057_717_952, md5="31644046b18952c1386cd4564ba2ae69")]

    def check(self, raw: Path) -> None:
        next(self.passages(raw, self.batches(raw)[0]), None)

    def batches(self, raw: Path) -> list[Batch]:
        return _collection_batches(raw, [_COLLECTION])

    def passages(self, raw: Path, batch: Batch) -> Iterator[Passage]:
        return collection(raw, batch)


class _Searches(QuestionSource):
    """Judged queries.

    Attributes:
        demos: queries of each set held out for worked examples (part train).
    """

    demos: Annotated[int, Field(ge=0)] = 5

    def searches(
        self, raw: Path, files: tuple[str, str], name: str, part: Split, known: Set[str] | None = None
    ) -> Iterator[Question]:
        """Queries of a part with their judged passages, in the order of the queries' file.

        Args:
            raw: the source's folder.
            files: queries (qid, text) and qrels (qid, Q0, pid, grade).
            name: the set.
            part: test or train.
            known: passages that exist; judgements on others are left out. None: all.
        """
        judged = judgements(raw, files[1])
        queries = {qid: text for _, (qid, text) in plain_file(raw, files[0], 2)}
        missing = judged.keys() - queries.keys()
        if missing:
            raise SourceError(f"judged query {min(missing)} has no text", where=files[0], fix="fetch the source again")
        demos = held_out(sorted(judged), self.demos, name)
        for qid, text in queries.items():
            grades = judged.get(qid, {})
            if grades and part == ("train" if qid in demos else "test"):
                kept = (item for item in grades.items() if known is None or item[0] in known)
                evidence = tuple(Evidence(passage_id=pid, grade=grade) for pid, grade in kept)
                yield Question(qid, part, text.strip(), "search", evidence=evidence)


class TrecDl(_Searches, Addressed):
    """Options of kind `trec_dl`.

    Attributes:
        years: which of dl19 (43 judged queries) and dl20 (54).
        runs: fetch the organisers' first-stage results too (1,000 passages a query; `run` reads them).
    """

    kind: ClassVar[str] = "trec_dl"
    info: ClassVar[SourceInfo] = _info(
        "TREC Deep Learning 2019 and 2020, passage ranking: judged queries",
        ("questions",),
        420_000,
        "grades 0 to 3; qrels by NIST, public",
    )
    years: Annotated[tuple[Literal["dl19", "dl20"], ...], Field(min_length=1)] = ("dl19", "dl20")
    runs: bool = False

    def question_sets(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.years))

    def download_bytes(self) -> int:
        return self.info.download_bytes + (53_000_000 if self.runs else 0)

    def files(self) -> list[RawFile]:
        packed = [_QUERIES[year] for year in self.question_sets()]
        packed += [_RUNS[year] for year in self.question_sets() if self.runs]
        found = [RawFile(f"{name}.gz", f"{_HOST}/{name}.gz", md5=_MD5[name]) for name in packed]
        for year in self.question_sets():
            found.append(RawFile(_QRELS[year], f"{_NIST}/{_QRELS[year]}", *_QRELS_KNOWN[year]))
        return found

    def load(self, raw: Path, name: str, part: Split) -> Iterator[Question]:
        return self.searches(raw, (_QUERIES[name], _QRELS[name]), name, part)

    def run(self, raw: Path, name: str) -> dict[str, list[str]]:
        """Query -> passages of the organisers' result, in file order (their scores were not published).

        Raises:
            SourceError: it was not fetched, or is damaged.
        """
        found: dict[str, list[str]] = {}
        for _, (qid, pid, _, _) in plain_file(raw, _RUNS[name], 4):
            found.setdefault(qid, []).append(pid)
        return found


class MsMarcoMirror(_Searches):
    """Options of kind `msmarco_mirror`: `demos`. Gives passages and the judged queries of 2019 with their real grades."""

    kind: ClassVar[str] = "msmarco_mirror"
    info: ClassVar[SourceInfo] = _info(
        "MS MARCO passages (mirror slice: judged of TREC DL 2019)",
        ("passages", "questions"),
        728_588,
        "passages of grade 1 to 3 and the first 100 of the collection; of grade 0 there is one",
        4_202,
    )
    sets: ClassVar[tuple[str, ...]] = ("dl19",)

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        return [
            RawFile(_FIRST, "mirror:msmarco/collection_first100.tsv"),
            RawFile(f"{_SLICE}.gz", "mirror:msmarco/dl19_slice/collection.tsv.gz"),
            RawFile("queries.tsv", "mirror:msmarco/trec/topics.dl19-passage.txt"),
            RawFile("qrels.txt", "mirror:msmarco/trec/qrels.dl19-passage.txt"),
        ]

    def batches(self, raw: Path) -> list[Batch]:
        return _collection_batches(raw, [_FIRST, _SLICE])

    def passages(self, raw: Path, batch: Batch) -> Iterator[Passage]:
        both = {pid for _, (pid, _) in plain_file(raw, _FIRST, 2)} & {pid for _, (pid, _) in plain_file(raw, _SLICE, 2)}
        for piece in batch.pieces:
            found = collection(raw, Batch(batch.index, (piece,)))
            yield from (each for each in found if piece.path == _SLICE or each.passage_id not in both)

    def load(self, raw: Path, name: str, part: Split) -> Iterator[Question]:
        known = {passage.passage_id for batch in self.batches(raw) for passage in self.passages(raw, batch)}
        return self.searches(raw, ("queries.tsv", "qrels.txt"), name, part, known)


def collection(raw: Path, batch: Batch) -> Iterator[Passage]:
    """Passages of a batch of lines "pid, tab, text"; nothing is quoted.

    Raises:
        SourceError: a line of another shape.
    """
    for piece in batch.pieces:
        for where, (pid, text) in plain_rows(raw, piece, 2):
            yield Passage(str(whole_number(pid, "pid", where)), "", "", "", text.strip())


def judgements(raw: Path, path: str) -> dict[str, dict[str, int]]:
    """Query -> passage -> grade of a qrels file (qid, Q0, pid, grade).

    Raises:
        SourceError: a line of another shape, a grade above 3, or a passage judged twice.
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
        raise SourceError("holds no judgement", where=path, fix="fetch the source again")
    return found


def _collection_batches(raw: Path, paths: list[str]) -> list[Batch]:
    for path in paths:
        if not (raw / path).is_file():
            raise SourceError("is missing", where=path, fix="fetch the source again")
    found = line_batches(raw, paths)
    if not found:
        raise SourceError("holds no passage", where=paths[0], fix="fetch the source again")
    return found
