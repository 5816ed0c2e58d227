"""The encyclopaedia's world and its articles: fixed bytes, no accidental namesakes, nothing said twice with two values."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from haymaker.core.errors import BuildError, CorpusError
from haymaker.core.rng import Stream
from haymaker.core.rows.source_records import Article
from haymaker.core.text.strings import padded
from tests.errors import refused
from worlds import encyclopaedia, prose
from worlds.encyclopaedia.block import Block, make_block
from worlds.encyclopaedia.files import kilt_line
from worlds.encyclopaedia.kinds import kinds
from worlds.encyclopaedia.model import BLOCK, Entity
from worlds.encyclopaedia.names import (
    ARTICLES_AT_MOST,
    cultures,
    data,
    family,
    genus_name,
    pick,
    place_name,
    prize_name,
    river_name,
)
from worlds.encyclopaedia.page import write_page
from worlds.encyclopaedia.phrases import Scene, listed, pattern

SEED = 5
BLOCKS = range(7)  # one more than there are cultures, so that one culture comes twice
FIRST_ARTICLE = "148ea17e6cbcbe864ecb42575dc0b77eba130b177f54585b65244f7b99dc484b"
FIRST_BLOCK = "5445867ceda5e731964a84ee0999a9e3a27a7f054c84fe751541f803a1c8d6bd"


@cache
def blocks() -> list[Block]:
    return [make_block(SEED, number) for number in BLOCKS]


@cache
def articles() -> list[Article]:
    return [write_page(SEED, index).article for index in range(len(BLOCKS) * BLOCK)]


@cache
def plain() -> list[str]:
    return [" ".join(paragraph.text for paragraph in article.paragraphs) for article in articles()]


def everybody() -> list[Entity]:
    return [entity for block in blocks() for entity in block.entities]


def test_bytes_are_fixed() -> None:
    lines = [kilt_line(write_page(SEED, index).article) for index in range(BLOCK)]
    digests = [hashlib.sha256(text.encode()).hexdigest() for text in (lines[0], "\n".join(lines))]
    assert digests == [FIRST_ARTICLE, FIRST_BLOCK], "bytes changed: raise ENCYCLOPAEDIA_VERSION"


def test_an_article_is_a_function_of_seed_and_number_in_any_order() -> None:
    before = articles()[BLOCK + 7]
    make_block.cache_clear()
    write_page.cache_clear()
    backwards = [write_page(SEED, index).article for index in (3 * BLOCK + 1, BLOCK + 7)]
    assert backwards == [articles()[3 * BLOCK + 1], before]
    assert write_page(SEED + 1, BLOCK + 7).article != before


def test_titles_differ_and_only_namesakes_share_a_name() -> None:
    titles = Counter(padded(article.title) for article in articles())
    assert titles.most_common(1)[0][1] == 1
    names = Counter(padded(entity.name) for entity in everybody())
    meant = {padded(entity.name) for entity in everybody() if entity.namesake}
    assert {name for name, count in names.items() if count > 1} == meant
    assert len(meant) >= 8 * len(BLOCKS)


def test_names_of_many_blocks_differ() -> None:
    for culture in cultures():
        families = [family(SEED, culture, n) for n in range(2500)]
        full = [f"{given} {each.surname}" for each in families for given in (*each.men, *each.women)]
        assert len(set(full)) == len(full)
        blocks = ARTICLES_AT_MOST // BLOCK // len(cultures())
        for names in (
            [place_name(SEED, culture, n) for n in range(26 * blocks)],
            [river_name(SEED, culture, n) for n in range(3 * blocks)],
        ):
            assert len(set(names)) == len(names)
    for names in ([prize_name(SEED, n) for n in range(3_564)], [genus_name(SEED, n) for n in range(2_376)]):
        assert len(set(names)) == len(names)
    with refused(BuildError, "", 2):
        pick(("a", "b"), 2, "key")


def test_no_name_is_an_english_word() -> None:
    """The ship "SS Noise Manginival" was called after a woman; every word that novels and articles write small is one."""
    files = [*Path(prose.__file__).parent.glob("*.txt"), *Path(encyclopaedia.__file__).parent.glob("data/[!n]*.yaml")]
    told = " ".join(path.read_text(encoding="utf-8") for path in files)
    words = {*re.findall(r"(?<![\w'])[^\W\d_]+(?![\w'])", told), "espouse"}
    assert len(files) > 10 and {"noise", "granary", "fallow"} < words
    for each in cultures():
        names = {*each.men, *each.women, *each.surnames, *each.places, *each.waters}
        assert {name for name in names if name.lower() in words} == set()


@pytest.mark.parametrize("culture", range(6))
def test_the_largest_world_has_names_to_its_end(culture: int) -> None:
    assert make_block(SEED, ARTICLES_AT_MOST // BLOCK - 1 - culture).entities
    with refused(BuildError, "", "names of one kind"):
        make_block(SEED, 2_000 + culture)


def test_every_stated_fact_stands_in_its_paragraph_with_its_value() -> None:
    for entity, article in zip(everybody(), articles(), strict=True):
        stated = write_page(SEED, entity.index).stated
        for name, evidence in stated.items():
            assert evidence.article_id == article.article_id
            assert evidence.paragraph is not None
            assert evidence.text in article.paragraphs[evidence.paragraph].text
            relation = kinds()[entity.kind].relations[name]
            if relation.ask:
                assert padded(entity.facts[relation.value]) in padded(evidence.text), (entity.name, name)


def test_no_other_article_says_what_an_article_says_of_itself() -> None:
    """The beginnings of fact sentences, with the entity's name as the subject, occur in no other article."""
    openings = re.compile(r"^\{S\}( [^{}<>|]{7,})")
    others = [padded(text) for text in plain()[:BLOCK]]
    checked = 0
    for entity in blocks()[0].entities:
        for relation in kinds()[entity.kind].relations.values():
            for found in filter(None, (openings.match(p.source) for p in relation.say if relation.ask)):
                checked += 1
                claim = padded(entity.name + found[1])
                at = {i for i, text in enumerate(others) if claim in text}
                namesakes = {each.index for each in blocks()[0].entities if each.name == entity.name}
                assert at <= namesakes, (entity.name, found[1])
    assert checked > 500


