"""Stories with a known plot: the scenes of the novels, and among them what the plot tells (as in NarrativeQA
and InfiniteBench, docs/spec/helmet.md 8).

Side beats are at the end of a paragraph of narration; the main plot has its own paragraphs between two scenes.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from haymaker.core.rng import Key, Stream
from worlds.prose.cards import pick
from worlds.prose.cast import World, make_world, place_name, place_names
from worlds.prose.morphology import fix_articles, title_case
from worlds.prose.page import Page
from worlds.prose.scenes import Book
from worlds.prose.teller import Teller

from .model import Work
from .plot import Beat, Plot
from .reminders import Reminders
from .wording import capital, data, walk_code

_CHAPTER = 2500  # words, about
_VOLUME = 200_000  # words
_FEWEST_HERE = 12  # people of about 25 who are neither away nor ill, when a chapter begins
_TITLES = (
    "The {object} of {place}",
    "{place} and the {object}",
    "The Secret of {place}: The {object}",
    "A {object} for {place}",
)


def title_of(seed: int, index: int) -> str:
    """Title of a story; hundreds of thousands of a seed are all different."""
    objects = [entry.partition(" = ")[0] for entry in data("stories.yaml")["pools"]["object"]]
    code = walk_code(len(_TITLES) * len(objects) * place_names(), index, seed, "archive", "stories", "titles")
    code, form = divmod(code, len(_TITLES))
    place, thing = divmod(code, len(objects))
    return fix_articles(_TITLES[form].format(object=title_case(objects[thing]), place=place_name(place)))


def write_story(seed: int, index: int, words: int) -> Work:
    """The index-th story of a seed.

    Args:
        seed: names the collection.
        index: position, from 0.
        words: wished length; the plot does not depend on it.
    """
    key = (seed, "archive", "stories", index)
    world = make_world(Stream(*key, "world"))
    plot = Plot(Stream(*key, "plot"), world)
    title = title_of(seed, index)
    reminders = Reminders(Stream(*key, "reminders"), [beat for beat in plot.beats if beat.main], words)
    text = "\n\n".join((title, *_told(_scenes(key, world, words), words, plot.beats, reminders)))
    outline = plot.outline
    return Work(title, text, tuple(outline.inquiries), " ".join(outline.summary), tuple(outline.points), outline.plot)


def _told(scenes: Iterator[tuple[str, bool]], words: int, beats: list[Beat], reminders: Reminders) -> Iterator[str]:
    """Scenes up to the word budget, with every beat at its share of the words, and later mentions of the main ones."""
    waiting = list(reversed(beats))
    spent, reserved = 0, sum(len(beat.text.split()) for beat in beats)
    for block, breaks in scenes:
        if spent + reserved >= words:
            break
        narrated = block.endswith(".") and not block.endswith(" no.") and '"' not in block  # "No." may be of a number
        beat = waiting[-1] if waiting and waiting[-1].at * words <= spent else None
        if beat and beat.main and breaks:
            told = f"{beat.text}\n\n{block}"
            reminders.happened(beat, spent)
        elif beat and not beat.main and narrated:
            told = f"{block} {beat.text}"
        else:
            beat, told = None, block + (reminders.due(spent) if narrated else "")
        if beat:
            reserved -= len(waiting.pop().text.split())
        spent += len(told.split())
        yield told
    yield from (beat.text for beat in reversed(waiting))


def _scenes(key: tuple[Key, ...], world: World, words: int) -> Iterator[tuple[str, bool]]:
    """Yield endless blocks; True if a scene begins.

    A volume ends when it is long, since its memory of runs of words fills up, or when most people have left: scenes need
    somebody to act. The next one has all of them again.
    """
    chapter = end = spent = volume = 0
    while True:
        volume += 1
        t = Teller(Stream(*key, "telling", volume), world)
        book = Book(t, Page(t))
        if volume > 1:
            yield f"Volume {volume}", False
        last = spent + _VOLUME
        while spent < end or (spent < last and sum(map(t.story.here, world.people)) >= _FEWEST_HERE):
            share = min(spent / words, 1.0)
            scene = book.quiet if spent < end and pick(t, 3) else partial(book.event, share)
            if spent >= end:
                chapter, end = chapter + 1, spent + _CHAPTER // 2 + pick(t, _CHAPTER)
                yield f"Chapter {chapter}: {capital(fix_articles(book.upcoming(share)))}", False
            first = True
            for block in scene():
                for paragraph in block.split("\n\n"):
                    spent += paragraph.count(" ") + 1
                    yield paragraph, first
                    first = False
