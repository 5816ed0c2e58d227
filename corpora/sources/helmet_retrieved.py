"""HELMET's released retrieval results: questions with their gold and about a thousand retrieved passages each (docs/spec/helmet.md 2, 4 to 7).

Kind `helmet_retrieved`. HELMET's users do not search 36 million passages: its organisers did, and published what they found. The archive (11.3 GB, 34 GB
unpacked) is read as it streams by; of each list the longest file is taken, once per question, and every passage once. What stays are questions with the
ids of their passages, and the passages: a few GB.

Differs from the reference: gold is what the lists name as positive (KILT's provenance); a question of PopQA has gold where a passage of its
subject's article states its relation, one of ASQA where a passage of the article that ASQA names says a short answer; QAMPARI names no article and is
not built (docs/reference/gold.md). Depths and orders are ours, drawn anew.
"""

from __future__ import annotations

import json
import re
import tarfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import IO, Any, ClassVar

from corpora.sources.addressed import OnHub
from corpora.sources.alce import asqa
from corpora.sources.base import Batch, SourceInfo
from corpora.sources.formats.batches import Piece
from corpora.sources.formats.bounded import bounded_lines
from corpora.sources.formats.fields import answers, id_of, objects, text, texts, value_of, whole
from corpora.sources.formats.lines import json_lines, line_batches
from corpora.sources.question_source import Shared
from haymaker.errors import SourceError
from haymaker.files import disk_errors
from haymaker.records import Evidence, Passage, Question, Split
from haymaker.rng import digest

_LINE_MB = 64
_PASSAGES = "passages.jsonl"
_ASQA = "alce/asqa_eval_gtr_top2000.json"
_RERANK = "msmarco/test_reranking_data_k1000_dep3.jsonl"
_LISTS: dict[str, tuple[str, Split]] = {
    "kilt/nq-dev-multikilt_1000_k1000_dep6.jsonl": ("nq", "test"),
    "kilt/nq-train-multikilt_1000_k3_dep6.jsonl": ("nq", "train"),
    "kilt/triviaqa-dev-multikilt_1000_k1000_dep6.jsonl": ("triviaqa", "test"),
    "kilt/triviaqa-train-multikilt_1000_k3_dep6.jsonl": ("triviaqa", "train"),
    "kilt/hotpotqa-dev-multikilt_1000_k1000_dep3.jsonl": ("hotpotqa", "test"),
    "kilt/hotpotqa-train-multikilt_1000_k3_dep3.jsonl": ("hotpotqa", "train"),
    "kilt/popqa_test_1000_k1000_dep6.jsonl": ("popqa", "test"),
    _RERANK: ("dl19", "test"),
}
KEY_POINTS = ("infbench/longbook_sum_eng_keypoints.jsonl", "multi_lexsum/multi_lexsum_val.jsonl")
_KINDS = {"nq": "single", "triviaqa": "trivia", "hotpotqa": "bridge", "popqa": "longtail", "dl19": "search"}
_SHARED = ("popqa", "dl19", "asqa")  # published as one part: worked examples come from a share of it
_RELATIONS = (
    (re.compile(r"What is (.+)'s occupation\?"), "occupation"),
    (re.compile(r"In what city was (.+) born\?"), "place of birth"),
)
_OTHER = "is this princeton-nlp/HELMET's data.tar.gz? data_v2.tar.gz has other contents"


