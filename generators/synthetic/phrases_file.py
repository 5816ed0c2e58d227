"""A phrase file read and checked: known names, the {words} of each phrase, words that can be told apart, filler enough."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import prod
from pathlib import Path
from string import Formatter
from typing import Any

from generators.synthetic.vocabulary import ENGLISH, Grammar, KeyWords
from haymaker.core.errors import ParamsError
from haymaker.core.files.yaml_file import read_yaml
from haymaker.core.params import nearest

_FOLDER = Path(__file__).with_name("languages")
_VALUES = ("number", "uuid", "digits", "runs")
_MEANT = frozenset({"one", "many", "alone"})  # words of things.VALUE, which any phrase on them may use
_LEAST_KEYS, _LEAST_SENTENCES = 1000, 100_000
_NONE = "none"  # what is answered where there is nothing, in every language: metrics read it


def _forms() -> dict[str, tuple[frozenset[str], frozenset[str]]]:
    """Phrase -> {words} that it must have, and those that it may have besides."""
    table = {
        "language": "", "list.comma": "", "list.last": "", "asked": "question form", "cue": "cue",
        **{f"things.{value}.{form}": "" for value in _VALUES for form in _MEANT},
        **{f"{style}.{form}": "key value" for style in ("same", "other") for form in ("statement", "line")},
        **{f"{style}.question.{number}": "keys" for style in ("same", "other") for number in ("one", "many")},
        **{f"{style}.cue.{number}": "" for style in ("same", "other") for number in ("one", "many")},
        "single.statement": "value", "single.question.one": "", "single.cue.one": "",
        **{f"{frame}.announce.{kind}": "" for frame in ("there", "absent") for kind in ("prose", "lines", "single")},
        **{f"{frame}.format.{kind}": "" for frame in ("there", "absent") for kind in ("one", "single", "several", "each", "matrix")},
        "vt.instruction": "", "vt.statement": "name value", "vt.question": "value", "vt.told": "count value",
    }  # fmt: skip
    plain = ("language", "list", "asked", "cue", "vt", "things")
    return {
        path: (
            frozenset(words.split()),
            frozenset() if path.startswith(plain) else _MEANT | ({"keys"} if ".cue." in path else frozenset()),
        )
        for path, words in table.items()
    }


_FORMS = _forms()
_LISTS = ("decoys", "keys.first", "keys.second")
_OTHERS = ("keys.joined", "filler")
_ALWAYS = ("language", "asked", "cue", "list.comma", "list.last")


@dataclass(frozen=True, slots=True)
class Read:
    """What a phrase file says.

    Attributes:
        said: path with dots ("same.question.one") -> phrase.
        lists: path -> words or phrases.
        grammar: of filler sentences; None: there are none.
        key_words: what names are made of.
    """

    said: Mapping[str, str]
    lists: Mapping[str, Sequence[str]]
    grammar: Grammar | None
    key_words: KeyWords


def read(path: Path, name: str) -> Read:
    """A phrase file, checked; `name` is what error lines call it.

    Raises:
        ParamsError: the first mistake, and what to write.
    """
    said: dict[str, str] = {}
    lists: dict[str, Sequence[str]] = {}
    given = read_yaml(path, name=name)
    filler = given.pop("filler", None)
    joined = given.get("keys", {}).pop("joined", "-") if isinstance(given.get("keys"), dict) else "-"
    for place, value in _flat(given):
        if place in _FORMS:
            said[place] = _checked(place, value, name)
        elif place in _LISTS:
            lists[place] = _listed(place, value, name)
        else:
            raise ParamsError(f"unknown key {place!r}", where=name, fix=nearest(place, _beside(place)))
    for place in _ALWAYS:
        if place not in said:
            raise ParamsError(f"key {place!r} is missing", where=name, fix=example(place))
    words = _key_words(said, lists, joined, name)
    _check_other_words(said, lists.get("decoys", ()), name)
    return Read(said, lists, None if filler is None else _grammar(filler, words, name), words)


def _beside(place: str) -> set[str]:
    """Known keys of the same depth."""
    depth = place.count(".") + 1
    return {".".join(path.split(".")[:depth]) for path in (*_FORMS, *_LISTS, *_OTHERS) if path.count(".") >= depth - 1}


def _flat(given: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """Paths of all that is no mapping, and of mappings that stand where none may."""
    for key, value in given.items():
        here = f"{place}.{key}".lstrip(".")
        begun = any(path.startswith(f"{here}.") for path in (*_FORMS, *_LISTS))
        if isinstance(value, dict) and begun:
            yield from _flat(value, here)
        else:
            yield here, value


def _checked(place: str, value: Any, name: str) -> str:
    """A phrase with all of its {words} and no others."""
    if not isinstance(value, str) or not value.strip() or "\n" in value:
        raise ParamsError(f"must be one line of text, not {value!r:.40}", where=f"{name}: {place}", fix=example(place))
    needed, allowed = _FORMS[place]
    _check_words(value, needed, needed | allowed, f"{name}: {place}")
    if place.startswith("absent.format.") and not re.search(rf"(?<![a-z]){_NONE}(?![a-z])", value):
        fix = example(place)
        raise ParamsError(f"must say that the answer is the word {_NONE} (metrics read it)", where=f"{name}: {place}", fix=fix)  # fmt: skip
    return value


def _check_words(value: str, needed: frozenset[str], known: frozenset[str], where: str) -> None:
    try:
        found = {word for _, word, _, _ in Formatter().parse(value) if word is not None}
    except ValueError as error:
        raise ParamsError(f"{error}", where=where, fix="write {word}, with both brackets") from None
    for word in sorted(found - known):
        right = nearest(word, known) if known else "no {words} belong here"
        raise ParamsError(f"unknown placeholder {{{word}}}", where=where, fix=right)
    for word in sorted(needed - found):
        raise ParamsError(f"lacks {{{word}}}", where=where, fix=f"write {{{word}}} where it belongs")


def _listed(place: str, value: Any, name: str) -> tuple[str, ...]:
    where = f"{name}: {place}"
    if not isinstance(value, list) or not value or not all(isinstance(each, str) and each.strip() for each in value):
        raise ParamsError("must be a list of texts", where=where, fix="[first, second]")
    if twice := next((each for each in value if value.count(each) > 1), ""):
        raise ParamsError(f"{twice!r} comes twice", where=where, fix="remove one")
    for number, each in enumerate(value):
        if place == "decoys":
            _check_words(each, frozenset({"name", "value"}), frozenset({"name", "value", "one"}), f"{where}.{number}")
    return tuple(value)


def _check_other_words(said: Mapping[str, str], decoys: Sequence[str], name: str) -> None:
    """No decoy says what a needle says, whatever the name."""
    statements = [
        said[path] for path in ("same.statement", "same.line", "other.statement", "other.line") if path in said
    ]
    for one in (said.get(f"things.{value}.one", "") for value in _VALUES):
        for statement in statements:
            form = re.escape(statement.format(key="\0", value="\1", one=one, many="", alone=""))
            pattern = re.compile(form.replace("\0", r"\S+").replace("\1", r"\S+"))
            for number, decoy in enumerate(decoys):
                if pattern.fullmatch(decoy.format(name="A-B", value="123", one=one)):
                    what, fix = "says what a needle says", "use other words than `statement`"
                    raise ParamsError(what, where=f"{name}: decoys.{number}", fix=fix)


def _key_words(said: Mapping[str, str], lists: Mapping[str, Sequence[str]], joined: Any, name: str) -> KeyWords:
    """What keys are made of: words that no separator stands in, so that every key is read as it was written."""
    first, second = lists.get("keys.first"), lists.get("keys.second")
    if first is None and second is None and said["language"] == "en":
        return ENGLISH
    if first is None or second is None or not isinstance(joined, str):
        raise ParamsError("needs `first` and `second`, lists of words that names are made of, and `joined`", where=f"{name}: keys",
                          fix='keys: {first: [...], second: [...], joined: "-"}')  # fmt: skip
    if len(first) * len(second) < _LEAST_KEYS:
        what = f"{len(first) * len(second):,} names can be made of them, {_LEAST_KEYS:,} are needed"
        raise ParamsError(what, where=f"{name}: keys", fix="give more words")
    apart = [said["list.comma"], said["list.last"]]
    for each in (*first, *second):
        if re.search(r"[\s\d{}.,;:!?。，]", each) or any(mark in each for mark in apart):
            what = f"{each!r} holds a space, a digit, a mark or what parts names in a question"
            raise ParamsError(what, where=f"{name}: keys", fix="use another word")
    if not joined:
        for words in (first, second):
            _check_apart(words, name)
    return KeyWords(tuple(first), tuple(second), joined)


def _check_apart(words: Sequence[str], name: str) -> None:
    """Of names without a mark between their words none may hold another."""
    for each in words:
        if longer := next((other for other in words if each != other and each in other), ""):
            what = f"{each!r} stands in {longer!r}, and `joined` is empty"
            raise ParamsError(what, where=f"{name}: keys", fix="use words that do not hold each other")


def _grammar(given: Any, words: KeyWords, name: str) -> Grammar:
    """Frames and lists of filler sentences, in the form of words/noise.yaml."""
    where = f"{name}: filler"
    frames = given.get("frames") if isinstance(given, dict) else None
    if not isinstance(frames, dict) or not frames:
        raise ParamsError("needs `frames`, and the lists that their {words} name", where=where, fix="see languages/de.yaml")  # fmt: skip
    lists = {key: _listed(f"filler.{key}", value, name) for key, value in given.items() if key != "frames"}
    lists |= {"first": words.first, "second": words.second}
    known = frozenset({*lists, "key", "number"})
    for kind, frame in frames.items():
        there = f"{where}.frames.{kind}"
        if not isinstance(frame, dict) or set(frame) != {"share", "forms"} or type(frame["share"]) is not int:
            raise ParamsError("needs `share`, a whole number, and `forms`, a list", where=there, fix="{share: 40, forms: [...]}")  # fmt: skip
        for form in _listed(f"filler.frames.{kind}.forms", frame["forms"], name):
            _check_words(form, frozenset(), known, there)
            made = prod(_made(word, lists) for _, word, _, _ in Formatter().parse(form) if word)
            if made < _LEAST_SENTENCES:
                what = f"{form!r:.40} makes {made:,} sentences, {_LEAST_SENTENCES:,} are needed"
                raise ParamsError(what, where=there, fix="give longer lists, or a {number}")
    return Grammar.of(frames, lists, words.joined)


def _made(word: str, lists: Mapping[str, Sequence[str]]) -> int:
    if word == "number":
        return _LEAST_SENTENCES
    return len(lists["first"]) * len(lists["second"]) if word == "key" else len(lists[word])


def example(place: str) -> str:
    """What to write where a phrase is missing, by the English file."""
    english = _raw_english()
    shown = english
    for key in place.split("."):
        shown = shown.get(key, {}) if isinstance(shown, dict) else {}
    if isinstance(shown, list):
        shown = shown[:1]
    return f"add {place}; in English it is {shown!r:.160}" if shown else f"add {place}, as in languages/de.yaml"


@cache
def _raw_english() -> Any:
    return read_yaml(_FOLDER / "en.yaml")
