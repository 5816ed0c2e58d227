"""Variants of an answer: short forms of first names, numbers without comma or unit, times without preposition.

Further variants are a name without the title or the brackets after it, an ordinal in digits or as a word, a place without its country
or state, an amount without "about", a name without the kind of thing ("Fairfax" County). A distractor with a variant may
contain the answer. Outputs with a variant are right, with exceptions: other forms of a first name are accepted only if the
gold shows them ("Rick Nixon"), "100" answers only "how many", and "Fairfax" only "which county".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from corpora.retrieval.mining.relations import bare_title
from haymaker.core.text.english_grammar import ORDINALS, short_ordinal
from haymaker.core.text.strings import folded, padded, words

# A first name, then its common short forms; a short form may belong to several names.
_NICKNAMES = """
Abraham Abe|Albert Al Bert|Alexander Alex Sandy|Alexandra Alex Sandra|Alfred Alf Fred|Andrew Andy Drew|Anthony Tony|Arthur Art|
Barbara Barb Babs|Benjamin Ben Benny|Bernard Bernie|Calvin Cal|Catherine Cathy Kate|Charles Charlie Chuck|Christine Chris|
Christopher Chris Kit|Daniel Dan Danny|David Dave Davy|Deborah Debbie Deb|Donald Don Donny|Dorothy Dot Dottie|Douglas Doug|
Edward Ed Eddie Ted Ned|Edwin Ed Ned|Eleanor Nell Ellie|Elizabeth Liz Beth Betty Lizzie Eliza|Eugene Gene|Francis Frank|
Franklin Frank|Frederick Fred Freddie|Gabriel Gabe|Geoffrey Geoff|Gerald Gerry Jerry|Gregory Greg|Harold Harry Hal|Henry Harry Hank|
Herbert Herb Bert|Isaac Ike|Jacob Jake|James Jamie Jim Jimmy|Jeffrey Jeff|Jennifer Jenny Jen|Jessica Jess|John Jack Johnny|
Jonathan Jon|Joseph Joe Joey|Joshua Josh|Judith Judy|Katherine Kate Kathy Katie|Kenneth Ken Kenny|Lawrence Larry|Leonard Len Leo|
Lewis Lew|Louis Lou|Margaret Maggie Meg Peggy|Martin Marty|Matthew Matt|Maxwell Max|Michael Mike Mick Mickey|Nathaniel Nat Nate|
Nicholas Nick Nicky|Oliver Ollie|Pamela Pam|Patricia Pat Patty Tricia|Patrick Pat Paddy|Peter Pete|Philip Phil|Raymond Ray|
Rebecca Becky|Richard Rick Dick Rich Ricky|Robert Bob Bobby Rob Robbie|Ronald Ron Ronnie|Samuel Sam Sammy|Stanley Stan|
Stephen Steve|Steven Steve|Stuart Stu|Susan Sue Susie|Theodore Ted Teddy Theo|Thomas Tom Tommy|Timothy Tim|Valerie Val|
Victoria Vicky|Vincent Vince Vinny|Walter Walt|William Will Bill Billy Willie|Zachary Zach
"""
_COUNTED = re.compile(r"(\d{1,3}(?:,\d{3})+|\d{3,})(?: ([a-z]{3,}))?")
_COUNTS = re.compile(r"\bhow (?:many|much)\b|\b(?:number|population|inhabitants?|total)\b", re.IGNORECASE)
_TIME = re.compile(
    r"(?:from|in|on|during|since|until|between|about|around|circa|c\.) ((?:[A-Z][a-z]+ )?\d.*)", re.IGNORECASE
)
_ROUGHLY = re.compile(
    r"(?:about|around|approximately|roughly|nearly|almost|some|over|more than|at least) ((?:[$£€] ?)?(\d[\d.,]*)\b.*)",
    re.IGNORECASE,
)
_OF_KIND = re.compile(r"(.{4,}?) (?:crime )?(county|province|prefecture|university|conference|family)", re.IGNORECASE)
_CITY = {"New York City": "New York", "New York": "New York City"}
_TITLED = re.compile(r"(.+?),? (?:Inc|Ltd|LLC|plc|Corp|Esq|PhD|Ph\.D|MD|M\.D|DSC|DSO|MBE|OBE|CBE|KBE|DBE|KCB|FRS)\.?")
_LIES_IN = frozenset(
    """
