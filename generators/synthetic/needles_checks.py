"""Checks of finished needle rows that the oracle cannot make: spans, uniqueness, depth, the text between the needles."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise

from corpora.stores.sentences.store import Background
from generators.context.background_checks import NOT_BACKGROUND, units_before
from generators.context.checks import context_of, texts_at
from generators.generated.rows import sentences
from generators.spec import Row
from generators.synthetic.needles_content import BINS
from generators.synthetic.needles_settings import NeedleSettings, Wording
from generators.synthetic.phrases import Phrases
from haymaker.core.rows.schema import DEPTH_ERROR
from haymaker.core.text.strings import PART

_NEEDLES = ("gold", "distractor")
_PLACED = (*_NEEDLES, "decoy")
_WORD = re.compile(r"[\w-]+")
_PART_OF_WORD = re.compile(rf"{PART}|-")


def units(row: Row) -> list[str]:
    """Return the lines, or filler sentences, of a context without the needles that are placed by depth."""
    needles = set(texts_at(row, *_PLACED))
    return [unit for unit in _split(row) if unit not in needles]


def _split(row: Row) -> list[str]:
    context = context_of(row)
    return context.split("\n") if row["background_corpus"] == "needles" else sentences(context)


def _spans(row: Row, *kinds: str) -> list[Row]:
    return [span for span in row["spans"] if span["kind"] in kinds]


def problems(row: Row, settings: NeedleSettings, phrases: Phrases) -> Iterator[str]:
    """Yield the problems of a row, apart from the text of its corpus."""
    yield from _depth_index(row, settings.depths)
    wordings = [_pattern(form) for form in Wording(settings, phrases).statements("KEY", "VALUE")]
    matches = [_match(wordings, text) for text in texts_at(row, *_NEEDLES)]
    if None in matches:
        yield "a needle's span does not contain a needle"
        return
    pairs = [(match.groupdict().get("key", ""), match["value"]) for match in matches if match]
    keys = json.loads(row["metadata"])["keys"] or [""]
    yield from _needles(row, settings, pairs, keys)
    yield from _decoys(row, settings, wordings, {word for pair in pairs for word in pair if word})
    yield from _strays(row, [*filter(None, keys), *(value for key, value in pairs if key in keys)])
    if row["background_corpus"] in ("noise", "needles"):
        yield from _lines(row, settings, wordings[0])
    if not row["prompt"][row["answer_prefix_start"] :].startswith(phrases.answer()):
        yield "no cue at answer_prefix_start"


def _pattern(form: str) -> re.Pattern[str]:
    form = re.escape(form).replace("KEY", r"(?P<key>\S+)")
    return re.compile(form.replace("VALUE", r"(?P<value>\S+)", 1).replace("VALUE", "(?P=value)"))


def _match(wordings: Sequence[re.Pattern[str]], text: str) -> re.Match[str] | None:
    return next(filter(None, (wording.fullmatch(text) for wording in wordings)), None)


def _needles(
    row: Row, settings: NeedleSettings, pairs: Sequence[tuple[str, str]], asked: Sequence[str]
) -> Iterator[str]:
    """Check number, marks and distance of the needles, and that no key or value occurs twice."""
    if any(a["end"] >= b["start"] for a, b in pairwise(_spans(row, *_PLACED))):
        yield "needles overlap"
    golds = [span["kind"] == "gold" for span in _spans(row, *_NEEDLES)]
    if any((key in asked) != gold for (key, _), gold in zip(pairs, golds, strict=True)):
        yield "the requested needles are not the needles marked gold"
    if sum(golds) != (0 if row["variant"] == "unanswerable" else settings.gold):
        yield f"{sum(golds)} needles are requested"
    different_keys, different_values = {key for key, _ in pairs}, {value for _, value in pairs}
    if not len(different_keys) * settings.values == len(different_values) == len(pairs):
        yield "a key or a value appears twice"
    if settings.key != "none" and len(pairs) != (settings.queries + settings.distractors) * settings.values:
        yield "the number of needles differs from the settings"
    if row["num_distractors"] != len(pairs) - sum(golds) + (
        row["num_segments"] if row["background_corpus"] == "needles" else 0
    ):
        yield "num_distractors is not the number of needles that are not requested"


def _decoys(
    row: Row, settings: NeedleSettings, wordings: Sequence[re.Pattern[str]], taken: AbstractSet[str]
) -> Iterator[str]:
    """Check number and texts of the decoys: none has the key or value of a needle; all have its forms if it has several, or none."""
    decoys = texts_at(row, "decoy")
    if len(decoys) != settings.decoys:
        yield f"{len(decoys)} decoys"
    unspaced = [word for word in taken if not word.isascii()]  # in scripts without spaces
    if any(taken & set(_WORD.findall(text)) or any(word in text for word in unspaced) for text in decoys):
        yield "a decoy has the words of a needle"
    alike, several = [_match(wordings, text) is not None for text in decoys], len(wordings) > 1
    if not several and any(alike):
        yield "a decoy has the words of a needle"
    if several and not all(alike):
        yield "the form of a decoy differs from the needles"
    used = Counter(
        next((i for i, form in enumerate(wordings) if form.fullmatch(text)), -1) for text in texts_at(row, *_PLACED)
    )
    if several and decoys and max(used.values()) - min(used[i] for i in range(len(wordings))) > 1:
        yield "a wording is more frequent than others"


def _strays(row: Row, texts: Sequence[str]) -> Iterator[str]:
    """Find a key or value of the question in the context outside the gold needles."""
    golds = [range(span["start"], span["end"]) for span in _spans(row, "gold")]
    context = row["prompt"][: row["context_end"]]
    for text in texts:
        at = row["context_start"]
        while (at := context.find(text, at)) >= 0:
            around = context[at - 1 : at] + context[at + len(text) : at + len(text) + 1]
            if not _PART_OF_WORD.search(around) and not any(at in gold for gold in golds):
                yield f"{text} appears outside its needle"
                return
            at += len(text)


def _lines(row: Row, settings: NeedleSettings, statement: re.Pattern[str]) -> Iterator[str]:
    """Check number and depth of the lines, and that no line, key or value occurs twice."""
    lines, needles = _split(row), set(texts_at(row, *_NEEDLES))  # no decoys among lines
    if len(set(lines)) != len(lines):
        yield "a line appears twice"
    others = [line for line in lines if line not in needles]
    if row["background_corpus"] == "needles":  # texts, not tuples: a tuple per line starts the garbage collector
        found = [text for line in others if (match := statement.fullmatch(line)) for text in match.groups()]
        special = {text for line in needles if (match := statement.fullmatch(line)) for text in match.groups()}
        if len(found) != 2 * len(others):
            yield "a line is not a needle"
        elif len({*found, *special}) != len(found) + len(special):
            yield "a key or a value appears twice"
    if len(others) != row["num_segments"]:
        yield "num_segments is not the number of lines"
    at = [i for i, line in enumerate(lines) if line in needles]
    yield from depth_problems(row, [place - i for i, place in enumerate(at)], settings.depths)


def depth_problems(row: Row, before: Sequence[int], depths: int) -> Iterator[str]:
    """Compare the depth of the row with needles of the key named first, or on a grid with the first gold needle in the text.

    `before` is the number of units before each needle and decoy; `depths` the points of the grid, or 1.
    """
    keys = json.loads(row["metadata"])["keys"]
    gold_depths = [
        units / row["num_segments"]
        for units, span in zip(before, _spans(row, *_PLACED), strict=True)
        if span["kind"] == "gold" and (depths > 1 or not keys or span["label"] == keys[0])
    ]
    gold_depths = gold_depths[:1] if depths > 1 else gold_depths
    if row["depth"] is None or row["variant"] == "unanswerable":
        if gold_depths or row["depth"] is not None:
            yield "an unanswerable row has a depth"
    elif not any(abs(row["depth"] - depth) < DEPTH_ERROR for depth in gold_depths):
        yield f"the row has depth {row['depth']}, its first needle stands at {gold_depths}"


def _depth_index(row: Row, depths: int) -> Iterator[str]:
    """Check that the depth is in its bin (depths 1), or at its point of the grid."""
    depth, index = row["depth"], row["depth_index"]
    if depth is None or index is None:
        if depth != index:
            yield "one of depth and depth_index is missing"
        return
    low, high = (index / BINS, (index + 1) / BINS) if depths == 1 else (index / (depths - 1),) * 2
    reach = 1 / row["num_segments"] + DEPTH_ERROR
    if not low - reach <= depth <= high + reach:
        yield f"depth {depth} is not at depth_index {index}"


def essay_problems(row: Row, store: Background, shown: Sequence[tuple[int, int]], depths: int) -> Iterator[str]:
    """Compare the context without its needles with the corpus text that the row names: runs of units, in order."""
    if sum(last - first for first, last in shown) != row["num_segments"]:
        yield "num_segments is not the number of sentences"
        return
    before = units_before(row, _spans(row, *_PLACED), store, shown)
    yield from [NOT_BACKGROUND] if before is None else depth_problems(row, before, depths)
