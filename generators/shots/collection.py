"""Documents as shots: which documents of a collection can be shown or asked about, and in which order."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from corpora.stores.documents.store import Documents, PreparedQuestion
from corpora.stores.sentences.store import BREAK, Entry
from corpora.tokenizers.tokenizer import Tokenizer
from generators.context.pieces import Ints, Pieces
from generators.shots.layout import ShotLayout, ShotText, folded
from generators.shots.shot_pool import ShotPool, Shots
from haymaker.core.rng import Stream, digest
from haymaker.core.rows.source_records import Split
from haymaker.core.text.strings import padded, words

_COUNTED = 3_000_000  # tokens; smaller collections are counted exactly for the limit
_SPARE = 16  # shots in addition to the expected number for a budget


@dataclass(frozen=True, slots=True)
class Example:
    """A document with a question on it, or with its summary."""

    name: str  # id of the question
    doc_id: str
    shot: ShotText  # its answer is the first accepted answer in the text; empty if there is none
    answers: tuple[str, ...]  # accepted answers, one line each, the canonical one first
    text_hash: str  # digest of the text without case

    def keys(self, answers: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yield everything that the example may share with another one, given some of its answers."""
        yield "document", self.doc_id
        yield "text", self.text_hash
        if self.shot.asked:
            yield "question", folded(self.shot.asked)
        yield from (("answer", answer) for answer in map(folded, answers) if answer)


