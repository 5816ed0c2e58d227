"""Exact solvers of the 20 bAbI tasks that read nothing but the finished prompt.

A release is proved with them: solve(task, prompt) must return every row's stored answer and fact offsets.
Their rules were measured on bAbI v1.2 (docs/spec/babilong.md 4, 5). The parts are in oracles/.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from generators.babilong.oracles import carrying, reasons, relations, whereabouts
from generators.babilong.oracles.core import Solution, Story
from generators.babilong.oracles.errors import OracleError
from generators.babilong.oracles.shapes import Grammar, Parsed, grammar
from generators.babilong.oracles.vocabulary import Vocabulary, labels, words
from generators.babilong.prompts import CLOSE_TEXT, CUE, OPEN_TEXT, QUESTION

__all__ = ["OracleError", "Solution", "Vocabulary", "find_facts", "labels", "solve", "solve_story"]

Words = str | Vocabulary
"""Name of an edition of bAbI, "classic" or "large", or a vocabulary of one's own."""

_SOLVERS = carrying.SOLVERS | reasons.SOLVERS | relations.SOLVERS | whereabouts.SOLVERS


def solve(task: str, prompt: str, *, strict: bool = False, vocabulary: Words = "classic") -> Solution:
    """Answer a finished prompt; supports are code-point offsets in it.

    Args:
        task: "qa1" .. "qa20".
        prompt: head, context and tail as generators/babilong/prompts.py writes them; the cue may be missing.
        strict: raise on a text with several readings (docs/defects/babilong.md 5.5, 5.10, 5.16) instead of guessing.
        vocabulary: the words that facts and question are made of.

    Raises:
        OracleError: no such task or vocabulary, no context, no question, a question the facts do not answer, or (strict) several readings.
    """
    rules = _grammar(task, vocabulary)
    start, end, question = _parts(task, prompt)
    facts = list(rules.find(prompt[start:end]))
    found = _answer(task, rules, facts, question, strict)
    supports, also = (tuple(start + facts[i].start for i in lines) for lines in (found.supporting, found.also))
    return Solution(found.answer, supports, also)


def solve_story(
    task: str, facts: Sequence[str], question: str, *, strict: bool = False, vocabulary: Words = "classic"
) -> Solution:
    """Answer a bare story: the same rules as `solve`, supports as indices into `facts`.

    Raises:
        OracleError: as `solve`; also for a sentence that is no fact of the task.
    """
    rules = _grammar(task, vocabulary)
    parsed = []
    for line, sentence in enumerate(facts):
        fact = _fact(task, vocabulary, sentence)
        if fact is None:
            raise OracleError(f"{sentence!r} is not a fact of {task}", where=f"{task}, fact {line}")
        parsed.append(fact)
    return _answer(task, rules, parsed, question, strict)


def find_facts(task: str, text: str, *, vocabulary: Words = "classic") -> list[tuple[int, str]]:
    """(code-point offset, sentence) of all that `solve` would take for a fact in `text`.

    A background unit that holds one must not be used: no reader could tell it from a needle.
    """
    return [(fact.start, fact.text) for fact in _grammar(task, vocabulary).find(text)]


@lru_cache(maxsize=1 << 14)
def _fact(task: str, vocabulary: Words, sentence: str) -> Parsed | None:
    """A sentence of a bare story as a fact; kept, since stories say the same few sentences over and over."""
    return _grammar(task, vocabulary).fact(sentence)


def _grammar(task: str, vocabulary: Words) -> Grammar:
    return grammar(task, words(task, vocabulary) if isinstance(vocabulary, str) else vocabulary)


def _answer(task: str, rules: Grammar, facts: Sequence[Parsed], question: str, strict: bool) -> Solution:
    parsed = rules.question(question)
    if parsed is None:
        raise OracleError(f"{question.strip()!r} is not a question of {task}", where=task)
    return _SOLVERS[task](Story(facts, parsed, rules.vocabulary, strict))


def _parts(task: str, prompt: str) -> tuple[int, int, str]:
    """(start, end) of the context in the prompt, and the question: first opening tag, last closing tag."""
    opening = prompt.find(f"\n{OPEN_TEXT}\n")
    closing = prompt.rfind(f"\n{CLOSE_TEXT}\n")
    start = opening + len(OPEN_TEXT) + 2
    if opening < 0 or closing < start:
        raise OracleError(f"no context between {OPEN_TEXT} and {CLOSE_TEXT}", where=f"{task} prompt")
    tail = prompt[closing + len(CLOSE_TEXT) + 2 :].strip()
    if not tail.startswith(QUESTION):
        raise OracleError(f"no line {QUESTION!r} after {CLOSE_TEXT}", where=f"{task} prompt")
    return start, closing, tail.removeprefix(QUESTION).removesuffix(CUE).strip()
