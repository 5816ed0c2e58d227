"""Citation recall and precision: do the documents that an answer cites say what it says? (ALCE; docs/spec/helmet.md 11.5)

An answer is a row of claims: sentences, or, in rows scored as lists (`metrics` names a qampari score), the question followed
by one item each. The documents are the passages of the row's context, numbered from 1 as they stand there. Who judges is
scoring/entailment.py's matter: `@strict` takes any judge, by default the lexical stand-in; `@official` the model alone.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

from haymaker.text import words
from scoring.entailment import Entailment, current, current_model
from scoring.metrics import Score, pair
from scoring.metrics.citing import folded, numbers, numbers_official, prepared, without, without_official
from scoring.metrics.qampari import pieces, pieces_official
from scoring.text import groups, unthought

MOST = 3  # citations of a claim that are judged
SHORTEST = 5  # characters of a sentence, in the reference, white space around it aside
READ = 100_000  # characters of an answer: these tasks give it 300 tokens
CLAIMS = 500  # that count, the first; so many have no room either

_SHOWN = ("gold", "distractor", "passage")
# Lower case, without the last dot, as Punkt keeps them: what may stand in the middle of a sentence of an answer.
_ABBREVIATIONS = frozenset(
    "mr mrs ms dr st prof rev hon gen col capt sgt lt gov sen jr sr bros co corp inc ltd vol no nos vs etc e.g i.e cf al ca "
    "u.s u.k u.n d.c a.m p.m b.c a.d jan feb mar apr jun jul aug sept oct nov dec mt ft".split()
)


class Claim(NamedTuple):
    """What an answer says in one place.

    Attributes:
        text: without its citations.
        cited: numbers of documents, from 1.
    """

    text: str
    cited: list[int]


class Support(NamedTuple):
    """What became of one claim.

    Attributes:
        joint: the documents cited support it together.
        good: citations that it needs.
        cited: citations that count.
    """

    joint: bool
    good: int
    cited: int


def documents(row: Mapping[str, Any]) -> list[str]:
    """The passages of a row's context in order, each as a line "Title: ..." and its text."""
    first, last, prompt = row["context_start"], row["context_end"], row["prompt"]
    spans = [s for s in row["spans"] if s["kind"] in _SHOWN and first <= s["start"] < last]
    spans.sort(key=lambda span: span["start"])
    return [f"Title: {span['title'] or ''}\n{prompt[span['start'] : span['end']]}" for span in spans]


def claims_strict(output: object, row: Mapping[str, Any]) -> list[Claim]:
    """Claims by our rule.

    Differs from the reference: "[1, 2]" is two citations, one made twice is one (docs/defects/helmet.md D13); a citation behind
    a full stop belongs to the sentence before; a claim has at least one word; items of a list are those of `qampari.pieces`.
    """
    answer = unthought(output)[:READ]
    if _is_list(row):
        aliases = [alias for group in groups(row) for alias in group]
        parts: Iterable[str] = (f"{row['question']} {item}" for item in pieces(answer, aliases))
    else:
        parts = _sentences(folded(answer, row))
    claims = (Claim(without(part).strip(), numbers(part)) for part in parts)
    return list(islice((claim for claim in claims if words(claim.text)), CLAIMS))


def claims_official(output: object, row: Mapping[str, Any]) -> list[Claim]:
    """Claims by the reference's rule; differs from it: Punkt is given abbreviations where the reference has a trained one, and nobody
    reads on behind READ characters or CLAIMS claims.
    """
    text = prepared(output)[:READ]
    if _is_list(row):
        parts: Iterable[str] = (f"{row['question']} {item.strip()}" for item in pieces_official(text))
    else:
        parts = (part for part in _sentences(text) if len(part.strip()) >= SHORTEST)
    return [Claim(without_official(part).strip(), numbers_official(part)) for part in islice(parts, CLAIMS)]


def supports_strict(claims: Sequence[Claim], shown: Sequence[str], judge: Entailment) -> list[Support]:
    """Judge claims by the first three documents that each cites; all it cites count against precision.

    Differs from the reference: a number is valid when that document is in the prompt (docs/defects/helmet.md D11); an invalid
    one, and those after the third, are citations that support nothing.
    """
    valid = [bool(claim.cited) and all(1 <= number <= len(shown) for number in claim.cited) for claim in claims]
    found = iter(_judged([claim for claim, good in zip(claims, valid, strict=True) if good], shown, judge))
    return [
        Support(*next(found), len(claim.cited)) if good else Support(False, 0, len(claim.cited))
        for claim, good in zip(claims, valid, strict=True)
    ]


