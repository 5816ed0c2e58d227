"""What only HELMET can say of a finished row, read from the prompt itself; the matcher of answers is not that of mining."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any

from corpora.mined import MinedQuestion
from corpora.passages import OPENER, SEPARATOR
from generators.passages.params import TaskPlan
from generators.passages.stock import Stock

Row = dict[str, Any]
Spans = list[dict[str, Any]]

_FLOAT32 = 1e-6  # what is lost by storing a depth as float32
_PASSAGES = ("gold", "distractor", "passage")
_FIXED = re.compile(
    rf"^(?:{OPENER}(?: \[\w+\])?(?: \(Title:)?|Question:|Answer:)", re.MULTILINE
)  # words of every example
_EVERYWHERE = {"yes", "no", "noanswer"}


def problems(row: Row, plan: TaskPlan, stock: Stock | None) -> Iterator[str]:
    """What is wrong with a row; nothing when all is well.

    Args:
        row: as read from the file.
        plan: its task entry.
        stock: the mined set, to hold texts against; None when it is not here.
    """
    spans = [span for span in row["spans"] if span["kind"] in _PASSAGES]
    yield from _tiles(row, plan, spans)
    yield from _counts(row, plan, spans)
    yield from _depth(row, plan, spans)
    yield from _answers(row, plan, spans)
    if stock is not None:
        yield from _as_mined(row, plan, spans, stock)


def _tiles(row: Row, plan: TaskPlan, spans: Spans) -> Iterator[str]:
    """The context is its passages, each with title and number, and nothing else."""
    prompt, at = row["prompt"], row["context_start"]
    if [span["start"] for span in row["spans"]] != sorted(span["start"] for span in row["spans"]):
        yield "spans are not in order"
    for n, span in enumerate(spans, 1):
        lead = prompt[at : span["start"]]
        label = {"rag": "", "rerank": r" \[ID: (\d+)\]:", "numbered": rf" \[{n}\]", "cite": rf" \[{n}\]"}[
            plan.kind.family
        ]
        title = f" (Title: {span['title']}):" if span["title"] else ""
        if not re.fullmatch(f"{OPENER}{label}{re.escape(title)} ", lead):
            yield f"passage {n} is led by {lead[:80]!r}"
            return
        text, at = prompt[span["start"] : span["end"]], span["end"] + len(SEPARATOR)
        if not text or text != text.strip() or (n < len(spans) and prompt[span["end"] : at] != SEPARATOR):
            yield f"passage {n} is not one stretch of text between empty lines"
            return
    if not spans or spans[-1]["end"] != row["context_end"]:
        yield "the context does not end with its last passage"
    if not prompt[row["cue_start"] :] or row["question"] not in prompt[: row["cue_start"]]:
        yield "the question, or the cue at cue_start, is missing"


def _counts(row: Row, plan: TaskPlan, spans: Spans) -> Iterator[str]:
    """Numbers of passages, and none of them twice."""
    texts = [_folded(row["prompt"][span["start"] : span["end"]]) for span in spans]
    if len(set(row["doc_ids"])) != len(spans) or [span["ref"] for span in spans] != row["doc_ids"]:
        yield "doc_ids are not the passages in order, each once"
    if len(set(texts)) != len(texts):
        yield f"{len(texts) - len(set(texts))} passages come twice"
    if (row["n_units"], row["n_unique_units"]) != (len(spans), len(spans)):
        yield "n_units or n_unique_units is not the number of passages"
    golds = sum(span["kind"] == "gold" for span in spans)
    useless = sum(span["kind"] == "distractor" or span["label"] == "0" for span in spans)
    if row["n_distractors"] != useless:
        yield f"{useless} distractors, the row says {row['n_distractors']}"
    if plan.kind.placed and golds != 1:
        yield f"{golds} gold passages instead of one"
    if plan.kind.family != "rerank" and not golds:
        yield "no gold passage"
    if len(row["demo_ids"]) != plan.shots or len(set(row["demo_ids"])) != plan.shots:
        yield f"{len(row['demo_ids'])} worked examples instead of {plan.shots} different ones"


def _depth(row: Row, plan: TaskPlan, spans: Spans) -> Iterator[str]:
    """The deciding gold says the answer and stands where the row says."""
    if plan.kind.family not in ("rag", "numbered"):
        return
    golds = [
        f"{span['title'] or ''} | {row['prompt'][span['start'] : span['end']]}"
        for span in spans
        if span["kind"] == "gold"
    ]
    if plan.kind.placed and not any(_holds(gold, row["answers"]) for gold in golds):
        yield "the gold passage does not say the answer"
    last = max(1, len(spans) - 1)
    depths = [i / last for i, span in enumerate(spans) if span["kind"] == "gold"]
    if row["depth"] is None or not any(abs(row["depth"] - depth) <= _FLOAT32 for depth in depths):
        yield f"gold at depths {depths}, the row says {row['depth']}"
    elif plan.kind.placed and abs(row["depth"] - row["depth_index"] / (plan.points - 1)) > 0.5 / last + _FLOAT32:
        yield f"depth {row['depth']} is not the nearest to point {row['depth_index']} of {plan.points}"


def _answers(row: Row, plan: TaskPlan, spans: Spans) -> Iterator[str]:
    """Re-ranking: the ids shown, by grade. Citing: every mark of the answer names a passage that holds its answer."""
    first, extra = row["answers"][0], json.loads(row["extra"])
    if plan.kind.family == "rerank":
        shown = [
            re.search(r"\[ID: (\d+)\]: ", row["prompt"][: span["start"]][-60 - len(span["title"] or "") :])
            for span in spans
        ]
        grades = {match[1]: int(span["label"]) for match, span in zip(shown, spans, strict=True) if match}
        if grades != extra["qrels"] or len(grades) != len(spans):
            yield "qrels are not the ids and grades shown, each once"
        if first.split(" > ") != sorted(grades, key=lambda shown: -grades[shown]):
            yield "the stored ranking is not all ids by grade"
    if plan.kind.family == "cite" and plan.kind.variant is None:
        for said, number in re.findall(r"([^\[\]]+?) \[(\d+)\]", first):
            span = spans[int(number) - 1] if int(number) <= len(spans) else None
            answer = re.split(r"^[,.]? ", said)[-1].rpartition(": ")[2]
            if span is None or span["kind"] != "gold":
                yield f"the stored answer cites [{number}], which is no gold passage"
            elif not _holds(f"{span['title'] or ''}\n{row['prompt'][span['start'] : span['end']]}", [answer]):
                yield f"the stored answer cites [{number}], which does not say {answer!r}"


def _as_mined(row: Row, plan: TaskPlan, spans: Spans, stock: Stock) -> Iterator[str]:
    """Every passage as mined, gold as gold, and no passage left that the rest of the budget could take."""
    if row["group_id"] not in stock.number_of:
        yield f"no question {row['group_id']} in the mined set"
        return
    question = stock.whole(stock.number_of[row["group_id"]])
    known = _by_id(question)
    for span in spans:
        title, text, _, is_gold = known.get(span["ref"], ("", "", 0, False))
        if (span["title"] or "", row["prompt"][span["start"] : span["end"]]) != (title, text):
            yield f"passage {span['ref']} is not as mined"
        if plan.kind.family != "rerank" and (span["kind"] == "gold") != is_gold:
            yield f"passage {span['ref']} is marked {span['kind']}"
    if question.question != row["question"]:
        yield "the question is not as mined"
    shown = set(row["doc_ids"])
    ranked = question.distractors.passage_id
    last = max((i for i, shown_id in enumerate(ranked) if shown_id in shown), default=-1)
    passed_over = [known[shown_id][2] for shown_id in ranked[: last + 1] if shown_id not in shown]
    if row["slack_tokens"] >= min(passed_over, default=1 << 30):
        yield f"{row['slack_tokens']} tokens are left: room for a passage that was passed over"
    if not (stock.train_ids - {question.question_id}).issuperset(row["demo_ids"]):
        yield "a worked example is not another question of part train"


def _by_id(question: MinedQuestion) -> dict[str, tuple[str, str, int, bool]]:
    """Passage -> title, text, release tokens, whether it is gold."""
    return {
        shown: (title, text, tokens, passages is question.gold)
        for passages in (question.distractors, question.gold)
        for shown, title, text, tokens in zip(
            passages.passage_id, passages.title, passages.text, passages.tokens[0], strict=True
        )
    }


# ------------------------------------------------------------------------------------------------------------ answers


def intruders(row: Row) -> Iterator[str]:
    """Distractors and worked examples that hold an accepted answer, in text or title."""
    aliases = [*row["answers"], *(alias for group in row["answer_groups"] or () for alias in group)]
    if row["answer_groups"]:
        aliases = aliases[len(row["answers"]) :]  # the stored answers are whole texts, made of these
    pattern = _pattern(aliases)
    if pattern is None:
        return
    instruction = next(row["prompt"][s["start"] : s["end"]] for s in row["spans"] if s["kind"] == "instruction")
    for span in row["spans"]:
        if span["kind"] in ("distractor", "demo"):
            text = row["prompt"][span["start"] : span["end"]].replace(instruction, "")
            pieces = _FIXED.split(text) if span["kind"] == "demo" else [span["title"] or "", text]
            if found := next(filter(None, map(pattern.search, map(_folded, pieces))), None):
                yield f"{span['kind']} {span['ref']} holds {found.group()!r}"


def _holds(text: str, aliases: Sequence[str]) -> bool:
    return any(re.search(rf"(?<!\w){re.escape(_folded(alias))}(?!\w)", _folded(text)) for alias in aliases)


def _pattern(aliases: Sequence[str]) -> re.Pattern[str] | None:
    """Finds any alias between characters that are no letters or digits; None when there is nothing to look for."""
    kept = {_folded(alias) for alias in aliases}
    kept = {alias for alias in kept if len(re.sub(r"[\W_]", "", alias)) > 1 and alias not in _EVERYWHERE}
    if not kept:
        return None
    longest_first = sorted(kept, key=lambda alias: (-len(alias), alias))
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(map(re.escape, longest_first))})(?![^\W_])")


def _folded(text: str) -> str:
    """Lower case, no accents, every run of white space and punctuation as one space."""
    plain = re.sub("[\u0300-\u036f]", "", unicodedata.normalize("NFD", text)).lower()
    return re.sub(r"[\W_]+", " ", plain).strip()
