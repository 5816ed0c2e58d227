"""What only tasks over passages can say of a finished row, read from the prompt itself."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from corpora.stores.mined import MinedPassages, MinedQuestion
from corpora.stores.passages.store import OPENER, SEPARATOR, unit
from generators.passages.leaks import folded, holds, letters
from generators.passages.material import has_words
from generators.spec import Row
from haymaker.core.rows.schema import DEPTH_ERROR
from haymaker.core.rows.span_columns import SpanColumns

Spans = list[Row]

_ID = re.compile(r" \[ID: (\d+)\]:")


def passages(row: Row) -> Spans:
    """Spans of the passages, in order."""
    return [span for span in row["spans"] if span["kind"] in ("gold", "distractor", "passage")]


def tiles(row: Row, spans: Spans, label: str, *, graded: bool) -> Iterator[str]:
    """The context is its passages, each with title and number (graded ones: id), and nothing else."""
    prompt, at = row["prompt"], row["context_start"]
    starts = SpanColumns.of(row["spans"]).column("start")
    if starts != sorted(starts):
        yield "spans are not in order"
    for n, span in enumerate(spans, 1):
        lead, title = prompt[at : span["start"]], f" (Title: {span['title']}):" if span["title"] else ""
        if lead != f"{OPENER}{_shown_id(lead) if graded else label.format(n=n)}{title} ":
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


def _shown_id(lead: str) -> str | None:
    """A graded passage's id as its lead shows it, None where there is none."""
    found = _ID.match(lead, len(OPENER))
    return found.group() if found else None


def counts(row: Row, spans: Spans, shots: int) -> Iterator[str]:
    """Numbers of passages and of worked examples, and none of them twice."""
    texts = _texts(row, spans)
    if len(set(row["doc_ids"])) != len(spans) or [span["ref"] for span in spans] != row["doc_ids"]:
        yield "doc_ids are not the passages in order, each once"
    if len(set(map(letters, texts))) != len(texts) and (twice := len(texts) - len(set(map(folded, texts)))):
        yield f"{twice} passages come twice"
    if (row["n_units"], row["n_unique_units"]) != (len(spans), len(spans)):
        yield "n_units or n_unique_units is not the number of passages"
    useless = sum(span["kind"] == "distractor" or span["label"] == "0" for span in spans)
    if row["n_distractors"] != useless:
        yield f"{useless} distractors, the row says {row['n_distractors']}"
    if len(row["demo_ids"]) != shots or len(set(row["demo_ids"])) != shots:
        yield f"{len(row['demo_ids'])} worked examples instead of {shots} different ones"


def some_gold(spans: Spans) -> Iterator[str]:
    """There is a gold passage."""
    if not any(span["kind"] == "gold" for span in spans):
        yield "no gold passage"


def depth(row: Row, spans: Spans) -> Iterator[str]:
    """A gold stands where the row says."""
    yield from some_gold(spans)
    depths = [i / max(1, len(spans) - 1) for i, span in enumerate(spans) if span["kind"] == "gold"]
    if row["depth"] is None or not any(abs(row["depth"] - depth) <= DEPTH_ERROR for depth in depths):
        yield f"gold at depths {depths}, the row says {row['depth']}"


def placed(row: Row, spans: Spans, points: int) -> Iterator[str]:
    """The only gold says the answer and stands at the depth, of so many, whose turn it is."""
    golds = [f"{span['title'] or ''} | {_text(row, span)}" for span in spans if span["kind"] == "gold"]
    if len(golds) != 1:
        yield f"{len(golds)} gold passages instead of one"
    if not any(holds(gold, row["answers"]) for gold in golds):
        yield "the gold passage does not say the answer"
    nearest = 0.5 / max(1, len(spans) - 1) + DEPTH_ERROR
    if row["depth"] is not None and abs(row["depth"] - row["depth_index"] / (points - 1)) > nearest:
        yield f"depth {row['depth']} is not the nearest to point {row['depth_index']} of {points}"


def ranking(row: Row, spans: Spans, best: int) -> Iterator[str]:
    """The ids shown, and of them the best so many by grade."""
    shown = [_ID.search(row["prompt"], span["start"] - 60 - len(span["title"] or ""), span["start"]) for span in spans]
    grades = {match[1]: int(span["label"]) for match, span in zip(shown, spans, strict=True) if match}
    if grades != json.loads(row["extra"])["qrels"] or len(grades) != len(spans):
        yield "qrels are not the ids and grades shown, each once"
    if row["answers"][0].split(" > ") != sorted(grades, key=lambda shown: -grades[shown])[:best]:
        yield "the stored ranking is not the best ids by grade"


