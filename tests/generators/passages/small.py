"""Mined sets small enough to read, deep enough for what is asked of them; texts of invented words, so nothing matches by chance."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from corpora.stores.mined import MinedPassages, MinedQuestion, write_mined
from corpora.stores.passages.store import unit
from corpora.tokenizers import tokenizer
from generators.helmet.passages import TASKS
from generators.inputs import KINDS
from generators.suite import ReleaseSuite
from haymaker.core.rng import Stream
from haymaker.core.rows.source_records import Split
from tests.generators import kit

TOKENIZERS = ("tekken",)
SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu".split()


def word(stream: Stream) -> str:
    return "".join(stream.choice(SYLLABLES) for _ in range(stream.between(2, 4)))


def prose(stream: Stream, n_words: int) -> str:
    """Lines of sentences of invented words."""
    words = [word(stream) for _ in range(n_words)]
    for i in range(0, n_words, 9):
        words[i] = words[i].capitalize()
    return " ".join(w + ("." if i % 9 == 8 or i == n_words - 1 else "") for i, w in enumerate(words))


def passages(
    texts: Sequence[tuple[str, str]], *, prefix: str, tokenizers: Sequence[str] = TOKENIZERS, **columns: list[Any],
) -> MinedPassages:  # fmt: skip
    """(title, text) pairs as passages, counted."""
    n = len(texts)
    units = [unit(title, text) for title, text in texts]
    fields: dict[str, Any] = {
        "passage_id": [f"{prefix}{i}" for i in range(n)], "article_id": [f"{prefix}a{i}" for i in range(n)],
        "title": [title for title, _ in texts], "section": [""] * n, "text": [text for _, text in texts],
        "tokens": [tokenizer.load(name).count_units(units) for name in tokenizers],
        "rank": list(range(n)), "score": [float(1000 - i) for i in range(n)], "grade": [None] * n,
        "supports": [[] for _ in range(n)], **columns,
    }  # fmt: skip
    return MinedPassages(**fields)


def question(
    split: Split, number: int, depth: int, *, golds: int = 1, titled: bool = True, **more: Any
) -> MinedQuestion:
    """A question whose golds say its answers in the middle; distractors of 20 to 110 words.

    Args:
        golds: each says one answer; with more than one, each is an answer group of two aliases.
        more: fields of the question.
    """
    stream = Stream("small", split, number)
    name = f"{split[:2]}{number}"
    answers = [f"Qo{word(stream)} {chr(65 + g)}q{number}" for g in range(golds)]
    subject = f"Xa{word(stream)}"

    def title() -> str:
        return f"{word(stream).capitalize()} {word(stream)}" if titled else ""

    gold = [(title(), f"{prose(stream, 30)} The {subject} is {a}. {prose(stream, 40)}") for a in answers]
    others = [(title(), prose(stream, stream.between(20, 110))) for _ in range(depth)]
    fields: dict[str, Any] = {
        "question_id": f"{name}", "split": split, "question": f"What is {subject}?",
        "kind": "single" if golds == 1 else "list",
        "answers": [answers[0], f"{answers[0]} Zy"] if golds == 1 else [],
        "answer_groups": [] if golds == 1 else [[f"Qy {a}", a] for a in answers],
        "readings": [], "references": [], "popularity": None, "twin_of": "", "relation": "", "gold_source": "simulated",
        "gold": passages(gold, prefix=f"{name}g", rank=[None] * golds, supports=[[g] for g in range(golds)]),
        "distractors": passages(others, prefix=f"{name}d"), "removed": {"alias": 3}, "searched": depth + 3,
    }  # fmt: skip
    return MinedQuestion(**fields | more)


def search(split: Split, number: int, grades: Sequence[int], depth: int, *, numbered: bool = False) -> MinedQuestion:
    """A query with one judged passage per grade, then `depth` hits without grades; passages have no titles.

    Args:
        numbered: passage ids are numbers, as in MS MARCO.
    """
    stream = Stream("search", split, number)
    judged = [("", prose(stream, stream.between(8, 24))) for _ in grades]
    hits = [("", prose(stream, stream.between(8, 24))) for _ in range(depth)]
    base = 10_000 * (number + 1) + (500_000 if split == "train" else 0)
    ids = {"passage_id": [str(base + i) for i in range(len(grades))]} if numbered else {}
    more = {"passage_id": [str(base + 5_000 + i) for i in range(depth)]} if numbered else {}
    gold = passages(judged, prefix=f"{split}{number}j", grade=list(grades), rank=[None] * len(grades), **ids)
    return question(
        split, number, 0, kind="search", answers=[], gold=gold,
        distractors=passages(hits, prefix=f"{split}{number}h", **more), searched=depth,
    )  # fmt: skip


def write(
    folder: Path, name: str, questions: Sequence[MinedQuestion], tokenizers: Sequence[str] = TOKENIZERS, *,
    shown: bool = False,
) -> None:  # fmt: skip
    """A set as data/retrieval_sets/<name>.parquet under `folder`."""
    fingerprints = [tokenizer.load(each).fingerprint for each in tokenizers]
    meta = {"tokenizers": fingerprints, "sources": {"wiki": {}, "trivia": {}}, "params": {"passages": "encyclopaedia"}}
    write_mined(questions, KINDS["retrieval_sets"].path(folder, name), meta, shown=shown)


def suite(folder: Path, tasks: dict[str, Any], tokenizers: Sequence[str] = TOKENIZERS, **options: Any) -> ReleaseSuite:
    """The suite over mined sets under `folder`; the option `mined` is the parameter block retrieval_sets."""
    return kit.suite(TASKS, folder, tasks, tokenizers, **options)
