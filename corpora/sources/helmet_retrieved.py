"""HELMET's released retrieval results: questions with their gold and about a thousand retrieved passages each (docs/spec/helmet.md 4, 7).

HELMET's organisers searched 36 million passages and published the results. The archive (11.3 GB, 34 GB unpacked) is read as
a stream: the longest list of each set is kept, once per question, and every passage once, a few GB in all.

Differs from the reference: gold is the passages that the lists name as positive (KILT's provenance); a question of PopQA has
gold if a passage of its subject's article states its relation, a question of ASQA if a passage of an article that ASQA names
holds a short answer; QAMPARI names no article and is not built (docs/reference/gold.md). Depths and orders are drawn here.
"""

from __future__ import annotations

import json
import re
import tarfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import IO, Annotated, Any, ClassVar

from pydantic import Field

from corpora.sources.addressed import OnHub
from corpora.sources.alce import asqa
from corpora.sources.base import Batch
from corpora.sources.formats.fields import answers, id_of, objects, text, texts, value_of, whole
from corpora.sources.formats.lines import bounded_lines, json_file, json_lines, line_batches, record_of
from corpora.sources.popqa import with_own_name
from corpora.sources.question_source import Shared
from haymaker.core.errors import SourceError
from haymaker.core.files.disk import disk_errors
from haymaker.core.rng import digest
from haymaker.core.rows.source_records import Evidence, Passage, Question, Split

_LINE_MB = 64
_PASSAGES = "passages.jsonl"
_ASQA = "alce/asqa_eval_gtr_top2000.json"
_LISTS: dict[str, tuple[str, Split]] = {
    "kilt/nq-dev-multikilt_1000_k1000_dep6.jsonl": ("nq", "test"),
    "kilt/nq-train-multikilt_1000_k3_dep6.jsonl": ("nq", "train"),
    "kilt/triviaqa-dev-multikilt_1000_k1000_dep6.jsonl": ("triviaqa", "test"),
    "kilt/triviaqa-train-multikilt_1000_k3_dep6.jsonl": ("triviaqa", "train"),
    "kilt/hotpotqa-dev-multikilt_1000_k1000_dep3.jsonl": ("hotpotqa", "test"),
    "kilt/hotpotqa-train-multikilt_1000_k3_dep3.jsonl": ("hotpotqa", "train"),
    "kilt/popqa_test_1000_k1000_dep6.jsonl": ("popqa", "test"),
    "msmarco/test_reranking_data_k1000_dep3.jsonl": ("dl19", "test"),
}
_KEY_POINTS = ("infbench/longbook_sum_eng_keypoints.jsonl", "multi_lexsum/multi_lexsum_val.jsonl")
_KINDS = {"nq": "single", "triviaqa": "trivia", "hotpotqa": "bridge", "popqa": "longtail", "dl19": "search"}
_SHARED = ("popqa", "dl19", "asqa")  # published as one split: worked examples come from a share of it
_RELATIONS = (
    (re.compile(r"What is (.+)'s occupation\?"), "occupation"),
    (re.compile(r"In what city was (.+) born\?"), "place of birth"),
)
_KIND = re.compile(r" \([^()]*\)\Z")  # of a title: (composer)


class HelmetRetrieved(Shared, OnHub):
    """Options of kind `helmet_retrieved`: `splits` (of popqa, dl19 and asqa), `popularity_below`, `revision`, `url`.

    Attributes:
        popularity_below: maximum page views a month of the subject of a popqa question, as in HELMET; None keeps every question.
    """

    kind: ClassVar[str] = "helmet_retrieved"
    version: ClassVar[int] = 3
    popularity_below: Annotated[int, Field(ge=1)] | None = 1000
    sets: ClassVar[tuple[str, ...]] = ("nq", "triviaqa", "hotpotqa", "popqa", "dl19", "asqa")

    def open_up(self, path: Path) -> None:
        """Read the archive as a stream, keep the sets and their passages, and remove it."""
        with disk_errors(path), ExitStack() as stack:
            _Reading(path.parent, stack).read(path)
        path.unlink()

    def batches(self, raw: Path) -> list[Batch]:
        return line_batches(raw, [_PASSAGES])

    def passages(self, raw: Path, batch: Batch) -> Iterator[Passage]:
        for piece in batch.pieces:
            for where, record in json_lines(raw, piece):
                yield Passage(text(record, "id", where), "", _title(record), "", text(record, "text", where))

    def load(self, raw: Path, name: str, split: Split) -> Iterator[Question]:
        for where, record in json_file(raw, f"{name}.jsonl", _LINE_MB):
            question = text(record, "question", where)
            mine = self.split_of(question) if name in _SHARED else record.get("split")
            if mine == split and (name != "popqa" or self._is_rare(record, where)):
                yield _asqa(record, where, split) if name == "asqa" else _question(record, name, where, split)

    def _is_rare(self, record: dict[str, Any], where: str) -> bool:
        return self.popularity_below is None or whole(record, "s_pop", where) < self.popularity_below


