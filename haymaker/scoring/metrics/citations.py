"""Citation recall and precision: do cited documents entail the claims of an answer (ALCE; docs/spec/helmet.md 11.5)?

Claims are the sentences of an answer. In rows scored as lists (`metrics` has a qampari score), a claim is the question
and one item. Documents are the passages of the row's context, numbered from 1. `@strict` accepts any judge of
haymaker/scoring/judges/entailment.py (default: lexical); `@official` requires the model.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

from haymaker.core.text.strings import words
from haymaker.scoring.judges.entailment import Entailment, active_entailment, current_model
from haymaker.scoring.metrics.alce import (
    folded,
    numbers,
    numbers_official,
    pair_of,
    pieces,
    pieces_official,
    prepared,
    without,
    without_official,
)
from haymaker.scoring.official_text import groups
from haymaker.scoring.reader import long_text

MOST = 3  # judged citations per claim
SHORTEST = 5  # characters of a sentence in the reference, without surrounding white space
READ = 100_000  # characters of an answer; these tasks allow 300 tokens
CLAIMS = 500  # only the first count

_SHOWN = ("gold", "distractor", "passage")
# Abbreviations in Punkt's form: lower case, without the last dot.
_ABBREVIATIONS = frozenset(
    "mr mrs ms dr st prof rev hon gen col capt sgt lt gov sen jr sr bros co corp inc ltd vol no nos vs etc e.g i.e cf al ca "
    "u.s u.k u.n d.c a.m p.m b.c a.d jan feb mar apr jun jul aug sept oct nov dec mt ft".split()
)


class Claim(NamedTuple):
    """A claim without its citations, and the numbers of the documents that it cites, from 1."""

    text: str
    cited: list[int]


class Support(NamedTuple):
    """Support of a claim by all its documents (`joint`), and its numbers of needed (`good`) and counted citations."""

    joint: bool
    good: int
    cited: int


def documents(row: Mapping[str, Any]) -> list[str]:
    """Return the passages of a row's context in order, each as a line "Title: ..." and its text."""
    first, last, prompt = row["context_start"], row["context_end"], row["prompt"]
    spans = [s for s in row["spans"] if s["kind"] in _SHOWN and first <= s["start"] < last]
    spans.sort(key=lambda span: span["start"])
    return [f"Title: {span['title'] or ''}\n{prompt[span['start'] : span['end']]}" for span in spans]


def claims_strict(output: object, row: Mapping[str, Any]) -> list[Claim]:
    """Return claims by the strict rule.

    Differs from the reference: "[1, 2]" is two citations, repeated citations count once (docs/defects/helmet.md D13),
    citations after a full stop belong to that sentence, claims have words, and list items are split by `alce.pieces`.
    """
    answer = long_text(output, row)[:READ]
    if _is_list(row):
        aliases = [alias for group in groups(row) for alias in group]
        parts: Iterable[str] = (f"{row['question']} {item}" for item in pieces(answer, aliases))
    else:
        parts = _sentences(folded(answer, row))
    claims = (Claim(without(part).strip(), numbers(part)) for part in parts)
    return list(islice((claim for claim in claims if words(claim.text)), CLAIMS))


def claims_official(output: object, row: Mapping[str, Any]) -> list[Claim]:
    """Return claims by the reference's rule.

    Differs from it: a list of abbreviations instead of a trained Punkt model; only READ characters and CLAIMS claims.
    """
    text = prepared(output)[:READ]
    if _is_list(row):
        parts: Iterable[str] = (f"{row['question']} {item.strip()}" for item in pieces_official(text))
    else:
        parts = (part for part in _sentences(text) if len(part.strip()) >= SHORTEST)
    return [Claim(without_official(part).strip(), numbers_official(part)) for part in islice(parts, CLAIMS)]


def supports_strict(claims: Sequence[Claim], shown: Sequence[str], judge: Entailment) -> list[Support]:
    """Judge claims by the first three documents that each cites; all of its citations count against precision.

    Differs from the reference: a number is valid if its document is in the prompt (docs/defects/helmet.md D11). Invalid
    citations, and citations after the third, support nothing.
    """
    valid = [bool(claim.cited) and all(1 <= number <= len(shown) for number in claim.cited) for claim in claims]
    found = _judged(claims, valid, shown, judge)
    return [Support(*found.get(at, (False, 0)), len(claim.cited)) for at, claim in enumerate(claims)]


