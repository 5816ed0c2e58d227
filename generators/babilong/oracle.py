"""Exact solvers of the 20 bAbI tasks; they read only the finished prompt (rules of bAbI v1.2: docs/spec/babilong.md 4, 5)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from generators.babilong.oracles import carrying, people, relations
from generators.babilong.oracles.core import Solution, Story
from generators.babilong.oracles.shapes import Grammar, Parsed, grammar
from generators.babilong.oracles.vocabulary import OracleError, Vocabulary, labels, words
from generators.babilong.prompts import CLOSE_TEXT, CUE, OPEN_TEXT, QUESTION

__all__ = ["OracleError", "Solution", "Vocabulary", "find_facts", "labels", "solve", "solve_story"]

Words = str | Vocabulary  # name of an edition, "classic" or "large", or another vocabulary
_SOLVERS = carrying.SOLVERS | people.SOLVERS | relations.SOLVERS


def solve(task: str, prompt: str, *, strict: bool = False, vocabulary: Words = "classic") -> Solution:
    """Answer a finished prompt; supports are code-point offsets.

    Args:
        task: "qa1" .. "qa20".
        prompt: head, context and tail as generators/babilong/prompts.py writes them; the cue may be missing.
        strict: refuse an ambiguous text (docs/defects/babilong.md 5.5, 5.10, 5.16) instead of guessing.
        vocabulary: words of facts and question.

    Raises:
        OracleError: unknown task or vocabulary, no context, no question, no answer, or (strict) several.
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
    """Answer a bare story by the rules of `solve`; supports are indices into `facts`.

    Raises:
        OracleError: as `solve`, or a sentence is not a fact of the task.
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
    """Return (code-point offset, sentence) of every fact that `solve` finds in a text."""
    return [(fact.start, fact.text) for fact in _grammar(task, vocabulary).find(text)]


@lru_cache(maxsize=1 << 14)
def _fact(task: str, vocabulary: Words, sentence: str) -> Parsed | None:
    return _grammar(task, vocabulary).fact(sentence)


def _grammar(task: str, vocabulary: Words) -> Grammar:
    return grammar(task, words(task, vocabulary) if isinstance(vocabulary, str) else vocabulary)


def _answer(task: str, rules: Grammar, facts: Sequence[Parsed], question: str, strict: bool) -> Solution:
    parsed = rules.question(question)
    if parsed is None:
        raise OracleError(f"{question.strip()!r} is not a question of {task}", where=task)
    return _SOLVERS[task](Story(facts, parsed, rules.vocabulary, strict))


def _parts(task: str, prompt: str) -> tuple[int, int, str]:
    """Start and end of the context (first opening tag, last closing tag), and the question."""
    opening = prompt.find(f"\n{OPEN_TEXT}\n")
    closing = prompt.rfind(f"\n{CLOSE_TEXT}\n")
    start = opening + len(OPEN_TEXT) + 2
    if opening < 0 or closing < start:
        raise OracleError(f"no context between {OPEN_TEXT} and {CLOSE_TEXT}", where=f"{task} prompt")
    tail = prompt[closing + len(CLOSE_TEXT) + 2 :].strip()
    if not tail.startswith(QUESTION):
        raise OracleError(f"no line {QUESTION!r} after {CLOSE_TEXT}", where=f"{task} prompt")
    return start, closing, tail.removeprefix(QUESTION).removesuffix(CUE).strip()
