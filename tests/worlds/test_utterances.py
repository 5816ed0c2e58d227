"""Simulated utterances: label sets of the promised sizes, no text twice, splits apart, as hard to tell apart as real ones."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from corpora.sources.base import FetchContext
from corpora.sources.simulated_utterances import SimulatedUtterances
from haymaker.core.errors import SourceError
from haymaker.core.files.yaml_file import read_yaml
from tests.errors import refused
from worlds.utterances import build
from worlds.utterances.build import labels, set_names, texts

FIRST_FERRY = ["no trace of the ferry ticket since market day, if you can", "is the ticket for the boat all set"]
FIRST_FINE = [
    ("person:inventor", "Who drew the plans for the watch tower of Fararing?"),
    ("person:ruler", "Who ruled Wenonford after Alrik Quenuro?"),
]
WORDS = Path(build.__file__).with_name("words.yaml")
SIZES = {"coarse": 6, "fine": 50, "home": 68, "ferry": 77, "desk": 151}


@pytest.mark.parametrize("name", list(SIZES))
def test_every_text_once_whatever_the_split(name: str) -> None:
    assert len(labels(name)) == len({label.name for label in labels(name)}) == SIZES[name]
    found = texts(3, name, {"test": 4, "train": 40})
    assert Counter((t.split, t.label) for t in found) == {
        (split, label.name): count for split, count in (("test", 4), ("train", 40)) for label in labels(name)
    }
    assert len({t.text.casefold() for t in found}) == len(found) == len({t.text_id for t in found})
    assert not [t.text for t in found if "<" in t.text or t.text != t.text.strip() or "\n" in t.text]


def test_more_train_texts_change_no_other() -> None:
    few, many = (texts(3, "ferry", {"test": 3, "train": n}) for n in (5, 30))
    assert [t for t in many if t.split == "test"] == [t for t in few if t.split == "test"]
    assert texts(4, "ferry", {"test": 3}) != texts(3, "ferry", {"test": 3})
    assert [t.text for t in texts(1, "ferry", {"test": 1})[:2]] == FIRST_FERRY
    assert [(t.label, t.text) for t in texts(1, "fine", {"test": 1})[:2]] == FIRST_FINE
    assert set(set_names()) == set(SIZES)


def test_the_source_gives_what_it_wrote(tmp_path: Path) -> None:
    source = SimulatedUtterances.model_validate({"seed": 2, "sets": {"home": {"test": 2, "train": 3}}}).named("said")
    source.fetch(
        tmp_path / "said",
        FetchContext(mirror=None, cache=tmp_path / "cache", lock_file=tmp_path / "lock", report=print),
    )
    assert source.label_sets() == ("home",)
    train = source.labelled(tmp_path / "said", "home", "train")
    assert len(train) == 3 * 68 and {t.split for t in train} == {"train"}
    assert source.labelled(tmp_path / "said", "home", "dev") == []
    with refused(SourceError, "", "'ferry'", fix="home"):
        source.labelled(tmp_path / "said", "ferry", "train")


_MANY = (
    "bags|trunks|letters|messages|appointments|blinds|curtains|shutters|shades|drapes|papers|payments|savings|things"
)
_MASS = "luggage|baggage|money|compensation|tax|furniture"
_BAD_ARTICLE = re.compile(
    rf"\b(?:a [aeio]\w*|an [^aeiouh\d]\w*|an? (?:{_MANY}|{_MASS}))\b(?! [a-z]+ment\b| (?:pass|ticket)\b)"
)
_BAD_NUMBER = re.compile(rf"\b(?:{_MANY}) (?:is|was|has|does|shows|says|never)\b")
_INVERTED = re.compile(
    r"^(?:In|On|At|From|To|By|What|Which|How|When|Where)\b[^?]*?\b(lies|came|stands|hangs|lived|had|has|ran|gets|lasted|took|blooms|"
    r"hunted|leaves|shuts|ruled|wore|wrote) (?:out )?(?:the |<)"
)
_BY_ITSELF = re.compile(r"^(?:Which|What) (?:player|explorer|town|king|engineer|merchant) ")  # asks for the subject


@pytest.mark.parametrize("name", list(SIZES))
def test_articles_and_numbers_are_right(name: str) -> None:
    found = texts(3, name, {"train": 90})
    wrong = [t.text for t in found if _BAD_ARTICLE.search(t.text.lower()) or _BAD_NUMBER.search(t.text.lower())]
    assert wrong == []
    assert _BAD_ARTICLE.search("we need a bags") and _BAD_ARTICLE.search("a online profile")
    assert _BAD_ARTICLE.search("set up an new lamp") and _BAD_NUMBER.search("the blinds is not needed")


@pytest.mark.parametrize("name", ["home", "ferry", "desk"])
def test_nobody_says_please_twice(name: str) -> None:
    """ "price of the pass please please": 134 of 81,126 shots of icl_nlu; "what is it for for Anna"."""
    found = [t.text.lower() for t in texts(3, name, {"train": 150})]
    assert sum("please" in text for text in found) > len(found) // 100
    assert [text for text in found if re.search(r"\bplease\b.*\bplease\b|\b(please|for|today) \1\b", text)] == []


def test_no_text_of_one_class_means_another() -> None:
    """ "Put a different name on the pension" was of the class alter, "put the pension in the name of Corin" of transfer."""
    patterns = {label.name: label.patterns for name in set_names() for label in labels(name)}
    alter = {p for name, said in patterns.items() if name.endswith("_alter") for p in said}
    assert alter and [p for p in alter if re.search(r"<who>|\bname\b|\bunder\b", p)] == []
    timed = [text for text in read_yaml(WORDS)["after"] if re.search(r"\b(?:at|before|by|from) <time>", text)]
    assert timed == [", you may call me at <time>"]  # "turn on the lamp, before nine if possible" is a plan
    asked = [p for label in labels("fine") for p in (*label.patterns, *label.held_out)]
    assert [p for p in asked if re.match(r"When |On what day |Where (?:in|was the)\b", p)] == []


@pytest.mark.parametrize("name", ["coarse", "fine"])
def test_no_train_question_has_the_pattern_of_a_test_question(name: str) -> None:
    """In 547 of 600 rows of trec an example differed from the question in a name only; every pattern stands once."""
    train, test = ([p for label in labels(name) for p in getattr(label, key)] for key in ("patterns", "held_out"))
    assert len({*train, *test}) == len(train) + len(test) == 300
    assert all(label.held_out and len(label.patterns) >= 2 * len(label.held_out) for label in labels(name))
    taught, held = [_form(pattern) for pattern in train], [_form(pattern) for pattern in test]
    for text in texts(3, name, {"test": 20, "dev": 5, "train": 20}):
        own, other = (taught, held) if text.split == "train" else (held, taught)
        assert any(form.fullmatch(text.text) for form in own), text
        assert text.split == "train" or not any(form.fullmatch(text.text) for form in other), text


def _form(pattern: str) -> re.Pattern[str]:
    """What a pattern looks like with its slots filled."""
    return re.compile(re.sub(r"\ba (?=<)", "an? ", re.sub(r"<\w+>", "[A-Za-z0-9 ]+", pattern)) + r"\?")


def test_a_thing_is_compared_with_another() -> None:
    """ "Which was built earlier, the well or the well" was in 132 of 600 rows."""
    compared = [
        re.search(r"(?:,| after| from| between) (?:the )?([\w ]+?) (?:or|to|and) (?:the )?([\w ]+)\?$", t.text)
        for t in texts(3, "fine", {"train": 150})
    ]
    pairs = [found.groups() for found in compared if found]
    assert len(pairs) > 100 and [one for one, two in pairs if two in (one, f"{one} of")] == []


def test_questions_ask_things_only_what_fits_their_kind() -> None:
    """No bridge is exported, no printing press melts, no crown has the smell of a plant."""
    said = " ".join(t.text for t in texts(3, "fine", {"test": 40, "train": 150}))
    kinds = read_yaml(Path(build.__file__).with_name("words.yaml"))["slots"]
    for form, kind in (
        ("exports (.+?) to", "goods"),
        ("does the (\\w+) of \\w+ melt", "metal"),
        ("gives the (\\w+) of", "scented"),
    ):
        assert (found := set(re.findall(form, said))) and found <= set(kinds[kind]), form


def test_questions_have_the_order_of_english_questions() -> None:
    """No "In which tongue wrote Dorn": a question that does not ask for its subject has a helping verb before it."""
    patterns = {p for label in labels("fine") for p in (*label.patterns, *label.held_out)}
    assert [p for p in patterns if _INVERTED.search(p) and not _BY_ITSELF.search(p)] == []
    assert _INVERTED.search("In which tongue wrote <who>")
    led = re.compile(r"^(In|On|At|From|To|By|Under)\b")
    helpers = re.compile(r"\b(do|does|did|is|are|was|were)\b")
    assert [p for p in patterns if led.search(p) and not helpers.search(p)] == []