def supports_official(claims: Sequence[Claim], listed: Sequence[str], judge: Entailment) -> list[Support]:
    """The same by the reference's rule: no citations, or one beyond the list: unsupported, and they do not count.

    Kept on purpose: the fourth citation and those after it do not exist; [0] is the last document.
    """
    valid = [bool(claim.cited) and all(number <= len(listed) for number in claim.cited) for claim in claims]
    found = iter(_judged([claim for claim, good in zip(claims, valid, strict=True) if good], listed, judge))
    return [
        Support(*next(found), len(claim.cited[:MOST])) if good else Support(False, 0, 0)
        for claim, good in zip(claims, valid, strict=True)
    ]


def _judged(claims: Sequence[Claim], documents: Sequence[str], judge: Entailment) -> list[tuple[bool, int]]:
    """Whether the documents that each claim cites entail it together, and how many of them it needs.

    A document is not needed when it does not entail the claim alone and the others do without it. The judge is asked three times, about
    many claims at once.
    """
    cited = [[documents[number - 1] for number in claim.cited[:MOST]] for claim in claims]
    joint = judge.entails_all([("\n".join(of), claim.text) for of, claim in zip(cited, claims, strict=True)])
    several = [(at, place) for at, of in enumerate(cited) if joint[at] and len(of) > 1 for place in range(len(of))]
    alone = judge.entails_all([(cited[at][place], claims[at].text) for at, place in several])
    unsure = [each for each, needed in zip(several, alone, strict=True) if not needed]
    without_it = judge.entails_all([(_but(cited[at], place), claims[at].text) for at, place in unsure])
    spared = Counter(at for (at, _), others in zip(unsure, without_it, strict=True) if others)
    return [
        (together, len(of) - spared[at] if together else 0)
        for at, (together, of) in enumerate(zip(joint, cited, strict=True))
    ]


def _but(cited: Sequence[str], place: int) -> str:
    """All documents but one."""
    return "\n".join((*cited[:place], *cited[place + 1 :]))


def recall(supports: Sequence[Support]) -> float:
    """Share of claims that their citations support; 0 without claims."""
    return sum(support.joint for support in supports) / len(supports) if supports else 0.0


def precision(supports: Sequence[Support]) -> float:
    """Share of citations that are needed; 0 without citations."""
    cited = sum(support.cited for support in supports)
    return sum(support.good for support in supports) / cited if cited else 0.0


def _strict(value: Callable[[Sequence[Support]], float]) -> Score:
    def score(output: str, row: Mapping[str, Any]) -> float:
        shown = documents(row)
        return value(supports_strict(claims_strict(output, row), shown, current()))

    return score


def _official(value: Callable[[Sequence[Support]], float]) -> Score:
    def score(output: str, row: Mapping[str, Any]) -> float:
        judge, listed = current_model(), _listed(row)
        return value(supports_official(claims_official(output, row), listed, judge))

    return score


def _listed(row: Mapping[str, Any]) -> list[str]:
    """The documents that the reference checks numbers against: the whole ranked list, shown or not
    (docs/defects/helmet.md D11).

    A row holds the texts of those shown; `extra.retrieved` says how many there are, and the others have no text here.
    """
    shown = documents(row)
    return shown + [""] * (json.loads(row["extra"] or "{}").get("retrieved", 0) - len(shown))


def _is_list(row: Mapping[str, Any]) -> bool:
    return any(metric.startswith("qampari") for metric in row["metrics"])


def _sentences(text: str) -> Iterator[str]:
    """Sentences as they come: who needs a few does not split all."""
    return (text[start:end] for start, end in _splitter()(text))


@cache
def _splitter() -> Callable[[str], Any]:
    from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer

    parameters = PunktParameters()
    parameters.abbrev_types = set(_ABBREVIATIONS)
    spans: Callable[[str], Any] = PunktSentenceTokenizer(parameters).span_tokenize
    return spans


_COLUMNS = ("question", "answer_groups", "metrics", "prompt", "context_start", "context_end", "spans", "extra")
METRICS = (
    *pair(
        "citation_recall",
        "Share of claims that the documents they cite support.",
        _strict(recall),
        _official(recall),
        _COLUMNS,
        version=3,
        needs_model=True,
    ),
    *pair(
        "citation_precision",
        "Share of citations that the claim they stand with needs.",
        _strict(precision),
        _official(precision),
        _COLUMNS,
        version=3,
        needs_model=True,
    ),
)