class HelmetRetrieved(Shared, OnHub):
    """Options of kind `helmet_retrieved`: `parts` (of popqa, dl19 and asqa), `revision`, `url`."""

    kind: ClassVar[str] = "helmet_retrieved"
    info: ClassVar[SourceInfo] = SourceInfo(
        title="HELMET: released retrieval results",
        homepage="https://github.com/princeton-nlp/HELMET",
        licence="not stated by the archive; passages of Wikipedia CC BY-SA 3.0, MS MARCO for non-commercial research",
        licences=("unstated", "cc-by-sa-3.0", "research"),
        redistribution=False,
        edition="real",
        roles=("passages", "questions"),
        languages=("en",),
        download_bytes=11_300_000_000,
        note="gold of its lists, dense retrieval by its organisers (gte-large; GTR for ASQA); about 45 GB of disk while it is read, 4 GB after",
        passages=3_500_000,
    )
    repo: ClassVar[str] = "princeton-nlp/HELMET"
    names: ClassVar[tuple[str, ...]] = ("data.tar.gz",)
    sets: ClassVar[tuple[str, ...]] = ("nq", "triviaqa", "hotpotqa", "popqa", "dl19", "asqa")

    def open_up(self, path: Path) -> None:
        """Read the archive as it streams by, keep what is asked, and remove it."""
        with disk_errors(path):
            _Reading(path.parent).read(path)
        path.unlink()

    def batches(self, raw: Path) -> list[Batch]:
        return line_batches(raw, [_PASSAGES])

    def passages(self, raw: Path, batch: Batch) -> Iterator[Passage]:
        for piece in batch.pieces:
            for number, record in json_lines(raw, piece):
                where = f"{_PASSAGES}:{number}"
                yield Passage(text(record, "id", where), "", _title(record), "", text(record, "text", where))

    def load(self, raw: Path, name: str, part: Split) -> Iterator[Question]:
        path = f"{name}.jsonl"
        for number, record in json_lines(raw, Piece(path, 0, -1), _LINE_MB):
            where = f"{path}:{number}"
            question = text(record, "question", where)
            mine = self.part_of(question) if name in _SHARED else record.get("part")
            if mine == part:
                yield _asqa(record, where, part) if name == "asqa" else _question(record, name, where, part)


