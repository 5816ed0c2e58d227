"""One collection of documents as tasks use it: in which order it is asked, what serves as examples, what stands where."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from statistics import quantiles

from corpora.background import Entry
from corpora.readings import PreparedAsk, Readings
from generators.haystack import Run
from generators.helmet.reading.params import TaskPlan
from generators.helmet.reading.prompts import LETTERS, Asked
from haymaker.errors import BuildError
from haymaker.rng import Stream
from haymaker.text import padded

_RUNGS = 5  # doublings from 4k to 128k: documents that reach 128k are asked about first
_FIRST_RUNG = 4096
_GOLDEN, _SILVER = 0.6180339887498949, 0.41421356237309515  # steps of two sequences that are even, each and together
_STATUS = ("verified", "aligned", "unknown")
_EDGE = 0.1  # of the text around the evidence that stands on either side of it at least
_WORDS_PER_TOKEN = 0.7  # that a summary may have of the tokens it is given


class Stock:
    """A collection, opened once per process.

    Args:
        readings: the collection.
        name: in the parameters.
        fingerprint: of the release tokenizer.
        seed: of the release.
    """

    def __init__(self, readings: Readings, name: str, fingerprint: str, seed: int) -> None:
        self.readings, self.store, self.name, self._seed = readings, readings.store, name, seed
        self.sums = self.store.tokens_at(fingerprint)
        self.order = cache(self._order)
        self.summary_words = cache(self._summary_words)
        self.demo_documents = cache(self._demo_documents)
        self._pool = cache(self._demo_pool)

    def stream(self, *key: str | int) -> Stream:
        """Draws for a purpose, the same for every task over this collection."""
        return Stream(self._seed, "helmet", self.name, *key)

    # --------------------------------------------------------------------------------------------------- documents

    @cached_property
    def entries(self) -> dict[str, Entry]:
        """Documents by id."""
        return {entry.doc_id: entry for entry in self.store.documents}

    def document(self, doc_id: str) -> Run:
        """Its units."""
        return Run(self.entries[doc_id].first, self.entries[doc_id].last)

    def tokens(self, run: Run) -> int:
        """Release tokens of some units."""
        return self.sums[run.last] - self.sums[run.first]

    @cached_property
    def texts(self) -> dict[str, str]:
        """Document -> hash of its text, of those that something is asked of."""
        return {each.ask.doc_id: each.text for each in self.readings.all}

    @cached_property
    def titles(self) -> dict[str, str]:
        """Document -> its title; its id where it has none of its own."""
        folded = {entry.doc_id: " ".join(entry.title.split()) for entry in self.store.documents}
        count = Counter(map(padded, folded.values()))
        return {doc: title if title and count[padded(title)] == 1 else doc for doc, title in folded.items()}

    @cached_property
    def known(self) -> dict[tuple[str, str], PreparedAsk]:
        """Kind and id -> what is asked."""
        return {(each.ask.kind, each.ask.ask_id): each for each in self.readings.all}

    # -------------------------------------------------------------------------------------------------------- order

    def _order(self, part: str, kind: str) -> list[PreparedAsk]:
        """Everything that is asked of a part, in the order in which rows take it.

        Documents that reach the longer buckets come first (as far as 128k, where the reference asks for nothing shorter at any
        length, spec/helmet.md 8): so the same questions are asked at as many lengths as can be. Among them documents alternate.
        """
        by_document: dict[str, list[PreparedAsk]] = defaultdict(list)
        for ask in self.readings.asks(part, kind):
            by_document[ask.ask.doc_id].append(ask)
        documents = self.stream(part, kind, "documents").shuffled(list(by_document))
        rungs: dict[int, list[str]] = defaultdict(list)
        for doc in documents:
            doublings = (self.tokens(self.document(doc)) // _FIRST_RUNG).bit_length() - 1
            rungs[min(doublings, _RUNGS)].append(doc)
        out = []
        for rung in sorted(rungs, reverse=True):
            queues = [self._queue(by_document[doc], part, kind, doc) for doc in rungs[rung]]
            for turn in range(max(map(len, queues))):
                out += [queue[turn] for queue in queues if turn < len(queue)]
        return out

    def _queue(self, asks: list[PreparedAsk], *key: str) -> list[PreparedAsk]:
        """The questions on one document: those first whose evidence is known, since no cut can promise to keep what is not."""
        return sorted(self.stream(*key, "questions").shuffled(asks), key=lambda ask: _STATUS.index(ask.evidence))

    def share(self, part: str, kind: str, number: int) -> float:
        """Share of the text around the evidence of question `number` that stands before it: any run of questions has even shares."""
        return _EDGE + (1 - 2 * _EDGE) * self._even(_GOLDEN, part, kind, "depths", number)

    def place(self, part: str, kind: str, number: int) -> float:
        """The same for the other documents around its document."""
        return self._even(_SILVER, part, kind, "places", number)

    def _even(self, step: float, part: str, kind: str, purpose: str, number: int) -> float:
        """Number `number` of an evenly spread sequence (Weyl's) from a drawn start."""
        return (self.stream(part, kind, purpose).unit() + number * step) % 1.0

    # ----------------------------------------------------------------------------------------------- what is asked

    def asked(self, ask: PreparedAsk, plan: TaskPlan, letter: int) -> Asked:
        """A question as a reader is shown it, without the title of its text.

        Args:
            ask: what is asked.
            plan: of the task.
            letter: place of the right one of several answers, from 0; of no meaning elsewhere.
        """
        source = ask.ask
        if source.kind == "summary":
            return Asked("", source.references[0], words=self.summary_words(plan.kind.max_new_tokens))
        if source.kind == "qa":
            return Asked(source.text, source.answers[0])
        right = source.answers[0].strip()
        wrong = [choice.strip() for choice in source.choices if choice.strip() != right]
        shown = self.stream(source.ask_id, "choices").shuffled(wrong)
        shown.insert(letter, right)
        return Asked(source.text, LETTERS[letter], tuple(shown))

    def letter(self, part: str, number: int, n: int) -> int:
        """Place of the right answer of question `number`: each of n places once in every n questions."""
        return int(self.stream(part, "letters", n, number // n).permutation(n)[number % n])

    def demo_letters(self, ask: PreparedAsk, demos: Sequence[PreparedAsk]) -> list[int]:
        """The same for the examples of a question: different letters, as far as there are any."""
        sizes = [max(1, len(demo.ask.choices)) for demo in demos]
        order = self.stream(ask.ask.ask_id, "letters of examples").permutation(max(sizes, default=1)).tolist()
        return [order[i % len(order)] % size for i, size in enumerate(sizes)]

    def _summary_words(self, max_new_tokens: int) -> str:
        """How long summaries are to be: the middle half of the references, as far as the answer has room."""
        lengths = [len(each.ask.references[0].split()) for each in self.readings.all if each.ask.kind == "summary"]
        low, _, high = quantiles(lengths, n=4) if len(lengths) > 1 else (lengths[0], 0, lengths[0])
        step = 50 if high >= 200 else 10
        cap = int(max_new_tokens * _WORDS_PER_TOKEN) // step * step
        top = min(cap, max(2, -(-int(high) // step)) * step)
        return f"{max(step, min(int(low) // step * step, top - step))} to {top}"

    # ----------------------------------------------------------------------------------------------------- examples

    def _demo_documents(self, part: str, kind: str, shots: int) -> frozenset[str]:
        """Documents of the rows' own part that are kept for examples, because part train has too few: its shortest ones.

        Raises:
            BuildError: the part has too few documents for that.
        """
        if not shots or self._trains(kind) >= shots + (part == "train"):
            return frozenset()
        documents = list(dict.fromkeys(ask.ask.doc_id for ask in self.readings.asks(part, kind)))
        different = {self.texts[doc]: doc for doc in reversed(documents)}
        kept = sorted(different.values(), key=lambda doc: (self.tokens(self.document(doc)), doc))[:shots]
        if len(different) <= shots:
            raise BuildError(
                f"{len(different)} documents of part {part} and {self._trains(kind)} of part train: too few for {shots} examples",
                where=f"readings.{self.name}", fix="set shots: 0 on the task, or prepare more documents",
            )  # fmt: skip
        return frozenset(doc for doc, text in self.texts.items() if text in {self.texts[each] for each in kept})

    def _trains(self, kind: str) -> int:
        return len({each.text for each in self.readings.asks("train", kind)})

    def _demo_pool(self, part: str, kind: str, shots: int) -> list[PreparedAsk]:
        kept = self.demo_documents(part, kind, shots)
        if kept:
            return [each for each in self.readings.asks(part, kind) if each.ask.doc_id in kept]
        return self.readings.asks("train", kind)

    def demos(self, ask: PreparedAsk, part: str, shots: int) -> list[PreparedAsk]:
        """Examples of a row: of other documents, of different ones, with other questions and answers.

        Raises:
            BuildError: there are not enough.
        """
        if not shots:
            return []
        kind, pool = ask.ask.kind, self._pool(part, ask.ask.kind, shots)
        taken = {ask.text}
        answers, questions = {padded(answer) for answer in ask.ask.answers}, {padded(ask.ask.text)} - {"  "}
        chosen: list[PreparedAsk] = []
        for each in self._walk(pool, ask):
            if each.text in taken or padded(each.ask.text) in questions or padded(_answer(each)) in answers:
                continue
            taken.add(each.text)
            chosen.append(each)
            if len(chosen) == shots:
                return chosen
        raise BuildError(
            f"{len(chosen)} of {shots} examples found for {ask.ask.ask_id!r} ({kind})", where=f"readings.{self.name}",
            fix="set shots: 0 on the task, or prepare more documents",
        )  # fmt: skip

    def _walk(self, pool: Sequence[PreparedAsk], ask: PreparedAsk) -> Iterator[PreparedAsk]:
        for at in self.stream(ask.ask.ask_id, "demos").walk(len(pool)):
            yield pool[at]


def _answer(ask: PreparedAsk) -> str:
    return (ask.ask.answers or ask.ask.references)[0]