class _Reading:
    """One pass over the archive: writes `<set>.jsonl` for every set, the passages, and the key points of summaries."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        names = {*(name for name, _ in _LISTS.values()), "asqa", "passages"}
        self._out = {
            name: stack.enter_context((folder / f"{name}.jsonl").open("w", encoding="utf-8")) for name in names
        }
        self._folder = folder
        self._seen: set[str] = set()

    def read(self, archive: Path) -> None:
        """Read the members that are needed.

        Raises:
            SourceError: damaged, a member is missing, or a line has another shape.
        """
        wanted: dict[str, Callable[[str, IO[bytes]], None]] = dict.fromkeys(_LISTS, self._list)
        wanted |= {_ASQA: self._asqa, **dict.fromkeys(_KEY_POINTS, self._copy)}
        try:
            with tarfile.open(archive, "r|gz") as packed:
                for member in packed:
                    name = "/".join(PurePosixPath(member.name).parts[-2:])
                    source = packed.extractfile(member) if member.isfile() else None
                    if source is not None and (take := wanted.pop(name, None)):
                        take(name, source)
        except (tarfile.TarError, EOFError) as error:  # a full disk is no damage: see disk_errors
            raise SourceError(f"damaged or cut short ({error})", where=archive.name, fix="run again") from None
        if missing := [name for name in wanted if name not in _KEY_POINTS]:
            problem = f"does not contain {missing[0]} ({len(missing)} files are missing)"
            fix = "use data.tar.gz of princeton-nlp/HELMET; data_v2.tar.gz has other contents"
            raise SourceError(problem, where=archive.name, fix=fix)

    def _list(self, name: str, source: IO[bytes]) -> None:
        """Lists have a line for each question and depth: keep the first of each question."""
        target, split = _LISTS[name]
        known: set[str] = set()
        for number, line in bounded_lines(source, name, 0, _LINE_MB):
            where, record = f"{name}:{number}", record_of(line, number, name)
            question = text(record, "query" if target == "dl19" else "question", where)
            if question not in known:
                known.add(question)
                key = record.get("qid", record.get("id")) or f"{split}-{digest(question, size=6).hex()}"
                kept = self._judged(record, where) if target == "dl19" else self._retrieved(record, target, where)
                self._write(target, {"id": str(key), "split": split, "question": question, **kept})

    def _judged(self, record: dict[str, Any], where: str) -> dict[str, Any]:
        ctxs = objects(record, "ctxs", where)
        return {"labels": {self._keep(each, "ms", where): whole(each, "label", where) for each in ctxs}}

    def _retrieved(self, record: dict[str, Any], target: str, where: str) -> dict[str, Any]:
        ctxs = objects(record, "ctxs", where)
        positive = objects(record, "positive_ctxs", where) if record.get("positive_ctxs") else []
        return {
            "answers": texts(record, "answers", where),
            "gold": [self._keep(each, "kilt", where) for each in positive],
            "shown": [self._keep(each, "kilt", where) for each in ctxs],
            "titles": [_title(each) for each in ctxs] if target == "popqa" else [],
            "s_pop": record.get("s_pop"),
        }

    def _asqa(self, name: str, source: IO[bytes]) -> None:
        """One array; of its passages the ids and titles are kept with the question, the texts with all passages."""
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
        """Write a passage if it is new, and return its id; ids of different corpora have different prefixes."""
        content, title = text(passage, "text", where).strip(), _title(passage)
        given = passage.get("id", passage.get("passage_id"))
        key = f"{prefix}-{given}" if given not in (None, "") else f"{prefix}-{digest(title, content, size=8).hex()}"
        if key not in self._seen:
            self._seen.add(key)
            self._write("passages", {"id": key, "title": title, "text": content})
        return key

    def _write(self, name: str, record: dict[str, Any]) -> None:
        self._out[name].write(json.dumps(record, ensure_ascii=False) + "\n")


def _title(record: dict[str, Any]) -> str:
    """The title of a passage; empty if it has none."""
    found = record.get("title")
    return found.strip() if isinstance(found, str) else ""


def _question(record: dict[str, Any], name: str, where: str, split: Split) -> Question:
    """A question with the passages that its list names."""
    key, asked = id_of(value_of(record, "id", where), "id", where), text(record, "question", where)
    if name == "dl19":
        labels: dict[str, int] = value_of(record, "labels", where)
        judged = tuple(Evidence(passage_id=i, grade=grade) for i, grade in labels.items() if grade)
        rest = tuple(Evidence(passage_id=i) for i, grade in labels.items() if not grade)
        return Question(key, split, asked, "search", evidence=judged, shown=rest)
    shown, gold = (tuple(Evidence(passage_id=i) for i in texts(record, of, where)) for of in ("shown", "gold"))
    accepted = answers(texts(record, "answers", where), where)
    made = Question(key, split, asked, _KINDS[name], answers=accepted, evidence=gold, shown=shown)
    if name != "popqa":
        return made
    subject, relation = next(((m[1], named) for form, named in _RELATIONS if (m := form.fullmatch(asked))), ("", ""))
    titled = zip(shown, (_KIND.sub("", title) for title in texts(record, "titles", where)), strict=True)
    return replace(
        made,
        answers=with_own_name(accepted, relation),
        evidence=tuple(each for each, title in titled if subject and title == subject),
        subject=subject,
        relation=relation,
        popularity=whole(record, "s_pop", where),
    )


def _asqa(record: dict[str, Any], where: str, split: Split) -> Question:
    """Gold: passages of the articles that ASQA names for a reading; the search's first of each is not known to be more."""
    made, docs = asqa(record, where, split), objects(record, "docs", where)
    found = [
        Evidence(passage_id=text(doc, "id", where), group=each.group)
        for each in made.evidence
        for doc in docs
        if each.title and doc.get("title") == each.title
    ]
    shown = tuple(Evidence(passage_id=text(doc, "id", where)) for doc in docs)
    named = next((each.title for each in made.evidence if each.title), "")
    return replace(made, evidence=tuple(found), shown=shown, subject=named)
