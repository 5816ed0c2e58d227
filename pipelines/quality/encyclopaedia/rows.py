"""Questions with what a search found for them: gold, mined distractors, raw hits, random passages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from corpora.retrieval.mining import filter as filtering
from corpora.retrieval.mining.locate import LINKED, Located
from corpora.retrieval.mining.params import FilterParams
from corpora.retrieval.mining.words import PassageWords
from corpora.retrieval.search import Hits
from corpora.stores.passages.store import search_text
from haymaker.rng import Stream
from pipelines.quality.encyclopaedia.sides import Pool
from pipelines.quality.figures import retrieval

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from corpora.stores.passages.store import Passages

    Floats = npt.NDArray[np.float32]
    Ints = npt.NDArray[np.int64]

DEPTH = 1_000  # passages searched for
DISTRACTORS = 19  # beside a gold passage
KINDS = ("gold", "mined", "lexical", "random")


@dataclass(frozen=True)
class Row:
    """A question with passages of each kind.

    Attributes:
        asked: what the measures read.
        linked: whether all of its gold is needed.
        passages: kind -> numbers in the store, best first.
        scores: kind -> their BM25 scores.
    """

    asked: retrieval.Asked
    linked: bool
    passages: Mapping[str, Ints]
    scores: Mapping[str, list[float]]


def search(pool: Pool, asked: Sequence[Located]) -> Iterator[Row]:
    """Search for each question, and take out of its hits what mining takes out."""
    words = PassageWords(pool.store)
    found = pool.lexical.search([each.question.text for each in asked], min(DEPTH, len(pool.store)))
    for located, hits in zip(asked, found, strict=True):
        yield _row(pool, words, located, hits)


def _row(pool: Pool, words: PassageWords, located: Located, hits: Hits) -> Row:
    text, gold = located.question.text, _gold(located)
    gold_scores = pool.lexical.scores(text, gold)
    known = filtering.Hits(hits.passages, hits.scores, located.gold, float(gold_scores.max()), located.aliases)
    left, _ = filtering.sift(known, FilterParams(), pool.store, words)
    mined, drawn = left[:DISTRACTORS], _drawn(text, len(pool.store))
    passages = {
        "gold": gold,
        "mined": hits.passages[mined],
        "lexical": hits.passages[:DISTRACTORS],
        "random": drawn,
    }
    scores = {
        "gold": gold_scores,
        "mined": hits.scores[mined],
        "lexical": hits.scores[:DISTRACTORS],
        "random": pool.lexical.scores(text, drawn),
    }
    linked = located.question.kind in LINKED
    asked = _asked(pool.store, located, hits, scores=gold_scores, left=left)
    return Row(asked, linked, passages, {kind: values.tolist() for kind, values in scores.items()})


def _asked(store: Passages, located: Located, hits: Hits, *, scores: Floats, left: Ints) -> retrieval.Asked:
    """What the measures read; `scores` are of the gold, `left` are the places of possible distractors among the hits."""
    import numpy as np

    gold, linked, top = _gold(located), located.question.kind in LINKED, float(scores.max())
    pairs, titles = _texts(store, gold), store.take(hits.passages, ["title"])["title"].to_pylist()
    own = {title for title, _ in pairs if title}
    apart = np.array([title not in own for title in titles], np.bool_) | np.isin(hits.passages, gold)

    def nearest(places: Ints) -> float | None:
        return float(hits.scores[places[0]]) / top if len(places) and top else None

    return retrieval.Asked(
        question=located.question.text,
        answers=located.question.answers,
        gold=tuple(search_text(*pair) for pair in pairs),
        rank=_rank(gold, hits.passages, linked=linked),
        nearest=nearest(left),
        above=int((hits.scores[left] > top).sum()),
        rank_apart=_rank(gold, hits.passages[apart], linked=linked),
        nearest_apart=nearest(left[apart[left]]),
    )


def _rank(gold: Ints, ranked: Ints, *, linked: bool) -> int | None:
    place = {passage: rank for rank, passage in enumerate(ranked.tolist())}
    return retrieval.gold_rank([place.get(passage) for passage in gold.tolist()], linked=linked)


def _gold(located: Located) -> Ints:
    """Passages of the best grade, where they are judged; all gold elsewhere."""
    import numpy as np

    best = max(each.grade or 0 for each in located.gold)
    return np.array([each.passage for each in located.gold if (each.grade or 0) == best], np.int64)


def _drawn(question: str, count: int) -> Ints:
    import numpy as np

    return np.fromiter(islice(Stream("quality", "random", question).walk(count), DISTRACTORS), np.int64)


def _texts(store: Passages, passages: Ints) -> list[tuple[str, str]]:
    """Title and text of each."""
    table = store.take(passages, ["title", "text"])
    return list(zip(table["title"].to_pylist(), table["text"].to_pylist(), strict=True))


def line(row: Row, store: Passages) -> retrieval.Line:
    """The deciding gold and the nearest distractors."""
    import numpy as np

    pairs = _texts(store, np.concatenate([row.passages["gold"][:1], row.passages["mined"]]))
    return retrieval.Line(*zip(*pairs, strict=True))
