"""English word forms for the lexicon: regular rules and a table of the irregular words the lexicon uses."""

from __future__ import annotations

import re
from collections.abc import Callable

_IRREGULAR = """
rise rose risen|fall fell fallen|lie lay lain|lay laid laid|sink sank sunk|wind wound wound|run ran run|stride strode stridden|creep crept crept|
steal stole stolen|go went gone|come came come|ride rode ridden|drive drove driven|set set set|make made made|take took taken|put put put|
draw drew drawn|find found found|hide hid hidden|hold held held|fetch fetched fetched|sell sold sold|lose lost lost|lend lent lent|
buy bought bought|break broke broken|keep kept kept|say said said|forgive forgave forgiven|mislay mislaid mislaid|understand understood understood|
forget forgot forgotten|foresee foresaw foreseen|feel felt felt|know knew known|spread spread spread|shine shone shone|light lit lit|
beat beat beaten|blow blew blown|sing sang sung|ring rang rung|grind ground ground|grow grew grown|eat ate eaten|drink drank drunk|
teach taught taught|begin began begun|read read read|write wrote written|burn burned burned|tear tore torn|lead led led|shear sheared shorn|
shoe shod shod|cut cut cut|fit fitted fitted|shake shook shaken|speak spoke spoken|tell told told|think thought thought|give gave given|
bring brought brought|leave left left|stand stood stood|sit sat sat|hang hung hung|cross crossed crossed|throw threw thrown|bend bent bent|
bite bit bitten|slip slipped slipped|kneel knelt knelt|see saw seen|meet met met|get got got|catch caught caught|hear heard heard|
make_out made_out made_out|overtake overtook overtaken|sleep slept slept|pay paid paid|wake woke woken|wear wore worn|
win won won|build built built|sow sowed sown|split split split|let let let|quit quit quit|lay_out laid_out laid_out|strike struck struck|
do did done|have had had|cast cast cast|be was been|whip whipped whipped|stay stayed stayed|dwell dwelt dwelt|shut shut shut|bear bore borne|
hurt hurt hurt|dig dug dug|feed fed fed|sweep swept swept|spin spun spun|swear swore sworn|mow mowed mown|send sent sent|outlive outlived outlived|
flee fled fled|stick stuck stuck|swing swung swung|fling flung flung|sting stung stung|stun stunned stunned|slink slunk slunk|shrink shrank shrunk|tread trod trodden|speed sped sped|upset upset upset|put_in put_in put_in|stick stuck stuck|swim swam swum|become became become|breed bred bred|fight fought fought|forbid forbade forbidden|overhear overheard overheard|spend spent spent|string strung strung|wring wrung wrung|bid bid bid|seek sought sought|fly flew flown|shoot shot shot|bury buried buried
"""
_PARTS = {row.split()[0]: row.split() for row in _IRREGULAR.replace("\n", "").split("|")}
_DOUBLED = frozenset(
    "forbid knot quiz demur flit clap pat slap tug strut prod prop acquit expel appal enthral repel transfer drop eavesdrop fret grip slam submit shun unwrap admit commit permit nod plod trim trot step rub beg drip sob stop hop tap drum pat wrap slip whip shrug trap skip plan drag fit dim snap hum "
    "chat grin sip scan scrub pin shred jog pad pet rot wag stir cut set put get sit run win let split shut swim dig spin begin "
    "upset bid stun snub aver forget plot quit overrun regret wad tan hug knit dip blot hem skim snip tar hop".split()
)
_STEMS = {
    "travel": "travell",
    "quarrel": "quarrell",
    "level": "levell",
    "shovel": "shovell",
    "marvel": "marvell",
    "dishevel": "dishevell",
}
_STEMS |= {"mimic": "mimick", "signal": "signall", "counsel": "counsell", "revel": "revell", "unravel": "unravell"}
_PLURALS = {
    "sheaf": "sheaves",
    "shelf": "shelves",
    "calf": "calves",
    "scarf": "scarves",
    "mouse": "mice",
    "goose": "geese",
    "deer": "deer",
}
_PLURALS |= {
    "sheep": "sheep",
    "ox": "oxen",
    "loaf": "loaves",
    "thief": "thieves",
    "wharf": "wharves",
    "bellows": "bellows",
}
_PLURALS |= {
    "shears": "shears",
    "tongs": "tongs",
    "stairs": "stairs",
    "knife": "knives",
    "penknife": "penknives",
    "half": "halves",
}
_PLURALS |= {
    "steps": "steps",
    "daddy-long-legs": "daddy-long-legs",
    "excise-man": "excise-men",
    "shallows": "shallows",
    "gallows": "gallows",
}
_PLURALS |= {
    "saltings": "saltings",
    "water-works": "water-works",
    "shambles": "shambles",
    "dye-works": "dye-works",
    "hoof": "hooves",
}
_PLURALS |= {
    "fisherman": "fishermen",
    "coachman": "coachmen",
    "watchman": "watchmen",
    "quarryman": "quarrymen",
    "parish clerk": "parish clerks",
}
_PLURALS |= {
    "paper-knife": "paper-knives",
    "clothes-horse": "clothes-horses",
    "palings": "palings",
    "butter-knife": "butter-knives",
}
_VOWEL_AN = re.compile(r" (?<=\b[Aa] )(?=[aeiouAEIOU]|hour|honest|heir|honour)(?!one\b|once|uni|use|eu|ewe|ewer)")


