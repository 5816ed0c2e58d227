"""Read and check a phrase file: known keys, the {words} of each phrase, words of keys that can be separated, enough filler."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from math import prod
from pathlib import Path
from string import Formatter
from typing import Any

from generators.generated.vocabulary import ENGLISH, Grammar, KeyWords
from haymaker.core.errors import ParamsError
from haymaker.core.files.yaml_file import read_yaml
from haymaker.core.params import nearest

FOLDER = Path(__file__).with_name("languages")
_VALUES = ("number", "uuid", "digits", "runs")
_MEANT = frozenset({"one", "many", "alone"})  # words of things.VALUE, which any phrase on them may use
_LEAST_KEYS, _LEAST_SENTENCES = 1000, 100_000
_NONE = "none"  # answer in every language if the text has no value: metrics read it
_PHRASES = {  # path -> {words} that the phrase must have
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
_PLAIN = ("language", "list", "asked", "cue", "vt", "things")  # phrases without further {words}
_LISTS = ("decoys", "keys.first", "keys.second", "other.wordings")
_KNOWN = (*_PHRASES, *_LISTS, "keys.joined", "filler")
_ALWAYS = ("language", "asked", "cue", "list.comma", "list.last")

Read = tuple[Mapping[str, str], Mapping[str, Sequence[str]], Grammar | None, KeyWords]
"""What a phrase file contains: phrases, lists, grammar of filler sentences, words of keys (phrases.py, Phrases)."""


def read(path: Path, name: str) -> Read:
    """Return a checked phrase file; raise ParamsError for the first mistake. `name` is its name in error lines."""
    said, lists, given = dict[str, str](), dict[str, Sequence[str]](), read_yaml(path, name=name)
    filler = given.pop("filler", None)
    joined = given.get("keys", {}).pop("joined", "-") if isinstance(given.get("keys"), dict) else "-"
    for place, value in _flat(given):
        if place in _PHRASES:
            said[place] = _checked(place, value, name)
        elif place in _LISTS:
            lists[place] = _listed(place, value, name)
        else:
            depth = place.count(".") + 1
            known = {".".join(path.split(".")[:depth]) for path in _KNOWN if path.count(".") + 1 >= depth}
            raise ParamsError(f"unknown key {place!r}", where=name, fix=nearest(place, known))
    if missing := next((place for place in _ALWAYS if place not in said), ""):
        raise ParamsError(f"key {missing!r} is missing", where=name, fix=example(missing))
    words = _key_words(said, lists, joined, name)
    _check_other_words(said, lists, name)
    return said, lists, None if filler is None else _grammar(filler, words, name), words


def _flat(given: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """Yield all values by path; a mapping is a value where the format has none."""
    for key, value in given.items():
        here = f"{place}.{key}".lstrip(".")
        begun = any(path.startswith(f"{here}.") for path in (*_PHRASES, *_LISTS))
        if isinstance(value, dict) and begun:
            yield from _flat(value, here)
        else:
            yield here, value


def _checked(place: str, value: Any, name: str) -> str:
    """Return a phrase that has all of its {words} and no others."""
    if not isinstance(value, str) or not value.strip() or "\n" in value:
        raise ParamsError(f"must be one line of text, not {value!r:.40}", where=f"{name}: {place}", fix=example(place))
    needed = frozenset(_PHRASES[place].split())
    further = frozenset() if place.startswith(_PLAIN) else _MEANT | ({"keys"} if ".cue." in place else frozenset())
    _check_words(value, needed, needed | further, f"{name}: {place}")
    if place.startswith("absent.format.") and not re.search(rf"(?<![a-z]){_NONE}(?![a-z])", value):
        what = f"must state that the answer is the word {_NONE}, which metrics look for"
        raise ParamsError(what, where=f"{name}: {place}", fix=example(place))
    return value


def _check_words(value: str, needed: frozenset[str], known: frozenset[str], where: str) -> None:
    try:
        found = {word for _, word, _, _ in Formatter().parse(value) if word is not None}
    except ValueError as error:
        raise ParamsError(f"{error}", where=where, fix="write {word}, with both brackets") from None
    for word in sorted(found - known):
        right = nearest(word, known) if known else "remove it: placeholders are not allowed here"
        raise ParamsError(f"unknown placeholder {{{word}}}", where=where, fix=right)
    for word in sorted(needed - found):
        raise ParamsError(f"has no {{{word}}}", where=where, fix=f"add {{{word}}}")


def _listed(place: str, value: Any, name: str) -> tuple[str, ...]:
    where = f"{name}: {place}"
    if not isinstance(value, list) or not value or not all(isinstance(each, str) and each.strip() for each in value):
        raise ParamsError("must be a list of texts", where=where, fix="write [first, second]")
    if twice := next((each for each in value if value.count(each) > 1), ""):
        raise ParamsError(f"{twice!r} appears twice", where=where, fix="remove one")
    for number, each in enumerate(value if place == "decoys" else ()):
        _check_words(each, frozenset({"name", "value"}), frozenset({"name", "value", "one"}), f"{where}.{number}")
    for number, each in enumerate(value if place == "other.wordings" else ()):
        _check_words(each, frozenset({"key", "value"}), frozenset({"key", "value"}) | _MEANT, f"{where}.{number}")
    return tuple(value)


def _check_other_words(said: Mapping[str, str], lists: Mapping[str, Sequence[str]], name: str) -> None:
    """Refuse a decoy with the words of a needle."""
    paths = ("same.statement", "same.line", "other.statement", "other.line")
    statements = [said[path] for path in paths if path in said] + list(lists.get("other.wordings", ()))
    for one in (said.get(f"things.{value}.one", "") for value in _VALUES):
        for statement in statements:
            form = re.escape(statement.format(key="\0", value="\1", one=one, many="", alone=""))
            pattern = re.compile(form.replace("\0", r"\S+").replace("\1", r"\S+"))
            for number, decoy in enumerate(lists.get("decoys", ())):
                if pattern.fullmatch(decoy.format(name="A-B", value="123", one=one)):
                    what, fix = "has the words of a needle", "use other words than `statement`"
                    raise ParamsError(what, where=f"{name}: decoys.{number}", fix=fix)


def _key_words(said: Mapping[str, str], lists: Mapping[str, Sequence[str]], joined: Any, name: str) -> KeyWords:
    """Return the words of keys; none contains a separator, so every key can be read back."""
    first, second = lists.get("keys.first"), lists.get("keys.second")
    if first is None and second is None and said["language"] == "en":
        return ENGLISH
    if first is None or second is None or not isinstance(joined, str):
        raise ParamsError("needs `first` and `second`, lists of words for names, and `joined`", where=f"{name}: keys",
                          fix='write keys: {first: [...], second: [...], joined: "-"}')  # fmt: skip
    if len(first) * len(second) < _LEAST_KEYS:
        what = f"{len(first) * len(second):,} names can be made of them, but {_LEAST_KEYS:,} are needed"
        raise ParamsError(what, where=f"{name}: keys", fix="give more words")
    apart = [said["list.comma"], said["list.last"]]
    for each in (*first, *second):
        if re.search(r"[\s\d{}.,;:!?。，]", each) or any(mark in each for mark in apart):
            what = f"{each!r} contains a space, a digit, a punctuation mark or a separator of names in questions"
            raise ParamsError(what, where=f"{name}: keys", fix="use another word")
    for words in () if joined else (first, second):
        for each in words:
            if longer := next((other for other in words if each != other and each in other), ""):
                what = f"{each!r} is part of {longer!r}, and `joined` is empty"
                raise ParamsError(what, where=f"{name}: keys", fix="use words that do not contain each other")
    return KeyWords(tuple(first), tuple(second), joined)


def _grammar(given: Any, words: KeyWords, name: str) -> Grammar:
    """Return the grammar of filler sentences, from the form of words/noise.yaml."""
    where = f"{name}: filler"
    frames = given.get("frames") if isinstance(given, dict) else None
    if not isinstance(frames, dict) or not frames:
        raise ParamsError("needs `frames`, and a list for each of their {words}", where=where, fix="write them as in languages/de.yaml")  # fmt: skip
    lists = {key: _listed(f"filler.{key}", value, name) for key, value in given.items() if key != "frames"}
    lists |= {"first": words.first, "second": words.second}
    sizes = {word: len(texts) for word, texts in lists.items()}
    sizes |= {"key": sizes["first"] * sizes["second"], "number": _LEAST_SENTENCES}
    for kind, frame in frames.items():
        there = f"{where}.frames.{kind}"
        if not isinstance(frame, dict) or set(frame) != {"share", "forms"} or type(frame["share"]) is not int:
            raise ParamsError("needs `share`, a whole number, and `forms`, a list", where=there, fix="write {share: 40, forms: [...]}")  # fmt: skip
        for form in _listed(f"filler.frames.{kind}.forms", frame["forms"], name):
            _check_words(form, frozenset(), frozenset(sizes), there)
            made = prod(sizes[word] for _, word, _, _ in Formatter().parse(form) if word)
            if made < _LEAST_SENTENCES:
                what = f"{form!r:.40} makes {made:,} sentences, but {_LEAST_SENTENCES:,} are needed"
                raise ParamsError(what, where=there, fix="give longer lists, or a {number}")
    return Grammar.of(frames, lists, words.joined)


def example(place: str) -> str:
    """Return what to write for a missing phrase, with the English one."""
    shown: Any = read_yaml(FOLDER / "en.yaml")
    for key in place.split("."):
        shown = shown.get(key, {}) if isinstance(shown, dict) else {}
    if isinstance(shown, list):
        shown = shown[:1]
    return f"add {place}; in English it is {shown!r:.160}" if shown else f"add {place}, as in languages/de.yaml"
