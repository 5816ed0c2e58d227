"""Simulated bAbI: stories of the same shape as the real v1.2 files, new for every seed, each question decidable.

    for story in stories("qa1", "test", seed=1, questions=1000): ...

Facts, questions and supporting lines follow spec/babilong.md 3 and 5; pacing and choices were fitted to the real files.
Differs from them: no sample twice in a part, none in two parts (spec/babilong.md 2.6), no undecidable qa5 question
(5.5).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from hashlib import blake2b
from pathlib import Path

from corpora.records import Part
from corpora.world.babi_worlds import carried, compass, walks
from corpora.world.babi_worlds.lines import Ask, Fact, Line, Story
from haymaker.errors import BuildError
from haymaker.files import write_text
from haymaker.rng import Stream

__all__ = ["BABI_WORLD_VERSION", "SLUGS", "TASKS", "Ask", "Fact", "Simulated", "Story", "stories", "write_files"]

BABI_WORLD_VERSION = 1
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
"""File-name words of all 20 tasks (spec/babilong.md 2.1)."""

_PATIENCE, _LAST_PATIENCE = 20_000, 400_000
"""Tries for one story; the second where the number of samples is known, so that the very last one is found."""
_FILE_PART: dict[Part, str] = {"test": "test", "dev": "valid", "train": "train"}


@dataclass(frozen=True, slots=True)
class Simulated:
    """A task that can be simulated.

    Attributes:
        slug: words of its file name.
        tell: one story of a part, drawn from a stream; `attempt` counts from 0 how often this story was refused.
        trailing_space: its question lines hold a space before the tab, as the real ones of qa1-3 and qa5-14 do.
        count: for tasks of few samples, how many different ones a part has.
    """

    slug: str
    tell: Callable[[Stream, Part, int], list[Line]]
    trailing_space: bool = True
    count: Callable[[Part], int] | None = None


TASKS: dict[str, Simulated] = {
    "qa1": Simulated(SLUGS["qa1"], walks.single_support),
    "qa2": Simulated(SLUGS["qa2"], carried.two_supports),
    "qa3": Simulated(SLUGS["qa3"], carried.three_supports),
    "qa4": Simulated(SLUGS["qa4"], compass.two_arguments, trailing_space=False, count=compass.count_two_arguments),
    "qa5": Simulated(SLUGS["qa5"], carried.three_arguments),
}
"""Tasks that can be simulated, by name."""


def _task(name: str) -> Simulated:
    if name not in TASKS:
        near = get_close_matches(name, TASKS, n=1, cutoff=0.0)[0]
        why = "has no simulator yet" if name in SLUGS else "is not a bAbI task"
        raise BuildError(f"{name!r} {why}; nearest is {near!r}", fix=f"choose from {', '.join(TASKS)}")
    return TASKS[name]


def stories(task: str, part: Part, *, seed: int, questions: int) -> Iterator[Story]:
    """Stories of one part, in order; more questions only ever append.

    Args:
        task: "qa1" .. "qa5".
        part: parts share no sample (facts before a question + the question), whatever their seeds and sizes.
        seed: of the release. Story i is drawn from the stream (seed, "world-babi", task, part, i).
        questions: how many in all; the last story is cut after the last one.

    Raises:
        BuildError: unknown task, negative count, or the part has fewer different samples than asked for.
    """
    simulated = _task(task)
    if questions < 0:
        raise BuildError(f"cannot simulate {questions} questions", where=f"{task} {part}")
    if simulated.count and questions > simulated.count(part):
        raise _exhausted(task, part, f"has {simulated.count(part):,} different samples in all", questions)
    return _stories(task, part, seed, questions)


def _stories(task: str, part: Part, seed: int, questions: int) -> Iterator[Story]:
    simulated = TASKS[task]
    seen: set[bytes] = set()
    index, patience = 0, _LAST_PATIENCE if simulated.count else _PATIENCE
    while len(seen) < questions:
        stream = Stream(seed, "world-babi", task, part, index)
        attempt = 0
        while True:
            lines = simulated.tell(stream, part, attempt)
            samples = _samples(lines)
            if seen.isdisjoint(samples):
                break
            attempt += 1
            if attempt >= patience:
                raise _exhausted(
                    task, part, f"gave no new story in {attempt:,} tries after {len(seen):,} samples", questions
                )
        spare = len(seen) + len(samples) - questions
        if spare > 0:
            lines, samples = _cut(lines, len(samples) - spare), samples[:-spare]
        seen.update(samples)
        yield Story(tuple(lines))
        index += 1


def _exhausted(task: str, part: Part, what: str, questions: int) -> BuildError:
    return BuildError(
        f"{task} {part} {what}, fewer than the {questions:,} asked for", fix=f"ask for fewer {task} questions"
    )


def _samples(lines: Sequence[Line]) -> list[bytes]:
    """A digest per question: of its text and of all facts before it."""
    state = blake2b(digest_size=16)
    out = []
    for line in lines:
        if isinstance(line, Fact):
            state.update(line.text.encode())
        else:
            sample = state.copy()
            sample.update(line.question.encode())
            out.append(sample.digest())
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


def write_files(folder: Path, *, tasks: Sequence[str], questions: Mapping[Part, int], seed: int) -> list[Path]:
    """Write stories as the real archive lays them out, below `folder/tasks_1-20_v1-2/en-10k/`.

    Line format of spec/babilong.md 2.2: ASCII, LF. Names as `qa1_single-supporting-fact_test.txt`; dev files end in
    `_valid.txt`. A file appears whole or not at all.

    Args:
        folder: made when missing.
        tasks: names as in `TASKS`.
        questions: how many questions each wanted part gets.
        seed: of the release.

    Returns:
        The files, by task in the order asked, then by part in the order of `questions`.

    Raises:
        BuildError: as `stories`; every task name is checked before anything is written.
        EnvironmentProblem: the disk refuses.
    """
    simulated = {name: _task(name) for name in tasks}
    home = folder / "tasks_1-20_v1-2" / "en-10k"
    paths = []
    for name, task in simulated.items():
        space = " " if task.trailing_space else ""
        for part, count in questions.items():
            told = stories(name, part, seed=seed, questions=count)
            path = home / f"{name}_{task.slug}_{_FILE_PART[part]}.txt"
            write_text(path, "".join(line for story in told for line in _rendered(story, space)))
            paths.append(path)
    return paths
