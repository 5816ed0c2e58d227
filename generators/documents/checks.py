"""What only these tasks can say of a finished row, read from the prompt itself and held against the collection."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from generators.context.sentences import Run
from generators.documents import headings
from generators.documents.layout import MARK, Layout, Shown
from generators.documents.prompts import LETTERS, Wording, listed_in
from generators.documents.stock import KEYPOINTS, Stock
from generators.documents.text import Text
from generators.spec import Row
from haymaker.core.buckets import is_natural
from haymaker.core.rows.schema import DEPTH_ERROR
from haymaker.core.rows.source_records import DocumentQuestion
from haymaker.core.text.equivalents import accepted

_SEAM = 4  # tokens that seams may have taken from the text


def of_prompt(row: Row, shots: int, wording: Wording) -> Iterator[str]:
    """What is wrong with a row by itself, which should have so many examples and these texts; nothing when all is well."""
    spans, background = row["spans"], json.loads(row["extra"])["background"]
    golds = [span for span in spans if span["kind"] == "gold"]
    if any(a["start"] > b["start"] for a, b in pairwise(spans)) or any(s["start"] >= s["end"] for s in spans):
        yield "spans are not in order"
    if not all(row["context_start"] <= s["start"] < s["end"] <= row["context_end"] for s in golds):
        yield "evidence stands outside the text"
    if sum(span["kind"] == "demo" for span in spans) != shots or len(set(row["demo_ids"])) != shots:
        yield f"not {shots} different examples"
    if row["doc_ids"] != [doc for doc, _, _ in background] or len(set(row["doc_ids"])) != len(row["doc_ids"]):
        yield "doc_ids are not the documents of the text, each once"
    if row["n_units"] != sum(last - first for _, first, last in background):
        yield "n_units is not the number of sentences"
    yield from _request(row, wording)


def _request(row: Row, wording: Wording) -> Iterator[str]:
    """The question, its choices and the letter, as a reader sees them behind the text."""
    behind = row["prompt"][row["context_end"] : row["cue_start"]]
    if row["question"] not in behind or not row["prompt"][row["cue_start"] :]:
        yield "the question, or the cue at cue_start, is missing"
    if row["choices"] is None:
        return
    shown = listed_in(behind)
    if shown != list(zip(LETTERS, row["choices"], strict=False)):
        yield "the choices are not shown in order, each behind its letter"
    elif row["answers"] != wording.answers(*shown[row["answer_index"]]):
        yield "the answers are not the letter at answer_index, alone and with its text"
    if wording.demand not in behind:
        yield "how the choice is to be written does not stand behind the text"


def of_collection(row: Row, questions: str, wording: Wording, stock: Stock, scores_points: bool) -> Iterator[str]:
    """What is wrong with a row by the collection, of which its task asks questions of one kind.

    Args:
        row: finished.
        questions: their kind.
        wording: the texts of the task.
        stock: the collection.
        scores_points: whether key points are scored where there are any.
    """
    question = stock.known.get((questions, row["group_id"].removeprefix(f"{stock.name}-")))
    if question is None or question.source.part != row["part"]:
        yield f"nothing {row['group_id']} is asked of part {row['part']} of the collection"
        return
    extra, embedded = json.loads(row["extra"]), row["variant"] == "embedded"
    if question.source.doc_id not in row["doc_ids"] or embedded != (len(row["doc_ids"]) > 1):
        yield "the asked document is not in the text, or not alone there"
        return
    shown = tuple(Shown(doc, stock.units(doc, first, last)) for doc, first, last in extra["background"])
    text = Text(stock, question, Layout(shown, row["doc_ids"].index(question.source.doc_id)), embedded)
    if row["prompt"][row["context_start"] : row["context_end"]] != _read(text):
        yield "the text is not the sentences it names, in order"
        return
    for rule in (_as_source, _evidence, _cut, _examples, _key_points):
        yield from rule(row, extra, text)
    yield from _first_metric(row, scores_points and any(point.terms for point in text.points))
    head = row["prompt"][row["spans"][0]["start"] : row["spans"][0]["end"]]
    if wording.again not in row["prompt"][row["context_end"] : row["cue_start"]]:
        yield "the instruction does not stand again behind the text"
    if wording.beginning and (extra["cut"] == "beginning") != head.startswith(wording.beginning.partition("{")[0]):
        yield f"the instruction does not fit a text that is shown as {extra['cut']}"


def _units(stock: Stock, run: Run) -> str:
    at = stock.store.byte_at
    return bytes(stock.store.text[at[run.first] : at[run.last]]).decode()


def _read(text: Text) -> str:
    """What the text should be: sentences of the store, marks between documents."""
    stock, mark = text.stock, MARK if text.embedded else ""
    shown = (
        mark.format(title=stock.titles[each.doc_id]) + _units(stock, each.run).lstrip() for each in text.found.shown
    )
    return "".join(shown).lstrip()


def _as_source(row: Row, extra: dict[str, Any], text: Text) -> Iterator[str]:
    source, summary = text.question.source, text.question.source.kind == "summary"
    part = summary and text.is_cut and text.question.told  # see _key_points
    if source.kind == "choice":
        if sorted(row["choices"]) != sorted(choice.strip() for choice in source.choices):
            yield "the choices are not those of the source"
        elif row["choices"][row["answer_index"]] != source.answers[0].strip():
            yield "the letter is not that of the right answer"
    elif not part and row["answers"] != accepted(source.answers or source.references[:1], row["metrics"]):
        yield "the answers are not those of the source"
    if source.text and row["question"] != source.text:
        yield "the question is not that of the source"
    if summary and not part and row["references"] != list(source.references):
        yield "the references are not those of the source"
    behind = row["prompt"][row["context_end"] : row["cue_start"]].replace(row["question"], "", 1)
    title, asked = text.stock.titles[source.doc_id], behind if source.text else row["question"]
    if text.embedded and not any(quoted in asked for quoted in (f'"{title}"', f"“{title}”")):
        yield "the question does not name its document"


def _key_points(row: Row, extra: dict[str, Any], text: Text) -> Iterator[str]:
    """Each key point is told where the row says; what the row does not show it neither scores nor has in its reference."""
    points, source = extra.get("key_points", []), text.question.source
    if [point["text"] for point in points] != [point.text for point in source.key_points]:
        yield "the key points are not those of the source"
        return
    for point, told in zip(points, source.key_points, strict=True):
        start, end = point.get("start"), point.get("end")
        shown = "" if start is None else " ".join(row["prompt"][start:end].split())
        if text.question.told and shown != ("" if told not in text.points else " ".join(told.evidence)):
            yield f"the key point {told.text!r:.80} is not told where the row says, or not said to be shown"
    claims = " ".join(point["text"] for point in points if point.get("start") is not None)
    if source.kind == "summary" and text.is_cut and text.question.told and row["references"] != [claims]:
        yield "the reference of a beginning is not what it tells"
    if source.kind == "summary" and text.is_cut and not source.text and not text.question.told:
        yield "a part is shown, and nobody knows what of the summary it tells"


def _first_metric(row: Row, scored: bool) -> Iterator[str]:
    if (KEYPOINTS in row["metrics"], row["metrics"][0] == KEYPOINTS) != (scored, scored):
        yield "key points are scored where there are none, or not first where there are some"


def _evidence(row: Row, extra: dict[str, Any], text: Text) -> Iterator[str]:
    """Every sentence of the evidence stands where its span says, and the last of them at the depth the row says."""
    stock, question, main = text.stock, text.question, text.found.main
    golds = [row["prompt"][s["start"] : s["end"]] for s in row["spans"] if s["kind"] == "gold"]
    if extra["evidence"] != question.evidence:
        yield f"evidence is {question.evidence}, the row says {extra['evidence']}"
    width = (sum(b - a for a, b in question.units), stock.span(question)) if question.units else (None, None)
    if (extra.get("evidence_sentences"), extra.get("evidence_span")) != width:
        yield f"evidence of {width[0]} sentences over {width[1]} tokens, the row says otherwise"
    if golds != [_units(stock, stock.units(question.source.doc_id, a, b)).lstrip() for a, b in question.units]:
        yield "the spans of the evidence are not its sentences"
    folded = [" ".join(gold.split()) for gold in golds]
    if text.is_cut and not question.units and question.source.kind != "summary":
        yield "a part is shown, and nobody knows where the answer stands"
    if question.evidence == "verified" and not all(
        any(sentence in gold for gold in folded) for sentence in question.source.evidence
    ):
        yield "a sentence of the evidence does not stand in the text"
    if not question.units:
        if row["depth"] is not None:
            yield "a depth without evidence"
        return
    deciding = stock.evidence(question).last - 1
    depth = (text.found.before(text.found.at) + deciding - main.first) / max(1, row["n_units"] - 1)
    if not main.first <= deciding < main.last or row["depth"] is None or abs(row["depth"] - depth) > DEPTH_ERROR:
        yield f"the evidence stands at depth {depth}, the row says {row['depth']}"


def _cut(row: Row, extra: dict[str, Any], text: Text) -> Iterator[str]:
    """The cut is the one that the row says, and no further sentence fits (of a window: not one more on each side).

    A row of natural length is one document alone, all of it.
    """
    at, how, runs = text.found.at, extra["cut"], [each.run for each in text.found.shown]
    documents = [text.stock.documents[doc] for doc in row["doc_ids"]]
    main, whole = runs[at], documents[at]
    if (how == "whole") != (main == whole) or (how == "beginning" and main.first != whole.first):
        yield f"the document is shown from {main.first - whole.first} to {main.last - whole.first}, the row says {how}"
    if is_natural(row["bucket"]):
        if text.embedded or main != whole:
            yield "a row of natural length does not show its document whole and alone"
        return
    parts = [i for i, run in enumerate(runs) if run != documents[i] and i != at]
    if len(parts) > 1 or any(i not in (0, len(runs) - 1) or runs[i].first != documents[i].first for i in parts):
        yield "another document is cut that is not the outermost one, or not at its end"
    cut = parts[0] if parts else at if len(runs) == 1 else None
    if any(headings.without(text.stock.store, runs[i]) != runs[i] for i in parts):
        yield "another document ends with a heading, and nothing of what it heads is shown"
    if how == "window" and _ends_with_heading(main, whole, text):
        yield "the window ends with a heading, and nothing of what it heads is shown"
    size = 0 if cut is None else _next(runs[cut], documents[cut], text.stock, how if cut == at else "other")
    if 0 < size <= row["slack_tokens"] - _SEAM:
        yield f"{row['slack_tokens']} tokens are left, the next sentence has {size}"
    if row["slack_tokens"] < 0:
        yield "over budget"


def _ends_with_heading(main: Run, whole: Run, text: Text) -> bool:
    """Whether what is shown of the asked document ends with a heading that is no evidence."""
    last = headings.without(text.stock.store, main).last
    return main.last < whole.last and text.stock.evidence(text.question).last <= last < main.last


def _next(run: Run, document: Run, stock: Stock, cut: str) -> int:
    """Tokens of the sentence behind what is shown, but for beginnings with its headings; of a window, of that and the one before it;
    0 where there is none.
    """
    end = Run(run.last, run.last + 1) if cut == "beginning" else headings.following(stock.store, run, document)
    behind = stock.tokens(end) if run.last < document.last else 0
    before = stock.tokens(Run(run.first - 1, run.first)) if cut == "window" and run.first > document.first else 0
    return behind + before


def _examples(row: Row, extra: dict[str, Any], text: Text) -> Iterator[str]:
    """Examples are of other documents, not shown here, and say question and answer of their source."""
    spans = [span for span in row["spans"] if span["kind"] == "demo"]
    for name, span in zip(row["demo_ids"], spans, strict=False):
        demo, shown = (
            text.stock.known.get((text.question.source.kind, name)),
            row["prompt"][span["start"] : span["end"]],
        )
        if demo is None or span["ref"] != f"demo:{name}":
            yield f"example {name} is not of the collection"
            continue
        if demo.text == text.question.text or demo.source.doc_id in row["doc_ids"]:
            yield f"example {name} is of a document of this row"
        source = demo.source
        answer = _example(source, shown, beginning=extra["cut"] == "beginning" and bool(source.key_points))
        if source.text not in shown or answer not in shown:
            yield f"example {name} is not as its source has it"
        if source.kind == "choice":
            letter = shown[-1]
            if f"\n{letter}. {answer}\n" not in shown:
                yield f"example {name} gives the letter {letter}"
        elif not shown.endswith(f" {answer}"):
            yield f"example {name} does not end with its answer"


def _example(source: DocumentQuestion, shown: str, *, beginning: bool) -> str:
    """What an example should answer: of a beginning the most first claims that are shown, else the reference or answer."""
    if source.kind != "summary":
        return source.answers[0].strip()
    claims = [point.text for point in source.key_points]
    told = [" ".join(claims[:number]) for number in range(len(claims), 0, -1)]
    return next((text for text in told if text in shown), told[0]) if beginning else source.references[0]
