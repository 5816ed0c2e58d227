"""The closed word lists an oracle accepts, per task (measured on bAbI v1.2, spec/babilong.md 3.1).

Closed on purpose: a pattern with open slots would take "Elizabeth went to the window." in a novel for a fact.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Words that may fill the slots of facts and questions, each as written in a fact.

    Attributes:
        people: names, capitalised.
        places: without article.
        objects: things that people carry, without article.
        kinds: (singular, plural) of each species, lower case.
        colours: what a creature may be.
        figures: things placed above or beside each other, without article.
        things: things compared by size, without article.
        motives: (state, place it leads to, object it leads to).
    """

    people: Words = ()
    places: Words = ()
    objects: Words = ()
    kinds: tuple[tuple[str, str], ...] = ()
    colours: Words = ()
    figures: Words = ()
    things: Words = ()
    motives: tuple[tuple[str, str, str], ...] = ()

    def plus(self, other: Vocabulary) -> Vocabulary:
        """Both word lists together, without repeats, this one's words first."""
        return Vocabulary(
            **{f.name: tuple(dict.fromkeys(getattr(self, f.name) + getattr(other, f.name))) for f in fields(self)}
        )


_HOME = ("bathroom", "bedroom", "garden", "hallway", "kitchen", "office")
_TOWN = ("bedroom", "cinema", "kitchen", "office", "park", "school")
_CARRIED = ("apple", "football", "milk")
_FOUR = ("Mary", "Sandra", "John", "Daniel")

_MOVERS = Vocabulary(people=_FOUR, places=_HOME)
_CARRIERS = Vocabulary(people=_FOUR, places=_HOME, objects=_CARRIED)
_TOWNSFOLK = Vocabulary(people=("Mary", "Julie", "Bill", "Fred"), places=_TOWN)
_COMPASS = Vocabulary(places=_HOME)

CLASSIC: dict[str, Vocabulary] = {
    "qa1": _MOVERS,
    "qa2": _CARRIERS,
    "qa3": _CARRIERS,
    "qa4": _COMPASS,
    "qa5": Vocabulary(people=("Mary", "Bill", "Fred", "Jeff"), places=_HOME, objects=_CARRIED),
    "qa6": _CARRIERS,
    "qa7": _CARRIERS,
    "qa8": _CARRIERS,
    "qa9": _MOVERS,
    "qa10": _TOWNSFOLK,
    "qa11": _MOVERS,
    "qa12": _MOVERS,
    "qa13": _MOVERS,
    "qa14": _TOWNSFOLK,
    "qa15": Vocabulary(
        people=("Gertrude", "Winona", "Jessica", "Emily"),
        kinds=(("mouse", "mice"), ("wolf", "wolves"), ("cat", "cats"), ("sheep", "sheep")),
    ),
    "qa16": Vocabulary(
        people=("Lily", "Bernhard", "Greg", "Julius", "Brian"),
        kinds=(("swan", "swans"), ("lion", "lions"), ("frog", "frogs"), ("rhino", "rhinos")),
        colours=("gray", "white", "yellow", "green"),
    ),
    "qa17": Vocabulary(
        figures=("triangle", "pink rectangle", "red sphere", "red square", "blue square", "yellow square")
    ),
    "qa18": Vocabulary(things=("chocolate", "box of chocolates", "box", "chest", "suitcase", "container")),
    "qa19": _COMPASS,
    "qa20": Vocabulary(
        people=("Sumit", "Yann", "Antoine", "Jason"),
        places=("bedroom", "garden", "kitchen"),
        objects=("apple", "football", "milk", "pajamas"),
        motives=(
            ("hungry", "kitchen", "apple"),
            ("thirsty", "kitchen", "milk"),
            ("bored", "garden", "football"),
            ("tired", "bedroom", "pajamas"),
        ),
    ),
}
