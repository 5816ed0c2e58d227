"""Select the questions of a release: different, decidable, in one split only, balanced by answer."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache

from generators.babilong import oracle
from haymaker.core.errors import BuildError
from haymaker.core.rng import Key, Stream
from haymaker.core.rows.source_records import Split, StoryQuestion

Read = Callable[[str, Split], list[StoryQuestion]]  # one file of a bAbI source
_LISTS, _NOTHING = ",", "nothing"  # of qa8
_EARLIER: dict[str, tuple[Split, ...]] = {"test": (), "dev": ("test",), "train": ("test", "dev")}


def pool(
    read: Read, task: str, split: Split, *, stream_key: Key, apart_from: Collection[Split], vocabulary: str = "classic"
) -> tuple[list[StoryQuestion], Counter[str]]:
    """Return the usable questions of a split in the order of `in_turns`, and the number of rejected questions by reason.

    Rejected are repeated questions (docs/defects/babilong.md 2.6), questions of an earlier split (test, dev, train), and questions
    whose stored answer does not follow from the facts (5.5, 5.10, 5.16).

    Args:
        read: returns the questions of (task, split).
        task: qa1 .. qa20.
        split: split of the questions.
        stream_key: of the release; decides the order.
        apart_from: splits of the release.
        vocabulary: edition of the questions.

    Raises:
        BuildError: the oracle solves no question, so the file is not English bAbI.
    """
    earlier = (q for other in _EARLIER[split] if other in apart_from for q in read(task, other))
    seen = {identity(q.facts, q.question, q.answer) for q in earlier}
    kept, dropped = [], Counter[str]()
    for question in read(task, split):
        same = identity(question.facts, question.question, question.answer)
        if same in seen:
            dropped["duplicate"] += 1
        elif not _is_decided(question, vocabulary):
            dropped["undecidable"] += 1
        else:
            kept.append(question)
        seen.add(same)
    if not kept and dropped["undecidable"]:
        what = f"no question can be solved from its facts with the words of {vocabulary!r}"
        raise BuildError(what, where=f"{task} {split}", fix="use an English variant of bAbI")
    stream = Stream(stream_key, "babilong", task, split, "order")
    return in_turns(stream.shuffled(kept), task, stream, vocabulary=vocabulary), dropped


def in_turns(
    questions: Iterable[StoryQuestion], task: str, stream: Stream, *, vocabulary: str = "classic"
) -> list[StoryQuestion]:
    """Return the questions interleaved by answer (round-robin), so that every prefix is as balanced as the data allows.

    An edition with more words than v1.2 has as many turns as v1.2, and its words share the turns: "nothing" and the lists of qa8
    (together one answer) keep their share among 412 objects.

    Args:
        questions: in order; questions of one answer keep it.
        task: qa1 .. qa20.
        stream: decides the order of the answers in a round.
        vocabulary: edition of the questions.
    """
    words = [label for label in oracle.labels(task, vocabulary) if label != _NOTHING]
    turns = sum(label != _NOTHING for label in oracle.labels(task, "classic"))
    turn_of = {word: str(at % turns) for at, word in enumerate(words)} | {_NOTHING: _NOTHING}
    waiting: dict[str, dict[str, list[StoryQuestion]]] = defaultdict(lambda: defaultdict(list))
    for question in questions:
        waiting[turn_of.get(question.answer, _LISTS)][question.answer].append(question)
    return _rounds({turn: _rounds(answers, stream) for turn, answers in waiting.items()}, stream)


def _rounds(groups: Mapping[str, Sequence[StoryQuestion]], stream: Stream) -> list[StoryQuestion]:
    """Interleave the groups; the order of groups is drawn for each round."""
    order: list[StoryQuestion] = []
    for at in range(max(map(len, groups.values()), default=0)):
        order += (groups[name][at] for name in stream.shuffled(sorted(groups)) if at < len(groups[name]))
    return order


def identity(facts: Iterable[str], question: str, answer: str) -> tuple[str, ...]:
    """Return a key that is equal for questions with the same facts in any order, question and answer."""
    return *sorted(facts), question, answer


def evidence(question: StoryQuestion, vocabulary: str) -> list[int]:
    """Return the indices of facts that suffice for the answer: stored and missing supports (docs/defects/babilong.md 5.3)."""
    return sorted({*question.supporting, *_solved(question, vocabulary).also})


@lru_cache(maxsize=1 << 14)
def _solved(question: StoryQuestion, vocabulary: str) -> oracle.Solution:
    return oracle.solve_story(question.task, question.facts, question.question, strict=True, vocabulary=vocabulary)


def _is_decided(question: StoryQuestion, vocabulary: str) -> bool:
    try:
        return _solved(question, vocabulary).answer == question.answer
    except oracle.OracleError:
        return False
