"""What only these tasks can say of a finished row, read from the prompt itself and held against the collection."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from corpora.readings import PreparedAsk
from generators.haystack import Run
from generators.helmet.reading import prompts
from generators.helmet.reading.catalogue import KEYPOINTS
from generators.helmet.reading.layout import MARK
from generators.helmet.reading.params import TaskPlan
from generators.helmet.reading.stock import Stock

Row = dict[str, Any]
_FLOAT32 = 1e-6  # what is lost by storing a depth as float32
_SEAM = 4  # tokens that seams may have taken from the text


def background(row: Row) -> list[tuple[str, int, int]]:
    """(document, first sentence, one past the last), in order."""
    return [(doc, first, last) for doc, first, last in json.loads(row["extra"])["background"]]


def problems(row: Row, plan: TaskPlan, stock: Stock | None) -> Iterator[str]:
    """What is wrong with a row; nothing when all is well.

    Args:
        row: as read from the file.
        plan: its task entry.
        stock: the collection; None when it is not here.
    """
    spans = row["spans"]
    if any(a["start"] > b["start"] for a, b in pairwise(spans)) or any(s["start"] >= s["end"] for s in spans):
        yield "spans are not in order"
    if any(
        s["kind"] == "gold" and not row["context_start"] <= s["start"] < s["end"] <= row["context_end"] for s in spans
    ):
        yield "evidence stands outside the text"
    if sum(span["kind"] == "demo" for span in spans) != plan.shots or len(set(row["demo_ids"])) != plan.shots:
        yield f"not {plan.shots} different examples"
    if row["doc_ids"] != [doc for doc, _, _ in background(row)] or len(set(row["doc_ids"])) != len(row["doc_ids"]):
        yield "doc_ids are not the documents of the text, each once"
    if row["n_units"] != sum(last - first for _, first, last in background(row)):
        yield "n_units is not the number of sentences"
    yield from _request(row)
    if stock is not None:
        yield from _held(row, plan, stock)


def _request(row: Row) -> Iterator[str]:
    """The question, its choices and the letter, as a reader sees them behind the text."""
    behind = row["prompt"][row["context_end"] : row["cue_start"]]
    if row["question"] not in behind or not row["prompt"][row["cue_start"] :]:
        yield "the question, or the cue at cue_start, is missing"
    shown = re.findall(r"^([A-Z])\. (.+)$", behind, re.MULTILINE)
    if row["choices"] is None:
        return
    letters = [letter for letter, _ in shown]
    if letters != [chr(ord("A") + i) for i in range(len(letters))] or [text for _, text in shown] != row["choices"]:
        yield "the choices are not shown in order, each behind its letter"
    elif row["answers"] != [letters[row["answer_index"]], ". ".join(shown[row["answer_index"]])]:
        yield "the answers are not the letter at answer_index, alone and with its text"


# ------------------------------------------------------------------------------------------------ with the collection


def _held(row: Row, plan: TaskPlan, stock: Stock) -> Iterator[str]:
    ask = stock.known.get((plan.kind.asks, row["group_id"].removeprefix(f"{stock.name}-")))
    if ask is None or ask.ask.part != row["part"]:
        yield f"nothing {row['group_id']} is asked of part {row['part']} of the collection"
        return
    extra, prompt = json.loads(row["extra"]), row["prompt"]
    runs = [
        Run(stock.entries[doc].first + first, stock.entries[doc].first + last) for doc, first, last in background(row)
    ]
    if ask.ask.doc_id not in row["doc_ids"] or (len(runs) == 1) != (row["variant"] is None):
        yield "the asked document is not in the text, or not alone there"
        return
    if prompt[row["context_start"] : row["context_end"]] != _text(row, stock, runs):
        yield "the text is not the sentences it names, in order"
        return
    yield from _as_asked(row, ask, stock)
    yield from _evidence(row, ask, stock, runs[row["doc_ids"].index(ask.ask.doc_id)], runs)
    yield from _cut(row, ask, stock, runs, extra)
    yield from _promise(row, plan, extra)
    yield from _examples(row, ask, plan, stock)


def _text(row: Row, stock: Stock, runs: list[Run]) -> str:
    """What the text should be: sentences of the store, marks between documents."""
    at, text = stock.store.byte_at, stock.store.text
    shown = [bytes(text[at[run.first] : at[run.last]]).decode() for run in runs]
    if row["variant"] == "embedded":
        marks = [MARK.format(title=stock.titles[doc]) for doc in row["doc_ids"]]
        shown = [mark + each for mark, each in zip(marks, shown, strict=True)]
    return "".join(shown).removeprefix(" ")


def _as_asked(row: Row, ask: PreparedAsk, stock: Stock) -> Iterator[str]:
    source = ask.ask
    if source.kind == "choice":
        if sorted(row["choices"]) != sorted(choice.strip() for choice in source.choices):
            yield "the choices are not those of the source"
        elif row["choices"][row["answer_index"]] != source.answers[0].strip():
            yield "the letter is not that of the right answer"
    elif row["answers"] != list(source.answers or source.references[:1]):
        yield "the answers are not those of the source"
    if source.kind != "summary" and row["question"] != source.text:
        yield "the question is not that of the source"
    if source.kind == "summary" and row["references"] != list(source.references):
        yield "the references are not those of the source"
    scored = any(point.terms for point in source.key_points)
    if (KEYPOINTS in row["metrics"], row["metrics"][0] == KEYPOINTS) != (scored, scored):
        yield "key points are scored where there are none, or not first where there are some"
    title = f'"{stock.titles[source.doc_id]}"'
    behind = row["prompt"][row["context_end"] : row["cue_start"]].replace(row["question"], "", 1)
    if row["variant"] == "embedded" and title not in (behind if source.kind != "summary" else row["question"]):
        yield "the question does not name its document"


def _evidence(row: Row, ask: PreparedAsk, stock: Stock, own: Run, runs: list[Run]) -> Iterator[str]:
    """Every sentence of the evidence stands where its span says, and the last of them at the depth the row says."""
    extra, prompt, store = json.loads(row["extra"]), row["prompt"], stock.store
    start = stock.entries[ask.ask.doc_id].first
    golds = [prompt[s["start"] : s["end"]] for s in row["spans"] if s["kind"] == "gold"]
    if extra["evidence"] != ask.evidence:
        yield f"evidence is {ask.evidence}, the row says {extra['evidence']}"
    wanted = [
        bytes(store.text[store.byte_at[start + a] : store.byte_at[start + b]]).decode().removeprefix(" ")
        for a, b in ask.units
    ]
    told = (sum(b - a for a, b in ask.units), stock.span(ask)) if ask.units else (None, None)
    if (extra.get("evidence_sentences"), extra.get("evidence_span")) != told:
        yield f"evidence of {told[0]} sentences over {told[1]} tokens, the row says otherwise"
    if golds != wanted:
        yield "the spans of the evidence are not its sentences"
    if ask.evidence == "verified" and not all(any(told in gold for gold in golds) for told in ask.ask.evidence):
        yield "a sentence of the evidence does not stand in the text"
    if not ask.units:
        if row["depth"] is not None:
            yield "a depth without evidence"
        return
    deciding = start + ask.bounds[1] - 1
    before = sum(run.last - run.first for run in runs[: runs.index(own)])
    depth = (before + deciding - own.first) / max(1, row["n_units"] - 1)
    if not own.first <= deciding < own.last or row["depth"] is None or abs(row["depth"] - depth) > _FLOAT32:
        yield f"the evidence stands at depth {depth}, the row says {row['depth']}"


def _cut(row: Row, ask: PreparedAsk, stock: Stock, runs: list[Run], extra: dict[str, Any]) -> Iterator[str]:
    """The cut is the one that the row says, and no further sentence fits (of a window: not one more on each side)."""
    own_at = row["doc_ids"].index(ask.ask.doc_id)
    documents = [Run(stock.entries[doc].first, stock.entries[doc].last) for doc in row["doc_ids"]]
    own, whole = runs[own_at], documents[own_at]
    if (extra["cut"] == "whole") != (own == whole) or (extra["cut"] == "beginning" and own.first != whole.first):
        yield f"the document is shown from {own.first - whole.first} to {own.last - whole.first}, the row says {extra['cut']}"
    parts = [i for i, run in enumerate(runs) if run != documents[i] and i != own_at]
    if len(parts) > 1 or any(i not in (0, len(runs) - 1) or runs[i].first != documents[i].first for i in parts):
        yield "another document is cut that is not the outermost one, or not at its end"
    cut = parts[0] if parts else own_at if len(runs) == 1 else None
    size = 0 if cut is None else _next(runs[cut], documents[cut], stock, extra["cut"] if cut == own_at else "")
    if 0 < size <= row["slack_tokens"] - _SEAM:
        yield f"{row['slack_tokens']} tokens are left, the next sentence has {size}"
    if row["slack_tokens"] < 0:
        yield "over budget"


def _promise(row: Row, plan: TaskPlan, extra: dict[str, Any]) -> Iterator[str]:
    """A summary is asked for of what is shown: of the beginning of a text where that is all there is."""
    wording, (start, end) = prompts.wordings()[plan.kind.prompt], (row["spans"][0]["start"], row["spans"][0]["end"])
    told = row["prompt"][start:end]
    if wording.beginning and (extra["cut"] == "beginning") != told.startswith(wording.beginning.partition("{")[0]):
        yield f"the instruction does not fit a text that is shown as {extra['cut']}"


def _next(run: Run, document: Run, stock: Stock, cut: str) -> int:
    """Tokens of the sentence behind what is shown; of a window, of that and the one before it; 0 where there is none."""
    behind = stock.tokens(Run(run.last, run.last + 1)) if run.last < document.last else 0
    before = stock.tokens(Run(run.first - 1, run.first)) if cut == "window" and run.first > document.first else 0
    return behind + before


def _examples(row: Row, ask: PreparedAsk, plan: TaskPlan, stock: Stock) -> Iterator[str]:
    """Examples are of other documents, not shown here, and say question and answer of their source."""
    spans = [span for span in row["spans"] if span["kind"] == "demo"]
    for name, span in zip(row["demo_ids"], spans, strict=False):
        demo, shown = stock.known.get((plan.kind.asks, name)), row["prompt"][span["start"] : span["end"]]
        if demo is None or span["ref"] != f"demo:{name}":
            yield f"example {name} is not of the collection"
            continue
        if demo.text == ask.text or demo.ask.doc_id in row["doc_ids"]:
            yield f"example {name} is of a document of this row"
        source = demo.ask
        told = source.references[0] if source.kind == "summary" else source.answers[0].strip()
        if source.text not in shown or told not in shown:
            yield f"example {name} is not as its source has it"
        if source.kind == "choice":
            letter = shown[-1]
            if f"\n{letter}. {told}\n" not in shown:
                yield f"example {name} gives the letter {letter}"
        elif not shown.endswith(f" {told}"):
            yield f"example {name} does not end with its answer"
