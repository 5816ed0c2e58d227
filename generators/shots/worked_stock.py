"""A collection of documents as shots: which of them can be shown, which can be asked about, in which order."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, cached_property

import numpy as np

from corpora.stores.documents.store import Documents, PreparedQuestion
from corpora.stores.sentences.store import BREAK, Entry
from corpora.tokenizers.tokenizer import Tokenizer
from generators.context.pieces import Ints, Pieces
from generators.shots.worked import Headers, Worked, folded, standing
from haymaker.core.rng import Stream, digest
from haymaker.core.rows.source_records import Split

_AHEAD = 96  # shots beyond the tokens that are asked for: what filling the end may look at
_COUNTED = 3_000_000  # tokens up to which all examples are counted to say where they end


class Stock:
    """A collection of documents as shots and questions; one per process.

    Args:
        collection: opened.
        name: in the parameters.
        kind: which questions of it (haymaker/core/rows/source_records.DocumentQuestion.kind).
        headers: of a shot.
        words_below: texts of fewer words alone are shown or asked about; None: all.
        tokenizers: release tokenizer first.
    """

    def __init__(
        self,
        collection: Documents,
        name: str,
        kind: str,
        headers: Headers,
        words_below: int | None,
        tokenizers: Sequence[Tokenizer],
    ) -> None:
        self.name, self.headers, self._kind, self._below = name, headers, kind, words_below
        self._collection, self._store, self._tokenizers = collection, collection.store, tokenizers
        self.read = cache(self._read)

    # -------------------------------------------------------------------------------------------------------- texts

    @cached_property
    def _entries(self) -> dict[str, Entry]:
        return {entry.doc_id: entry for entry in self._store.documents}

    @cached_property
    def _by_lines(self) -> bool:
        """Whether the collection keeps every line (a turn of a dialogue) as a unit of its own; else lines are paragraphs."""
        return bool(self._store.meta["params"]["clean"]["splitter"] == "lines")

    def _lines(self, doc_id: str) -> str:
        """A document's text; where it has blank lines, as line breaks: between shots alone stands a blank line."""
        entry, at, text = self._entries[doc_id], self._store.byte_at, self._store.text
        if self._by_lines:
            units = (bytes(text[at[i] : at[i + 1]]).decode().strip() for i in range(entry.first, entry.last))
            return "\n".join(units)
        return bytes(text[at[entry.first] : at[entry.last]]).decode().strip().replace(BREAK, "\n")

    def _words(self, doc_id: str) -> int:
        entry = self._entries[doc_id]
        return self._store.word_at[entry.last] - self._store.word_at[entry.first]

    # ------------------------------------------------------------------------------------------- what can be used

    def _read(self, part: Split) -> tuple[list[Worked], Counter[str]]:
        """What a part holds, in the order of the source, and what was left out of it, by reason.

        A question comes once, or a text of which nothing is asked; examples also have every text once.
        """
        kept, left_out, seen = list[Worked](), Counter[str](), set[str]()
        shown = self._pairs_of_train if part != "train" else frozenset[tuple[str, str]]()
        for question in self._collection.questions(part, self._kind):
            work = self._worked(question)
            keys = {work.text_hash} if part == "train" or not work.asked else set()
            keys |= {folded(work.asked)} if work.asked else set()
            if reason := self._unusable(work):
                left_out[reason] += 1
            elif keys & seen:
                left_out["its text or question comes again"] += 1
            elif (work.text_hash, folded(work.asked)) in shown:
                left_out["it stands in part train too"] += 1
            else:
                seen |= keys
                kept.append(work)
        return kept, left_out

    def _worked(self, question: PreparedQuestion) -> Worked:
        source = question.source
        accepted = source.references if source.kind == "summary" else source.answers
        answers = tuple(filter(None, dict.fromkeys(" ".join(answer.split()) for answer in accepted)))
        text = "" if self._is_long(source.doc_id) else self._lines(source.doc_id)
        asked = " ".join(source.text.split())
        answer = standing(text, answers) if asked else answers[0]
        return Worked(source.question_id, source.doc_id, text, asked, answers, answer, digest(text.casefold()).hex())

    def _is_long(self, doc_id: str) -> bool:
        return self._below is not None and self._words(doc_id) >= self._below

    def _unusable(self, work: Worked) -> str:
        """Why a text can neither be shown nor asked about; empty when it can."""
        if self._is_long(work.doc_id):
            return f"its text has {self._below:,} words or more"
        if self.headers.stand_in(work.text):
            return "a line of its text begins like a header of the prompt"
        if work.asked and not work.answer:
            return "no accepted answer stands in its text"
        return ""

    @cached_property
    def _pairs_of_train(self) -> frozenset[tuple[str, str]]:
        return frozenset((each.text_hash, folded(each.asked)) for each in self.examples)

    # -------------------------------------------------------------------------------------------------------- shots

    @property
    def examples(self) -> list[Worked]:
        """What shots are made of."""
        return self.read("train")[0]

    @cached_property
    def pieces(self) -> Pieces:
        """The same as units of a context, each counted when it is first asked for."""
        return Pieces([each.unit(self.headers) for each in self.examples], self._tokenizers)

    @cached_property
    def rough(self) -> Ints:
        """Release tokens of each of them, to a few: by what the collection counted, so that no text is tokenised."""
        sums, count = self._store.tokens_at(self._tokenizers[0].fingerprint), self._tokenizers[0].count_part
        empty = (replace(each, text="").unit(self.headers) for each in self.examples)
        entries = (self._entries[each.doc_id] for each in self.examples)
        each = (count(unit) + sums[e.last] - sums[e.first] for unit, e in zip(empty, entries, strict=True))
        return np.fromiter(each, dtype=np.int64)

    @cached_property
    def held(self) -> int:
        """Release tokens of all examples but the longest; to a few of each where there are millions."""
        sizes = self.rough
        if int(sizes.sum()) < _COUNTED:
            sizes = self.pieces.tokens(range(len(sizes)))
        return int(sizes.sum() - sizes.max(initial=0))

    @cached_property
    def _alike(self) -> dict[tuple[str, str], list[int]]:
        """Document, text, question, answer -> examples that have it."""
        found: dict[tuple[str, str], list[int]] = defaultdict(list)
        for number, each in enumerate(self.examples):
            for key in each.keys([each.answer]):
                found[key].append(number)
        return found

    def order(self, item: Worked, stream: Stream) -> Ints:
        """The examples that a question may be shown, in its order; longer rows take more of it.

        Without its document, texts and questions equal to its own, and without those whose answer is one of its own.
        """
        order = stream.permutation(len(self.examples))
        kept = np.ones(len(order), dtype=bool)
        kept[[number for key in item.keys(item.answers) for number in self._alike.get(key, ())]] = False
        left: Ints = order[kept[order]]
        return left

    def pool(self, order: Ints, tokens: int) -> tuple[Ints, memoryview]:
        """So many examples of an order as hold these tokens and a few more, or all; and prefix sums of their tokens."""
        count = int(np.searchsorted(np.cumsum(self.rough[order]), tokens)) + _AHEAD
        while True:
            pool = order[:count]
            sums = np.concatenate(([0], np.cumsum(self.pieces.tokens(pool))))
            if sums[-1] > tokens or count >= len(order):
                return pool, sums.data
            count *= 2
