"""One pass over HELMET's archive: what is kept of it (docs/spec/helmet.md 4, 7).

The longest list of each set is read as it streams by, once per question, and every passage is kept once.
"""

from __future__ import annotations

import json
import tarfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path, PurePosixPath
from typing import IO, Any

from corpora.sources.formats.bounded import bounded_lines
from corpora.sources.formats.fields import objects, text, texts, whole
from corpora.sources.formats.lines import record_of
from haymaker.core.errors import SourceError
from haymaker.core.rng import digest
from haymaker.core.rows.source_records import Split

LINE_MB = 64
PASSAGES = "passages.jsonl"
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
_OTHER = "is this princeton-nlp/HELMET's data.tar.gz? data_v2.tar.gz has other contents"


class Reading:
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
            self._passages = stack.enter_context((self._folder / PASSAGES).open("w", encoding="utf-8"))
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
            except (tarfile.TarError, EOFError) as error:  # a full disk is no damage: disk_errors says so
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
        for number, line in bounded_lines(source, name, 0, LINE_MB):
            where, record = f"{name}:{number}", record_of(line, number, name)
            question = text(record, "query" if target == "dl19" else "question", where)
            if question in known:
                continue
            known.add(question)
            key = record.get("qid", record.get("id")) or f"{part}-{digest(question, size=6).hex()}"
            ctxs = objects(record, "ctxs", where)
            kept: dict[str, Any] = {"id": str(key), "part": part, "question": question}
            if target == "dl19":
                labels = {self._keep(each, prefix, where): whole(each, "label", where) for each in ctxs}
                kept |= {"labels": labels}
            else:
                positive = objects(record, "positive_ctxs", where) if record.get("positive_ctxs") else []
                kept |= {
                    "answers": texts(record, "answers", where),
                    "gold": [self._keep(each, prefix, where) for each in positive],
                    "shown": [self._keep(each, prefix, where) for each in ctxs],
                    "titles": [title_of(each) for each in ctxs] if target == "popqa" else [],
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
            shown = [{"id": self._keep(doc, "dpr", where), "title": title_of(doc)} for doc in docs]
            self._write("asqa", {**record, "docs": shown})

    def _copy(self, name: str, source: IO[bytes]) -> None:
        (self._folder / PurePosixPath(name).name).write_bytes(source.read())

    def _keep(self, passage: dict[str, Any], prefix: str, where: str) -> str:
        """Write a passage that has not been seen; returns its id. Ids of different corpora do not meet."""
        said, title = text(passage, "text", where).strip(), title_of(passage)
        given = passage.get("id", passage.get("passage_id"))
        key = f"{prefix}-{given}" if given not in (None, "") else f"{prefix}-{digest(title, said, size=8).hex()}"
        if key not in self._seen:
            self._seen.add(key)
            self._passages.write(json.dumps({"id": key, "title": title, "text": said}, ensure_ascii=False) + "\n")
        return key

    def _write(self, name: str, record: dict[str, Any]) -> None:
        self._out[name].write(json.dumps(record, ensure_ascii=False) + "\n")


def title_of(record: dict[str, Any]) -> str:
    """The title of a passage; empty where it has none."""
    found = record.get("title")
    return found.strip() if isinstance(found, str) else ""
