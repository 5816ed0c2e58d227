"""Checks of finished rows on long documents: against the prompt, and against the collection."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from generators.context.checks import after_context, asked_after, at_depth, context_of, document_ids, in_order, texts_at
from generators.context.sentences import Run
from generators.documents.cuts import following, without_headings
from generators.documents.layout import MARK, Layout, Shown
from generators.documents.prompts import LETTERS, Wording, accepted, listed_in, summary_of
from generators.documents.stock import KEYPOINTS, Stock
from generators.documents.text import Text
from generators.spec import Row
from haymaker.core.lengths import is_natural
from haymaker.core.rows.source_records import DocumentQuestion
from haymaker.core.text import equivalents

_SEAM = 4  # tokens that token boundaries may cost


def of_prompt(row: Row, shots: int, wording: Wording) -> Iterator[str]:
    """Yield problems of a row with `shots` examples and these prompt texts that need no collection."""
    kinds, background = [span["kind"] for span in row["spans"]], json.loads(row["metadata"])["background"]
    golds = [span for span in row["spans"] if span["kind"] == "gold"]
    yield from in_order(row)
    if not all(row["context_start"] <= s["start"] < s["end"] <= row["context_end"] for s in golds):
        yield "evidence is outside the text"
    if (kinds.count("instruction"), kinds.count("fewshot"), len(set(row["fewshot_ids"]))) != (1, shots, shots):
        yield f"not {shots} different examples after one instruction"
    yield from document_ids(row, (doc for doc, _, _ in background))
    if len(background) != len(row["doc_ids"]) or row["num_segments"] != sum(
        last - first for _, first, last in background
    ):
        yield "num_segments is not the number of sentences, or a document occurs twice"
    yield from asked_after(row, row["question"], wording.demand, wording.repeated(several=len(background) > 1))
    if row["choices"] is None:
        return
    shown = listed_in(after_context(row))
    if shown != list(zip(LETTERS, row["choices"], strict=False)):
        yield "the choices are not shown in order, each after its letter"
    elif row["answers"] != accepted(wording.form, *shown[row["answer_index"]]):
        yield "the answers are not the letter at answer_index, by itself and with its text"


def of_collection(row: Row, kind: str, wording: Wording, stock: Stock, scores_points: bool) -> Iterator[str]:
    """Yield differences between a row and the collection; `scores_points`: key points are scored if there are any."""
    question = stock.known.get((kind, row["group_id"].removeprefix(f"{stock.name}-")))
    if question is None or question.source.split != row["split"]:
        yield f"split {row['split']} of the collection has no question {row['group_id']}"
        return
    metadata, embedded, doc_ids = json.loads(row["metadata"]), row["variant"] == "distractor_documents", row["doc_ids"]
    if question.source.doc_id not in doc_ids or embedded != (len(doc_ids) > 1):
        yield "the document of the question is not in the text, or is not the only one"
        return
    shown = tuple(Shown(doc, stock.units(doc, first, last)) for doc, first, last in metadata["background"])
    text = Text(stock, question, Layout(shown, doc_ids.index(question.source.doc_id)), embedded)
    mark = MARK if embedded else ""
    pieces = (mark.format(title=stock.titles[each.doc_id]) + stock.text(each.run).lstrip() for each in shown)
    if context_of(row) != "".join(pieces).lstrip():
        yield "the text does not match its sentences in order"
        return
    for rule in (_as_source, _evidence, _shown, _cut, _examples, _key_points):
        yield from rule(row, metadata, text)
    scored = scores_points and any(point.terms for point in text.points)
    if (KEYPOINTS in row["metrics"], row["metrics"][0] == KEYPOINTS) != (scored, scored):
        yield "key points are scored although the text has none, or are not the first metric although it has some"
    instruction = "".join(texts_at(row, "instruction"))
    says_beginning = instruction.startswith(wording.beginning.partition("{")[0])
    if wording.beginning and (metadata["cut"] == "beginning") != says_beginning:
        yield f"the instruction does not fit a text that is shown as {metadata['cut']}"


def _as_source(row: Row, metadata: dict[str, Any], text: Text) -> Iterator[str]:
    source, summary = text.question.source, text.question.source.kind == "summary"
    part = summary and text.is_cut and text.question.told  # see _key_points
    if source.kind == "choice":
        if sorted(row["choices"]) != sorted(choice.strip() for choice in source.choices):
            yield "the choices are not those of the source"
        elif row["choices"][row["answer_index"]] != source.answers[0].strip():
            yield "the letter is not that of the right answer"
    elif not part and row["answers"] != equivalents.accepted(source.answers or source.references[:1], row["metrics"]):
        yield "the answers are not those of the source"
    if source.text and row["question"] != source.text:
        yield "the question is not that of the source"
    if summary and not part and row["references"] != list(source.references):
        yield "the references are not those of the source"
    title, after = text.stock.titles[source.doc_id], after_context(row).replace(row["question"], "", 1)
    asked = after if source.text else row["question"]
    if text.embedded and not any(quoted in asked for quoted in (f'"{title}"', f"“{title}”")):
        yield "the question does not name its document"


def _key_points(row: Row, metadata: dict[str, Any], text: Text) -> Iterator[str]:
    """The places of key points are right; only key points that are shown are scored and in the reference."""
    points, source = metadata.get("key_points", []), text.question.source
    if [point["text"] for point in points] != [point.text for point in source.key_points]:
        yield "the key points are not those of the source"
        return
    for point, right in zip(points, source.key_points, strict=True):
        start, end = point.get("start"), point.get("end")
        shown = "" if start is None else " ".join(row["prompt"][start:end].split())
        if text.question.told and shown != (" ".join(right.evidence) if right in text.points else ""):
            yield f"the key point {right.text!r:.80} is not at the place in the row, or not marked as shown"
    if source.kind != "summary" or not text.is_cut:
        return
    told = [right for point, right in zip(points, source.key_points, strict=True) if point.get("start") is not None]
    if text.question.told and row["references"] != [summary_of(told)]:
        yield "the reference of a beginning does not match its key points"
    if not text.question.told and not source.text:
        yield "only a part of the document is shown, and it is unknown which key points it contains"


def _evidence(row: Row, metadata: dict[str, Any], text: Text) -> Iterator[str]:
    """The gold spans are the sentences of the evidence; the last one is at the depth of the row."""
    stock, question, golds = text.stock, text.question, texts_at(row, "gold")
    if metadata["evidence"] != question.evidence:
        yield f"evidence is {question.evidence}, the row has {metadata['evidence']}"
    width = (sum(b - a for a, b in question.units), stock.span(question)) if question.units else (None, None)
    if (metadata.get("evidence_sentences"), metadata.get("evidence_span")) != width:
        yield f"evidence of {width[0]} sentences over {width[1]} tokens, the row has other values"
    if golds != [stock.text(stock.units(question.source.doc_id, a, b)).lstrip() for a, b in question.units]:
        yield "the spans of the evidence are not its sentences"
    if text.is_cut and not question.units and question.source.kind != "summary":
        yield "only a part of the document is shown, and the place of the answer is unknown"
    shown = "\n".join(" ".join(gold.split()) for gold in golds)
    if question.evidence == "verified" and not all(sentence in shown for sentence in question.source.evidence):
        yield "a sentence of the evidence is not in the text"
    if text.place is not None:
        yield from at_depth(row, [text.place], row["num_segments"])
    elif row["depth"] is not None:
        yield "a depth without evidence"
    if question.units and not text.found.main.first < stock.evidence(question).last <= text.found.main.last:
        yield "the last sentence of the evidence is not shown"


def _shown(row: Row, metadata: dict[str, Any], text: Text) -> Iterator[str]:
    """The part of the document that is shown fits `cut`; a row of natural length has one whole document."""
    main, whole, how = text.found.main, text.stock.documents[text.question.source.doc_id], metadata["cut"]
    if (how == "whole") != (main == whole) or (how == "beginning" and main.first != whole.first):
        yield f"the document is shown from {main.first - whole.first} to {main.last - whole.first}, the row has {how}"
    if is_natural(row["length"]) and (text.embedded or main != whole):
        yield "a row of natural length does not contain exactly its whole document"


def _cut(row: Row, metadata: dict[str, Any], text: Text) -> Iterator[str]:
    """Only the outermost other document is cut, at its end; no further sentence (for windows: one on each side) fits."""
    if is_natural(row["length"]):
        return
    at, how, runs = text.found.at, metadata["cut"], [each.run for each in text.found.shown]
    stock, documents = text.stock, [text.stock.documents[doc] for doc in row["doc_ids"]]
    parts = [i for i, run in enumerate(runs) if run != documents[i] and i != at]
    if len(parts) > 1 or any(i not in (0, len(runs) - 1) or runs[i].first != documents[i].first for i in parts):
        yield "another document is cut that is not the outermost one, or not at its end"
    if any(without_headings(stock.store, runs[i]) != runs[i] for i in parts):
        yield "another document ends with a heading, and none of its section is shown"
    last = without_headings(stock.store, runs[at]).last
    is_end = runs[at].last == documents[at].last
    if how == "window" and not is_end and stock.evidence(text.question).last <= last < runs[at].last:
        yield "the window ends with a heading, and none of its section is shown"
    cut = parts[0] if parts else at if len(runs) == 1 else None
    size = 0 if cut is None else _next(runs[cut], documents[cut], stock, how if cut == at else "other")
    if 0 < size <= row["unused_tokens"] - _SEAM:
        yield f"{row['unused_tokens']} tokens are left, the next sentence has {size}"
    if row["unused_tokens"] < 0:
        yield "over budget"


def _next(run: Run, document: Run, stock: Stock, cut: str) -> int:
    """Tokens of the next sentence (with headings, except for beginnings), and for windows of the previous one; 0 if there is none."""
    end = Run(run.last, run.last + 1) if cut == "beginning" else following(stock.store, run, document)
    after = stock.tokens(end) if run.last < document.last else 0
    before = stock.tokens(Run(run.first - 1, run.first)) if cut == "window" and run.first > document.first else 0
    return after + before


def _examples(row: Row, metadata: dict[str, Any], text: Text) -> Iterator[str]:
    """Examples are on documents that the row does not show, with question and answer of the source."""
    spans = [span for span in row["spans"] if span["kind"] == "fewshot"]
    for name, span, shown in zip(row["fewshot_ids"], spans, texts_at(row, "fewshot"), strict=False):
        example = text.stock.known.get((text.question.source.kind, name))
        if example is None or span["ref"] != f"fewshot:{name}":
            yield f"example {name} is not of the collection"
            continue
        if example.text == text.question.text or example.source.doc_id in row["doc_ids"]:
            yield f"example {name} is of a document of this row"
        source = example.source
        answer = _example(source, shown, beginning=metadata["cut"] == "beginning" and bool(source.key_points))
        if source.text not in shown or answer not in shown:
            yield f"example {name} differs from its source"
        if source.kind == "choice":
            if f"\n{shown[-1]}. {answer}\n" not in shown:
                yield f"example {name} gives the letter {shown[-1]}"
        elif not shown.endswith(f" {answer}"):
            yield f"example {name} does not end with its answer"


def _example(source: DocumentQuestion, shown: str, *, beginning: bool) -> str:
    """The answer of an example: for a beginning as many of the first key points as are shown, else the answer or reference."""
    if source.kind != "summary":
        return source.answers[0].strip()
    if not beginning:
        return source.references[0]
    points = source.key_points
    answers = [summary_of(points[:number]) for number in range(len(points), 0, -1)]
    return next((answer for answer in answers if answer in shown), answers[0])
