"""An archive of the layout of HELMET's released data, small: lists of questions with retrieved passages of made-up prose."""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from haymaker.core.rng import digest

_NOUNS = "harbour mill orchard ledger lantern bridge quarry chapel meadow cellar tannery viaduct".split()
_VERBS = "stood lay waited rusted prospered burned closed opened leaned endured".split()
Lists = dict[str, list[dict[str, Any]]]


def _word(key: str) -> str:
    """A made-up name that no other key gives."""
    raw = digest("helmet", key, size=8)
    return "".join("bdfgklmnprst"[a % 12] + "aeiou"[b % 5] for a, b in zip(raw[:4], raw[4:], strict=True)).capitalize()


def prose(key: str, sentences: int = 10) -> str:
    """At most so many sentences that tell nothing, none twice the same, and a few words more."""
    said, length = [" ".join(["Indeed"] * (digest("more", key, size=1)[0] % 9)) + "."], digest("length", key, size=1)[0]
    for number in range(2 + length % (sentences - 1)):
        drawn = digest("prose", key, number, size=4)
        noun, verb, other = _NOUNS[drawn[0] % 12], _VERBS[drawn[1] % 10], _NOUNS[drawn[2] % 12]
        said.append(f"The {noun} of {_word(f'{key} {number}')} {verb} beside a {other} in {1700 + drawn[3]}.")
    return " ".join(said)


def _passage(key: str, said: str = "", title: str = "") -> dict[str, Any]:
    return {
        "id": digest("id", key, size=4).hex(),
        "title": title or _word(f"title {key}"),
        "text": f"{said} {prose(key)}".strip(),
    }


def _asked(name: str, split: str, number: int, depths: int, count: int) -> Iterator[dict[str, Any]]:
    """One question at so many depths."""
    key = f"{name} {split} {number}"
    thing, answer = _word(f"thing {key}"), _word(f"answer {key}")
    question, said, title = f"who founded the {thing} works", f"The {thing} works were founded by {answer}.", ""
    if name == "popqa":
        question, title = f"In what city was {thing} born?", thing
        said = f"{thing} (born 3 May 1911 in {answer}) was a painter."
    gold = [_passage(f"gold {key}", said, title)]
    if name == "hotpotqa":
        person = _word(f"person {key}")
        question = f"In which town was the founder of the {thing} works born?"
        gold = [
            _passage(f"bridge {key}", f"The {thing} works were founded by {person}."),
            _passage(f"gold {key}", f"{person} was born in {answer}.", person),
        ]
    others = [_passage(f"other {key} {i}") for i in range(count - len(gold))]
    holding = _passage(f"holding {key}", f"Nothing is known of {answer}.")  # must not stay a distractor
    for depth in range(depths):
        ctxs = [*others[: depth + 1], *gold, holding, *others[depth + 1 :]]
        record = {"question": question, "answers": [answer], "ctxs": ctxs, "depth": depth / max(1, depths - 1)}
        if name == "popqa":
            yield record | {"id": 1000 * number, "s_pop": 50 + number}
        else:
            marked = {"positive_ctxs": gold, "hard_negative_ctxs": others[:1]}
            yield record | marked | ({} if name == "nq" else {"id": key})


def lists(questions: int = 12, count: int = 60) -> Lists:
    """Member -> records, as the archive has them below data/."""
    made: Lists = {}
    for name, depths in (("nq", 6), ("triviaqa", 6), ("hotpotqa", 3)):
        for split, k in (("dev", 1000), ("train", 3)):
            file = f"kilt/{name}-{split}-multikilt_1000_k{k}_dep{depths}.jsonl"
            shown = count if split == "dev" else 3
            made[file] = [row for i in range(questions) for row in _asked(name, split, i, depths, shown)]
    made["kilt/popqa_test_1000_k1000_dep6.jsonl"] = [
        r for i in range(questions * 2) for r in _asked("popqa", "test", i, 6, count)
    ]
    made["msmarco/test_reranking_data_k1000_dep3.jsonl"] = [
        {"qid": str(i), "query": f"what is a {_word(f'query {i}')}", "ctxs": _graded(i, count), "depth": depth}
        for i in range(questions * 2) for depth in range(3)
    ]  # fmt: skip
    made["alce/asqa_eval_gtr_top2000.json"] = [_ambiguous(i, count) for i in range(questions * 2)]
    made["infbench/longbook_sum_eng_keypoints.jsonl"] = [{"id": 0, "keypoints": ["It ends."]}]
    made["kilt/nq-dev-multikilt_1000_k50_dep6.jsonl"] = [{"question": "a shorter list that is not read"}]
    return made


def _graded(number: int, count: int) -> list[dict[str, Any]]:
    """Passages of a query with labels 0 to 3."""
    thing = _word(f"query {number}")
    said = ["", f"Some say {thing}.", f"A {thing} is a tool.", f"A {thing} is a tool that turns clay."]
    return [
        {"id": str(100_000 * number + i), "text": f"{said[label]} {prose(f'ms {number} {i}', 7)}".strip(), "label": label}
        for i in range(count) for label in [(3, 2, 1, 0, 0, 0)[i % 6]]
    ]  # fmt: skip


def _ambiguous(number: int, count: int) -> dict[str, Any]:
    """A question of ASQA with two readings."""
    thing = _word(f"asqa {number}")
    short = [_word(f"asqa answer {number} {reading}") for reading in range(2)]
    said = [f"Part {reading + 1} of {thing} was played by {short[reading]}." for reading in range(2)]
    docs = [_passage(f"asqa gold {number} {reading}", said[reading], thing) for reading in range(2)]
    docs += [_passage(f"asqa other {number} {i}") for i in range(count - 2)]
    pairs = [
        {"question": f"Who played part {at + 1} of {thing}?", "short_answers": [short[at]], "wikipage": thing,
         "context": docs[at]["text"]}
        for at in range(2)
    ]  # fmt: skip
    annotations = [{"long_answer": " ".join(said), "knowledge": []}] * 2
    asked = {"sample_id": f"asqa-{number}", "question": f"Who played in {thing}?", "qa_pairs": pairs}
    return asked | {"annotations": annotations, "docs": docs}


def archive(made: Lists) -> bytes:
    """data.tar.gz with these members."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz", compresslevel=1) as packed:
        for name, records in made.items():
            text = json.dumps(records) if name.endswith(".json") else "".join(json.dumps(r) + "\n" for r in records)
            member = tarfile.TarInfo(f"data/{name}")
            member.size = len(text.encode())
            packed.addfile(member, io.BytesIO(text.encode()))
    return out.getvalue()


def write(folder: Path, made: Lists) -> str:
    """The address of a folder that holds such an archive."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "data.tar.gz").write_bytes(archive(made))
    return folder.as_uri()
