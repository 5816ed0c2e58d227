"""TriviaQA as reading: a question with a short page of Wikipedia that holds its answer (Joshi et al. 2017).

Split test is the publisher's validation set, because its test set has no answers. The page is the question's first that has
fewer than `words_below` words (LongBench bounds examples at 1,000) and holds an alias as whole words; a question without such
a page is left out.

The lists of aliases hold every name that redirects to the answer's article: "General Orlov" to the film Octopussy, "Glisson's
sheath" to the liver. An alias is accepted if it is a form of an alias in the passage: if they share a word, initials, or
nearly the spelling, or if the passage has a number.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from typing import Annotated, ClassVar

from pydantic import Field

from corpora.sources.document_source import known_faults
from corpora.sources.formats.fields import answers, id_of, text, text_of, texts, value_of
from corpora.sources.formats.text_cleanup import without_pictures
from corpora.sources.hub_rows import Entry, HubDocuments, Row, structs
from haymaker.core.errors import SourceError
from haymaker.core.rng import digest
from haymaker.core.rows.source_records import DocumentQuestion, Split
from haymaker.core.text.english_grammar import number_words
from haymaker.core.text.strings import filter_aliases, holds, padded, words

_ALIKE = 0.7  # of the spelling: "Chartum" is Khartoum, "Kartoum" too
_IN_UNIT, _COUNTED = re.compile(r"In (\w+), ", re.IGNORECASE), re.compile(r"(\d[\d.,]*) (\w+)")
_DIGITS = 3  # of numbers that are written in words
_FUNCTION_WORDS = frozenset("a an and at by for from in of on or the to with".split())


class TriviaQaReading(HubDocuments):
    """Options of kind `triviaqa_reading`.

    Attributes:
        words_below: read only pages with fewer words.
    """

    kind: ClassVar[str] = "triviaqa_reading"
    version: ClassVar[int] = 3
    sets: ClassVar[tuple[str, ...]] = ("triviaqa",)
    words_below: Annotated[int, Field(ge=50)] = 1000
    splits: Annotated[tuple[Split, ...], Field(min_length=1)] = ("test", "train")
    files_each: Annotated[int, Field(ge=1)] = 1
    texts: ClassVar[tuple[str, ...]] = ("question", "question_id")
    others: ClassVar[tuple[str, ...]] = ("entity_pages", "answer")

    def entry(self, row: Row, left_out: Counter[str]) -> Entry | None:
        where, fields = row.where, row.fields
        given = value_of(fields, "answer", where)
        if not isinstance(given, dict):
            raise SourceError("'answer' is not an object", where=where, fix="fetch the source again")
        accepted = answers([text(given, "value", where), *texts(given, "aliases", where)], where)
        aliases, pages = filter_aliases(accepted), structs(fields, "entity_pages", where)
        given_texts = [text_of(value_of(page, "wiki_context", where), "wiki_context", where) for page in pages]
        for page, context in zip(pages, map(without_pictures, given_texts), strict=True):
            if len(context.split()) < self.words_below and holds(padded(context), aliases):
                key, asked = id_of(fields["question_id"], "question_id", where), text(fields, "question", where)
                ordered = answering(accepted, context)
                question = DocumentQuestion(key, row.key, row.split, "qa", asked, answers=ordered)
                return Entry(context, text_of(page.get("title") or "", "title", where), (question,))
        left_out["questions without a short page that holds an answer"] += 1
        return None


def answering(accepted: Sequence[str], passage: str) -> tuple[str, ...]:
    """Accepted answers that the passage holds as whole words, then their other forms; all of them if it holds none."""
    whole = padded(passage)
    present = [answer for answer in accepted if padded(answer) in whole]
    others = [answer for answer in accepted if answer not in present and any(_is_form(answer, e) for e in present)]
    return (*present, *others) if present else tuple(accepted)


def without_unit(question: str, accepted: Iterable[str]) -> tuple[str, ...]:
    """The number of "5 shillings" in digits and words, if the question names the unit: "In shillings, what was ...?"."""
    unit = _IN_UNIT.match(question)
    counted = (_COUNTED.fullmatch(answer) for answer in accepted)
    numbers = [each[1] for each in counted if each and unit and each[2].lower() == unit[1].lower()]
    return tuple(form for number in numbers for form in (number, *_in_words(number)))


def fault(question: str) -> str:
    """Return why the answer to a question is known to be wrong, or an empty string."""
    return known_faults("triviaqa").get(name_of(question), "")


def name_of(question: str) -> str:
    """A hash of a question's words, so that the code holds no sentence of TriviaQA."""
    return digest("triviaqa", " ".join(words(question)), size=6).hex()


def _in_words(number: str) -> list[str]:
    return [number_words(int(number))] if number.isdecimal() and len(number) <= _DIGITS else []


def _is_form(answer: str, present: str) -> bool:
    mine, other = ([word for word in words(each) if word not in _FUNCTION_WORDS] for each in (answer, present))
    if set(mine) & set(other) or all(word.isdigit() for word in other):
        return True
    initials = {"".join(mine), "".join(other)} & {"".join(word[0] for word in each) for each in (mine, other)}
    return bool(initials) or SequenceMatcher(None, "".join(mine), "".join(other), autojunk=False).ratio() >= _ALIKE
