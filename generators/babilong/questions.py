"""Which bAbI questions a release uses: distinct, decidable, kept apart by part, in an order in which answers take turns."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection, Iterable
from functools import lru_cache

from generators.babilong import oracle
from haymaker.errors import BuildError
from haymaker.records import Split, StoryQuestion
from haymaker.rng import Key, Stream

Read = Callable[[str, Split], list[StoryQuestion]]  # one file of a bAbI source
_OTHER = ","  # stands for all answers of several words
_EARLIER: dict[str, tuple[Split, ...]] = {"test": (), "dev": ("test",), "train": ("test", "dev")}


def pool(
    read: Read, task: str, part: Split, *, stream_key: Key, apart_from: Iterable[Split], vocabulary: str = "classic"
) -> tuple[list[StoryQuestion], Counter[str]]:
    """Usable questions of a part in the release's order, and how many were left out, by reason.

    Answers take turns (`in_turns`), so that the first n questions are as balanced as the file allows, whatever n.
    Left out: the same question again (`identity`, docs/defects/babilong.md 2.6); in dev and train, what test (and dev) hold;
    questions whose stored answer does not follow from the facts (docs/defects/babilong.md 5.5, 5.10, 5.16).

    Args:
        read: gives the questions of (task, part).
        task: qa1 .. qa20.
        part: which part.
        stream_key: of the release; decides the order.
        apart_from: parts that the release has besides.
        vocabulary: edition of the questions.

    Raises:
        BuildError: the oracle solves none of them, so they are not English bAbI.
    """
    seen = {_identity(q) for other in _EARLIER[part] if other in set(apart_from) for q in read(task, other)}
    dropped: Counter[str] = Counter()
    kept = []
    for question in read(task, part):
        if _identity(question) in seen:
            dropped["duplicate"] += 1
        elif not _is_decided(question, vocabulary):
            dropped["undecidable"] += 1
        else:
            kept.append(question)
        seen.add(_identity(question))
    if not kept and dropped["undecidable"]:
        raise BuildError(
            f"no question can be solved from its facts with the words of {vocabulary!r}",
            where=f"{task} {part}",
            fix="use an English variant of bAbI",
        )
    stream = Stream(stream_key, "babilong", task, part, "order")
    return in_turns(stream.shuffled(kept), oracle.labels(task, vocabulary), stream), dropped


def in_turns(questions: Iterable[StoryQuestion], labels: Collection[str], stream: Stream) -> list[StoryQuestion]:
    """One question of every answer, then another of every answer, and so on; an answer that has no more is passed over.

    Args:
        questions: those of one answer keep their order.
        labels: the closed set; answers outside it (the lists of qa8) take turns as one.
        stream: decides the order of the answers in a round.
    """
    waiting: dict[str, deque[StoryQuestion]] = defaultdict(deque)
    for question in questions:
        waiting[question.answer if question.answer in labels else _OTHER].append(question)
    order: list[StoryQuestion] = []
    while waiting:
        for label in stream.shuffled(sorted(waiting)):
            order.append(waiting[label].popleft())
            if not waiting[label]:
                del waiting[label]
    return order


def identity(facts: Iterable[str], question: str, answer: str) -> tuple[str, ...]:
    """What two questions share that are the same: their facts in whatever order, what is asked and what is answered.

    Where the order of the facts decides, another order with another answer is another question.
    """
    return *sorted(facts), question, answer


def _identity(question: StoryQuestion) -> tuple[str, ...]:
    return identity(question.facts, question.question, question.answer)


def evidence(question: StoryQuestion, vocabulary: str) -> list[int]:
    """Ascending indices of facts that suffice for the answer: the stored supports and what they leave out
    (docs/defects/babilong.md 5.3).
    """
    return sorted({*question.supporting, *_solved(question, vocabulary).also})


@lru_cache(maxsize=1 << 14)
def _solved(question: StoryQuestion, vocabulary: str) -> oracle.Solution:
    """What the oracle makes of the bare story; kept, since the pool asks first and every row of the question again."""
    return oracle.solve_story(question.task, question.facts, question.question, strict=True, vocabulary=vocabulary)


def _is_decided(question: StoryQuestion, vocabulary: str) -> bool:
    """Whether the stored answer follows for certain."""
    try:
        return _solved(question, vocabulary).answer == question.answer
    except oracle.OracleError:
        return False
