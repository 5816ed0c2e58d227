"""What rules and mined offer, on documents small enough to know by heart."""

from __future__ import annotations

from collections import Counter

import pytest

from corpora.choices.mined import MinedWriter
from corpora.choices.names import names_in, spelt_alike
from corpora.choices.options import Asked
from corpora.choices.reading import Reading
from corpora.choices.rules import RulesWriter
from corpora.choices.shape import shape, strays
from tests.corpora.choices.asking import asked

QUIET = ("It was a long day.", "The rest was as ever.")  # far enough for what stands behind to be about something else
TOWN = (
    "The market in Lyon was open.", "People met in Nantes and in Rennes.", "A fair was held in Nantes.", "He stayed in Rennes.",
    "They met in Lyon again.", *QUIET, "On that day Paris burned.", "Nothing was heard in Paris.", *QUIET, "Ann Bel said no.", *QUIET,
    "Later Cid Dor said yes.", "Eve Fox said nothing, and Gil Hop wrote it down.", "In the end Gil Hop said so.",
    "It was hot in Bordeaux.", "The road to Lille was long, and in Lille they slept.", "All was quiet in Lille.",
)  # fmt: skip


def made(question: Asked, n: int = 3) -> list[str]:
    offers = list(RulesWriter().offers(question, n, question.stream("rules")))
    return [candidate.text for offer in offers for candidate in offer.candidates]


@pytest.mark.parametrize(
    ("right", "question"),
    [
        ("Twenty-nine years", "How many years?"),
        ("$14,000", "How much?"),
        ("312%", "What share?"),
        ("At least 3 times", "How often?"),
    ],
)
def test_numbers_keep_unit_and_style(right: str, question: str) -> None:
    found = made(asked(right, question))
    assert len(found) == 3
    for text in found:
        assert text.endswith(right.split()[-1][-1:]) and text[0].isupper() == right[0].isupper()
        assert len(text.split()) == len(right.split())


def test_a_date_is_changed_in_two_of_its_parts_and_stays_a_date() -> None:
    days = Counter(text for i in range(60) for text in made(asked("31 March 2022", "When?", question_id=str(i))))
    assert days and not {
        d for d in days if d.split()[0] == "31" and d.split()[1] in ("February", "April", "June", "September")
    }


def test_two_years_make_a_square() -> None:
    found = [text.split()[1::2] for text in made(asked("Between 1977 and 2002", "When was it?"))]
    first, second = {pair[0] for pair in found} - {"1977"}, {pair[1] for pair in found} - {"2002"}
    assert len(first) == len(second) == 1
    assert sorted(found) == sorted([[*first, "2002"], ["1977", *second], [*first, *second]])


def test_members_of_a_list_are_replaced_by_names_of_their_sort() -> None:
    question = asked(
        "Paris, Bordeaux and Nantes", "Where?", TOWN, evidence=frozenset({TOWN.index("On that day Paris burned.")})
    )
    found = made(question)
    others = {name.strip() for text in found for name in text.replace(" and ", ",").split(",")} - {
        "Paris",
        "Bordeaux",
        "Nantes",
    }
    assert len(found) == 3 and others <= {"Lyon", "Rennes", "Lille"} and len(others) == 2


def test_what_the_question_says_is_not_changed() -> None:
    assert made(asked("From 1999 to 2011 it was 720 yen", "How many yen from 1999 to 2011?"))
    assert all(t.startswith("From 1999 to 2011 it was") for t in made(asked("From 1999 to 2011 it was 720 yen", "How many yen from 1999 to 2011?")))  # fmt: skip
    assert made(asked("It grew from 5 men over 7 to 9 in 30 days", "How many days did it take?")) == []


def test_directions_and_orders() -> None:
    assert sorted(made(asked("Northeast"))) == ["Northwest", "Southeast", "Southwest"]
    found = made(asked("II, I, III", "In which order?"))
    assert len(set(found)) == 3 and all(sorted(text.split(", ")) == ["I", "II", "III"] for text in found)


def test_names_are_sorted_by_the_words_around_them() -> None:
    names = Reading(TOWN).names
    assert {name for name, found in names.items() if found.sort == "place"} >= {
        "Lyon",
        "Nantes",
        "Rennes",
        "Bordeaux",
        "Lille",
    }
    assert {name for name, found in names.items() if found.sort == "person"} == {
        "Ann Bel",
        "Cid Dor",
        "Eve Fox",
        "Gil Hop",
    }
    assert "People" not in names and "Later" not in names


