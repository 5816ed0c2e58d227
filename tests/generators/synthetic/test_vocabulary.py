"""Word lists never change in silence; what is drawn from them is distinct, keyed, and a longer list begins with the shorter one."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from importlib.resources import files
from itertools import groupby

from corpora.tokenizers import tokenizer
from generators.synthetic import vocabulary
from haymaker.core.rng import Stream

FOLDER = files("generators.synthetic").joinpath("words")
LISTS = {"adjectives.txt": (vocabulary.ADJECTIVES, 1310), "nouns.txt": (vocabulary.NOUNS, 2635)}


def test_lists_are_sorted_words_and_what_they_were() -> None:
    sums = dict(line.split("  ")[::-1] for line in FOLDER.joinpath("SHA256SUMS").read_text().splitlines())
    others = [each for each in FOLDER.iterdir() if each.name != "SHA256SUMS"]
    assert {each.name: hashlib.sha256(each.read_bytes()).hexdigest() for each in others} == sums
    for name, (loaded, count) in LISTS.items():
        words = FOLDER.joinpath(name).read_text().removesuffix("\n").split("\n")
        assert loaded == tuple(words) == tuple(sorted(set(words))) and len(words) == count
        assert all(re.fullmatch("[a-z]{3,12}", word) for word in words)
    assert not {*vocabulary.ADJECTIVES} & {*vocabulary.NOUNS}
    assert not {"special", "number", "none", "key", "magic"} & {*vocabulary.ADJECTIVES, *vocabulary.NOUNS}


def test_nouns_go_with_a_singular_verb() -> None:
    """Ours 9: "The separate trousers was missing"."""
    plural = "algae bellows cattle data dice goggles jeans people pliers scissors shorts trousers clothes stairs tongs police"
    assert not set(plural.split()) & set(vocabulary.NOUNS)


def test_runs_have_runs() -> None:
    """Five digits are drawn, each of five more stands beside its copy: so at most five runs of different digits."""
    stream = Stream("test")
    samples = [vocabulary.runs(10, stream) for _ in range(500)]
    assert all(re.fullmatch("[0-9]{10}", each) for each in samples)
    assert max(len(list(groupby(each))) for each in samples) <= 5
    assert len(set(samples)) > 450
    assert Counter(each[0] for each in samples).keys() == set("0123456789")


def test_noise_is_plain_lines_of_similar_length_with_numbers_and_rare_words_as_needles_have() -> None:
    lines = vocabulary.noise(6000, "k")
    assert len(set(lines)) == 6000
    assert all(re.fullmatch(r"[A-Z][A-Za-z0-9 ,-]+\.", line) for line in lines)
    sizes = tokenizer.load("tekken").count_units([f" {line}" for line in lines])
    assert min(sizes) >= 8 and max(sizes) <= 40 and 15 < sum(sizes) / len(sizes) < 18
    digits = Counter(len(number) for line in lines for number in set(re.findall(r"\d+", line)))
    assert set(digits) == {5, 7, 10}
    assert all(count > 0.07 * len(lines) for count in digits.values())
    assert any(re.search(r"\b0\d{4}\b", line) for line in lines)
    said_twice = sum(len(re.findall(r"\d+", line)) == 2 for line in lines)
    assert said_twice > 0.04 * len(lines)
    assert sum("-" in line for line in lines) > 0.15 * len(lines)
