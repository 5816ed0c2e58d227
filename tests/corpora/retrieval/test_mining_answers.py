"""Which answers may be asked for, in which forms, and whether a sentence states a relation."""

from __future__ import annotations

import numpy as np
import pytest

from corpora.retrieval.mining.answers import DISAGREED, NOTHING_TO_FIND, POINTS, TOLD, aliases_of, askable
from corpora.retrieval.mining.filter import Hits, sift
from corpora.retrieval.mining.params import FilterParams
from corpora.retrieval.mining.relations import states, without_feminine
from corpora.retrieval.mining.variants import shown_forms, with_variants
from corpora.retrieval.mining.words import PassageWords
from haymaker.core.text.equivalents import with_equivalents
from haymaker.core.text.strings import filter_aliases
from tests.corpora.retrieval.mining_material import question, texts


@pytest.mark.parametrize(
    ("answer", "others"),
    [
        ("James Dornan", {"Jamie Dornan", "Jim Dornan", "Jimmy Dornan"}),
        ("Jamie Dornan", {"James Dornan"}),
        ("6,462 copies", {"6,462", "6462", "6462 copies"}),
        ("291 episodes", {"291"}),
        ("250 million", set()),
        ("21 August 1911", set()),
        ("42 years", set()),  # 42 stands in any text
        ("Cornell University", {"Cornell"}),
        ("Lee County", set()),  # too short a name
        ("over 42 years", {"42 years"}),
        ("1866", set()),
        ("from 1986 to 2013", {"1986 to 2013"}),
        ("Mondelez International, Inc.", {"Mondelez International"}),
        ("Erskine Childers DSC", {"Erskine Childers"}),
        ("Canary Islands, Spain", {"Canary Islands"}),
        ("Castlemaine, Victoria, Australia", {"Castlemaine", "Castlemaine, Victoria"}),
        ("Stanton, Victoria, Giancarlo", set()),
        ("New York, USA", set()),  # the city or the state
        ("fourth", {"4th"}),
        ("early second century BC", {"early 2nd century BC"}),
        ("20th century", {"twentieth century"}),
        ("Letters from the Second Vineyard", set()),
        ("John Smith Jr.", {"Jack Smith Jr.", "Johnny Smith Jr."}),  # without Jr. it is his father
        ("About a Boy", set()),
        ("Jack of all trades", set()),
    ],
)
def test_variants(answer: str, others: set[str]) -> None:
    found = with_variants([answer])
    assert found[0] == answer and set(found[1:]) == others


@pytest.mark.parametrize(
    ("asked", "answer", "others"),
    [
        ("Which president?", "Richard Nixon", set()),  # "Rick Nixon" is not written anywhere
        ("Which river?", "Charles River", set()),
        ("What is the sum called?", "total cost (TC)", {"total cost"}),
        ("How many countries?", "more than 70 countries", {"70 countries", "more than 70", "70"}),
        ("Where is it?", "more than 70 countries", {"70 countries"}),
        ("What does it owe?", "about $1.18 trillion", {"$1.18 trillion"}),
        ("Which county is it in?", "Fairfax County", {"Fairfax"}),
        ("What place is it in?", "Fairfax County", set()),
        ("Which city is it in?", "New York City", {"New York"}),
        ("Which city is it in?", "Kansas City", set()),
        ("Which crime family was it?", "DeCavalcante crime family", {"DeCavalcante"}),
        ("In what event did he hold a record?", "100 metres", set()),
        ("What is the population?", "276,170 people", {"276,170", "276170", "276170 people"}),
        ("How many copies?", "6,462 copies", {"6,462", "6462", "6462 copies"}),
    ],
)
def test_an_output_is_right_with_fewer_variants_than_a_distractor_is_left_out_for(
    asked: str, answer: str, others: set[str]
) -> None:
    assert set(with_variants([answer], asked)) == {answer} | others
    found, _ = askable(question(answers=(answer,), text=asked))
    assert set(found.answers) == {answer} | others
    every = with_equivalents(with_variants([answer]))
    assert set(aliases_of(question(answers=(answer,), text=asked))) == set(filter_aliases(every))