_STATES = {
    "person.birthplace": r"was born in|birthplace was|[Nn]ative of",
    "painter.masterpiece": r"best[- ]known|most famous",
    "painter.dealer": r"\b(?:sold|sell)\b",
    "politician.rival": r"great rival",
    "river.engineer": r"directed.*straightened.*navigable",
    "lake.surveyor": r"first map.*depths|depths.*first map",
    "town.founder": r"\bfound(?:ed|er)\b",
    "building.opener": r"\bcut the ribbon\b",
    "club.founder": r"\bfound(?:ed|er)\b.*first chairman",
    "school.founder": r"\bfound(?:ed|er)\b",
    "newspaper.founder": r"\bfound(?:ed|er)\b",
    "company.founder": r"\bfound(?:ed|er)\b",
    "company.founding": r"was founded on",
    "school.founding": r"was founded on",
    "club.founding": r"was founded on",
    "company.chief": r"director",
    "company.employees": r"[Aa]t its height",
    "school.head": r"head.* been|been head",
    "newspaper.editor": r"still edits|[Ss]ince",
    "album.cover": r"\bdesigned\b",
    "battle.loser": r"commanded",
    "incident.rescuer": r"saved.*decorated",
}  # what its questions ask for


@pytest.mark.parametrize("relation", list(_STATES))
def test_every_sentence_of_a_relation_states_what_is_asked(relation: str) -> None:
    """Who "laid out the streets" did not found the town: 48 of 162 rows on founders."""
    kind, name = relation.split(".")
    kind = "novelist" if kind == "person" else kind
    said = [re.sub(r"\{\w+\}", "_", p.source) for p in kinds()[kind].relations[name].say]
    assert said and [each for each in said if not re.search(_STATES[relation], each)] == []


_CONTRADICTIONS = (
    (r"never reissued", r"new pressing|new edition"),
    (r"winter|at the time of a flood", r"time of the action is"),
    (r"novel of the same title", r"The idea came from|The title was chosen"),
    (r"in (?:eleven|four|six) (?:days|nights)", r"Work went on for"),
    (r"Winters are (?:mild|wet)", r"snow lies for|dry cold"),
    (r"Trains have served", r"old station building"),
    (r"fire destroyed the wooden bridge", r"covered bridge is older"),
    (r"the frozen meadows|deep in snow", r"on \d+ (?:May|June|July|August|September)"),
    (r"report blamed nobody", r"was blamed"),
    (r"kept every draft", r"burnt by the author|left on a tram"),
    (r"began to keep a diary", r"never existed"),
    (r"set up the firm in \d{4}", r"began business on|trade register"),
)


@pytest.mark.parametrize(("one", "other"), _CONTRADICTIONS)
def test_no_article_holds_two_sentences_that_contradict_each_other(one: str, other: str) -> None:
    """ "It was never reissued" and "A new pressing came out": 70 of 129 albums with the first sentence."""
    assert [text for text in plain() if re.search(one, text) and re.search(other, text)] == []


