"""Solver of questions on chronicles: orders of events, numbers, lists, holders of offices.

An event is found by its rare words; words that its sentence lacks may be earlier in the paragraph.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from generators.marathon.oracles.reading import Reading, Sentence, names, read, stems

_PARTS = re.compile(r", (?:and )?| and ")
_SPAN = re.compile(r"the year when (.+?)(?= and the year when |\?|\. )")
_FIGURE = re.compile(r"[0-9][0-9,]*")
_NAME = re.compile(r"[A-Z][a-z]+(?:(?: of| the)* [A-Z][a-z]+)+")


def solve(prompt: str) -> list[str] | None:
    """Return the answers of a row: as JSON, as a letter, as a letter with its text; None if no exact answer is found.

    Orders, numbers and lists always have an answer; of reasoning, only questions about holders of an office.

    Raises:
        ValueError: no question with options in the prompt.
    """
    return answer(read(prompt))


def answer(reading: Reading) -> list[str] | None:
    """Return the answers of a prompt that has been read."""
    for solver in (_order, _amount, _list, _holder):
        if found := solver(reading):
            letter = next(letter for letter, text in reading.options.items() if text == found)
            return [f'{{"option": "{letter}"}}', letter, f"{letter}. {found}"]
    return None


def _find(reading: Reading, what: str, fits: Callable[[Sentence], bool]) -> Sentence | None:
    """The first fitting sentence that has, with the text before it in its paragraph, most of the words, weighted by rarity."""
    wanted, weight = stems(what), reading.rarity

    def score(sentence: Sentence) -> float:
        return sum(weight.get(stem, 0.0) for stem in sorted(wanted & (sentence.stems | sentence.before)))

    return max(filter(fits, reading.sentences), key=score, default=None)


def find_dated(reading: Reading, what: str) -> Sentence | None:
    """Return the sentence with a year on an event; None if no sentence has a year."""
    return _find(reading, what, lambda sentence: sentence.year is not None)


def year_of(reading: Reading, what: str) -> int | None:
    """Return the year of an event; None if no sentence has a year."""
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
    """The option with the requested number: a span of years, a sum, a difference, or highest minus lowest."""
    units = {" ".join(text.split()[1:]) for text in reading.options.values() if _FIGURE.match(text)}
    if len(units) != 1:
        return None
    unit, question = units.pop(), reading.question
    if unit == "years":
        dated = [year_of(reading, event) for event in _SPAN.findall(question)]
        values = [year for year in dated if year is not None]
        return _shown(reading, max(values) - min(values)) if len(values) == 2 else None
    count = 3 if "," in _core(question) else 2
    values = [value for part in _named(question, count) if (value := _figure(reading, part, unit)) is not None]
    if len(values) != count:
        return None
    if re.search(r"\bhighest\b", question):
        return _shown(reading, max(values) - min(values))
    return _shown(reading, values[0] - values[1] if re.search(r"\bmore\b", question) else sum(values))


def _core(question: str) -> str:
    """The question from the first thing that it names, without its final clause."""
    listed = question.partition(": ")[2] or question
    first = re.search(r"\bthe [a-z ]+?\b(?:of|up|at|to)\b", listed)
    core = listed[first.start() :] if first else listed
    return re.sub(r"\. (?:How many|By how many).*$", "", core)


def _named(question: str, count: int) -> list[str]:
    """The first things that a question names."""
    parts = re.split(r", (?:and )?| and | than ", _core(question))
    return [re.sub(r" (?:cost\b|more expensive$).*$", "", part) for part in parts if part][:count]


def _figure(reading: Reading, what: str, unit: str) -> int | None:
    """The number before the unit in the sentence on something."""
    form = re.compile(rf"\b({_FIGURE.pattern}) {re.escape(unit)}\b")
    what = what if unit == "crowns" else re.sub(r"^.* of (?=the )", "", what)  # the unit shows what is measured
    found = _find(reading, what, lambda sentence: form.search(sentence.text) is not None)
    match = form.search(found.text) if found else None
    return int(match[1].replace(",", "")) if match else None


def _shown(reading: Reading, value: int) -> str | None:
    return next((text for text in reading.options.values() if text.split()[0].replace(",", "") == str(value)), None)


def _list(reading: Reading) -> str | None:
    """The only option with all its members in sentences that contain the name in the question."""
    options = {text: _PARTS.split(text) for text in reading.options.values()}
    sizes = {len(members) for members in options.values()}
    name = _NAME.search(re.sub(r"^(?:Which|Everything) ", "", reading.question))
    if name is None or len(sizes) != 1 or sizes == {1}:
        return None
    about = [sentence for sentence in reading.sentences if name[0] in sentence.text]
    right = [text for text, members in options.items() if all(_is_in(about, member) for member in members)]
    return right[0] if len(right) == 1 else None


def _is_in(sentences: Sequence[Sentence], member: str) -> bool:
    """Whether a sentence, with the opening of its paragraph, has all names of a member and nearly all of its words."""
    own, named = stems(member), names(member)
    return any(named <= each.names and len(own - each.stems - each.opening) <= len(own) // 4 for each in sentences)


def _holder(reading: Reading) -> str | None:
    """The person who held an office in the year of an event, if the text has the first year of each option in the office."""
    named = re.search(r"\b([a-z]+) of ([A-Z][a-z]+)\b", reading.question)
    if named is None:
        return None
    office, place = named.groups()
    event = re.sub(rf"^.*?\b(?:when|in which) |\b{office} of {place}\b", "", reading.question)
    when = year_of(reading, event)
    years: dict[str, int] = {}
    for sentence in reading.sentences:
        if sentence.year is not None and stems(f"{office} {place}") <= sentence.stems | sentence.before:
            years |= {text: sentence.year for text in reading.options.values() if text in sentence.text}
    if when is None or len(years) != len(reading.options):
        return None
    return max((name for name, year in years.items() if year <= when), key=lambda name: years[name], default=None)
