"""Checks of finished rows over passages, by prompt, columns and mined set. Mining does not share the code that matches answers."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache

from corpora.stores.columns import taken
from corpora.stores.mined import MinedQuestion
from corpora.stores.passages.store import OPENER, SEPARATOR, unit
from generators.context.checks import as_stored, context_of, counts, document_ids, in_order, is_context
from generators.passages.material import has_words
from generators.spec import Row
from haymaker.core.rows.ranking import CUT, random_ndcg
from haymaker.core.rows.schema import DEPTH_ERROR

Spans = list[Row]

_ID = re.compile(r" \[ID: (\d+)\]:")
_EXAMPLE = re.compile(rf"^(?:{OPENER}(?: \[\w+\])?(?: \(Title:)?|Question:|Answer:)", re.MULTILINE)
_ACCENTS, _GAPS = re.compile("[\u0300-\u036f]"), re.compile(r"[\W_]+")
_ASCII_GAPS = {code: " " for code in range(128) if _GAPS.match(chr(code))}
_NO_LETTERS = bytes(_ASCII_GAPS)
_MOST_BY_CHANCE = 0.5  # NDCG@10 of a random order of a row
_EVERYWHERE = {"yes", "no", "noanswer"}


def passages(row: Row) -> Spans:
    """Spans of the passages, in order."""
    return [span for span in row["spans"] if span["kind"] in ("gold", "distractor", "passage")]


def tiles(row: Row, spans: Spans, label: str, *, graded: bool) -> Iterator[str]:
    """The context is exactly its passages, each with title and number (or id, if graded); question and cue follow or precede it."""
    texts = [_text(row, span) for span in spans]
    numbers = _shown_ids(row, spans) if graded else [label.format(n=n) for n in range(1, len(spans) + 1)]
    titles = [f" (Title: {span['title']}):" if span["title"] else "" for span in spans]
    units = (f"{OPENER}{number}{title} {text}" for number, title, text in zip(numbers, titles, texts, strict=True))
    yield from in_order(row)
    yield from is_context(row, SEPARATOR.join(units))
    if any(text != text.strip() for text in texts):
        yield "a passage begins or ends with white space"
    if (
        not row["prompt"][row["answer_prefix_start"] :]
        or row["question"] not in row["prompt"][: row["answer_prefix_start"]]
    ):
        yield "the question, or the cue at answer_prefix_start, is missing"


def _shown_ids(row: Row, spans: Spans) -> list[str]:
    """Return the id before each graded passage; empty if there is none."""
    starts = [row["context_start"], *(span["end"] + len(SEPARATOR) for span in spans[:-1])]
    found = (_ID.match(row["prompt"], start + len(OPENER)) for start in starts)
    return [match.group() if match else "" for match in found]


def numbers(row: Row, spans: Spans, shots: int) -> Iterator[str]:
    """Numbers of passages, distractors and worked examples; no passage and no example occurs twice."""
    refs, texts = [span["ref"] for span in spans], [_text(row, span) for span in spans]
    yield from document_ids(row, refs)
    yield from counts(row, refs)
    if len(set(map(letters, texts))) != len(texts) and (twice := len(texts) - len(set(map(folded, texts)))):
        yield f"{twice} passages appear twice"
    useless = sum(span["kind"] == "distractor" or span["label"] == "0" for span in spans)
    if row["num_distractors"] != useless:
        yield f"{useless} distractors, the row has {row['num_distractors']}"
    if len(row["fewshot_ids"]) != shots or len(set(row["fewshot_ids"])) != shots:
        yield f"{len(row['fewshot_ids'])} worked examples instead of {shots} different ones"


def placed(row: Row, spans: Spans, points: int) -> Iterator[str]:
    """The only gold contains the answer and is at point `depth_index` of `points` depths."""
    golds = [span for span in spans if span["kind"] == "gold"]
    if len(golds) != 1:
        yield f"{len(golds)} gold passages instead of one"
    if not any(_says(row, gold, row["answers"]) for gold in golds):
        yield "the gold passage does not contain the answer"
    nearest = 0.5 / max(1, len(spans) - 1) + DEPTH_ERROR
    if row["depth"] is not None and abs(row["depth"] - row["depth_index"] / (points - 1)) > nearest:
        yield f"depth {row['depth']} is not the nearest to point {row['depth_index']} of {points}"


def ranking(row: Row, spans: Spans) -> Iterator[str]:
    """`qrels` has the ids in the prompt with their grades, the stored ranking is the best of them, and a random order is far from it."""
    ids = (re.sub(r"\D", "", shown) for shown in _shown_ids(row, spans))
    grades = {shown: int(span["label"]) for shown, span in zip(ids, spans, strict=True) if shown}
    if grades != json.loads(row["metadata"])["qrels"] or len(grades) != len(spans):
        yield "qrels are not the ids and grades shown, each once"
    if row["answers"][0].split(" > ") != sorted(grades, key=lambda shown: -grades[shown])[:CUT]:
        yield "the stored ranking is not the best ids by grade"
    if problem := too_easy(grades.values()):
        yield problem


def too_easy(grades: Collection[int]) -> str:
    """Return why too many passages of a ranking have high grades, or an empty string."""
    return "a random order of its passages scores too much" if random_ndcg(grades) > _MOST_BY_CHANCE else ""


def citations(row: Row, spans: Spans) -> Iterator[str]:
    """Each citation of the stored answer is a passage with an answer of its sentence; the last sentence has a citation."""
    rest = row["answers"][0]
    for claim, marks in re.findall(r"([^\[\]]+)((?:\[\d+\])+)", rest):
        groups = [group for group in row["answer_groups"] if holds(claim, group)]
        for number in map(int, re.findall(r"\d+", marks)):
            span = spans[number - 1] if 0 < number <= len(spans) else None
            if span is None or span["kind"] != "gold":
                yield f"the stored answer cites [{number}], which is not a gold passage"
            elif not any(_says(row, span, group) for group in groups):
                yield f"the stored answer cites [{number}], which does not support {claim.strip(' ,.')!r:.80}"
    if len(uncited := rest.rpartition("]")[2]) > 1:
        yield f"the stored answer ends in {uncited!r:.80}, which cites nothing"


def as_mined(row: Row, spans: Spans, question: MinedQuestion, order: Sequence[int], *, graded: bool) -> Iterator[str]:
    """Every passage is as mined, golds are marked gold, and no passage that fits in the unused tokens is left out.

    Args:
        row: the finished row.
        spans: its passages.
        question: the mined question.
        order: numbers of its distractors, in priority.
        graded: whether passages have grades.
    """
    golds, ranked, listed = set(question.gold.passage_id), question.distractors, set(row["doc_ids"])
    kinds = {span["ref"]: span["kind"] for span in spans}
    ids = ranked.passage_id[:]
    shown = (place for place, i in enumerate(order, 1) if ids[i] in listed or ids[i] in kinds)
    order = order[: max(shown, default=0)]  # the rest stays unread
    first = list(zip(*(taken(each, order) for each in (ranked.passage_id, ranked.title, ranked.text)), strict=True))
    gold = zip(question.gold.passage_id, question.gold.title, question.gold.text, strict=True)
    stored = {ref: f"{title}\n{text}" for ref, title, text in (*first, *gold)}
    yield from as_stored(((span["ref"], f"{span['title'] or ''}\n{_text(row, span)}") for span in spans), stored)
    for ref, kind in kinds.items():
        if not graded and (kind == "gold") != (ref in golds):
            yield f"passage {ref} is marked {kind}"
    if question.question != row["question"]:
        yield "the question differs from the mined question"
    # examples may show passages that the row must not show
    examples, left = row["prompt"][: row["context_start"]], row["unused_tokens"] or 0
    sizes = zip(first, taken(ranked.tokens[0], order), strict=True)
    if any(size <= left and ref not in listed and text not in examples for (ref, _, text), size in sizes):
        yield f"{row['unused_tokens']} tokens are left: room for a passage that was passed over"


def natural(
    row: Row, spans: Spans, question: MinedQuestion, order: Sequence[int], units: int, words: tuple[int, int]
) -> Iterator[str]:
    """A natural row has all golds and the first other passages: `units` in total, or as many as the limits of words require.

    `order` has the numbers of the distractors in priority.
    """
    golds, others = ({span["ref"] for span in spans if span["kind"] == kind} for kind in ("gold", "distractor"))
    (least, most), ranked, count, units = words, question.distractors, len(others), max(units, len(question.gold) + 1)
    if golds != set(question.gold.passage_id):
        yield "a gold passage is missing"
    if not count:
        yield "all passages are gold"
    if others != set(taken(ranked.passage_id, order[:count])):
        yield "the distractors are not the first in priority"
        return
    answers = row["answers"][: sum(map(has_words, question.answers))]  # equivalent forms follow
    size = sum(len(text.split()) for text in (row["question"], *answers, context_of(row)))
    if not least <= size <= most:
        yield f"{size} words are not within {least} to {most}"
    first = (
        unit(*each) for each in zip(*(taken(t, order[: count + 1]) for t in (ranked.title, ranked.text)), strict=True)
    )
    sizes = [len(text.split()) + 1 for text in first]  # each with its number
    if len(sizes) > count and (len(spans) < units or size < least) and size + sizes[count] <= most:
        yield "another passage would fit within the words"
    if count and len(spans) > units and size - sizes[count - 1] >= least:
        yield "more passages than the words require"


def _text(row: Row, span: Row) -> str:
    return str(row["prompt"][span["start"] : span["end"]])


def _says(row: Row, span: Row, answers: list[str]) -> bool:
    return holds(f"{span['title'] or ''} | {_text(row, span)}", answers)


def answer_leaks(row: Row) -> Iterator[str]:
    """Yield distractors and worked examples that contain an accepted answer, in text or title."""
    groups = row["answer_groups"]  # if there are any, the stored answers are whole texts made of them
    found = {folded(alias) for alias in ([each for group in groups for each in group] if groups else row["answers"])}
    aliases = [each for each in found if len(_GAPS.sub("", each)) > 1 and each not in _EVERYWHERE]
    if not aliases:
        return
    some, pattern = list(map(letters, aliases)), _whole(sorted(aliases, key=lambda alias: (-len(alias), alias)))
    instruction = next(_text(row, span) for span in row["spans"] if span["kind"] == "instruction")
    for span in row["spans"]:
        if span["kind"] in ("distractor", "fewshot"):
            text = _text(row, span).replace(instruction, "")
            pieces = _EXAMPLE.split(text) if span["kind"] == "fewshot" else [span["title"] or "", text]
            near = (folded(piece) for piece in pieces if any(each in letters(piece) for each in some))
            texts = (text for text in near if any(alias in text for alias in aliases))
            if match := next(filter(None, map(pattern.search, texts)), None):
                yield f"{span['kind']} {span['ref']} contains {match.group()!r}"


def holds(text: str, aliases: Sequence[str]) -> bool:
    """Check whether a text contains one of the aliases as whole words."""
    return bool(aliases) and _whole(map(folded, aliases)).search(folded(text)) is not None


def _whole(aliases: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern of any folded alias without letters or digits next to it."""
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(map(re.escape, aliases))})(?![^\W_])")


@lru_cache(maxsize=1 << 12)
def folded(text: str) -> str:
    """Return a text in lower case, without accents; each run of white space and punctuation becomes one space."""
    if text.isascii():
        return " ".join(text.lower().translate(_ASCII_GAPS).split())
    return _GAPS.sub(" ", _ACCENTS.sub("", unicodedata.normalize("NFD", text)).lower()).strip()


@lru_cache(maxsize=1 << 12)
def letters(text: str) -> bytes:
    """Return the ASCII letters and digits of a folded text: if they differ, the texts differ; faster than `folded`."""
    if not text.isascii():
        text = unicodedata.normalize("NFD", text)
    return text.encode("ascii", "ignore").lower().translate(None, _NO_LETTERS)