def test_only_objects_are_collected_drawn_and_shown() -> None:
    """A collection of fishing rights was lost in a fire; a mural showed street cries."""
    words = data("words.yaml")
    shown = re.compile(
        r"(?:collection of|sold sketches of|Studies of|[Mm]useum shows|mural by .{1,40} showing|medal, designed by .{1,40}, shows) (\w+ ?\w*)"
    )
    found = [match[1] for text in plain() for match in shown.finditer(text)]
    found = [each for each in found if not each.startswith(("old ", "a ", "letters"))]
    assert len(found) > 50
    assert [each for each in found if not any(each.startswith(name) for name in words["objects"])] == []
    assert not set(words["objects"]) & set(words["things"])


def test_a_film_has_one_star_by_its_text() -> None:
    """The second actor was "in support", and lists of the films that starred somebody did not name the film."""
    small = 0
    for film in (e for e in everybody() if e.kind == "film" and "second" in e.facts):
        clauses = re.split(r"; |(?<=\.) ", " ".join(p.text for p in write_page(SEED, film.index).article.paragraphs))
        naming = [clause for clause in clauses if film.facts["second"] in clause]
        small += len(naming)
        assert not [clause for clause in naming if re.search(r"\b(?:star\w*|lead\w*|opposite|support)\b", clause)]
    assert small > 10


def test_articles_are_well_formed() -> None:
    for article in articles():
        kinds_of = [paragraph.kind for paragraph in article.paragraphs]
        assert kinds_of[:2] == ["title", "text"]
        assert kinds_of[-1] != "section"
        assert "section" in kinds_of
        assert ("section", "section") not in set(pairwise(kinds_of))
        for paragraph in article.paragraphs:
            assert paragraph.text == " ".join(paragraph.text.split()) != ""
            assert not re.search(r"[{}<>|]|\b[Aa] (?!one)[aeioAEIO]|\bthe the\b|\.\.", paragraph.text), paragraph.text


def test_no_article_has_a_heading_twice() -> None:
    for article in articles():
        headings = [paragraph.text for paragraph in article.paragraphs if paragraph.kind == "section"]
        assert len(set(headings)) == len(headings), article.title


def test_of_a_ship_one_song_is_told() -> None:
    """ "A song about her is still sung" stood beside "A song about it was popular" in 49 of 240."""
    told = [
        text.count("song about") for entity, text in zip(everybody(), plain(), strict=True) if entity.kind == "ship"
    ]
    assert set(told) == {0, 1}


def test_no_sentence_says_a_word_twice_running() -> None:
    """ "Torch song songs", "With Margveig Tveitbakke Tveitbakke signed an appeal"."""
    said = [paragraph.text for article in articles() for paragraph in article.paragraphs]
    assert [
        text for text in said if re.search(r"\b(\w{3,})s? \1s?\b", text) and not re.search(r"\b(that|had) \1\b", text)
    ] == []
    signed = next(p for p in data("common.yaml")["fill"]["views"] if "signed an appeal" in p)
    assert not re.search(r"\{near\.\w+\} \{(he|s)\}", signed)


def test_only_houses_have_halls() -> None:
    """Viaducts had a main hall, a facade and a mural inside; lighthouses a side wing."""
    houses = set("courthouse,town hall,railway station,post office,opera house,public library,cathedral,observatory,market hall,"
                 "concert hall,botanical museum,grain exchange".split(","))  # fmt: skip
    buildings = [entity for entity in everybody() if entity.kind == "building"]
    assert {building.facts["type"] for building in buildings} <= houses
    assert sum("hall" in plain()[building.index] for building in buildings) > len(buildings) // 4


def test_patterns() -> None:
    entity = blocks()[0].kinds["town"][0]
    scene = Scene(entity, Stream("test"), lambda slot: f"[{slot}]")
    assert pattern("a {near.town} and an <old> hat").fill(scene) == "a [near.town] and an old hat"
    assert pattern("a <odd> name").fill(scene) == "an odd name"
    assert pattern("a <uniform> name, {S}").fill(scene) == f"a uniform name, {entity.name}"
    assert not pattern("{spouse}").fits(entity)
    assert {pattern("<a|b<c|d>>").fill(scene) for _ in range(99)} == {"a", "bc", "bd"}
    for broken in ("<a|b", "a>b", "{a"):
        with pytest.raises(CorpusError):
            pattern(broken)
    assert [listed(names) for names in (["A"], ["A", "B"], ["A", "B", "C"])] == ["A", "A and B", "A, B and C"]
