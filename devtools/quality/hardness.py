"""Difficulty of searching and guessing questions, and statistics of passages.

All functions take plain data, so real and simulated questions use the same code.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Sequence

from corpora.stores.mined import found_at_once
from corpora.stores.sentences.languages import Splitter
from devtools.quality.books import FUNCTION_WORDS, Book, lowered, tokens
from devtools.quality.figures import Report, repeated, spread
from devtools.quality.prose import Trigrams
from devtools.quality.search import Asked, curve
from haymaker.core.text.strings import filter_aliases, padded, words

_GRAM = 8
_OPENING = 2  # first words of a question, which show its type
_COMMON = 0.01  # words in at least this share of the questions belong to templates
_HEAD = 12  # first words of a passage; the first passage of an article names the title there

Line = Sequence[tuple[str, str]]
"""Title and text of a gold passage and of its distractors, in this order."""


def hardness(asked: Sequence[Asked]) -> Report:
    """Return the search results on a set as curves and spreads."""
    return {
        "questions": len(asked),
        "bm25": curve([each.rank for each in asked]),
        "bm25_apart": curve([each.rank_apart for each in asked]),
        "question_gold_overlap": spread(overlap(each.question, each.gold) for each in asked),
        "nearest": spread(each.nearest for each in asked),
        "nearest_apart": spread(each.nearest_apart for each in asked),
        **_single_hop([each.answer_rank for each in asked if each.bridge]),
    }


def _single_hop(ranks: Sequence[int | None]) -> Report:
    """Return the share of bridge questions whose own words find the passage with the answer; empty without any."""
    return {"single_hop": sum(map(found_at_once, ranks)) / len(ranks)} if ranks else {}


def overlap(question: str, gold: Sequence[str]) -> float | None:
    """Return the share of a question's distinct content words in its gold passages; None without content words."""
    content = set(words(question)) - FUNCTION_WORDS
    return len(content & {word for text in gold for word in words(text)}) / len(content) if content else None


def passages(articles: Sequence[Sequence[str]], split: Splitter, most_words: int) -> Report:
    """Return statistics of passages (repeated: share of repeated 8-grams, with masked names and numbers).
    Two collections are comparable if both reach `most_words`.
    """
    kept, total = list[tuple[str, ...]](), 0
    for article in articles:
        if total >= most_words:
            break
        kept += [tuple(text[a:b] for a, b in split(text)) for text in article]
        total += sum(len(tokens(text)) for text in article)
    every = Book("", "", tuple(kept))
    lowered_words, masked = [[word for s in text for word in lowered(s)] for text in kept], iter(every.masked)
    return {
        "words": sum(map(len, lowered_words)),
        "passage_words": spread(map(len, lowered_words)),
        "sentence_words": spread(len(tokens(sentence)) for sentence in every.sentences),
        "types": len({word for text in lowered_words for word in text}),
        "repeated_masked": repeated([[word for _ in text for word in next(masked)] for text in kept], _GRAM),
    }


def odd_one_out(lines: Sequence[Line], model: Trigrams) -> dict[str, float]:
    """Return cheat -> share of lines with the gold picked without the question (chance: 1 / passages), by the highest
    or the lowest score, whichever is better.

    surprise: bits per word under a model trained without these passages. rare: share of rare words. long: word count.
    lead: share of the title's words among the first twelve of the text, high in the first passage of an article.
    """
    judges: dict[str, Callable[[str, str], float]] = {
        "surprise": lambda _, text: model.surprise(text),
        "rare": lambda _, text: model.rare(text),
        "long": lambda _, text: float(len(words(text))),
        "lead": lambda title, text: len(set(words(title)) & set(words(text)[:_HEAD])) / max(1, len(set(words(title)))),
    }
    out = {}
    for name, judge in judges.items():
        scores = [[judge(*pair) for pair in line] for line in lines]  # ties count fractionally
        picked = [[(each[0] == best) / each.count(best) for best in (max(each), min(each))] for each in scores]
        out[name] = max(map(statistics.fmean, zip(*picked, strict=True)))
    return out


def fullest_tenth(asked: Sequence[Asked]) -> float | None:
    """Return the share of answers in the most frequent tenth of the deciding gold passage (chance: 0.1), or None."""
    found = [at for each in asked if (at := answer_place(each.gold[0], each.answers)) is not None]
    return max(Counter(int(10 * at) for at in found).values()) / len(found) if found else None


def answer_place(text: str, answers: Sequence[str]) -> float | None:
    """Return the relative position of the first answer in a text, in words (0 = start, near 1 = end), or None."""
    padded_text = padded(text)
    begins = [begin for alias in filter_aliases(answers) if (begin := padded_text.find(alias)) >= 0]
    return padded_text.count(" ", 0, min(begins)) / len(padded_text.split()) if begins else None


def guesses(asked: Sequence[Asked]) -> dict[str, float]:
    """Return the share of questions answered correctly without passages, by the most common answer of the other
    questions: of all of them, with the same first two words, and of the same template (a question without the words
    that occur in fewer than one in a hundred questions).
    """
    questions = [words(each.question) for each in asked]
    often = Counter(word for question in questions for word in set(question))
    common = {word for word, count in often.items() if count > max(2, _COMMON * len(asked))}
    return {
        "commonest": _guessed(asked, [()] * len(asked)),
        "opening": _guessed(asked, [tuple(question[:_OPENING]) for question in questions]),
        "template": _guessed(asked, [tuple(word if word in common else "_" for word in each) for each in questions]),
    }


def _guessed(asked: Sequence[Asked], keys: Sequence[tuple[str, ...]]) -> float:
    """Return the share answered by the most common canonical answer of the other questions with the same key."""
    given, right = [padded(each.answers[0]) for each in asked], 0
    for i, each in enumerate(asked):
        others = Counter(given[j] for j, key in enumerate(keys) if key == keys[i])
        others[given[i]] -= 1
        (guess, count), *_ = others.most_common(1)
        right += count > 0 and guess in set(map(padded, each.answers))
    return right / len(asked)