Alabama|Alaska|Arizona|Arkansas|California|Colorado|Connecticut|Delaware|Florida|Hawaii|Idaho|Illinois|Indiana|Iowa|Kansas|Kentucky|
Louisiana|Maine|Maryland|Massachusetts|Michigan|Minnesota|Mississippi|Missouri|Montana|Nebraska|Nevada|New Hampshire|New Jersey|
New Mexico|New York|New York City|North Carolina|North Dakota|Ohio|Oklahoma|Oregon|Pennsylvania|Rhode Island|South Carolina|South Dakota|
Tennessee|Texas|Utah|Vermont|Virginia|Washington|West Virginia|Wisconsin|Wyoming|Alberta|British Columbia|Manitoba|New Brunswick|
Newfoundland and Labrador|Nova Scotia|Ontario|Quebec|Saskatchewan|New South Wales|Queensland|South Australia|Tasmania|Victoria|
Western Australia|England|Scotland|Wales|Northern Ireland|United Kingdom|UK|United States|USA|U.S.|Canada|Australia|New Zealand|Ireland|
France|Germany|Italy|Spain|Portugal|Netherlands|Belgium|Switzerland|Austria|Denmark|Norway|Sweden|Finland|Iceland|Poland|Hungary|
Czech Republic|Slovakia|Slovenia|Croatia|Serbia|Romania|Bulgaria|Greece|Turkey|Russia|Ukraine|Israel|Egypt|Morocco|Nigeria|Kenya|
South Africa|India|Pakistan|Bangladesh|China|Japan|South Korea|Taiwan|Thailand|Vietnam|Malaysia|Singapore|Indonesia|Philippines|Mexico|
Brazil|Argentina|Chile|Colombia|Peru|Cuba|Jamaica
""".replace("\n", "").split("|")
)
_BRACKETS = re.compile(r"(.*\w) \([^()]*\)")
_PLACE = re.compile(r"((?:[^\W\d_][\w.'’-]+ ?){1,4})((?:, [^,]+){1,2})")
_ORDINALS = {word: short_ordinal(value) for value, word in enumerate(ORDINALS, 1)}
_ORDINALS |= {digits: word for word, digits in _ORDINALS.items()}
_ORDINAL = re.compile(
    rf"\b(?:{'|'.join(sorted(_ORDINALS, key=len, reverse=True))})\b"
)  # with a capital it may be of a title
_NAME_WORD = re.compile(r"[^\W\d_a-z][^\W\d_]*\.?")
_INITIAL = re.compile(r"(\w)\.?")
_OPENING = re.compile(r"\s*(?:The )?([^\n(,]{2,60}?),? (\(|[SJ]r\.|(?:is|was|are|were|officially|better known)\b)")
_NEAR = 60  # characters after "better known" in which the other name stands
_SCALES = frozenset({"hundred", "thousand", "million", "billion", "trillion"})


def with_variants(answers: Iterable[str], asked: str | None = None) -> tuple[str, ...]:
    """Return answers in their order, then the variants of all, each once.

    Args:
        answers: of the source.
        asked: the question, for variants that outputs may use; None: all variants, which no distractor may contain.
    """
    given = tuple(answers)
    return tuple(dict.fromkeys([*given, *(variant for answer in given for variant in _variants(answer, asked))]))


def _variants(answer: str, asked: str | None) -> Iterator[str]:
    if asked is None:
        yield from _renamed(answer)
    yield from _without_kind(answer, None if asked is None else words(asked))
    if roughly := _ROUGHLY.fullmatch(answer):
        yield roughly[1]
        yield from (answer[: roughly.end(2)], roughly[2]) if asked and _COUNTS.search(asked) else ()
    for shorter in filter(None, (form.fullmatch(answer) for form in (_TIME, _TITLED, _BRACKETS))):
        yield shorter[1]
    yield from _within(answer)
    if _ORDINAL.search(answer):
        yield _ORDINAL.sub(lambda found: _ORDINALS[found[0]], answer)
    counted = _COUNTED.fullmatch(answer)
    if counted and counted[2] not in _SCALES:
        yield from _numbers(counted[1], counted[2], alone=asked is None or _COUNTS.search(asked) is not None)


def _within(place: str) -> Iterator[str]:
    """Yield a place without its state and country ("Castlemaine, Victoria, Australia"), the shortest form first."""
    found = _PLACE.fullmatch(place)
    around = found[2].split(", ")[1:] if found else []
    if found and found[1] not in _LIES_IN and _LIES_IN.issuperset(around):
        yield from (", ".join([found[1], *around[:count]]) for count in range(len(around)))


def _numbers(number: str, unit: str | None, *, alone: bool) -> Iterator[str]:
    """Yield a number with and without its comma, with and without its unit."""
    for form in (number, number.replace(",", "")):
        if alone or not unit:
            yield form
        if unit:
            yield f"{form} {unit}"


def _without_kind(answer: str, asked: Sequence[str] | None) -> Iterator[str]:
    """Yield a name without the kind of thing that the question asks for; only New York is a city's name without it."""
    found = _OF_KIND.fullmatch(answer)
    if found and (asked is None or found[2].lower() in asked):
        yield found[1]
    if answer in _CITY and (asked is None or "city" in asked):
        yield _CITY[answer]