def citations(row: Row, spans: Spans) -> Iterator[str]:
    """Every mark of the stored answer names a passage that holds an answer of its sentence; nothing stands behind the last."""
    rest = row["answers"][0]
    for claim, marks in re.findall(r"([^\[\]]+)((?:\[\d+\])+)", rest):
        said = [group for group in row["answer_groups"] if holds(claim, group)]
        for number in map(int, re.findall(r"\d+", marks)):
            span = spans[number - 1] if 0 < number <= len(spans) else None
            if span is None or span["kind"] != "gold":
                yield f"the stored answer cites [{number}], which is no gold passage"
            elif not any(holds(f"{span['title'] or ''}\n{_text(row, span)}", group) for group in said):
                yield f"the stored answer cites [{number}], which does not say what {claim.strip(' ,.')!r:.80} does"
    if len(uncited := rest.rpartition("]")[2]) > 1:
        yield f"the stored answer ends in {uncited!r:.80}, which cites nothing"


def as_mined(row: Row, spans: Spans, question: MinedQuestion, *, graded: bool) -> Iterator[str]:
    """Every passage as mined, gold as gold, and no passage left that the rest of the budget could take."""
    shown, refs = set(row["doc_ids"]), {span["ref"] for span in spans}
    ranked = question.distractors.passage_id
    last = max((i for i, each in enumerate(ranked) if each in shown or each in refs), default=-1)
    known = _known(question.distractors, last + 1, is_gold=False) | _known(
        question.gold, len(question.gold), is_gold=True
    )
    for span in spans:
        title, text, _, is_gold = known.get(span["ref"], ("", "", 0, False))
        if (span["title"] or "", _text(row, span)) != (title, text):
            yield f"passage {span['ref']} is not as mined"
        if not graded and (span["kind"] == "gold") != is_gold:
            yield f"passage {span['ref']} is marked {span['kind']}"
    if question.question != row["question"]:
        yield "the question is not as mined"
    examples, left = (
        row["prompt"][: row["context_start"]],
        row["slack_tokens"] or 0,
    )  # examples may show what the row may not
    passed_over = (known[each] for each in ranked[: last + 1] if each not in shown)
    if any(tokens <= left and text not in examples for _, text, tokens, _ in passed_over):
        yield f"{row['slack_tokens']} tokens are left: room for a passage that was passed over"


def _known(passages: MinedPassages, count: int, *, is_gold: bool) -> dict[str, tuple[str, str, int, bool]]:
    """The first passages of a question, by id: title, text, tokens, whether gold; those behind stay unread."""
    columns = (passages.passage_id, passages.title, passages.text, passages.tokens[0])
    return {each: (*more, is_gold) for each, *more in zip(*(column[:count] for column in columns), strict=True)}


def natural(row: Row, spans: Spans, question: MinedQuestion, units: int, words: tuple[int, int]) -> Iterator[str]:
    """All golds and the first of the other passages, while their words stay within a maximum: no more of them, no fewer.

    Args:
        row: of a natural bucket.
        spans: of its passages.
        question: as mined.
        units: passages of a natural row.
        words: fewest and most of question, passages and answers.
    """
    others = {span["ref"] for span in spans if span["kind"] == "distractor"}
    if {span["ref"] for span in spans if span["kind"] == "gold"} != set(question.gold.passage_id):
        yield "not all gold passages are there"
    if not others:
        yield "nothing but gold"
    if others != set(question.distractors.passage_id[: len(others)]):
        yield "the distractors are not the first that were mined"
    elif others:
        yield from _stretch(row, spans, question, max(units, len(question.gold) + 1), words)


def _stretch(row: Row, spans: Spans, question: MinedQuestion, units: int, words: tuple[int, int]) -> Iterator[str]:
    """Whether a natural row ends where it should, by the words of its prompt."""
    (least, most), ranked = words, question.distractors
    answers = row["answers"][: sum(map(has_words, question.answers))]  # equivalent forms follow
    around = sum(len(text.split()) for text in (row["question"], *answers))
    shown = around + len(row["prompt"][row["context_start"] : row["context_end"]].split())
    if not least <= shown <= most:
        yield f"{shown} words are not within {least} to {most}"
    number = sum(span["kind"] == "distractor" for span in spans)
    if number < len(ranked) and (len(spans) < units or shown < least):
        following = f" [{len(spans) + 1}]{unit(ranked.title[number], ranked.text[number])}"
        if shown + len(following.split()) <= most:
            yield "another passage would stay within the words"
    if len(spans) > units and _without_last(row, spans, question, shown) >= least:
        yield "more passages than the words ask for"


def _without_last(row: Row, spans: Spans, question: MinedQuestion, words: int) -> int:
    """Words of a natural row without the passage that came in last."""
    last = question.distractors.passage_id[sum(span["kind"] == "distractor" for span in spans) - 1]
    at = next(i for i, span in enumerate(spans) if span["ref"] == last)
    start = spans[at - 1]["end"] if at else row["context_start"]
    return words - len(row["prompt"][start : spans[at]["end"]].split())


def _text(row: Row, span: Row) -> str:
    return str(row["prompt"][span["start"] : span["end"]])


def _texts(row: Row, spans: Spans) -> list[str]:
    return [_text(row, span) for span in spans]
