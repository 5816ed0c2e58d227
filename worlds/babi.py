"""Simulated bAbI: stories of the same shape as the real v1.2 files, new for every seed, each question decidable.

    for story in stories("qa1", "test", seed=1, questions=1000): ...

Facts, questions and supporting lines follow docs/spec/babilong.md 3, 5; pacing and choices were fitted to the real files.
Differs from them: no sample twice in a split, none in two splits (docs/defects/babilong.md 2.6), not even with its facts told in
another order; no question that the facts do not decide (docs/defects/babilong.md 5.5, 5.10, 5.16).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from hashlib import blake2b
from pathlib import Path

from haymaker.core.errors import BuildError
from haymaker.core.files.disk import write_text
from haymaker.core.rng import Stream
from haymaker.core.rows.source_records import Split
from worlds.babi_worlds import (
    carried,
    claims,
    company,
    compass,
    creatures,
    figures,
    hands,
    motives,
    sizes,
    times,
    walks,
)
from worlds.babi_worlds.answers import Balance, shares
from worlds.babi_worlds.lines import Ask, Fact, Line, Story
from worlds.babi_worlds.quota import Quota
from worlds.babi_worlds.setup import Setup, pairs_of_facts
from worlds.babi_worlds.vocabulary import Vocabulary, VocabularyName
from worlds.babi_worlds.vocabulary import vocabulary as word_lists

__all__ = [
    "BABI_WORLD_VERSION",
    "HOME",
    "SLUGS",
    "TASKS",
    "Ask",
    "Balance",
    "Fact",
    "Simulated",
    "Story",
    "VocabularyName",
    "check",
    "stories",
    "write_files",
]

BABI_WORLD_VERSION = 3
"""Raised whenever the same seed would give other bytes."""

SLUGS: dict[str, str] = {
    "qa1": "single-supporting-fact",
    "qa2": "two-supporting-facts",
    "qa3": "three-supporting-facts",
    "qa4": "two-arg-relations",
    "qa5": "three-arg-relations",
    "qa6": "yes-no-questions",
    "qa7": "counting",
    "qa8": "lists-sets",
    "qa9": "simple-negation",
    "qa10": "indefinite-knowledge",
    "qa11": "basic-coreference",
    "qa12": "conjunction",
    "qa13": "compound-coreference",
    "qa14": "time-reasoning",
    "qa15": "basic-deduction",
    "qa16": "basic-induction",
    "qa17": "positional-reasoning",
    "qa18": "size-reasoning",
    "qa19": "path-finding",
    "qa20": "agents-motivations",
}
"""File-name words of all 20 tasks (docs/spec/babilong.md 2.1)."""

_PATIENCE, _LAST_PATIENCE = 4_000, 400_000
"""Tries for one story; the second where the number of samples is known, so that the very last one is found."""
_FILE_PART: dict[Split, str] = {"test": "test", "dev": "valid", "train": "train"}
HOME = "tasks_1-20_v1-2/en-10k"
"""Where the real archive has its files."""


@dataclass(frozen=True, slots=True)
class Simulated:
    """A task that can be simulated.

    Attributes:
        tell: one story of a split, drawn from a stream; counts its answers in the quota. `attempt` counts from 0 how often
            lengths: possible numbers of facts.
        count: for tasks with few samples, the number of different samples of a split; None if it is unknown.
        trailing_space: whether question lines have a space before the tab, as the real ones of qa1-3 and qa5-14 do.
        trailing_space: its question lines hold a space before the tab, as the real ones of qa1-3 and qa5-14 do.
    """

    tell: Callable[[Setup, Stream, Split, Quota, int], list[Line]]
    lengths: Callable[[Vocabulary], range] = pairs_of_facts
    count: Callable[[Setup, Split], int | None] | None = None
    trailing_space: bool = True


TASKS: dict[str, Simulated] = {
    "qa1": Simulated(walks.single_support),
    "qa2": Simulated(carried.two_supports),
    "qa3": Simulated(carried.three_supports, carried.three_supports_lengths),
    "qa4": Simulated(compass.two_arguments, compass.lengths, compass.count_two_arguments, trailing_space=False),
    "qa5": Simulated(carried.three_arguments),
    "qa6": Simulated(hands.yes_no),
    "qa7": Simulated(hands.counting),
    "qa8": Simulated(hands.lists),
    "qa9": Simulated(claims.negation),
    "qa10": Simulated(claims.indefinite),
    "qa11": Simulated(company.coreference),
    "qa12": Simulated(company.conjunction),
    "qa13": Simulated(company.compound_coreference),
    "qa14": Simulated(times.time_reasoning, times.time_reasoning_lengths),
    "qa15": Simulated(creatures.deduction, creatures.deduction_lengths, trailing_space=False),
    "qa16": Simulated(creatures.induction, creatures.induction_lengths, trailing_space=False),
    "qa17": Simulated(figures.positions, figures.positions_lengths, figures.count_positions, trailing_space=False),
    "qa18": Simulated(sizes.sizes, sizes.sizes_lengths, trailing_space=False),
    "qa19": Simulated(compass.path_finding, compass.lengths, trailing_space=False),
    "qa20": Simulated(motives.motivations, motives.motivations_lengths, trailing_space=False),
}
"""Tasks that can be simulated, by name."""


def stories(
    task: str,
    split: Split,
    *,
    seed: int,
    questions: int,
    vocabulary: VocabularyName = "classic",
    facts: int | None = None,
    balance: Balance = "natural",
) -> Iterator[Story]:
    """Stories of one split, in order; more questions only ever append.

    Args:
        task: "qa1" .. "qa20".
        split: splits share no story with the same opening, in whatever order it is told, whatever their seeds and sizes; where all
            facts are the opening (qa4, qa15 to qa19) they share no sample.
        seed: of the release. Story i is drawn from the stream (seed, "world-babi", task, split, i).
        questions: how many in all; the last story is cut after the last one.
        vocabulary: "classic" is that of bAbI v1.2, "large" has hundreds of people, places and objects.
        facts: number before the last question of every story that is not cut; None: as in the real files.
        balance: shares of the answers: "natural" as in the real files, "even" as equal as the world allows.

    Raises:
        BuildError: unknown task or vocabulary, negative count, a number of facts the task cannot tell, or the split has
            fewer different samples than asked for.
    """
    simulated, setup = _task(task), check(task, vocabulary, facts)
    if questions < 0:
        raise BuildError(f"cannot simulate {questions} questions", where=f"{task} {split}")
    known = simulated.count(setup, split) if simulated.count else None
    if known is not None and questions > known:
        raise _exhausted(task, split, f"has {known:,} different samples in all", questions)
    quota = Quota(shares(task, setup.vocabulary, balance), even=balance == "even")
    return _stories(task, split, seed, questions, setup, quota, _PATIENCE if known is None else _LAST_PATIENCE)


def _task(name: str) -> Simulated:
    if name not in TASKS:
        near = get_close_matches(name, TASKS, n=1, cutoff=0.0)[0]
        raise BuildError(f"{name!r} is not a bAbI task; nearest is {near!r}", fix=f"choose from {', '.join(TASKS)}")
    return TASKS[name]


def check(task: str, vocabulary: VocabularyName, facts: int | None) -> Setup:
    """Settings for the stories of a task.

    Raises:
        BuildError: unknown task or vocabulary, or a number of facts that the task cannot tell; says which it can.
    """
    lengths = _task(task).lengths(word_lists(vocabulary))
    if facts is not None and facts not in lengths:
        step = f" in steps of {lengths.step}" if lengths.step > 1 else ""
        can = f"{lengths[0]} to {lengths[-1]}{step}" if len(lengths) > 1 else f"only {lengths[0]}"
        raise BuildError(
            f"{task} with {vocabulary} words cannot make a story of {facts} facts", fix=f"choose facts: {can}"
        )
    return Setup(word_lists(vocabulary), facts)


def _stories(
    task: str, split: Split, seed: int, questions: int, setup: Setup, quota: Quota, patience: int
) -> Iterator[Story]:
    tell = TASKS[task].tell
    seen: set[bytes] = set()
    index = 0
    while len(seen) < questions:
        stream = Stream(seed, "world-babi", task, split, index)
        attempt = 0
        while True:
            trial = quota.fork()
            lines = tell(setup, stream, split, trial, attempt)
            samples = _samples(lines)
            if seen.isdisjoint(samples) and len(set(samples)) == len(samples):
                break
            attempt += 1
            if attempt >= patience:
                raise _exhausted(
                    task, split, f"produced no new story in {attempt:,} tries after {len(seen):,} samples", questions
                )
        quota = trial
        spare = len(seen) + len(samples) - questions
        if spare > 0:
            lines, samples = _cut(lines, len(samples) - spare), samples[:-spare]
        seen.update(samples)
        yield Story(tuple(lines))
        index += 1


def _exhausted(task: str, split: Split, what: str, questions: int) -> BuildError:
    return BuildError(
        f"{task} {split} {what}, fewer than the {questions:,} requested", fix=f"request fewer {task} questions"
    )


def _samples(lines: Sequence[Line]) -> list[bytes]:
    """Return a digest per question of its text, its answer and all facts before it, independent of their order."""
    facts: list[str] = []
    out = []
    for line in lines:
        if isinstance(line, Fact):
            facts.append(line.text)
        else:
            sample = "\n".join([*sorted(facts), line.question, line.answer])
            out.append(blake2b(sample.encode(), digest_size=16).digest())
    return out


def _cut(lines: list[Line], questions: int) -> list[Line]:
    """The story up to its n-th question."""
    ends = [at for at, line in enumerate(lines, start=1) if isinstance(line, Ask)]
    return lines[: ends[questions - 1]]


def _rendered(story: Story, space: str) -> Iterator[str]:
    for number, line in enumerate(story.lines, start=1):
        if isinstance(line, Fact):
            yield f"{number} {line.text}\n"
        else:
            yield f"{number} {line.question}{space}\t{line.answer}\t{' '.join(map(str, line.supporting))}\n"


def write_files(
    folder: Path,
    *,
    tasks: Sequence[str],
    questions: Mapping[Split, int],
    seed: int,
    vocabulary: VocabularyName = "classic",
    facts: int | None = None,
    balance: Balance = "natural",
) -> list[Path]:
    """Write stories as the real archive lays them out, below `folder/tasks_1-20_v1-2/en-10k/`.

    Line format of docs/spec/babilong.md 2.2: ASCII, LF. Names as `qa1_single-supporting-fact_test.txt`; dev files end in
    `_valid.txt`. A file appears whole or not at all.

    Args:
        folder: made when missing.
        tasks: names as in `TASKS`.
        questions: how many questions each wanted split gets.
        seed: of the release.
        vocabulary: as for `stories`.
        facts: as for `stories`.
        balance: as for `stories`.

    Returns:
        The files, by task in the order asked, then by split in the order of `questions`.

    Raises:
        BuildError: as `stories`; all but a split that runs out is found before anything is written.
        EnvironmentProblem: the disk refuses.
    """
    told = [
        (
            name,
            split,
            stories(name, split, seed=seed, questions=count, vocabulary=vocabulary, facts=facts, balance=balance),
        )
        for name in tasks
        for split, count in questions.items()
    ]
    home = folder / HOME
    paths = []
    for name, split, found in told:
        space = " " if TASKS[name].trailing_space else ""
        path = home / f"{name}_{SLUGS[name]}_{_FILE_PART[split]}.txt"
        write_text(path, "".join(line for story in found for line in _rendered(story, space)))
        paths.append(path)
    return paths