def _renamed(name: str) -> Iterator[str]:
    """Yield a name with what else the bearer of its first name is called."""
    first, _, rest = name.partition(" ")
    if rest and all(word[0].isupper() for word in rest.split()):
        yield from (f"{other} {rest}" for other in _OTHERS.get(folded(first), ()))


def _others() -> dict[str, list[str]]:
    """Folded first name -> what else its bearer is called: a name's short forms, a short form's names."""
    found: dict[str, list[str]] = {}
    for line in "".join(_NICKNAMES.split("\n")).split("|"):
        name, *short = line.split()
        found.setdefault(folded(name), []).extend(short)
        for each in short:
            found.setdefault(folded(each), []).append(name)
    return found


_OTHERS = _others()


def shown_forms(answers: Iterable[str], gold: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Return new forms of the accepted answers that title and text of the gold passages show.

    "Henry J. Kaiser" is the "Henry John Kaiser" of the passage, "Bob Seger" its "Robert Seger", the "International Boxing
    Federation" its "(IBF)". The first words of an article and its title name one thing: "William Jefferson Clinton (born"
    is "Bill Clinton". A title of one word may mean anything.
    """
    given = tuple(answers)
    found = dict.fromkeys(form for answer in given for each in gold for form in _forms(answer, *each))
    known = set(map(padded, given))
    return tuple(form for form in found if padded(form) not in known)


def _forms(answer: str, title: str, text: str) -> Iterator[str]:
    yield from _other_name(answer, bare_title(title), text.removeprefix(title))
    whole = f"{title}\n{text}"
    yield from (form for form in _renamed(answer) if padded(form) in padded(whole))
    for pattern in filter(None, (_middle(answer.split()), _abbreviated(answer))):
        yield from (found[found.lastindex or 0] for found in re.finditer(pattern, whole))


def _other_name(answer: str, title: str, text: str) -> Iterator[str]:
    """Yield the title of an article for an answer that is the name in its first words, and the other way round."""
    opening, name, given = _OPENING.match(text), words(title), words(answer)
    begins = padded(text).startswith(padded(answer))
    if len(name) > 1 and ((begins and _is_shorter(name, given)) or (opening and _is_alias(opening, name, given))):
        yield title
    if opening and name == given and all(map(_NAME_WORD.fullmatch, opening[1].split())):
        yield from [opening[1]] if _is_shorter(name, words(opening[1])) else []


def _is_alias(opening: re.Match[str], name: Sequence[str], given: Sequence[str]) -> bool:
    """Whether an answer is the whole name before a date or another name, and the title is that other name of it."""
    after = padded(opening.string[opening.end() :][:_NEAR])
    told = opening[2].startswith("b") and f" {' '.join(name)} " in after
    known = opening[2][0] in "(SJ" and not set(name).isdisjoint(given)
    return words(opening[1]) == list(given) and not _is_shorter(given, name) and (told or known)


def _abbreviated(answer: str) -> str:
    """Return a pattern of the abbreviation in brackets after an answer of several words."""
    return (
        rf"\b{re.escape(answer)} \(({answer[0].upper()}[A-Z]{{2,7}})\)" if " " in answer and answer[0].isalpha() else ""
    )


def _is_shorter(short: Sequence[str], long: Sequence[str]) -> bool:
    """Whether a name of two words or more is another without some of its words."""
    rest = iter(long)
    return 1 < len(short) < len(long) and all(word in rest for word in short)


def _middle(name: Sequence[str]) -> str:
    """A pattern of the name with middle names as initials or written out; empty if it has none."""
    if len(name) < 3 or not all(map(_NAME_WORD.fullmatch, name)):
        return ""
    middle = (rf"(?:{re.escape(word)}|{_other_length(word)})" for word in name[1:-1])
    return rf"\b{re.escape(name[0])} {' '.join(middle)} {re.escape(name[-1])}\b"


def _other_length(word: str) -> str:
    initial = _INITIAL.fullmatch(word)
    return rf"{initial[1]}[^\W\d_]+" if initial else rf"{word[0]}\."
