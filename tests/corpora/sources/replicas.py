"""Small files in the layout of every kind of source that is fetched from the web, as a host would give them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from corpora.sources.catalogue import entry
from tests.corpora.sources import helmet_archive, test_alce, test_loogle
from tests.corpora.sources.faults import zipped
from tests.corpora.sources.test_babi_source import GOOD as STORY
from tests.corpora.sources.test_chinese import PAGES, asked, dureader
from tests.corpora.sources.test_chinese import archive as chinese
from tests.corpora.sources.test_documents import CASES, infinite, shards
from tests.corpora.sources.test_hub_rows import ROWS
from tests.corpora.sources.test_hub_sources import parquet
from tests.corpora.sources.test_kilt_tasks import NQ
from tests.corpora.sources.test_labelled import FILES as LABELLED
from tests.corpora.sources.test_longbench import archive
from tests.corpora.sources.test_meetings_and_chats import meetings
from tests.corpora.sources.test_msmarco import COLLECTION, QRELS, QUERIES, packed_collection
from tests.corpora.sources.test_multihop import musique
from tests.corpora.sources.test_popqa import row as person
from tests.corpora.sources.test_popqa import table
from tests.corpora.sources.test_squad import DEV, TRAIN
from tests.corpora.sources.test_wikipedia import GOOD as PASSAGES
from tests.corpora.sources.test_wikipedia import RIVER

ON_THE_HUB = ("hub", "pg19")
"""Kinds without `url`: their replica is a small Hub."""
PINNED = {"tokenizers": "every file has its publisher's address and a digest in code, so no replica can pass"}


@dataclass(frozen=True)
class Replica:
    """Files by name, and the options that ask for them beside `url`; `at`: what `url` has after the folder."""

    files: dict[str, bytes]
    options: dict[str, Any] = field(default_factory=dict)
    at: str = ""


def _lines(files: dict[str, Any]) -> dict[str, bytes]:
    """Lists become JSON lines, texts bytes."""
    as_text = {
        name: "".join(json.dumps(line) + "\n" for line in data) if isinstance(data, list) else data
        for name, data in files.items()
    }
    return {name: data if isinstance(data, bytes) else data.encode() for name, data in as_text.items()}


def _babi() -> bytes:
    return zipped({f"tasks/en-valid/qa1_{part}.txt": STORY for part in ("train", "valid", "test")})


def _rows(kind: str) -> Replica:
    return Replica({entry(kind)["plain"]["test"]: parquet(ROWS[kind])}, {"splits": ["test"]})


def _trec_dl() -> dict[str, bytes]:
    return {
        "msmarco-test2019-queries.tsv.gz": gzip.compress(QUERIES.encode()),
        "2019qrels-pass.txt": QRELS.encode(),
    }


REPLICAS: dict[str, Callable[[], Replica]] = {
    "alce": lambda: Replica(_lines(test_alce.archive()), {"splits": {"test": 1}}),
    "babi": lambda: Replica({"tasks.zip": _babi()}, {"variant": "en-valid"}, "/tasks.zip"),
    "dpr_passages": lambda: Replica({"psgs_w100.tsv.gz": gzip.compress(PASSAGES.encode())}),
    "dureader": lambda: Replica(_lines(dureader(asked(1, "怎么读", "ə。", pages=PAGES)))),
    "helmet_retrieved": lambda: Replica({"data.tar.gz": helmet_archive.archive(helmet_archive.lists(2, 8))}),
    "infinitebench": lambda: Replica(_lines(infinite())),
    "kilt_passages": lambda: Replica({"psgs_w100.tsv.gz": gzip.compress(PASSAGES.encode())}),
    "kilt_tasks": lambda: Replica(
        _lines({"nq-dev-kilt.jsonl": [NQ], "nq-train-kilt.jsonl": [NQ | {"id": "5"}]}), {"tasks": ["nq"]}
    ),
    "kilt_wikipedia": lambda: Replica(_lines({"kilt_knowledgesource.json": [RIVER]})),
    "longbench": lambda: Replica(_lines(archive())),
    "longbench_paragraphs": lambda: Replica(_lines(archive())),
    **{kind: lambda: Replica(_lines(chinese())) for kind in ("longbench_paragraphs_zh", "longbench_zh", "lsht")},
    "loogle": lambda: Replica(_lines(test_loogle.files([test_loogle.record(test_loogle.ALL), test_loogle.SCRIPT]))),
    "msmarco_passages": lambda: Replica({"collectionandqueries.tar.gz": packed_collection(COLLECTION)}),
    "multi_lexsum": lambda: Replica(_lines(CASES)),
    "musique": lambda: Replica(_lines({"musique_ans_v1.0_dev.jsonl": [musique()]})),
    "narrativeqa": lambda: Replica(
        {name: data for name, data in _lines(shards()).items() if name != "train-00001-of-00024.parquet"}
    ),
    "popqa": lambda: Replica(_lines(table(person(7), person(9)))),
    "qmsum": lambda: Replica(_lines(meetings())),
    "squad": lambda: Replica(
        {f"{name}-v2.0.json": json.dumps({"data": data}).encode() for name, data in (("dev", DEV), ("train", TRAIN))}
    ),
    "trec_dl": lambda: Replica(_trec_dl(), {"years": ["dl19"]}),
    **{kind: lambda kind=kind: Replica(LABELLED[kind]) for kind in LABELLED},
    **{kind: lambda kind=kind: _rows(kind) for kind in ROWS},
}