@pytest.mark.parametrize(
    ("answer", "title", "text", "form"),
    [
        ("Julie Deborah Kavner", "Julie Kavner", "Julie Deborah Kavner (born 1950) is an actress.", "Julie Kavner"),
        ("Barton Lee Hazlewood", "Lee Hazlewood", "Lee Hazlewood\nBarton Lee Hazlewood was a singer.", "Lee Hazlewood"),
        ("Northern New Jersey", "New Jersey", "New Jersey is a state; Northern New Jersey is its north.", ""),
        ("Prince Rogers Nelson", "Prince", "Prince Rogers Nelson sang.", ""),  # a word alone may stand for anything
        ("John Ernest Crawford", "Johnny Crawford", "John Ernest Crawford (born 1946) is an actor.", "Johnny Crawford"),
        ("John Roberts", "Court", "John Roberts, called Johnny Roberts, is its chief justice.", "Johnny Roberts"),
        ("Henry J. Kaiser", "Kaiser Ventures", "It was Henry John Kaiser's.", "Henry John Kaiser"),
        ("Henry John Kaiser", "Kaiser Ventures", "It was Henry J. Kaiser's.", "Henry J. Kaiser"),
        ("Henry J. Kaiser", "Kaiser Ventures", "It was Henry Kaiser's, or Henry Paul Kaiser's.", ""),
        ("William Jefferson Clinton", "Bill Clinton", "William Jefferson Clinton (born 1946) is.", "Bill Clinton"),
        ("Jean Paul Getty", "J. Paul Getty", "Jean Paul Getty Sr. (1892 – 1976) was.", "J. Paul Getty"),
        ("Rakim Mayers", "ASAP Rocky", "Rakim Mayers, better known as ASAP Rocky, sings.", "ASAP Rocky"),
        ("North Carolina", "Carolina Panthers", "North Carolina is their home.", ""),  # a later paragraph
        ("North Atlantic", "America East Conference", "North Atlantic Conference (until 1996) was.", ""),
        ("Bo Rock", "Bo Rock", "Bo Aldrich Rock (1908) was.", "Bo Aldrich Rock"),
        ("Nelson Rockefeller", "Albany", "Nelson Aldrich Rockefeller (1908) was.", ""),
        ("Bob Seger", "Against the Wind", "It is by Robert Seger.", "Robert Seger"),
        ("Tata Consultancy Services", "TCS", "Tata Consultancy Services (TCS) hired him.", "TCS"),
        ("Tata Consultancy Services", "Tata", "Tata Consultancy Services (BSE: 532540) hired him.", ""),
    ],
)
def test_forms_that_the_gold_shows(answer: str, title: str, text: str, form: str) -> None:
    assert shown_forms([answer], [("Another", "Nothing."), (title, text)]) == ((form,) if form else ())


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("He was an American actor and poet.", ["actor", "poet", "radio host"]),
        ("She is an actress and a radio hostess.", ["actor", "poet", "radio host", "actress", "radio hostess"]),
    ],
)
def test_occupations_of_women_are_accepted_if_the_gold_has_them(text: str, left: list[str]) -> None:
    accepted = ["actor", "poet", "radio host", "actress", "actresses", "poetess", "radio hostess"]
    assert without_feminine(accepted, [("Somebody", text)]) == tuple(left)
    assert without_feminine(["seamstress", "abbess"], [("Somebody", "A person.")]) == ("seamstress", "abbess")


@pytest.mark.parametrize(
    ("text", "answer", "added"),
    [
        ("Who was born earlier, Emma Bull or Virginia Woolf?", "Adeline Virginia Woolf", "Virginia Woolf"),
        ("Which filmmaker was known for animation, Lev Yilmaz or Pamela B. Green?", "Levni Yilmaz", "Lev Yilmaz"),
        ("Which is older, Guitar World or Science News?", "Science News", ""),  # the form is there
        ("Who is older, Ann Green or Pamela B. Green?", "Pam Green", ""),  # either may be meant
        ("Who directed what was shot in or around Leland?", "Levni Yilmaz", ""),
    ],
)
def test_the_form_that_the_question_offers_is_accepted(text: str, answer: str, added: str) -> None:
    for kind in ("comparison", "bridge"):  # a source may call it either
        asked = question(answers=(answer,), text=text, kind=kind)
        found, reason = askable(asked)
        assert (reason, set(found.answers) - set(with_variants([answer]))) == ("", {added} - {""})
        assert set(aliases_of(asked)) >= set(filter_aliases([added])), "no distractor may hold it"


def test_a_distractor_that_says_a_variant_is_none(tmp_path) -> None:
    told = [
        "Jamie Dornan played him.",
        "It sold 6462 in all.",
        "James Dorn did.",
        "Nobody did.",
        "It was on September 25, 1987.",
    ]
    said = texts(tmp_path / "s", *told)
    for answer, gone in (("James Dornan", 0), ("6,462 copies", 1), ("25 September 1987", 4)):
        aliases = aliases_of(question(answers=(answer,)))
        hits = Hits(np.arange(5), np.zeros(5, np.float32), (), None, aliases)
        left, removed = sift(hits, FilterParams(), said, PassageWords(said))
        assert (removed, gone in left.tolist()) == ({"alias": 1}, False)


@pytest.mark.parametrize(
    ("answers", "text", "left", "dropped"),
    [
        (("politician", "polit.", "pol"), "What is his occupation?", ("politician", "polit."), ""),
        (("U.S.", "JPN", "Japan"), "Which country?", ("Japan",), ""),
        (("one", "one season"), "How many seasons?", ("one", "one season"), ""),
        (("291",), "How many?", ("291",), ""),  # a number is no alias that letters make
        (("Cape of Good Hope", "Cape of Storms"), "What was the cape of good hope called?", ("Cape of Storms",), ""),
        (("Ada",), "Who?", None, NOTHING_TO_FIND),
        (("Carl Gottlieb",), "Who directed the film of Carl Gottlieb?", None, TOLD),
        (("James Dornan",), "Is it James Dornan?", None, TOLD),
    ],
)
def test_answers_that_are_short_or_told_are_out(answers, text, left, dropped) -> None:
    found, reason = askable(question(answers=answers, text=text))
    assert (reason, reason or found.answers) == (dropped, dropped or left)
    assert set(filter_aliases(answers)) <= set(
        aliases_of(question(answers=answers, text=text))
    )  # distractors hold none