class ExampleShots:
    """A collection of documents as shots and questions of a kind (DocumentQuestion.kind); only texts with fewer words than `below`."""

    def __init__(
        self, collection: Documents, name: str, kind: str, layout: ShotLayout, below: int | None, tokenizers: Sequence[Tokenizer]
    ) -> None:  # fmt: skip
        self.name, self.layout, self._kind, self._below = name, layout, kind, below
        self._collection, self._store, self._tokenizers = collection, collection.store, tokenizers
        self.read = cache(self._read)

    @cached_property
    def _entries(self) -> dict[str, Entry]:
        return {entry.doc_id: entry for entry in self._store.documents}

    def _lines(self, doc_id: str) -> str:
        """Return the text of a document without blank lines, since these separate shots."""
        entry, at, text = self._entries[doc_id], self._store.byte_at, self._store.text
        if self._store.meta["params"]["clean"]["splitter"] == "lines":  # every line (a turn of a dialogue) is a unit
            units = (bytes(text[at[i] : at[i + 1]]).decode().strip() for i in range(entry.first, entry.last))
            return "\n".join(units)
        return bytes(text[at[entry.first] : at[entry.last]]).decode().strip().replace(BREAK, "\n")

    def _is_long(self, doc_id: str) -> bool:
        entry, at = self._entries[doc_id], self._store.word_at
        return self._below is not None and at[entry.last] - at[entry.first] >= self._below

    def _read(self, split: Split) -> tuple[list[Example], Counter[str]]:
        """Return the examples of a split in the order of the source, and how many were left out, by reason.

        Every question, and every text without a question, occurs once; in split train every text occurs once.
        """
        kept, left_out, seen = list[Example](), Counter[str](), set[str]()
        shown = self._pairs_of_train if split != "train" else frozenset[tuple[str, str]]()
        for question in self._collection.questions(split, self._kind):
            example = self._example(question)
            asked = folded(example.shot.asked)
            keys = {asked} if example.shot.asked else {example.text_hash}
            keys |= {example.text_hash} if split == "train" else set()
            if reason := self._unusable(example):
                left_out[reason] += 1
            elif keys & seen:
                left_out["its text or question comes again"] += 1
            elif (example.text_hash, asked) in shown:
                left_out["it is also in split train"] += 1
            else:
                seen |= keys
                kept.append(example)
        return kept, left_out

    def _example(self, question: PreparedQuestion) -> Example:
        source = question.source
        accepted = source.references if source.kind == "summary" else source.answers
        answers = tuple(filter(None, dict.fromkeys(" ".join(answer.split()) for answer in accepted)))
        text = "" if self._is_long(source.doc_id) else self._lines(source.doc_id)
        asked = " ".join(source.text.split())
        shot = ShotText(text, asked, _answer_in(text, answers) if asked else answers[0])
        return Example(source.question_id, source.doc_id, shot, answers, digest(text.casefold()).hex())

    def _unusable(self, example: Example) -> str:
        if self._is_long(example.doc_id):
            return f"its text has {self._below:,} words or more"
        if self.layout.has_header(example.shot.text):
            return "a line of its text begins like a header of the prompt"
        if example.shot.asked and not example.shot.answer:
            return "no accepted answer stands in its text"
        return ""

    @cached_property
    def _pairs_of_train(self) -> frozenset[tuple[str, str]]:
        return frozenset((each.text_hash, folded(each.shot.asked)) for each in self.examples)

    @property
    def examples(self) -> list[Example]:
        """Examples that can be shots."""
        return self.read("train")[0]

    def _names(self, texts: Ints) -> tuple[list[str], None]:
        return [self.examples[number].name for number in texts.tolist()], None

    @cached_property
    def pieces(self) -> Pieces:
        """Examples as units of a context; each is counted on first use."""
        return Pieces([self.layout.unit(each.shot) for each in self.examples], self._tokenizers)

    @cached_property
    def rough(self) -> Ints:
        """Approximate release tokens of each example, from the counts of the collection: no text is tokenized."""
        sums, count = self._store.tokens_at(self._tokenizers[0].fingerprint), self._tokenizers[0].count_part
        empty = (self.layout.unit(each.shot._replace(text="")) for each in self.examples)
        entries = (self._entries[each.doc_id] for each in self.examples)
        each = (count(unit) + sums[e.last] - sums[e.first] for unit, e in zip(empty, entries, strict=True))
        return np.fromiter(each, dtype=np.int64)

    @cached_property
    def held(self) -> int:
        """Release tokens of all examples except the longest; from `rough` if there are millions of tokens."""
        sizes = self.rough
        if int(sizes.sum()) < _COUNTED:
            sizes = self.pieces.tokens(range(len(sizes)))
        return int(sizes.sum() - sizes.max(initial=0))

    @cached_property
    def _alike(self) -> dict[tuple[str, str], list[int]]:
        """Examples by document, text, question and answer."""
        found: dict[tuple[str, str], list[int]] = defaultdict(list)
        for number, each in enumerate(self.examples):
            for key in each.keys([each.shot.answer]):
                found[key].append(number)
        return found

    def order(self, item: Example, stream: Stream) -> Ints:
        """Return the examples that a question may show, in its order; longer rows take more of them.

        Examples with its document, text or question, and those whose answer is accepted, are left out.
        """
        order = stream.permutation(len(self.examples))
        kept = np.ones(len(order), dtype=bool)
        kept[[number for key in item.keys(item.answers) for number in self._alike.get(key, ())]] = False
        left: Ints = order[kept[order]]
        return left

    def pool(self, order: Ints) -> ShotPool:
        """Return the shots of an order of examples."""
        sums, none = np.cumsum(self.rough[order]), np.zeros(len(order), dtype=np.int64)

        def first(count: int) -> Shots:
            return Shots(order[:count], none[:count], np.arange(len(order[:count])))

        def guess(tokens: int) -> int:
            return int(np.searchsorted(sums, tokens)) + _SPARE

        return ShotPool(self.pieces, self._names, first, guess, none)


def _answer_in(text: str, answers: Sequence[str]) -> str:
    """Return the first answer that occurs in a text as whole words; if none does, ignore case, accents and punctuation."""
    for answer in answers:
        if re.search(rf"(?<!\w){re.escape(answer)}(?!\w)", text):
            return answer
    read = padded(text)
    return next((answer for answer in answers if words(answer) and padded(answer) in read), "")
