"""One collection of documents as tasks use it: in which order it is asked, what serves as examples, what stands where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import cache, cached_property, partial

from corpora.stores.documents.store import Documents, PreparedQuestion
from corpora.tokenizers.tokenizer import CountedText, Tokenizer
from generators.context.context import Context
from generators.context.sentences import Run
from generators.documents.layout import MARK, Shown
from generators.documents.lengths import middle_half
from generators.documents.order import by_reach, by_room, in_turns
from haymaker.core.errors import BuildError
from haymaker.core.rng import Key, Stream
from haymaker.core.rows.source_records import Split
from haymaker.core.text.strings import padded

KEYPOINTS = "keypoints@strict"  # metric of rows whose key points have terms alone
_STEPS = 0.6180339887498949, 0.41421356237309515  # of two sequences that are even, each and together
_EDGE = 0.1  # of the text around the evidence that stands on either side of it at least


class Stock:
    """A collection, opened once per process.

    Args:
        collection: opened.
        tokenizers: release tokenizer first.
        stream_key: of the release.
        suite: whose draws it makes.
        name: of the collection in the parameters.

    Attributes:
        sums: tokens before each unit of the store, per tokenizer.
        opener, mark: of a document, as below.
        lengths: of its summaries (lengths.middle_half).
    """

    def __init__(
        self, collection: Documents, tokenizers: Sequence[Tokenizer], stream_key: Key, suite: str, name: str
    ) -> None:
        self.collection, self.store, self.name = collection, collection.store, name
        self.tokenizers, self._key = tokenizers, (stream_key, suite, name)
        self.sums = [self.store.tokens_at(t.fingerprint) for t in tokenizers]
        self.opener, self.mark = cache(self._opener), cache(self._mark)
        self.order = cache(self._order)
        self.lengths = cache(partial(middle_half, collection.all))
        self.demo_documents = cache(self._demo_documents)
        self._pool = cache(self._demo_pool)

    def stream(self, *key: Key) -> Stream:
        """Draws for a purpose, the same for every task of a suite over this collection."""
        return Stream(*self._key, *key)

    # --------------------------------------------------------------------------------------------------- documents

    @cached_property
    def documents(self) -> dict[str, Run]:
        """Document -> its units."""
        return {entry.doc_id: Run(entry.first, entry.last) for entry in self.store.documents}

    def units(self, doc_id: str, first: int, last: int) -> Run:
        """Units of the store, from units within a document."""
        return Run(self.documents[doc_id].first + first, self.documents[doc_id].first + last)

    def tokens(self, run: Run) -> int:
        """Release tokens of some units."""
        return self.sums[0][run.last] - self.sums[0][run.first]

    @cached_property
    def texts(self) -> dict[str, str]:
        """Document -> hash of its text, of those that something is asked of."""
        return {each.source.doc_id: each.text for each in self.collection.all}

    @cached_property
    def titles(self) -> dict[str, str]:
        """Document -> its title; where it has none of its own, its number: an id says nothing to a reader."""
        folded = {entry.doc_id: " ".join(entry.title.split()) for entry in self.store.documents}
        count = Counter(map(padded, folded.values()))
        return {
            doc: title if title and count[padded(title)] == 1 else f"Text {number}"
            for number, (doc, title) in enumerate(folded.items(), 1)
        }

    @cached_property
    def known(self) -> dict[tuple[str, str], PreparedQuestion]:
        """Kind and id -> what is asked."""
        return {(each.source.kind, each.source.question_id): each for each in self.collection.all}

    def shown(self, doc_id: str, run: Run) -> Context:
        """Some of its units as they stand by themselves: without what the first one costs behind the unit before it."""
        store = self.store
        start, first, last = (store.byte_at[i] for i in (self.documents[doc_id].first, run.first, run.last))
        text = store.text[first:last]
        # joined without their tokens: the seam's alone
        seam = [CountedText(0, utf8=each) for each in (store.text[start:first], text)]
        tokens = tuple(
            sums[run.last] - sums[run.first] - t.joined(seam, inside=True)
            for t, sums in zip(self.tokenizers, self.sums, strict=True)
        )
        characters, words = (at[run.last] - at[run.first] for at in (store.char_at, store.word_at))
        return Context(bytes(text), tokens, characters, words)

    def _opener(self, doc_id: str) -> Context:
        """The lines that open it among others."""
        text = MARK.format(title=self.titles[doc_id])
        return Context(text.encode(), tuple(t.count_part(text) for t in self.tokenizers), len(text), len(text.split()))

    def opened(self, doc_id: str, run: Run) -> list[Context]:
        """Some of its units among others: behind the lines that open it and a blank one, also where they begin inside a paragraph."""
        shown = [self.shown(doc_id, run).flush(self.tokenizers)] if run.last > run.first else []
        return [self.opener(doc_id), *shown]

    def _mark(self, doc_id: str) -> int:
        """Release tokens that a document among others takes besides its text, as if it followed itself: its opener and both seams."""
        document = self.documents[doc_id]
        last, first = self.shown(doc_id, Run(document.last - 1, document.last)), Run(document.first, document.first + 1)
        whole = Context.joined([last, *self.opened(doc_id, first)], self.tokenizers)
        return whole.tokens[0] - last.tokens[0] - self.tokens(first)

    def others(
        self, question: PreparedQuestion, part: Split, barred: Set[str], alike_first: bool = False
    ) -> Iterator[Shown]:
        """Documents that may stand around the asked one, in order of priority.

        Args:
            question: that is asked.
            part: of the documents.
            barred: hashes of texts that must not stand there.
            alike_first: whether documents that something is asked of come before those that a source has besides, for other sets.
        """
        entries = self.store.part(part)
        order: Iterable[int] = self.stream(question.source.question_id, "others").walk(len(entries))
        if alike_first:
            order = sorted(order, key=lambda at: entries[at].doc_id not in self.texts)
        for at in order:
            entry = entries[at]
            if self.texts.get(entry.doc_id, "") not in barred and entry.doc_id != question.source.doc_id:
                yield Shown(entry.doc_id, Run(entry.first, entry.last))

    # -------------------------------------------------------------------------------------------------------- order

    def _order(self, part: str, kind: str, smallest_first: bool = False) -> list[PreparedQuestion]:
        """Everything that is asked of a part, in the order in which rows take it."""
        rank = by_room if smallest_first else by_reach
        sizes = {doc: self.tokens(run) for doc, run in self.documents.items()}
        return in_turns(
            self.collection.questions(part, kind),
            lambda each: rank(each, sizes[each.source.doc_id], self.span(each)),
            partial(self.stream, part, kind),
        )

    def span(self, question: PreparedQuestion) -> int:
        """Tokens from the first to the last sentence of the evidence; 0 where it is unknown."""
        return self.tokens(self.evidence(question))

    def evidence(self, question: PreparedQuestion) -> Run:
        """Units from the first to the last of the evidence; none, at the document's first, where it is unknown."""
        return self.units(question.source.doc_id, *question.bounds)

    def shares(self, part: str, kind: str, number: int) -> tuple[float, float]:
        """Of question `number`, what stands before it: share of the text around the evidence, share of the other documents.

        Any run of questions has even shares.
        """
        starts = [self.stream(part, kind, purpose).unit() for purpose in ("depths", "places")]
        # evenly spread sequences (Weyl's) from drawn starts
        depth, place = ((start + number * step) % 1.0 for start, step in zip(starts, _STEPS, strict=True))
        return _EDGE + (1 - 2 * _EDGE) * depth, place

    # ----------------------------------------------------------------------------------------------- what is asked

    def letter(self, part: str, number: int, n: int) -> int:
        """Place of the right answer of question `number`: each of n places once in every n questions."""
        return int(self.stream(part, "letters", n, number // n).permutation(n)[number % n])

    def demo_letters(self, question: PreparedQuestion, demos: Sequence[PreparedQuestion]) -> list[int]:
        """The same for the examples of a question: different letters, as far as there are any."""
        sizes = [max(1, len(demo.source.choices)) for demo in demos]
        order = (
            self.stream(question.source.question_id, "letters of examples").permutation(max(sizes, default=1)).tolist()
        )
        return [order[i % len(order)] % size for i, size in enumerate(sizes)]

    # ----------------------------------------------------------------------------------------------------- examples

    def _demo_documents(self, part: str, kind: str, shots: int) -> frozenset[str]:
        """Documents of the rows' own part that are kept for examples, because part train has too few: its shortest ones.

        Raises:
            BuildError: the part has too few documents for that.
        """
        trains = len({each.text for each in self.collection.questions("train", kind)})
        if not shots or trains >= shots + (part == "train"):
            return frozenset()
        first = {each.text: each.source.doc_id for each in reversed(self.collection.questions(part, kind))}
        kept = sorted(first, key=lambda text: (self.tokens(self.documents[first[text]]), first[text]))[:shots]
        if len(first) <= shots:
            more = "" if part == "train" else f" and {trains} of part train"
            raise BuildError(
                f"{len(first)} documents of part {part}{more}: too few for {shots} examples",
                where=f"documents.{self.name}", fix="set shots: 0 on the task, or prepare more documents",
            )  # fmt: skip
        return frozenset(doc for doc, text in self.texts.items() if text in kept)

    def _demo_pool(self, part: str, kind: str, shots: int) -> list[PreparedQuestion]:
        kept = self.demo_documents(part, kind, shots)
        if kept:
            return [each for each in self.collection.questions(part, kind) if each.source.doc_id in kept]
        return self.collection.questions("train", kind)

    def enough_demos(self, question: PreparedQuestion, part: str, shots: int) -> bool:
        """Whether as many documents as there are to be examples have another plot."""
        pool = self._pool(part, question.source.kind, shots)
        return len({each.text for each in pool if not _same_plot(each, question)} - {question.text}) >= shots

    def demos(self, question: PreparedQuestion, part: str, shots: int) -> list[PreparedQuestion]:
        """Examples of a row: of other documents, of different ones, with other questions and answers; of summaries of other plots.

        Raises:
            BuildError: there are not enough.
        """
        if not shots:
            return []
        kind, pool = question.source.kind, self._pool(part, question.source.kind, shots)
        taken = {question.text}
        answers = {padded(answer) for answer in question.source.answers}
        questions = {padded(question.source.text)} - {"  "}
        chosen: list[PreparedQuestion] = []
        for each in (pool[at] for at in self.stream(question.source.question_id, "demos").walk(len(pool))):
            alike = padded(each.source.text) in questions or padded(_answer(each)) in answers
            if each.text in taken or alike or _same_plot(each, question):
                continue
            taken.add(each.text)
            chosen.append(each)
            if len(chosen) == shots:
                return chosen
        raise BuildError(
            f"{len(chosen)} of {shots} examples found for {question.source.question_id!r} ({kind})", where=f"documents.{self.name}",
            fix="set shots: 0 on the task, or prepare more documents",
        )  # fmt: skip


def _same_plot(one: PreparedQuestion, other: PreparedQuestion) -> bool:
    """Whether two summaries are of one plot: the one would say what the other is made of."""
    return one.source.kind == "summary" and one.source.sort == other.source.sort != ""


def _answer(question: PreparedQuestion) -> str:
    return (question.source.answers or question.source.references)[0]
