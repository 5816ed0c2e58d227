"""Equivalent forms of an accepted answer: dates, ranges of days and years, lengths, heights, spelling, countries, wars, LaTeX, Greek.

Rows list these forms in `answers`, so metrics need no rules about dates or units. A date has only forms of its own language. Forms that
differ from another form only in case, commas, articles or ordinal endings ("July 14th, 1997") are left out.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache, partial

from haymaker.core.text.english_grammar import MONTHS
from haymaker.core.text.strings import PART, length

_MOST = 12  # maximum number of forms added to an answer
_SHORT = 12  # maximum words of an answer that gets forms
_FREE_TEXT = frozenset(
    "babilong em f1 longbench_f1 longbench_f1_zh qampari_f1 rouge_l ruler_part str_em str_f1 str_hit subem".split()
)  # metrics
_MONTH = rf"(?P<month>{'|'.join(MONTHS)}|(?:Sept|{'|'.join(month[:3] for month in MONTHS)})[.]?)(?!\w)"
_NUMBER, _ORDINAL = r"(?:0?[1-9]|[12]\d|3[01])", r"(?:st|nd|rd|th)?"
_DAY, _YEAR = rf"(?P<day>{_NUMBER}){_ORDINAL}", r"(?:,?\s+(?P<year>\d{4})(?!\d))?"
_OPENS = r"(?<![\w.,–—-])(?:(?:from|(?P<between>between))\s+(?:the\s+)?)?"
_TO = r"\s*(?:[-–—]|(?<=\s)(?:to|until|till|through|(?P<and>and))\s(?:the\s)?)\s*"
_DAYS = rf"(?P<first>{_NUMBER}){_ORDINAL}{_TO}{_DAY}"
_KINDS = {  # replacement forms -> patterns
    "{first}-{day} {name} {year}|{name} {first}-{day}, {year}|{first} to {day} {name} {year}|{name} {first} to {day}, {year}"
    "|from {first} to {day} {name} {year}|from {name} {first} to {day}, {year}|{first} to {day} of {name} {year}"
    "|from {first} to {day} of {name} {year}|{first} through {day} {name} {year}|{name} {first} through {day}, {year}"
    "|between {first} and {day} {name} {year}|between {name} {first} and {day}, {year}": (
        rf"{_OPENS}{_DAYS}(?:\s+of)?\s+{_MONTH}{_YEAR}",
        rf"{_OPENS}{_MONTH}\s+(?:the\s+)?{_DAYS}(?![\w–—-]){_YEAR}",
    ),
    "{day} {name} {year}|{name} {day}, {year}|{day} of {name} {year}|{year}-{month:02}-{day:02}"
    "|{day} {short} {year}|{short} {day}, {year}|{day} {sept} {year}|{sept} {day}, {year}": (
        rf"(?<![\w.,-]){_DAY}(?:\s+of)?\s+{_MONTH}{_YEAR}",
        rf"(?<!\w){_MONTH}\s+(?:the\s+)?{_DAY}(?!\w){_YEAR}",
        rf"(?<![\w-])(?P<year>\d{{4}})-(?P<month>0[1-9]|1[0-2])-(?P<day>{_NUMBER})(?![\w。-])",
    ),
    "{year}年{month}月{day}日|{year}年{month:02}月{day:02}日": (
        rf"(?<![\w-])(?P<year>\d{{4}})-(?P<month>0[1-9]|1[0-2])-(?P<day>{_NUMBER})(?=。)",
        rf"(?<!\d)(?P<year>\d{{4}})\s*年\s*(?P<month>0?[1-9]|1[0-2])\s*月\s*(?P<day>{_NUMBER})\s*日",
    ),
    "{first}-{last}|{first} to {last}|{first}-{end}|{first} through {last}|{first} until {last}|{first} till {last}"
    "|from {first} to {last}|between {first} and {last}": (
        rf"{_OPENS}(?P<first>[12]\d{{3}})(?:{_TO}(?P<last>[12]\d{{3}})|[-–](?P<end>\d\d))(?![\w–—-]|[.,]\d)",
    ),
    "{feet} ft {inches} in|{feet}ft {inches}in|{feet}'{inches}\"|{feet} feet {inches} inches|{feet} feet {inches} inch"
    "|{feet} foot {inches} inches|{feet} foot {inches} inch|{feet} feet {inches}|{feet} foot {inches}|{feet} ft {inches}": (
        r"(?<![\w.,])(?P<feet>\d\d?)[ -]?(?:ft\b\.?|feet|foot|['’′]),?(?:[ -]|\sand\s)?"
        rf"(?P<inches>\d\d?(?:\.\d+)?)(?:[ -]?(?:inch(?:es)?|in\b\.?|[\"”″])(?!{PART})|(?=\W*\Z))",
    ),
    "{amount} {unit}|{amount}{unit}|{amount} {prefix}meters|{amount} {prefix}metres|{amount} {prefix}meter|{amount} {prefix}metre": (
        r"(?P<money>[$£€]\s?)?(?<![\w.,])(?P<amount>\d(?:[\d.,]*\d)?)[ -]?"
        rf"(?:(?P<prefix>kilo|centi|milli)?met(?:re|er)s?|(?P<unit>[kcm]?(?-i:m)))(?!{PART}|[²³/^])",
    ),
}
_PREFIXES = {"m": "", "km": "kilo", "cm": "centi", "mm": "milli"}
_WORDS = "armour behaviour colour favour flavour harbour honour humour labour neighbour odour rumour tumour vapour grey".split()
_WHOLE = "centre fibre theatre litre metre kilometre centimetre millimetre".split()
_AMERICAN = {word: word.replace("our", "or").replace("grey", "gray") for word in _WORDS}
_AMERICAN |= {word: f"{word[:-2]}er" for word in _WHOLE}
_BRITISH = {american: british for british, american in _AMERICAN.items()}
_ENDED = "|".join(word for british in _WORDS for word in (british, _AMERICAN[british]))
_SPELT = re.compile(
    rf"\b(?:(?:{_ENDED})(?=(?:s|e[dr]|ers|est|ing|ful|less|able|al|hood|ish|ite)?\b)|(?:{'|'.join((*_AMERICAN, *_BRITISH))})(?=s?\b))",
    re.IGNORECASE,
)
_NAMES = {  # pattern -> the forms of a name
    re.compile(r"\b(?:World War (?:2|II)|Second World War|WWII|WW2)(?!\w)"): (
        "World War II",
        "World War 2",
        "Second World War",
        "WWII",
        "WW2",
    ),
    re.compile(r"\b(?:World War (?:1|I)|First World War|WWI|WW1)(?!\w)"): (
        "World War I",
        "World War 1",
        "First World War",
        "WWI",
        "WW1",
    ),
    re.compile(r"\b(?:United States(?: of America)?|U\.S\.(?:A\.)?|USA)(?!\w)"): ("United States", "U.S."),
    re.compile(r"\A(?:United States|U\.S\.)\Z|(?<=\Athe )(?:United States|U\.S\.)\Z"): ("USA",),
    re.compile(r"\b(?:United Kingdom|UK|U\.K\.)(?!\w)"): ("United Kingdom", "UK"),
}
_AND = {" & ": " and ", " and ": " & "}
_JOINED = re.compile(r"(?<=[^\W_])(?: & | and )(?=[^\W\d_a-z])")  # before a word with a capital
_PROSE = re.compile(r"\b[a-z]{4,}")
_GREEK = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi omega".split()
_SIGNS = dict(zip("αβγδεζηθικλμνξπρστυφχψω×≤≥", (*_GREEK, "x", "<=", ">="), strict=True))
_NAMED = {word: sign for sign, word in _SIGNS.items()}
_NAMED |= {"times": "×", "cdot": "×", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "pm": "±", "infty": "∞"}
_NAME = re.compile(rf"(?<![^\W\d_])(?:{'|'.join(_GREEK)})(?![^\W\d_])|(?<=\d )x(?= \d)")
_SIGN = re.compile(rf"(?<![^\W\d_])[{''.join(_SIGNS)}](?![^\W\d_])", re.IGNORECASE)
_FORMULA = re.compile(r"(?<![\\\w])\$(?=[^$]*[\\_^={]|\s*[a-zA-Z]\w?\s*\$)([^$\n]+?)(?<!\\)\$(?!\d)")
_SCRIPT = re.compile(r"(?<=[^\s\d])[_^](?:\{([^{}]*)\}|(?=\w))")
_OPENED = {  # LaTeX patterns -> replacement
    re.compile(r"\\[dt]?frac\{([^{}]*)\}\{([^{}]*)\}"): r"\1/\2",
    re.compile(r"\\[a-zA-Z]+\*?\s*\{([^{}]*)\}"): r"\1",
}
_COMMAND, _ESCAPED = re.compile(r"\\(?:var)?([a-zA-Z]+)"), re.compile(r"\\([^\w\s])")
_ALIKE = re.compile(r"(?<=\d)(?:st|nd|rd|th)\b|[.,]|\b(?:the|an?)\b", re.IGNORECASE)
_NO_FORM = re.compile(r"[a-z]?|[\d.,]*", re.IGNORECASE)
_READ = {
    tuple(forms.split("|")): [re.compile(p, re.IGNORECASE) for p in patterns] for forms, patterns in _KINDS.items()
}


def equivalents(answer: str) -> list[str]:
    """Return other ways to write an accepted answer: at most twelve, in a fixed order."""
    return list(_forms(answer))


@lru_cache(maxsize=4096)  # the rows of a question share their answers
def _forms(answer: str) -> tuple[str, ...]:
    forms = [answer]
    for rule in (_symbols, _spellings, _names, _numbers):
        forms += [form for each in tuple(forms) for form in rule(each)]
    return tuple(_new(forms, [answer])[:_MOST])


def with_equivalents(answers: Sequence[str]) -> list[str]:
    """Return the accepted answers followed by the new equivalent forms of each short answer."""
    short = (answer for answer in answers if length(answer) <= _SHORT)
    return [*answers, *_new((form for answer in short for form in equivalents(answer)), answers)]


def accepted(answers: Sequence[str], metrics: Sequence[str]) -> list[str]:
    """Return the `answers` column of a row: accepted answers, plus equivalent forms for a free-text primary metric."""
    return with_equivalents(answers) if metrics[0].partition("@")[0] in _FREE_TEXT else list(answers)


def origins(answers: list[str], metrics: Sequence[str]) -> Iterator[list[str]]:
    """Yield answers that may underlie an `answers` column: its prefixes that expand to it, then all of it."""
    shorter = (answers[:n] for n in range(len(answers)))
    yield from (start for start in shorter if accepted(start, metrics) == answers)
    yield answers


def _new(forms: Iterable[str], known: Iterable[str]) -> list[str]:
    """Return the forms that metrics tell apart from known ones and each other, except letters and bare numbers."""
    keys, found = set(map(_key, known)), list[str]()
    for form in forms:
        if (key := _key(form)) not in keys and not _NO_FORM.fullmatch(form):
            keys.add(key)
            found.append(form)
    return found


def _key(form: str) -> str:
    """Return a comparison key that ignores case, commas, articles, dashes and ordinal endings."""
    text = unicodedata.normalize("NFKC", form).casefold().replace("–", "-").replace("—", "-")
    return " ".join(_ALIKE.sub(" ", text).split())


def _symbols(text: str) -> Iterator[str]:
    """Yield the answer without LaTeX markup, with symbols for names ("α"), and with names for symbols ("alpha")."""
    plain = _unmarked(text) if "$" in text or "\\" in text else text
    signs = _NAME.sub(lambda found: _NAMED[found[0]], plain)
    yield from (plain, signs, _SIGN.sub(lambda found: _SIGNS[found[0].lower()], signs))


def _unmarked(text: str) -> str:
    r"""Return a text as LaTeX prints it: "\textbf{BERT}" is BERT, "$F_{1}$" is F1, "$\alpha$" is α."""
    text = _FORMULA.sub(lambda found: _SCRIPT.sub(r"\1", found[1]), text)
    for pattern, kept in (*_OPENED.items(), *_OPENED.items()):  # a command inside another one
        text = pattern.sub(kept, text)
    return _ESCAPED.sub(r"\1", _COMMAND.sub(lambda found: _NAMED.get(found[1], found[1]), text))


def _spellings(text: str) -> Iterator[str]:
    """Yield the answer in British and in American spelling."""
    for words in (_BRITISH, _AMERICAN):
        yield _SPELT.sub(partial(_respelt, words), text)


def _names(text: str) -> Iterator[str]:
    """Yield the answer with the names of wars and countries in every form, and with & for "and" between names."""
    for pattern, forms in _NAMES.items():
        if pattern.search(text):
            yield from (pattern.sub(form, text) for form in forms)
    if not _PROSE.search(text):
        yield _JOINED.sub(lambda found: _AND[found[0]], text)


def _respelt(words: dict[str, str], found: re.Match[str]) -> str:
    word = words.get(found[0].lower())
    return found[0] if word is None else word.title() if found[0].istitle() else word


def _numbers(text: str) -> Iterator[str]:
    """Yield the answer with its dates, ranges or lengths in every form; only the first kind found is rewritten."""
    for forms, patterns in _READ.items():
        written = list(dict.fromkeys(_rewritten(text, patterns, form) for form in forms))
        if written != [text]:
            yield from written
            return


def _rewritten(text: str, patterns: list[re.Pattern[str]], form: str) -> str:
    for pattern in patterns:
        text = pattern.sub(partial(_filled, form), text)
    return text


def _filled(form: str, found: re.Match[str]) -> str:
    """Rewrite a match; unchanged if it is no date, range or length, or has no year and the form starts with one."""
    given = {name: value or "" for name, value in found.groupdict().items()}
    inside = found.start() and form.startswith(("from", "between"))  # "in from 1966 to 1967"
    undated = form.startswith("{year}") and not given["year"]
    if inside or undated or given.get("money") or (given.get("and") and not given["between"]):
        return found[0]
    if "month" in given:
        return _dated(form, given, found[0])
    if "feet" in given:
        return form.format(**given)
    if "amount" in given:
        prefix = given["prefix"].lower() or _PREFIXES[given["unit"] or "m"]
        units = {prefix: unit for unit, prefix in _PREFIXES.items()}
        return form.format(amount=given["amount"], prefix=prefix, unit=units[prefix])
    first, last = given["first"], given["last"] or given["first"][:2] + given["end"]
    end = last[2:] if last[:2] == first[:2] else last
    return form.format(first=first, last=last, end=end) if first < last else found[0]


def _dated(form: str, given: dict[str, str], text: str) -> str:
    """Rewrite a date or a range of days in another form."""
    day, first, month = int(given["day"]), int(given.get("first") or 0), given["month"].lower()
    names = [
        name
        for number, name in enumerate(MONTHS, 1)
        if month in (str(number), f"{number:02}") or name.lower()[:3] == month[:3]
    ]
    name, number = names[0], MONTHS.index(names[0]) + 1
    sept = "Sept" if name == "September" else name[:3]
    date = form.format(first=first, day=day, month=number, name=name, short=name[:3], sept=sept, year=given["year"])
    return date.rstrip(", ") if first < day else text
