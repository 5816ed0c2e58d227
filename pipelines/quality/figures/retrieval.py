"""Gates of a simulated encyclopaedia: how hard its questions are to search for, and to guess, in figures that compare.

Simulated rows are worth something only where they are about as hard as real ones. Everything here takes plain data,
so that real and simulated questions go through the same code: where the gold stands in a search, how many words question
and gold share, how near the best passage without an answer comes, what passages are like, and what cheats that read no question
(or no passage) reach.
"""

from __future__ import annotations

import statistics
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from corpora.stores.sentences.split import Splitter
from haymaker.text import filter_aliases, padded, words
from pipelines.quality.figures.cheat import area
from pipelines.quality.figures.prose import mask, repeated, tokens
from pipelines.quality.figures.trigrams import Trigrams, lowered
from pipelines.quality.figures.words import FUNCTION_WORDS

CUTS = (1, 5, 10, 20, 100)
"""Gold among the best so many."""
CHEATS = ("surprise", "rare", "long", "lead")
GRAM = 8
_OPENING = 2  # words of a question that say what is asked for
_COMMON = 0.01  # share of a set's questions from which a word belongs to its templates
_HEAD = 12  # first words of a passage, where the first of an article names its title
_ZLIB_LEVEL = 9

Spread = dict[str, float]
Report = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and what a search made of it.

    Attributes:
        question: its text.
        answers: accepted ones, the canonical one first; none where passages are judged.
        gold: title and text of each gold passage, the deciding one first.
        rank: passages that stand before its gold, the last of two linked ones; None: not found.
        nearest: score of the best distractor over that of the best gold; None: no distractor was found.
        above: distractors that score above the best gold.
        rank_apart, nearest_apart: the same without further passages of the articles that the gold is from.
    """

    question: str
    answers: tuple[str, ...]
    gold: tuple[str, ...]
    rank: int | None
    nearest: float | None
    above: int
    rank_apart: int | None
    nearest_apart: float | None


def gold_rank(ranks: Sequence[int | None], *, linked: bool) -> int | None:
    """Rank of the gold of a question: of its best passage, or, where all are needed (linked), of the last of them."""
    found = [rank for rank in ranks if rank is not None]
    if linked:
        return max(found) if found and len(found) == len(ranks) else None
    return min(found, default=None)


def curve(ranks: Sequence[int | None]) -> dict[str, float]:
    """Share of questions whose gold is among the best 1, 5, 10 ..."""
    return {str(cut): sum(r is not None and r < cut for r in ranks) / len(ranks) for cut in CUTS}


def overlap(question: str, gold: Sequence[str]) -> float | None:
    """Share of a question's different content words that its gold passages have; None: it has no content word."""
    asked = set(words(question)) - FUNCTION_WORDS
    told = {word for text in gold for word in words(text)}
    return len(asked & told) / len(asked) if asked else None


def spread(values: Sequence[float]) -> Spread:
    """Mean, quartiles, and the 5th and 95th percentile; of at least one value."""
    if len(values) == 1:
        values = [*values, *values]
    cuts = statistics.quantiles(values, n=20, method="inclusive")
    return {"mean": statistics.fmean(values), **{f"q{5 * at:02d}": cuts[at - 1] for at in (1, 5, 10, 15, 19)}}


def hardness(asked: Sequence[Asked]) -> Report:
    """Rank curve, overlap and distractor gap of a set.

    Returns:
        questions; bm25 (curve); overlap and nearest (spreads); bm25_apart and nearest_apart; above (median number of
        distractors above the gold) and beaten (share of questions with at least one).
    """
    return {
        "questions": len(asked),
        "bm25": curve([each.rank for each in asked]),
        "bm25_apart": curve([each.rank_apart for each in asked]),
        "overlap": _known(overlap(each.question, each.gold) for each in asked),
        "nearest": _known(each.nearest for each in asked),
        "nearest_apart": _known(each.nearest_apart for each in asked),
        "above": statistics.median(each.above for each in asked),
        "beaten": statistics.fmean(each.above > 0 for each in asked),
    }


def _known(values: Iterable[float | None]) -> Spread | None:
    """Spread of those that there are."""
    found = [value for value in values if value is not None]
    return spread(found) if found else None


def passages(articles: Sequence[Sequence[str]], split: Splitter, most_words: int) -> Report:
    """What passages are like; two collections compare when both reach `most_words`.

    Args:
        articles: texts of the passages of each article.
        split: finds sentences.
        most_words: articles are read until they have so many words.

    Returns:
        passages, words (in all); passage_words, sentence_words (spreads); types; zlib (bytes over compressed bytes);
        repeated: shares of 8-grams that stood before, within an article, anywhere, and anywhere with names and numbers masked.
    """
    kept, total = list[list[list[str]]](), 0
    for article in articles:
        if total >= most_words:
            break
        kept.append([[text[a:b] for a, b in split(text)] for text in article])
        total += sum(len(tokens(text)) for text in article)
    every = [sentences for article in kept for sentences in article]
    told = [[[word for s in sentences for word in lowered(s)] for sentences in article] for article in kept]
    flat = [text for article in told for text in article]
    masked = mask([sentence for sentences in every for sentence in sentences])
    data = "\n".join(" ".join(sentences) for sentences in every).encode()
    return {
        "passages": len(flat),
        "words": sum(map(len, flat)),
        "passage_words": spread([len(text) for text in flat]),
        "sentence_words": spread([len(tokens(sentence)) for sentences in every for sentence in sentences]),
        "types": len({word for text in flat for word in text}),
        "zlib": len(data) / len(zlib.compress(data, _ZLIB_LEVEL)),
        "repeated": {
            "article": _within(told),
            "anywhere": repeated(flat, GRAM),
            "masked": repeated(_parted(masked, every), GRAM),
        },
    }


