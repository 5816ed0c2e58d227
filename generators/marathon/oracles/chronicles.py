"""Answers to questions on chronicles, read from the finished prompt: orders of events, numbers, lists, who held an office when.

An event is found by the rarest of its words; what its sentence does not say may stand before it in the paragraph.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from generators.marathon.oracles.reading import Reading, Sentence, names, read, stems

_PARTS = re.compile(r", (?:and )?| and ")
_FIGURE = re.compile(r"[0-9][0-9,]*")
_NAME = re.compile(r"[A-Z][a-z]+(?:(?: of| the)* [A-Z][a-z]+)+")


def solve(prompt: str) -> list[str] | None:
    """The stored answers of a row: as JSON, as a letter, as a letter with its text; None where exact reading gives none.

    Answers orders, numbers and lists always, reasoning where it is about holders of an office.

    Args:
        prompt: finished.

    Raises:
        ValueError: no question with options in the prompt.
    """
    return answer(read(prompt))


def answer(reading: Reading) -> list[str] | None:
    """The same of a prompt that has been read."""
    for way in (_order, _amount, _list, _holder):
        if fitting := way(reading):
            letter = next(letter for letter, text in reading.options.items() if text == fitting)
            return [f'{{"option": "{letter}"}}', letter, f"{letter}. {fitting}"]
    return None


def _find(reading: Reading, what: str, fits: Callable[[Sentence], bool]) -> Sentence | None:
    """The first sentence that fits and has, with what stands before it in its paragraph, most of the words; rare ones count for more."""
    asked = stems(what)
    weight = reading.rarity

    def worth(sentence: Sentence) -> float:
        return sum(weight.get(stem, 0.0) for stem in sorted(asked & (sentence.stems | sentence.before)))

    return max(filter(fits, reading.sentences), key=worth, default=None)


def find_dated(reading: Reading, what: str) -> Sentence | None:
    """The sentence, one with a year, that tells what happened; None where no sentence has a year."""
    return _find(reading, what, lambda sentence: sentence.year is not None)


def year_of(reading: Reading, what: str) -> int | None:
    """The year in which something happened, by the text; None where no sentence has a year."""
    found = find_dated(reading, what)
    return found.year if found else None


def _order(reading: Reading) -> str | None:
    """The option that lists the numbered events from the earliest to the latest."""
    years = {number: year_of(reading, text) for number, text in reading.items.items()}
    if not years or None in years.values():
        return None
    order = ", ".join(str(number) for number, _ in sorted(years.items(), key=lambda item: item[1] or 0))
    return order if order in reading.options.values() else None


def _amount(reading: Reading) -> str | None:
    """The option with the number that is asked for: a span of years, a sum, a difference, the dearest less the cheapest."""
    units = {" ".join(text.split()[1:]) for text in reading.options.values() if _FIGURE.match(text)}
    if len(units) != 1:
        return None
    unit, question = units.pop(), reading.question
    if unit == "years":
        dated = [year_of(reading, part) for part in _named(question, 2)]
        values = [year for year in dated if year is not None]
        return _shown(reading, max(values) - min(values)) if len(values) == 2 else None
    count = 3 if "," in _core(question) else 2
    values = [value for part in _named(question, count) if (value := _figure(reading, part, unit)) is not None]
    if len(values) != count:
        return None
    if re.search(r"\b(?:highest|dearest|most)\b", question):
        return _shown(reading, max(values) - min(values))
    return _shown(reading, values[0] - values[1] if re.search(r"\b(?:more|dearer)\b", question) else sum(values))


def _core(question: str) -> str:
    """The question from the first thing it names on, without what it says in between commas of its own."""
    first = re.search(r"\bthe [a-z ]+?\b(?:of|up|at|to)\b", question)
    core = question[first.start() :] if first else question
    return re.sub(r", (?:counted in|by how many|how many).*$|: how many.*$", "", core)


def _named(question: str, count: int) -> list[str]:
    """The things that a question names, in its order."""
    parts = re.split(r", (?:and )?| and | than ", _core(question))
    return [re.sub(r" cost\b.*$", "", part) for part in parts if part][:count]


def _figure(reading: Reading, what: str, unit: str) -> int | None:
    """The number that stands before the unit in the sentence on something."""
    form = re.compile(rf"\b({_FIGURE.pattern}) {re.escape(unit)}\b")
    found = _find(reading, what, lambda sentence: form.search(sentence.text) is not None)
    match = form.search(found.text) if found else None
    return int(match[1].replace(",", "")) if match else None


def _shown(reading: Reading, value: int) -> str | None:
    return next((text for text in reading.options.values() if text.split()[0].replace(",", "") == str(value)), None)


def _list(reading: Reading) -> str | None:
    """The option of which every member is told together with whom or what the question names."""
    options = {text: _PARTS.split(text) for text in reading.options.values()}
    sizes = {len(members) for members in options.values()}
    name = _NAME.search(re.sub(r"^(?:Which|Everything|For) ", "", reading.question))
    if name is None or len(sizes) != 1 or sizes == {1}:
        return None
    told = [sentence for sentence in reading.sentences if name[0] in sentence.text]
    right = [text for text, members in options.items() if all(_together(member, told) for member in members)]
    return right[0] if len(right) == 1 else None


def _together(member: str, told: Sequence[Sentence]) -> bool:
    """Whether one of the sentences, with what stands before it, has all names of a member and nearly all of its words."""
    asked, named = stems(member), names(member)
    return any(
        named <= sentence.names and len(asked - sentence.stems - sentence.before) <= len(asked) // 4
        for sentence in told
    )


def _holder(reading: Reading) -> str | None:
    """Of several people who came into one office one after another, the one who was there in the year of an event."""
    asked = re.search(r"\b([a-z]+) of ([A-Z][a-z]+)\b", reading.question)
    if asked is None:
        return None
    office, place = asked.groups()
    event = re.sub(rf"^.*?\bwhen |: who was .*$|\b{office} of {place}\b", "", reading.question)
    when = year_of(reading, event)
    years: dict[str, int] = {}
    for sentence in reading.sentences:
        known = sentence.stems | sentence.before
        if sentence.year is None or not stems(f"{office} {place}") <= known:
            continue
        years |= {text: sentence.year for text in reading.options.values() if text in sentence.text}
    if when is None or len(years) != len(reading.options):
        return None
    return max((name for name, year in years.items() if year <= when), key=lambda name: years[name], default=None)