def _cvc(word: str) -> bool:
    return word in _DOUBLED


def _stem(word: str) -> str:
    if word in _STEMS:
        return _STEMS[word]
    return word + word[-1] if _cvc(word) else word


def past(word: str, *, participle: bool = False) -> str:
    """Simple past, or past participle, of a base verb."""
    if word in _PARTS:
        return _PARTS[word][2 if participle else 1]
    if word.endswith("e"):
        return word + "d"
    if word.endswith("y") and word[-2] not in "aeiou":
        return word[:-1] + "ied"
    return _stem(word) + "ed"


def gerund(word: str) -> str:
    """The -ing form of a base verb."""
    if word.endswith("ie"):
        return word[:-2] + "ying"
    if word.endswith("e") and not word.endswith(("ee", "oe", "ye")) and word != "be":
        return word[:-1] + "ing"
    return _stem(word) + "ing"


def third(word: str) -> str:
    """The -s form of a base verb; also how most nouns make their plural."""
    if word in {"have", "be"}:
        return {"have": "has", "be": "is"}[word]
    if word.endswith(("s", "x", "z", "ch", "sh", "go", "do")):
        return _stem(word) + "es"
    if word.endswith("y") and word[-2] not in "aeiou":
        return word[:-1] + "ies"
    return word + "s"


def inflect(verb: str, form: str) -> str:
    """A verb, with its particle if it has one, in one of the forms ed, en, ing, s3 or 0 (base).

    Raises:
        ValueError: the form is none of these.
    """
    head, _, rest = verb.partition(" ")
    makers: dict[str, Callable[[str], str]] = {
        "ed": past,
        "ing": gerund,
        "s3": third,
        "0": str,
        "en": lambda word: past(word, participle=True),
    }
    if form not in makers:
        raise ValueError(f"no verb form {form!r}")
    made = makers[form](head)
    return f"{made} {rest}" if rest else made


def plural(noun: str) -> str:
    """The plural of a noun; the last word of a compound takes it, or the word before "of"."""
    if " of " in noun:
        head, _, rest = noun.partition(" of ")
        return f"{plural(head)} of {rest}"
    before, space, last = noun.rpartition(" ")
    if last in _PLURALS:
        return before + space + _PLURALS[last]
    return before + space + third(last)


def adverb(adjective: str) -> str:
    """The -ly adverb of an adjective."""
    special = {
        "good-humoured": "good-humouredly",
        "idle": "idly",
        "simple": "simply",
        "humble": "humbly",
        "gentle": "gently",
        "shy": "shyly",
        "dry": "drily",
    }
    if adjective in special:
        return special[adjective]
    if adjective.endswith("ble"):
        return adjective[:-1] + "y"
    if adjective.endswith("ic"):
        return adjective + "ally"
    if adjective.endswith("y"):
        return adjective[:-1] + "ily"
    if adjective.endswith("ll"):
        return adjective + "y"
    return adjective + "ly"


_SMALL = frozenset("a an and at by for from in its of on or the to upon with".split())


def title_case(text: str) -> str:
    """Headline capitals: every word but the small ones."""
    return " ".join(w if w in _SMALL else w[:1].upper() + w[1:] for w in text.split(" "))


def fix_articles(text: str) -> str:
    """Turn "a" into "an" before a vowel sound."""
    return _VOWEL_AN.sub("n ", text)