def _within(articles: Sequence[Sequence[Sequence[str]]]) -> float:
    """Share of the 8-grams of all articles that stood before in the same one."""
    sizes = [sum(max(0, len(text) - GRAM + 1) for text in article) for article in articles]
    again = sum(size * repeated(article, GRAM) for size, article in zip(sizes, articles, strict=True) if size)
    return again / max(1, sum(sizes))


def _parted(sentences: Sequence[Sequence[str]], passages_: Sequence[Sequence[str]]) -> list[list[str]]:
    """Sentences, as words, put together to the passages that they come from."""
    rest = iter(sentences)
    return [[word for _ in passage for word in next(rest)] for passage in passages_]


@dataclass(frozen=True, slots=True)
class Line:
    """A gold passage among distractors, for cheats that do not read the question.

    Attributes:
        titles, texts: of the passages, the gold first.
    """

    titles: tuple[str, ...]
    texts: tuple[str, ...]


def odd_one_out(lines: Sequence[Line], model: Trigrams) -> dict[str, dict[str, float]]:
    """Cheat -> how well it picks the gold: auc (0.5 is chance) and first (share of lines; chance is 1 / passages), of the highest
    score or of the lowest, whichever does better.

    surprise: bits a word under a model that has seen no passage of these lines; rare: share of rare words; long: words; lead:
    share of the title's words among the first twelve of the text, as in the first passage of an article.

    Args:
        lines: each of at least two passages.
        model: trained on other articles, or on a world of another seed.
    """
    judges: tuple[Callable[[str, str], float], ...] = (
        lambda _, text: statistics.fmean(model.bits(text) or [0.0]),
        lambda _, text: statistics.fmean([model.is_rare(word) for word in lowered(text)] or [0.0]),
        lambda _, text: float(len(words(text))),
        _lead,
    )
    out = {}
    for name, judge in zip(CHEATS, judges, strict=True):
        scores = [[judge(*pair) for pair in zip(line.titles, line.texts, strict=True)] for line in lines]
        auc = statistics.fmean(area(each[:1], each[1:]) for each in scores)
        lowest = [[-score for score in each] for each in scores]
        first = max(statistics.fmean(map(_picked, side)) for side in (scores, lowest))
        out[name] = {"auc": auc, "first": first}
    return out


def _lead(title: str, text: str) -> float:
    named, head = set(words(title)), set(words(text)[:_HEAD])
    return len(named & head) / len(named) if named else 0.0


def _picked(scores: Sequence[float]) -> float:
    """Chance that who takes the best score, a draw among equals, takes the first passage."""
    return (scores[0] == max(scores)) / scores.count(max(scores))


def answer_place(text: str, answers: Sequence[str]) -> float | None:
    """Where the first of the answers begins in a text, in words: 0 at its head, near 1 at its end; None: nowhere."""
    said = padded(text)
    places = [said.find(alias) for alias in filter_aliases(answers)]
    found = min((place for place in places if place >= 0), default=None)
    return None if found is None else said.count(" ", 0, found) / len(said.split())


def places(asked: Sequence[Asked]) -> Report | None:
    """Places of the answers in the deciding gold: spread, and the share of the fullest tenth (a tenth is chance)."""
    found = [at for each in asked if (at := answer_place(each.gold[0], each.answers)) is not None]
    if not found:
        return None
    return {"spread": spread(found), "fullest_tenth": max(Counter(int(10 * at) for at in found).values()) / len(found)}


def guesses(asked: Sequence[Asked]) -> dict[str, float]:
    """Share of questions answered right without any passage: the commonest answer of the other questions, of those that begin
    with the same two words, and of those of the same template (a template is what is left of a question when words of fewer
    than one in a hundred questions are taken out).
    """
    said = [words(each.question) for each in asked]
    often = Counter(word for question in said for word in set(question))
    common = {word for word, count in often.items() if count > max(2, _COMMON * len(asked))}
    templates = [" ".join(word if word in common else "_" for word in question) for question in said]
    return {
        "commonest": _guessed(asked, [""] * len(asked)),
        "opening": _guessed(asked, [" ".join(question[:_OPENING]) for question in said]),
        "template": _guessed(asked, templates),
    }


def _guessed(asked: Sequence[Asked], keys: Sequence[str]) -> float:
    """Share answered by the commonest canonical answer among the other questions of the same key; of equals, the first."""
    known: dict[str, Counter[str]] = {}
    given = [padded(each.answers[0]) for each in asked]
    for key, answer in zip(keys, given, strict=True):
        known.setdefault(key, Counter())[answer] += 1
    right = 0
    for each, key, answer in zip(asked, keys, given, strict=True):
        others = known[key].copy()
        others[answer] -= 1
        (guess, count), *_ = others.most_common(1)
        right += count > 0 and guess in {padded(alias) for alias in each.answers}
    return right / len(asked)


def holders(asked: Sequence[Asked], corpus: Sequence[str]) -> Spread:
    """Passages of the corpus (padded texts) that hold an answer of a question: spread over questions."""
    aliases = [filter_aliases(each.answers) for each in asked]
    return spread([sum(any(name in text for name in names) for text in corpus) for names in aliases])