def test_a_name_is_asked_for_by_the_question_word() -> None:
    question = asked("Ann Bel", "Who said no?", TOWN, evidence=frozenset({TOWN.index("Ann Bel said no.")}))
    (offer,) = MinedWriter().offers(question, 3, question.stream("mined"))
    assert {candidate.text for candidate in offer.candidates} == {"Cid Dor", "Eve Fox", "Gil Hop"}


def test_a_name_beside_the_evidence_is_no_wrong_option() -> None:
    """Its sentence may go on about the same: "Human Rights Watch was very concerned" between those that say who condemned the police."""
    town = (*TOWN, *QUIET, "Ida Jan said no.", "Then Kai Lu said that he did not like it.", "It was over.")
    question = asked("Ida Jan", "Who said no at the end?", town, evidence=frozenset({town.index("Ida Jan said no.")}))
    (offer,) = MinedWriter().offers(question, 3, question.stream("mined"))
    assert {candidate.text for candidate in offer.candidates} >= {"Cid Dor", "Eve Fox", "Gil Hop"}
    assert "Kai Lu" not in {candidate.text for candidate in offer.candidates}


def test_what_is_said_of_others_is_said_of_the_subject() -> None:
    question = asked(
        "Ann Bel refused the old offer", "What did Ann Bel do?", TOWN,
        others=(("Cid Dor sold his house to a friend", "What did Cid Dor sell?"), ("Ann Bel went home", "Where did Ann Bel go?")),
    )  # fmt: skip
    (offer,) = MinedWriter().offers(question, 3, question.stream("mined"))
    texts = [candidate.text for candidate in offer.candidates]
    assert "Ann Bel sold his house to a friend" in texts and "Ann Bel went home" not in texts
    assert all(text.startswith("Ann Bel ") for text in texts)


def test_the_same_question_has_the_same_options() -> None:
    question = asked("Paris, Bordeaux and Nantes", "Where?", TOWN)
    assert made(question) == made(question)
    assert len({tuple(made(asked("53 men", "How many?", question_id=str(i)))) for i in range(9)}) > 3


def test_another_spelling_of_the_name_is_no_wrong_option() -> None:
    """ "Donbas" and "Donbass", "Les Corts" and "Las Corts": an option with the other spelling would be right as well."""
    assert spelt_alike("Donbas", "Donbass") and spelt_alike("Les Corts", "Las Corts")
    assert spelt_alike("Sir Mohammad Shafi", "Sir Mohammad Shah") and not spelt_alike("Romania", "Lithuania")
    town = (
        "They fought in Nantes.",
        "They lived in Nante.",
        "They met in Lyon.",
        "They slept in Rennes.",
        "It rained in Lille.",
    )
    question = asked("They fought in Nantes", "What became of them?", town, evidence=frozenset({0}))
    options = made(question)
    assert options and not any(text.endswith(" Nante") for text in options)


def test_a_name_goes_on_behind_the() -> None:
    lines = (
        "The fourth king is Alexander the Great.",
        "He met Alexander again.",
        "It was Cid who said so.",
        "Then Dor said no.",
    )
    assert names_in(asked("The fourth king is Alexander the Great", sentences=lines)) == []
    assert [name.text for _, name in names_in(asked("The fourth king is Alexander", sentences=lines))] == ["Alexander"]
    assert [name.text for _, name in names_in(asked("Within the Dor", sentences=lines))] == [
        "Dor"
    ]  # its first word is no name


@pytest.mark.parametrize(
    ("sentence", "name", "sort"),
    [
        ("Later Human Rights Watch said no.", "Human Rights Watch", "body"),
        ("Later Human Rights League said no.", "Human Rights League", "body"),
        ("Later York Hill University said no.", "York Hill University", "school"),
        ("Later BBC News said no.", "BBC News", "press"),
        ("Later Grand Hill Hotel burned down.", "Grand Hill Hotel", "site"),
        ("It was the EELV MP Sandrine Rousseau who came.", "EELV MP Sandrine Rousseau", "person"),
    ],
)
def test_a_name_tells_its_sort(sentence: str, name: str, sort: str) -> None:
    assert Reading((sentence,)).names[name].sort == sort


