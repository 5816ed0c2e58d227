"""A collection of documents with questions: texts and sizes, order of the questions, worked examples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import cache, cached_property, partial

from corpora.stores.documents.store import Documents, PreparedQuestion
from corpora.tokenizers.tokenizer import CountedText, Tokenizer
from generators.context.context import Context
from generators.context.sentences import Run
from generators.documents.layout import MARK, Shown
from generators.documents.order import by_reach, by_size, interleaved
from generators.documents.prompts import reference, summary_of, usual_words
from haymaker.core.errors import BuildError
from haymaker.core.rng import Key, Stream
from haymaker.core.rows.source_records import Split
from haymaker.core.text.strings import padded

KEYPOINTS = "keypoints@strict"  # metric of rows whose key points have terms
_STEPS = 0.6180339887498949, 0.41421356237309515  # of two evenly spread sequences (Weyl), also evenly spread as pairs
_EDGE = 0.1  # smallest share of the text around the evidence on each side


class Stock:
    """A collection, opened once per process for the tasks of a suite.

    Attributes:
        sums: tokens before each unit of the store, per tokenizer.
        usual_words: share of a document that is shown -> usual words of its summary (prompts.usual_words).
    """

    def __init__(
        self, collection: Documents, tokenizers: Sequence[Tokenizer], stream_key: Key, suite: str, name: str
    ) -> None:
        self.collection, self.store, self.name = collection, collection.store, name
        self.tokenizers, self._key = tokenizers, (stream_key, suite, name)
        self.sums = [self.store.tokens_at(t.fingerprint) for t in tokenizers]
        self.opener, self.mark, self.order = cache(self._opener), cache(self._mark), cache(self._order)
        self.dealt = cache(self._dealt)
        self.usual_words = cache(partial(usual_words, collection.all))
        self.example_documents, self._pool = cache(self._example_documents), cache(self._example_pool)

    def stream(self, *key: Key) -> Stream:
        """Return the random stream of a purpose; tasks with the same collection share it."""
        return Stream(*self._key, *key)

    # --------------------------------------------------------------------------------------------------- documents

    @cached_property
    def documents(self) -> dict[str, Run]:
        """Document -> its units."""
        return {entry.doc_id: Run(entry.first, entry.last) for entry in self.store.documents}

    def units(self, doc_id: str, first: int, last: int) -> Run:
        """Return a range of units of a document as units of the store."""
        start = self.documents[doc_id].first
        return Run(start + first, start + last)

    def tokens(self, run: Run) -> int:
        """Return the release tokens of some units."""
        return self.sums[0][run.last] - self.sums[0][run.first]

    def text(self, run: Run) -> str:
        """Return the text of some units."""
        at = self.store.byte_at
        return bytes(self.store.text[at[run.first] : at[run.last]]).decode()

    @cached_property
    def texts(self) -> dict[str, str]:
        """Document with questions -> hash of its text."""
        return {each.source.doc_id: each.text for each in self.collection.all}

    @cached_property
    def titles(self) -> dict[str, str]:
        """Document -> its title, or a number if it has no unique title."""
        folded = {entry.doc_id: " ".join(entry.title.split()) for entry in self.store.documents}
        count = Counter(map(padded, folded.values()))
        return {
            doc: title if title and count[padded(title)] == 1 else f"Text {number}"
            for number, (doc, title) in enumerate(folded.items(), 1)
        }

    @cached_property
    def known(self) -> dict[tuple[str, str], PreparedQuestion]:
        """Kind and id -> question."""
        return {(each.source.kind, each.source.question_id): each for each in self.collection.all}

    def reference(self, question: PreparedQuestion, share: float) -> str:
        """Return the reference of a summary: the key points told in the first `share` of the document, if their places are known."""
        source, document, sums = question.source, self.documents[question.source.doc_id], self.sums[0]
        if share >= 1 or not question.told:
            return reference(source, share)
        end = sums[document.first] + share * self.tokens(document)
        runs = [self.units(source.doc_id, *each) for each in question.told]
        return summary_of(point for point, run in zip(source.key_points, runs, strict=True) if sums[run.last] <= end)

    def shown(self, doc_id: str, run: Run) -> Context:
        """Return some units of a document as a text, without the tokens of the boundary to the unit before it."""
        store = self.store
        start, first, last = (store.byte_at[i] for i in (self.documents[doc_id].first, run.first, run.last))
        text = store.text[first:last]
        boundary = [CountedText(0, utf8=each) for each in (store.text[start:first], text)]
        counted = zip(self.tokenizers, self.sums, strict=True)
        tokens = tuple(sums[run.last] - sums[run.first] - t.joined(boundary, inside=True) for t, sums in counted)
        characters, words = (at[run.last] - at[run.first] for at in (store.char_at, store.word_at))
        return Context(bytes(text), tokens, characters, words)

    def _opener(self, doc_id: str) -> Context:
        text = MARK.format(title=self.titles[doc_id])
        return Context(text.encode(), tuple(t.count_part(text) for t in self.tokenizers), len(text), len(text.split()))

    def opened(self, doc_id: str, run: Run) -> list[Context]:
        """Return the title lines of a document among others, and some of its units as a paragraph after them."""
        shown = [self.shown(doc_id, run).flush(self.tokenizers)] if run.last > run.first else []
        return [self.opener(doc_id), *shown]

    def _mark(self, doc_id: str) -> int:
        """Release tokens of the title lines of a document and of both token boundaries, as if it followed itself."""
        document = self.documents[doc_id]
        last, first = self.shown(doc_id, Run(document.last - 1, document.last)), Run(document.first, document.first + 1)
        whole = Context.joined([last, *self.opened(doc_id, first)], self.tokenizers)
        return whole.tokens[0] - last.tokens[0] - self.tokens(first)

    def others(
        self, question: PreparedQuestion, split: Split, excluded: Set[str], items_first: bool
    ) -> Iterator[Shown]:
        """Yield other documents for a question in order of priority, except excluded texts (hashes).

        `items_first`: documents with questions are before documents of other sets of the source.
        """
        entries = self.store.split(split)
        order: Iterable[int] = self.stream(question.source.question_id, "others").walk(len(entries))
        if items_first:
            order = sorted(order, key=lambda at: entries[at].doc_id not in self.texts)
        for at in order:
            entry = entries[at]
            if self.texts.get(entry.doc_id, "") not in excluded and entry.doc_id != question.source.doc_id:
                yield Shown(entry.doc_id, Run(entry.first, entry.last))

    # ---------------------------------------------------------------------------------------------------- questions

    def _order(self, split: str, kind: str, smallest_first: bool) -> list[PreparedQuestion]:
        rank = by_size if smallest_first else by_reach
        sizes = {doc: self.tokens(run) for doc, run in self.documents.items()}
        return interleaved(
            self.collection.questions(split, kind),
            lambda each: rank(each, sizes[each.source.doc_id], self.span(each)),
            partial(self.stream, split, kind),
        )

    def _dealt(self, split: str) -> dict[str, int]:
        """Return hash of a text -> its position in a random order; tasks share the documents of a split by position."""
        texts = sorted({each.text for each in self.collection.all if each.source.split == split})
        return {text: place for place, text in enumerate(self.stream(split, "shares").shuffled(texts))}

    def evidence(self, question: PreparedQuestion) -> Run:
        """Return the units from the first to the last of the evidence; if unknown, an empty run at the start of the document."""
        return self.units(question.source.doc_id, *question.bounds)

    def span(self, question: PreparedQuestion) -> int:
        """Return the tokens from the first to the last sentence of the evidence; 0 if it is unknown."""
        return self.tokens(self.evidence(question))

    def shares(self, split: str, kind: str, number: int) -> tuple[float, float]:
        """Return the share of the text around the evidence, and of the other documents, that is before question `number`.

        Shares are evenly spread over neighbouring questions.
        """
        starts = [self.stream(split, kind, purpose).unit() for purpose in ("depths", "places")]
        depth, place = ((start + number * step) % 1.0 for start, step in zip(starts, _STEPS, strict=True))
        return _EDGE + (1 - 2 * _EDGE) * depth, place

    def letter(self, split: str, number: int, n: int) -> int:
        """Return the index of the right choice of question `number`: each of n once in every n questions."""
        return int(self.stream(split, "letters", n, number // n).permutation(n)[number % n])

    # ----------------------------------------------------------------------------------------------------- examples

    def example_letters(self, question: PreparedQuestion, examples: Sequence[PreparedQuestion]) -> list[int]:
        """Return the index of the right choice in each example of a question, as different as possible."""
        sizes = [max(1, len(example.source.choices)) for example in examples]
        draws = self.stream(question.source.question_id, "letters of examples")
        order = draws.permutation(max(sizes, default=1)).tolist()
        return [order[i % len(order)] % size for i, size in enumerate(sizes)]

    def _example_documents(self, split: str, kind: str, shots: int) -> frozenset[str]:
        """Shortest documents of the split, kept for examples if split train has too few.

        Raises:
            BuildError: the split has too few documents.
        """
        trains = len({each.text for each in self.collection.questions("train", kind)})
        if not shots or trains >= shots + (split == "train"):
            return frozenset()
        first = {each.text: each.source.doc_id for each in reversed(self.collection.questions(split, kind))}
        kept = sorted(first, key=lambda text: (self.tokens(self.documents[first[text]]), first[text]))[:shots]
        if len(first) <= shots:
            more = "" if split == "train" else f" and {trains} of split train"
            raise self._too_few(f"{len(first)} documents of split {split}{more}: too few for {shots} examples")
        return frozenset(doc for doc, text in self.texts.items() if text in kept)

    def _too_few(self, what: str) -> BuildError:
        return BuildError(
            what, where=f"documents.{self.name}", fix="set shots: 0 on the task, or prepare more documents"
        )

    def _example_pool(self, split: str, kind: str, shots: int) -> list[PreparedQuestion]:
        kept, questions = self.example_documents(split, kind, shots), self.collection.questions
        return (
            [each for each in questions(split, kind) if each.source.doc_id in kept]
            if kept
            else questions("train", kind)
        )

    def has_demos(self, question: PreparedQuestion, split: str, shots: int) -> bool:
        """Whether enough documents for the examples have another plot."""
        pool = self._pool(split, question.source.kind, shots)
        return len({each.text for each in pool if not _same_plot(each, question)} - {question.text}) >= shots

    def examples(self, question: PreparedQuestion, split: str, shots: int) -> list[PreparedQuestion]:
        """Return the examples of a row: other documents, questions and answers; summaries have another plot.

        Raises:
            BuildError: there are not enough.
        """
        if not shots:
            return []
        kind, pool = question.source.kind, self._pool(split, question.source.kind, shots)
        answers, words = {padded(answer) for answer in question.source.answers}, padded(question.source.text)
        chosen: dict[str, PreparedQuestion] = {}
        for each in (pool[at] for at in self.stream(question.source.question_id, "demos").walk(len(pool))):
            answer = (each.source.answers or each.source.references)[0]
            alike = padded(each.source.text) == words != padded("") or padded(answer) in answers
            if each.text in chosen or each.text == question.text or alike or _same_plot(each, question):
                continue
            chosen[each.text] = each
            if len(chosen) == shots:
                return list(chosen.values())
        raise self._too_few(f"{len(chosen)} of {shots} examples found for {question.source.question_id!r} ({kind})")


def _same_plot(one: PreparedQuestion, other: PreparedQuestion) -> bool:
    """Whether two summaries have the same plot, so that one gives away the other."""
    return one.source.kind == "summary" and one.source.sort == other.source.sort != ""
