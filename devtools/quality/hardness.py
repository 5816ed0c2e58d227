"""How hard questions are to search for and to guess, and what passages are like, in figures that compare.

Everything takes plain data, so that real and simulated questions go through the same code.
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
_OPENING = 2  # words of a question that say what is asked for
_COMMON = 0.01  # share of a set's questions from which a word belongs to its templates
_HEAD = 12  # first words of a passage, where the first of an article names its title

Line = Sequence[tuple[str, str]]
"""Title and text of a gold passage and of its distractors, in this order."""


def hardness(asked: Sequence[Asked]) -> Report:
    """How a search fares on a set: curves and spreads."""
    return {
        "questions": len(asked),
        "bm25": curve([each.rank for each in asked]),
        "bm25_apart": curve([each.rank_apart for each in asked]),
        "overlap": spread(overlap(each.question, each.gold) for each in asked),
        "nearest": spread(each.nearest for each in asked),
        "nearest_apart": spread(each.nearest_apart for each in asked),
        **_single_hop([each.answer_rank for each in asked if each.bridge]),
    }


def _single_hop(ranks: Sequence[int | None]) -> Report:
    """Share of bridge questions whose own words find the passage with the answer; empty where there are none."""
    return {"single_hop": sum(map(found_at_once, ranks)) / len(ranks)} if ranks else {}


def overlap(question: str, gold: Sequence[str]) -> float | None:
    """Share of a question's different content words that its gold passages have; None: it has no content word."""
    asked = set(words(question)) - FUNCTION_WORDS
    return len(asked & {word for text in gold for word in words(text)}) / len(asked) if asked else None


def passages(articles: Sequence[Sequence[str]], split: Splitter, most_words: int) -> Report:
    """What passages are like (repeated: share of 8-grams that stood before, names and numbers masked); two collections compare
    when both reach `most_words`.
    """
    kept, total = list[tuple[str, ...]](), 0
    for article in articles:
        if total >= most_words:
            break
        kept += [tuple(text[a:b] for a, b in split(text)) for text in article]
        total += sum(len(tokens(text)) for text in article)
    every = Book("", "", tuple(kept))
    told, masked = [[word for s in text for word in lowered(s)] for text in kept], iter(every.masked)
    return {
        "words": sum(map(len, told)),
        "passage_words": spread(map(len, told)),
        "sentence_words": spread(len(tokens(sentence)) for sentence in every.sentences),
        "types": len({word for text in told for word in text}),
        "repeated_masked": repeated([[word for _ in text for word in next(masked)] for text in kept], _GRAM),
    }


def odd_one_out(lines: Sequence[Line], model: Trigrams) -> dict[str, float]:
    """Cheats that read no question -> share of lines of which each picks the gold (chance is 1 / passages), by the highest score
    or by the lowest, whichever does better.

    surprise: bits a word under a model that has seen no passage of these lines; rare: share of rare words; long: words; lead:
    share of the title's words among the first twelve of the text, as in the first passage of an article.
    """
    judges: dict[str, Callable[[str, str], float]] = {
        "surprise": lambda _, text: model.surprise(text),
        "rare": lambda _, text: model.rare(text),
        "long": lambda _, text: float(len(words(text))),
        "lead": lambda title, text: len(set(words(title)) & set(words(text)[:_HEAD])) / max(1, len(set(words(title)))),
    }
    out = {}
    for name, judge in judges.items():
        scores = [[judge(*pair) for pair in line] for line in lines]  # among equal ones a draw
        picked = [[(each[0] == best) / each.count(best) for best in (max(each), min(each))] for each in scores]
        out[name] = max(map(statistics.fmean, zip(*picked, strict=True)))
    return out


def fullest_tenth(asked: Sequence[Asked]) -> float | None:
    """Share of the answers that begin in the fullest tenth of the deciding gold (a tenth is chance); None: there is none."""
    found = [at for each in asked if (at := answer_place(each.gold[0], each.answers)) is not None]
    return max(Counter(int(10 * at) for at in found).values()) / len(found) if found else None


def answer_place(text: str, answers: Sequence[str]) -> float | None:
    """Where the first of the answers begins in a text, in words: 0 at its head, near 1 at its end; None: nowhere."""
    said = padded(text)
    begins = [begin for alias in filter_aliases(answers) if (begin := said.find(alias)) >= 0]
    return said.count(" ", 0, min(begins)) / len(said.split()) if begins else None


def guesses(asked: Sequence[Asked]) -> dict[str, float]:
    """Share of questions answered right without any passage: the commonest answer of the other questions, of those that begin
    with the same two words, and of those of the same template (a template is what is left of a question when words of fewer
    than one in a hundred questions are taken out).
    """
    said = [words(each.question) for each in asked]
    often = Counter(word for question in said for word in set(question))
    common = {word for word, count in often.items() if count > max(2, _COMMON * len(asked))}
    return {
        "commonest": _guessed(asked, [()] * len(asked)),
        "opening": _guessed(asked, [tuple(question[:_OPENING]) for question in said]),
        "template": _guessed(asked, [tuple(word if word in common else "_" for word in each) for each in said]),
    }


def _guessed(asked: Sequence[Asked], keys: Sequence[tuple[str, ...]]) -> float:
    """Share answered by the commonest canonical answer among the other questions of the same key; of equals, the first."""
    given, right = [padded(each.answers[0]) for each in asked], 0
    for i, each in enumerate(asked):
        others = Counter(given[j] for j, key in enumerate(keys) if key == keys[i])
        others[given[i]] -= 1
        (guess, count), *_ = others.most_common(1)
        right += count > 0 and guess in set(map(padded, each.answers))
    return right / len(asked)