class _Reading:
    """One pass over the archive."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._seen: set[str] = set()

    def read(self, archive: Path) -> None:
        """Write `<set>.jsonl` for every set, the passages, and the key points of summaries.

        Raises:
            SourceError: damaged, a member is missing, or a line is not what it must be.
        """
        wanted: dict[str, Callable[[str, IO[bytes]], None]] = {
            **dict.fromkeys(_LISTS, self._list), _ASQA: self._asqa, **dict.fromkeys(KEY_POINTS, self._copy)
        }  # fmt: skip
        with ExitStack() as stack:
            self._passages = stack.enter_context((self._folder / _PASSAGES).open("w", encoding="utf-8"))
            names = {name for name, _ in _LISTS.values()} | {"asqa"}
            self._out = {
                n: stack.enter_context((self._folder / f"{n}.jsonl").open("w", encoding="utf-8")) for n in names
            }
            try:
                with tarfile.open(archive, "r|gz") as packed:
                    for member in packed:
                        name = "/".join(PurePosixPath(member.name).parts[-2:])
                        source = packed.extractfile(member) if member.isfile() else None
                        if source is not None and (take := wanted.pop(name, None)):
                            take(name, source)
            except (tarfile.TarError, EOFError, OSError) as error:
                raise SourceError(f"damaged or cut short ({error})", where=archive.name, fix="run again") from None
        missing = [name for name in wanted if name not in KEY_POINTS]
        if missing:
            raise SourceError(
                f"holds no {missing[0]} ({len(missing)} files are missing)", where=archive.name, fix=_OTHER
            )

    def _list(self, name: str, source: IO[bytes]) -> None:
        """One line a question and depth: the first of each question is kept."""
        target, part = _LISTS[name]
        known: set[str] = set()
        prefix = "ms" if target == "dl19" else "kilt"
        for number, line in bounded_lines(source, name, 0, _LINE_MB):
            where = f"{name}:{number}"
            record = _object(line, where)
            question = text(record, "query" if target == "dl19" else "question", where)
            if question in known:
                continue
            known.add(question)
            key = record.get("qid", record.get("id")) or f"{part}-{digest(question, size=6).hex()}"
            kept: dict[str, Any] = {"id": str(key), "part": part, "question": question}
            if target == "dl19":
                labels = {
                    self._keep(each, prefix, where): whole(each, "label", where)
                    for each in objects(record, "ctxs", where)
                }
                kept |= {"labels": labels}
            else:
                positive = objects(record, "positive_ctxs", where) if record.get("positive_ctxs") else []
                kept |= {
                    "answers": texts(record, "answers", where),
                    "gold": [self._keep(each, prefix, where) for each in positive],
                    "shown": [self._keep(each, prefix, where) for each in objects(record, "ctxs", where)],
                    "titles": [_title(each) for each in objects(record, "ctxs", where)] if target == "popqa" else [],
                    "s_pop": record.get("s_pop"),
                }
            self._write(target, kept)

    def _asqa(self, name: str, source: IO[bytes]) -> None:
        """One array; the texts of its passages go, their ids and titles stay."""
        try:
            found = json.loads(source.read())
        except ValueError as error:
            raise SourceError(f"not JSON ({error})", where=name, fix="fetch it again") from None
        for number, record in enumerate(found, 1):
            where = f"{name}: record {number}"
            docs = objects(record, "docs", where)
            shown = [{"id": self._keep(doc, "dpr", where), "title": _title(doc)} for doc in docs]
            self._write("asqa", {**record, "docs": shown})

    def _copy(self, name: str, source: IO[bytes]) -> None:
        (self._folder / PurePosixPath(name).name).write_bytes(source.read())

    def _keep(self, passage: dict[str, Any], prefix: str, where: str) -> str:
        """Write a passage that has not been seen; returns its id. Ids of different corpora do not meet."""
        said, title = text(passage, "text", where).strip(), _title(passage)
        given = passage.get("id", passage.get("passage_id"))
        key = f"{prefix}-{given}" if given not in (None, "") else f"{prefix}-{digest(title, said, size=8).hex()}"
        if key not in self._seen:
            self._seen.add(key)
            self._passages.write(json.dumps({"id": key, "title": title, "text": said}, ensure_ascii=False) + "\n")
        return key

    def _write(self, name: str, record: dict[str, Any]) -> None:
        self._out[name].write(json.dumps(record, ensure_ascii=False) + "\n")


def _object(line: bytes, where: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError as error:
        raise SourceError(f"not JSON ({error})", where=where, fix="fetch it again") from None
    if not isinstance(found, dict):
        raise SourceError("is no object", where=where, fix=_OTHER)
    return found


def _title(record: dict[str, Any]) -> str:
    found = record.get("title")
    return found.strip() if isinstance(found, str) else ""


def _question(record: dict[str, Any], name: str, where: str, part: Split) -> Question:
    """A question with the passages that its list names."""
    key, asked = id_of(value_of(record, "id", where), "id", where), text(record, "question", where)
    if name == "dl19":
        labels: dict[str, int] = value_of(record, "labels", where)
        judged = tuple(Evidence(passage_id=i, grade=grade) for i, grade in labels.items() if grade)
        rest = tuple(Evidence(passage_id=i) for i, grade in labels.items() if not grade)
        return Question(key, part, asked, "search", evidence=judged, shown=rest)
    ids, gold = texts(record, "shown", where), texts(record, "gold", where)
    made = Question(
        key, part, asked, _KINDS[name], answers=answers(texts(record, "answers", where), where),
        evidence=tuple(Evidence(passage_id=i) for i in gold), shown=tuple(Evidence(passage_id=i) for i in ids),
    )  # fmt: skip
    if name != "popqa":
        return made
    subject, relation = next(((m[1], said) for form, said in _RELATIONS if (m := form.fullmatch(asked))), ("", ""))
    of_subject = [
        i for i, title in zip(ids, texts(record, "titles", where), strict=True) if subject and title == subject
    ]
    found = tuple(Evidence(passage_id=i) for i in of_subject)
    popularity = record.get("s_pop")
    return replace(
        made, evidence=found, subject=subject, relation=relation,
        popularity=popularity if isinstance(popularity, int) else None,
    )  # fmt: skip


def _asqa(record: dict[str, Any], where: str, part: Split) -> Question:
    """Gold: passages of the articles that ASQA names for a reading; the search's first of each is not known to be more."""
    made, docs = asqa(record, where, part), objects(record, "docs", where)
    found = [
        Evidence(passage_id=text(doc, "id", where), group=each.group)
        for each in made.evidence
        for doc in docs
        if each.title and doc.get("title") == each.title
    ]
    shown = tuple(Evidence(passage_id=text(doc, "id", where)) for doc in docs)
    named = next((each.title for each in made.evidence if each.title), "")
    return replace(made, evidence=tuple(found), shown=shown, subject=named)