def test_what_is_said_of_the_very_matter_is_no_wrong_option() -> None:
    """The document may give another right answer elsewhere, in a sentence that says nearly all that the question does."""
    town = (
        "Bel accused the council of hiding old letters.", *["Nothing more was heard that day."] * 3,
        "In November Ann Bel accused the council of selling old houses.", "The guild dreamt of selling long ladders.",
    )  # fmt: skip
    question = asked(
        "Hiding old letters", "What did Ann Bel accuse the council of in November?", town, evidence=frozenset({0})
    )
    texts = [c.text for offer in MinedWriter().offers(question, 3, question.stream("mined")) for c in offer.candidates]
    assert "Selling long ladders" in texts and "Selling old houses" not in texts


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Building was planned as a simple inn", True),
        ("Governing alliance between the two approved a state of emergency", True),
        ("Creating lists of identified people who were to be killed", False),
        ("Selling old houses to the council", False),
    ],
)
def test_a_gerund_that_goes_on_as_a_sentence(text: str, found: bool) -> None:
    assert strays(text) == found


def test_a_participle_states_nothing() -> None:
    assert not shape("Operatives trained in urban warfare").statement
    assert shape("Putin denied any possibility of war").statement and shape("He worked in Lyon").statement


@pytest.mark.parametrize(
    ("right", "question", "sentence", "option", "offered"),
    [
        ("A wide league of towns across borders", "How is it defined?", "They spoke of a small guild of smiths.", "A small guild of smiths", True),
        ("A wide league of towns across borders", "How is it defined?", "They did not care a fig for the integrity of the guild.", "A fig for the integrity of the guild", False),
        ("A wide league of towns across borders", "How is it defined?", "It saved his nature by allowing him more freedom.", "His nature by allowing him more freedom", False),
        ("Sanctions in case of an invasion", "What did they discuss?", "They sent the soldiers of the north.", "Soldiers of the north", True),
        ("Sanctions in case of an invasion", "What did they discuss?", "It was a buildup by Russia near the northern border.", "Russia near the northern border", False),
        ("Sanctions in case of an invasion", "What did they discuss?", "It was a time of islands and vying for power.", "Islands and vying for power", False),
        ("For acting as a lawyer without papers", "Why was she held?", "He was fined for posting a poster at night.", "For posting a poster at night", True),
        ("For acting as a lawyer without papers", "Why was she held?", "They made an appeal for mercy on behalf of Dor.", "For mercy on behalf of Dor", False),
        ("Hiding old letters from the council", "What was he accused of?", "They dreamt of selling long ladders to guilds.", "Selling long ladders to guilds", True),
        ("Hiding old letters from the council", "What was he accused of?", "It was seen by remote sensing along the fault.", "Sensing along the fault", False),
        ("They were met with blows and shots", "What happened to the marchers?", "Free League had been carried away by force.", "They had been carried away by force", True),
        ("They were met with blows and shots", "What happened to the marchers?", "Free League called for an end of war.", "They called for an end of war", False),
        ("They feared the old men of the town", "What did they say?", "Free League stated that the men were of the town.", "They stated that the men were of the town", True),
        ("They feared the old men of the town", "What did they say?", "Free League stated that high officials of the town.", "They stated that high officials of the town", False),
        ("Pass a new law on appeals", "What did they decide to do?", "They had to leave the town at night.", "Leave the town at night", False),
    ],
)  # fmt: skip
def test_pieces_that_read_as_answers(right: str, question: str, sentence: str, option: str, offered: bool) -> None:
    """Options that begin inside an idiom or hold half of a coordination are no answers: the question alone tells the right one."""
    doc = ("They met to pass it.", "Ann Bel said so.", "Ann Bel said no.", "All was quiet.", "Nobody came.", sentence)
    found = asked(right, question, doc, evidence=frozenset({0}))
    texts = [c.text for offer in MinedWriter().offers(found, 3, found.stream("mined")) for c in offer.candidates]
    assert (option in texts) == offered


def test_a_clause_about_a_thing_states_nothing() -> None:
    """They stood among statements, the only option that was none."""
    assert not shape("An increased fuel tax made by the president").statement
    assert not shape("The walls it created between people and towns").statement
    assert not shape("The lawyer who represented Ann in May").statement
    assert shape("The court said it was wrong").statement and shape("The man who ran was tired").statement
