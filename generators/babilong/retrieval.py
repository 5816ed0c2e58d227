"""What a retriever finds of a finished context: ranks of the supporting facts, and the prompt of the best pieces alone.

Retrieval accuracy of docs/spec/babilong.md 9. The context is cut in two ways, into its sentences (facts and units of
background, as they were put together) and into chunks of 512 tokens; the query is the question. A fact counts where it stands,
and only in a piece that holds the whole of it. Differs from the reference, which looks for the text of a fact: the same
sentence elsewhere in the story is no support here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from statistics import fmean
from typing import TYPE_CHECKING, Any, Literal

from corpora.retrieval.chunks import Chunker
from corpora.retrieval.scorers import SCORERS, ranking
from corpora.stores.sentences.store import Background
from corpora.tokenizers.tokenizer import Tokenizer
from generators.context.context import Context
from generators.context.sentences import Run
from haymaker.core.rows.retrieved_prompt import KS, UNITS

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]

Retrieval = Literal["none", "bm25"]
RETRIEVAL_VERSION = 1
CHUNK_TOKENS = 512


class Retriever:
    """Cuts contexts into pieces and asks a scorer for the best.

    Args:
        name: a scorer.
        store: background.
        tokenizer: of the release.
    """

    def __init__(self, name: str, store: Background, tokenizer: Tokenizer) -> None:
        self._name, self._store, self._tokenizer = name, store, tokenizer
        self._chunker = Chunker(tokenizer, CHUNK_TOKENS)

    @cached_property
    def _tokens(self) -> memoryview:
        return self._store.tokens_at(self._tokenizer.fingerprint)

    def found(
        self,
        question: str,
        supporting: Sequence[int],
        context: Context,
        runs: Sequence[Run],
        facts: Sequence[tuple[int, int, int]],
        start: int,
    ) -> dict[str, Any]:
        """What `extra.retrieval` holds: `retriever`, and per unit `ranks` and `top`.

        `ranks`: of each supporting fact, from 1; null when no piece holds the whole of it. `top`: the best 20 pieces, best
        first, as [start, end) characters of the prompt.

        Args:
            question: the query.
            supporting: which facts, in the order of the row.
            context: with its first space.
            runs: its background.
            facts: of each: units of background before it, characters and tokens with its space.
            start: of the context in the prompt.
        """
        import numpy as np

        text = context.text.decode()
        characters = _before(self._store.char_at, runs, [(at, size) for at, size, _ in facts])
        tokens = _before(self._tokens, runs, [(at, size) for at, _, size in facts])
        bounds = {
            "sentence": characters,
            "chunk": np.array(self._chunker.bounds(text, characters.tolist(), tokens.tolist())),
        }
        scorer = SCORERS[self._name](text)
        spans = [(context.starts[i], context.ends[i]) for i in supporting]
        out: dict[str, Any] = {"retriever": self._name}
        for unit in UNITS:
            at = bounds[unit]
            best = ranking(scorer.scores(question, at))
            holders = [_holder(at, span) for span in spans]
            out[unit] = {
                "ranks": [None if i is None else int(np.flatnonzero(best == i)[0]) + 1 for i in holders],
                # a piece brings its space along, and the first space of the context is not in the prompt
                "top": [[start + int(at[i]), start + int(at[i + 1]) - 1] for i in best[: max(KS)]],
            }
        return out


def _before(sums: memoryview, runs: Sequence[Run], facts: Sequence[tuple[int, int]]) -> Ints:
    """Characters or tokens before each piece of a haystack, and of the whole.

    Args:
        sums: prefix sums of the store.
        runs: units of background.
        facts: of each, how many units stand before it, and its size.
    """
    import numpy as np

    before = np.asarray(sums)
    sizes = np.concatenate([np.zeros(0, np.int64), *(np.diff(before[run.first : run.last + 1]) for run in runs)])
    sizes = np.insert(sizes, [at for at, _ in facts], [size for _, size in facts])
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])


def _holder(bounds: Ints, span: tuple[int, int]) -> int | None:
    """The piece that holds the whole span."""
    import numpy as np

    piece = int(np.searchsorted(bounds, span[0], "right")) - 1
    return piece if span[1] <= bounds[piece + 1] else None


def summary(rows: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """Per unit: `recall@k`, mean share of the supporting facts among the best k pieces, and `all@k`, share of rows with all
    of them there (the retrieval accuracy of docs/spec/babilong.md 9).

    Args:
        rows: with the column `extra`.
    """
    found = [json.loads(row["extra"])["retrieval"] for row in rows]
    out: dict[str, dict[str, float]] = {}
    for unit in UNITS:
        out[unit] = {}
        for k in KS:
            shares = [fmean(rank is not None and rank <= k for rank in each[unit]["ranks"]) for each in found]
            out[unit][f"recall@{k}"] = round(fmean(shares), 4)
            out[unit][f"all@{k}"] = round(fmean(share == 1 for share in shares), 4)
    return out