def test_a_comparison_names_its_answer_and_a_bridge_may_offer_it_beside_another() -> None:
    """2WikiMultihopQA and KILT call such comparisons bridges."""
    for answer in ("Ada Brook", "yes"):
        found, reason = askable(question("comparison", answers=(answer,), text="Is Ada Brook older than Bea?"))
        assert (found.answers[0], reason) == (answer, "")
    told = {"answers": ("Annie Morton",)}
    assert askable(question("bridge", text="Who is older, Annie Morton or Terry Cole?", **told))[1] == ""
    assert askable(question("bridge", text="Who is the husband of Annie Morton?", **told))[1] == TOLD
    assert askable(question("single", text="Is it Annie Morton or not?", **told))[1] == TOLD


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("Why was this short termed organization created?", True),
        ("Which areas of Northern Europe practiced those religions?", True),
        ("In the article's title, what did the machine hope to end?", True),
        ("which of the following worms feeds on blood", True),
        ("The Church supports those persons who oppose what?", False),
        ("it is illegal on any sunday. this rule is an example of", False),
        ("where are they playing the superbowl this year", False),
        ("who was the author of the art of war", False),
        ("who wrote the text for jeanie with the light brown hair", False),
        ("Who built thistles?", False),
    ],
)
def test_a_question_that_points_at_its_text_is_not_asked(text: str, points: bool) -> None:
    for kind, refused in (("single", points), ("bridge", False)):
        assert askable(question(kind, answers=("Ada Brook",), text=text))[1] == (POINTS if refused else "")


def test_groups_keep_their_numbers() -> None:
    groups = (("Ada Brook",), ("Bea Carr", "Bea"), ("IBM",))
    found, reason = askable(question("list", answer_groups=groups, text="Who worked with Ada Brook?"))
    assert (found.answer_groups, reason) == (((), ("Bea Carr",), ()), "")


@pytest.mark.parametrize(
    ("answers", "agreed"),
    [
        (("Merrimen", "Levi", "Bosco"), False),
        (("the sixth volume", "the Elkia Federation"), False),  # an article is no agreement
        (("1966 and 1967", "in 1966 and 1967"), True),
        (("Kansas", "Fort Riley, Kansas"), True),
        (("Egypt",), True),
    ],
)
def test_those_who_answered_agree(answers: tuple[str, ...], agreed: bool) -> None:
    assert askable(question(answers=answers), agreed=True)[1] == ("" if agreed else DISAGREED)
    assert askable(question(answers=answers))[1] == ""


@pytest.mark.parametrize(
    ("relation", "answer", "text", "said"),
    [
        ("place of birth", "Lubango", "Ada Brook (born 3 May 1911 in Lubango) is a Dutch runner.", True),
        ("place of birth", "Lubango", "Ada Brook was a runner. She was born at Lubango and died in Rome.", True),
        ("place of birth", "Lubango", "Ada Brook (Lubango, 3 May 1811 – 4 May 1870) was a miller.", True),
        ("place of birth", "Lubango", "Ada Brook (3 May 1811, Lubango – 1870, Rome) was a miller.", True),
        ("place of birth", "Lubango", "Ada Brook (born 3 May 1811) was mayor of Lubango.", False),
        ("place of birth", "Lubango", "Ada Brook (1811 – 1870, in Lubango) was a miller.", False),  # where she died
        ("place of birth", "Lubango", "Ada Brook (died 1834 in Lubango) was mayor there.", False),
        ("place of birth", "Lubango", "Ada Brook was born in Rome; she lived in Lubango.", False),
        ("occupation", "politician", "Ada Brook is a Dutch politician known as a runner.", True),
        ("occupation", "polit.", "Ada Brook is a member of the metropolitan police.", False),
        ("occupation", "politician", "Ada Brook is the wife of a politician.", False),
        ("occupation", "politician", "A politician wrote about Ada Brook.", False),
        ("occupation", "politician", "Ada Brook is a runner. Her father was a politician.", False),
        ("occupation", "journalist", "John Mayne (1759–1836) was a printer, journalist and poet.", False),
        ("occupation", "politician", "Ada Brook is a Dutch politician, and a runner.", False),
        ("occupation", "runner|politician", "Ada Brook is a Dutch politician and fast runner.", True),
        ("occupation", "actor|actress", "Ada Brook was an American theatre and silent film actress.", True),
        ("occupation", "actor|actress", "Ada Brook is a film and stage actress and singer.", False),
        ("occupation", "actor|actress", "Ada Brook is an actress and star of the stage.", False),
        ("director", "Cole", "It was directed by Cole.", False),  # no rule was read for it
    ],
)
def test_a_passage_states_a_relation_or_it_does_not(relation: str, answer: str, text: str, said: bool) -> None:
    assert states(relation, text, filter_aliases(answer.split("|"))) == said
