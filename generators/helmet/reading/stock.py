"""One collection of documents as tasks use it: in which order it is asked, what serves as examples, what stands where."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property
from itertools import groupby, pairwise, zip_longest
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
_NARROW = 1024  # tokens; evidence below that fits a window at every length
_GOLDEN, _SILVER = 0.6180339887498949, 0.41421356237309515  # steps of two sequences that are even, each and together
_STATUS = ("verified", "aligned", "unknown")
_LAST = 99  # doublings; more than any evidence has
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

    def different(self, runs: Iterable[Run]) -> int:
        """Different sentences among some units."""
        found = set[bytes]()
        for run in runs:
            at = self.store.byte_at[run.first : run.last + 1].tolist()
            raw = bytes(self.store.text[at[0] : at[-1]])
            found.update(raw[first - at[0] : last - at[0]] for first, last in pairwise(at))
        return len(found)

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

        Documents that reach the longer buckets come first, as far as 128k; of these, questions whose evidence fits a short window.
        So the first rows of every bucket ask the same, and questions that only longer buckets can ask come behind them. (The
        reference asks about no documents below 131,072 tokens in narrativeqa, below 65,536 in the other tasks, spec/helmet.md 8.)
        Among questions that are alike in this, documents alternate.
        """
        by_document: dict[str, list[PreparedAsk]] = defaultdict(list)
        for ask in self.readings.asks(part, kind):
            by_document[ask.ask.doc_id].append(ask)
        alike: dict[tuple[int, int], list[list[PreparedAsk]]] = defaultdict(list)
        for doc in self.stream(part, kind, "documents").shuffled(list(by_document)):
            doublings = (self.tokens(self.document(doc)) // _FIRST_RUNG).bit_length() - 1
            shuffled = self.stream(part, kind, doc, "questions").shuffled(by_document[doc])
            queue = sorted(shuffled, key=lambda ask: (self._width(ask), _STATUS.index(ask.evidence)))
            for width, asks in groupby(queue, key=self._width):
                alike[-min(doublings, _RUNGS), width].append(list(asks))
        turns = (turn for rank in sorted(alike) for turn in zip_longest(*alike[rank]))
        return [ask for turn in turns for ask in turn if ask is not None]

    def _width(self, ask: PreparedAsk) -> int:
        """0 where the evidence fits a window at every length, else doublings; unknown evidence comes last: no cut can promise to keep it."""
        return (self.span(ask) // _NARROW).bit_length() if ask.units else _LAST

    def span(self, ask: PreparedAsk) -> int:
        """Tokens from the first to the last sentence of the evidence; 0 where it is unknown."""
        start, (first, last) = self.document(ask.ask.doc_id).first, ask.bounds
        return self.tokens(Run(start + first, start + last))

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
