"""Chronicles in words: chapters by kind of thing in random order, each deed with the sentences that tell it and their place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from haymaker.core.rng import Stream
from haymaker.core.text.english_grammar import number_words

from .chronicles_facts import Deed, Part, Thread
from .wording import capital, data, fill

Told = tuple[int, Callable[[], None]]
_BACKWARDS = 0.35  # share of the threads that begin with the last event
_LATER = 0.35  # of the deeds that follow another, how many have no year but a distance from it
_FURTHEST = 30  # years
_MONTH = 0.2  # share of the years that are given with a month
_ASIDES = 6  # at most in a paragraph
_SHARED = 0.25  # of the asides, how many fit more than one chapter


class Teller:
    """Tells parts one after the other, at the wished length.

    Args:
        s: decides the wording and the order of chapters.
        parts: what happened; their deeds get evidence and place here.
        title: of the book.
        words: wished length.
    """

    def __init__(self, s: Stream, parts: Sequence[Part], title: str, words: int) -> None:
        self._s, self._parts, self._title, self._words = s, parts, title, words
        self._data = data("chronicles.yaml")
        self._blocks: list[str] = []
        self._characters = self._spent = 0
        self._told: set[str] = set()
        self._decks: dict[str, list[str]] = {}
        self._due, self._done = 1, 0  # about, words that must be told: all, those up to this paragraph

    def text(self) -> str:
        """The document."""
        self._add(self._title)
        self._add(" ".join(fill(self._s, sentence, {}) for sentence in self._data["preface"]))
        chapters = [(part, self._chapters(part)) for part in self._parts]
        self._due = sum(size for _, found in chapters for _, _, told in found for size, _ in told)
        for part, found in chapters:
            self._opening(part)
            for heading, matter, paragraphs in found:
                self._add(heading)
                self._add(fill(self._s, self._deal("chapters", self._data["chapter_openings"]), {"matter": matter}))
                for size, tell in paragraphs:
                    self._done += size
                    tell()
        return "\n\n".join(self._blocks)

    def _add(self, block: str) -> None:
        self._blocks.append(block)
        self._characters += len(block) + 2
        self._spent += len(block.split())

    def _opening(self, part: Part) -> None:
        s, name = self._s, capital(part.name)
        if len(self._parts) > 1:
            ordinals = self._data["ordinals"]
            number = ordinals[part.number] if part.number < len(ordinals) else str(part.number + 1)
            self._add(f"Part {number}: {name}")
        places = f"{', '.join(part.places[:-1])} and {part.places[-1]}"
        first = fill(s, s.choice(self._data["part_openings"]), {"part": f"the {name[4:]}", "places": places})
        self._add(" ".join((first, *(fill(s, each, {}) for each in self._data["part_seconds"]))))

    def _chapters(self, part: Part) -> list[tuple[str, str, list[Told]]]:
        """Return heading, theme and paragraphs of each chapter in random order; a paragraph has its words, about, and style."""
        s, words = self._s, self._data
        found: list[tuple[dict[str, Any], list[Told]]] = []
        for theme in part.themes:
            threads = s.shuffled([thread for thread in part.threads if thread.theme == theme])
            found.append(
                (words["things"][theme], [(14 * len(t.deeds) + 14, partial(self._thread, t)) for t in threads])
            )
        for name in ("reeve", "parson"):
            held = s.shuffled([office for office in part.offices if office[0].theme == name])
            found.append((words[name], [(17 * len(o), partial(self._office, o)) for o in held]))
        struck = s.shuffled([t.deeds["struck"] for t in part.threads if "struck" in t.deeds])
        found.append((words["struck"], [(36, partial(self._struck, d)) for d in struck]))
        for key, roles in (("notables", {"donor", "builder"}), ("blows", {"blow"})):
            own = s.shuffled([actor.own for actor in part.actors if actor.role in roles])
            found.append((words[key], [(30, partial(self._own, d, key)) for d in own]))
        return [(s.choice(entry["heading"]), entry["matter"], told) for entry, told in s.shuffled(found) if told]

    def _thread(self, thread: Thread) -> None:
        s, thing = self._s, self._data["things"][thread.theme]
        deeds = thread.deeds
        opening = fill(s, self._deal(f"opening {thread.theme}", thing["opening"]), deeds["founded"].slots)
        dated = sorted((deeds[k] for k in ("founded", "grown", "kept", "turned") if k in deeds), key=lambda d: d.year)
        told: list[tuple[str, Deed | None]] = [(opening, None)]
        if len(dated) > 2 and s.chance(_BACKWARDS):
            told.append((fill(s, self._deal("turnings", self._data["turnings"]), {}), None))
            dated = [dated[-1], *dated[:-1]]
        chain: tuple[str, ...] = (opening,)
        before: Deed | None = None
        for deed in dated:
            sentence, later = self._dated(deed, before, thing[deed.stage]["told"])
            chain = (*chain, sentence) if later else (opening, sentence)
            deed.evidence, before = chain, deed
            told.append((sentence, deed))
            if deed.stage == "founded":
                measure = deeds["measure"]
                sentence = self._measured(measure, s.choice(thing["measure"]["told"]))
                measure.evidence = (opening, sentence)
                told.append((sentence, measure))
        for stage in s.shuffled([stage for stage in ("blow", "after") if stage in deeds]):
            after = f"{self._deal('after', self._data['after_leads'])} {thing['after']['said']}."
            sentence = fill(s, after if stage == "after" else s.choice(thing["blow"]), deeds[stage].slots)
            deeds[stage].evidence = (opening, sentence)
            told.append((sentence, deeds[stage]))
        self._paragraph(told, thing["asides"], thread.theme)

    def _dated(self, deed: Deed, before: Deed | None, wordings: Sequence[str]) -> tuple[str, bool]:
        """Return the only sentence about a deed, and whether its year is given as the distance from the previous deed."""
        while True:
            when, later = self._when(deed, before)
            sentence = fill(self._s, self._deal(f"{deed.stage} {deed.theme}", wordings), deed.slots | {"when": when})
            if sentence not in self._told:
                self._told.add(sentence)
                return sentence, later

    def _measured(self, deed: Deed, wording: str) -> str:
        measure = fill(self._s, wording, deed.slots)
        return fill(
            self._s,
            self._deal("records", self._data["records"]),
            deed.slots | {"measure": measure[0].lower() + measure[1:]},
        )

    def _when(self, deed: Deed, before: Deed | None) -> tuple[str, bool]:
        """Words for its year, and whether they need the deed told before."""
        s = self._s
        if before and 1 < deed.year - before.year <= _FURTHEST and s.chance(_LATER):
            return self._data["later"].format(gap=number_words(deed.year - before.year)), True
        return self._date(deed.year), False

    def _date(self, year: int) -> str:
        s = self._s
        return f"in {s.choice(self._data['months'])} {year}" if s.chance(_MONTH) else f"in {year}"

    def _office(self, held: Sequence[Deed]) -> None:
        s, words = self._s, self._data[held[0].theme]
        told: list[tuple[str, Deed | None]] = []
        gone = s.shuffled(words["gone"])
        for deed in held:
            first = "next" if told else "first"
            wording = self._deal(f"{first} {deed.theme}", words[first])
            slots = deed.slots | {"when": f"in {deed.year}", "gone": gone[len(told) % len(gone)]}
            sentence = fill(s, wording, slots)
            opening = (told[0][0],) if told else ()
            deed.evidence = (*opening, sentence)
            told.append((sentence, deed))
        self._paragraph(told, self._data["office_asides"], "office")

    def _struck(self, deed: Deed) -> None:
        s, words = self._s, self._data["struck"]
        kind = words["kinds"][deed.slots["kind"]]
        wording = self._deal(deed.slots["kind"], kind["told"])
        sentence = fill(s, wording, deed.slots | {"when": self._date(deed.year)})
        deed.evidence = (sentence,)
        self._paragraph([(sentence, deed)], [*words["second"], *kind["second"]], f"{deed.slots['kind']} second")

    def _own(self, deed: Deed, key: str) -> None:
        s, words = self._s, self._data[key]
        wording = self._deal(f"own {key} {deed.stage}", words["told"] if key == "blows" else words[deed.stage])
        sentence = fill(s, wording, deed.slots | {"when": self._date(deed.year) if deed.year else ""})
        deed.evidence = (sentence,)
        self._paragraph([(sentence, deed)], words["second"], key)

    def _paragraph(self, told: Sequence[tuple[str, Deed | None]], asides: Sequence[str], deck: str) -> None:
        """Write the sentences of a paragraph, with as many others between them as the length requires, and never only one."""
        room = self._words * self._done / self._due - self._spent - sum(len(each.split()) for each, _ in told)
        more: list[str] = []
        for wording in self._fresh(asides, deck):
            aside = fill(self._s, wording, {})
            size = len(aside.split())
            if room < size / 2 and (more or len(told) > 1):
                break
            more.append(aside)
            room -= size
        gaps = [0] * (len(told) + 1)
        behind = [at for at, (_, deed) in enumerate(told, 1) if deed]  # what leads to a deed is not parted from it
        for _ in more:
            gaps[self._s.choice(behind)] += 1
        sentences: list[str] = []
        at = self._characters
        for (sentence, deed), gap in zip(told, gaps[1:], strict=True):
            if deed:
                deed.at = at + sum(map(len, sentences)) + len(sentences)
            sentences.append(sentence)
            sentences += [more.pop() for _ in range(gap)]
        self._add(" ".join(sentences))

    def _fresh(self, own: Sequence[str], deck: str) -> Iterator[str]:
        """Yield the wordings of the chapter's asides, each once; in a chapter on a kind of thing sometimes a general one."""
        shared = self._data["asides"] if deck in self._data["things"] else ()
        used: set[str] = set()
        while len(used) < min(_ASIDES, len(own) + len(shared)):
            general = shared and self._s.chance(_SHARED)
            wording = self._deal("", shared) if general else self._deal(deck, own)
            if wording not in used:
                used.add(wording)
                yield wording

    def _deal(self, deck: str, pool: Sequence[str]) -> str:
        """The next wording of a pool, which comes back only when all others have been used."""
        left = self._decks.get(deck) or self._s.shuffled(pool)
        self._decks[deck] = left[:-1]
        return left[-1]