def supports_official(claims: Sequence[Claim], listed: Sequence[str], judge: Entailment) -> list[Support]:
    """Judge claims by the reference's rule: if one has no citation, or one beyond the list, its citations do not count.

    The fourth citation and later ones are ignored; [0] is the last document.
    """
    valid = [bool(claim.cited) and all(number <= len(listed) for number in claim.cited) for claim in claims]
    found = _judged(claims, valid, listed, judge)
    return [
        Support(*found[at], len(claim.cited[:MOST])) if at in found else Support(False, 0, 0)
        for at, claim in enumerate(claims)
    ]


def _judged(
    claims: Sequence[Claim], valid: Sequence[bool], documents: Sequence[str], judge: Entailment
) -> dict[int, tuple[bool, int]]:
    """Return, for each valid claim by index, whether its documents together entail it, and how many of them it needs.

    A document is needed if it entails the claim, or if the others do not without it. The judge is called three times.
    """
    cited = {
        at: [documents[number - 1] for number in claim.cited[:MOST]]
        for at, (claim, good) in enumerate(zip(claims, valid, strict=True))
        if good
    }
    answers = judge.entails_all([("\n".join(texts), claims[at].text) for at, texts in cited.items()])
    joint = dict(zip(cited, answers, strict=True))
    several = [(at, place) for at, of in cited.items() if joint[at] and len(of) > 1 for place in range(len(of))]
    alone = judge.entails_all([(cited[at][place], claims[at].text) for at, place in several])
    unsure = [each for each, needed in zip(several, alone, strict=True) if not needed]
    rest = ["\n".join((*cited[at][:place], *cited[at][place + 1 :])) for at, place in unsure]
    others = judge.entails_all([(text, claims[at].text) for text, (at, _) in zip(rest, unsure, strict=True)])
    spared = Counter(at for (at, _), enough in zip(unsure, others, strict=True) if enough)
    return {at: (joint[at], len(texts) - spared[at] if joint[at] else 0) for at, texts in cited.items()}


def recall(supports: Sequence[Support]) -> float:
    """Return the share of claims that their citations support; 0 without claims."""
    return sum(support.joint for support in supports) / len(supports) if supports else 0.0


def precision(supports: Sequence[Support]) -> float:
    """Return the share of citations that are needed; 0 without citations."""
    cited = sum(support.cited for support in supports)
    return sum(support.good for support in supports) / cited if cited else 0.0


def _strict(output: str, row: Mapping[str, Any]) -> list[Support]:
    return supports_strict(claims_strict(output, row), documents(row), active_entailment())


def _official(output: str, row: Mapping[str, Any]) -> list[Support]:
    judge = current_model()  # raises an error for the lexical judge
    return supports_official(claims_official(output, row), _listed(row), judge)


def _listed(row: Mapping[str, Any]) -> list[str]:
    """Return the documents that the reference accepts as numbers: the whole ranked list (docs/defects/helmet.md D11).

    Only documents in the prompt have texts; the others are empty. `metadata.retrieved` is the length of the list.
    """
    shown = documents(row)
    return shown + [""] * (json.loads(row["metadata"] or "{}").get("retrieved", 0) - len(shown))


def _is_list(row: Mapping[str, Any]) -> bool:
    return any(metric.startswith("qampari") for metric in row["metrics"])


def _sentences(text: str) -> Iterator[str]:
    """Yield sentences without splitting the rest of the text."""
    return (text[start:end] for start, end in _splitter()(text))


@cache
def _splitter() -> Callable[[str], Any]:
    from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer

    parameters = PunktParameters()
    parameters.abbrev_types = set(_ABBREVIATIONS)
    spans: Callable[[str], Any] = PunktSentenceTokenizer(parameters).span_tokenize
    return spans


_COLUMNS = ("question", "answer_groups", "metrics", "prompt", "context_start", "context_end", "spans", "metadata")
_READ = (_strict, _official)
_RECALL = "Share of claims that the cited documents support."
_PRECISION = "Share of citations that their claim needs."
METRICS = (
    *pair_of("citation_recall", _RECALL, recall, _READ, _COLUMNS, version=3, strict_version=4, needs_model=True),
    *pair_of(
        "citation_precision", _PRECISION, precision, _READ, _COLUMNS, version=3, strict_version=4, needs_model=True
    ),
)
