"""Exact solvers of the 20 bAbI tasks that read nothing but the finished prompt.

A release is proved with them: solve(task, prompt) must return every row's stored answer and fact offsets.
Source: rules measured on bAbI v1.2 (spec/babilong.md section 5), accuracy in its section 4. The parts are in oracles/.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from generators.babilong.oracles import carrying, reasons, relations, whereabouts
from generators.babilong.oracles.core import Solver, Story, StorySolution
from generators.babilong.oracles.errors import OracleError
from generators.babilong.oracles.shapes import Grammar, Parsed, grammar
from generators.babilong.oracles.vocabulary import Vocabulary, labels, words
from generators.babilong.prompts import CLOSE_TEXT, CUE, OPEN_TEXT, QUESTION

__all__ = [
    "OracleError",
    "Solution",
    "StorySolution",
    "Vocabulary",
    "find_facts",
    "is_fact",
    "labels",
    "solve",
    "solve_story",
]

Words = str | Vocabulary
"""Name of an edition of bAbI, "classic" or "large", or a vocabulary of one's own."""

_SOLVERS: dict[str, Solver] = {**carrying.SOLVERS, **reasons.SOLVERS, **relations.SOLVERS, **whereabouts.SOLVERS}


@dataclass(frozen=True, slots=True)
class Solution:
    """What the oracle read in a prompt.

    Attributes:
        answer: in the form of the bAbI files: one word, or words joined by commas (qa8, qa19).
        support_offsets: code-point offsets in the prompt of the supporting fact sentences, in the order of
            spec/babilong.md section 5; empty when the task has no rule for them.
        also_offsets: of what the supports leave out and the answer needs (5.3).
    """

    answer: str
    support_offsets: tuple[int, ...]
    also_offsets: tuple[int, ...]

    @property
    def evidence_offsets(self) -> tuple[int, ...]:
        """Ascending offsets of facts that give the same answer when they are all there is."""
        return tuple(sorted({*self.support_offsets, *self.also_offsets}))


def solve(task: str, prompt: str, *, strict: bool = False, vocabulary: Words = "classic") -> Solution:
    """Answer a finished prompt.

    Args:
        task: "qa1" .. "qa20".
        prompt: head, context and tail as generators/babilong/prompts.py writes them; the cue may be missing.
        strict: raise on a text with several readings (5.5, 5.10, 5.16) instead of taking the best guess.
        vocabulary: the words that facts and question are made of.

    Raises:
        OracleError: no such task or vocabulary, no context, no question, a question the facts do not answer, or (strict) several readings.
    """
    rules, known = _grammar(task, vocabulary)
    start, end, question = _parts(task, prompt)
    facts = list(rules.find(prompt[start:end]))
    found = _answer(task, facts, question, rules, known, strict)
    supports, also = (tuple(start + facts[i].start for i in lines) for lines in (found.supporting, found.also))
    return Solution(found.answer, supports, also)


def solve_story(
    task: str, facts: Sequence[str], question: str, *, strict: bool = False, vocabulary: Words = "classic"
) -> StorySolution:
    """Answer a bare story: the same rules as `solve`, supports as indices into `facts`.

    Raises:
        OracleError: as `solve`; also for a sentence that is no fact of the task.
    """
    rules, known = _grammar(task, vocabulary)
    parsed = []
    for line, sentence in enumerate(facts):
        fact = rules.fact(sentence)
        if fact is None:
            raise OracleError(f"{sentence!r} is not a fact of {task}", where=f"{task}, fact {line}")
        parsed.append(fact)
    return _answer(task, parsed, question, rules, known, strict)


def is_fact(task: str, sentence: str, *, vocabulary: Words = "classic") -> bool:
    """Whether the sentence, from its first to its last character, is a fact of the task."""
    rules, _ = _grammar(task, vocabulary)
    return rules.fact(sentence) is not None


def find_facts(task: str, text: str, *, vocabulary: Words = "classic") -> list[tuple[int, str]]:
    """(code-point offset, sentence) of all that `solve` would take for a fact in `text`.

    A background unit that holds one must not be used: no reader could tell it from a needle.
    """
    rules, _ = _grammar(task, vocabulary)
    return [(fact.start, fact.text) for fact in rules.find(text)]


def _grammar(task: str, vocabulary: Words) -> tuple[Grammar, Vocabulary]:
    known = words(task, vocabulary) if isinstance(vocabulary, str) else vocabulary
    return grammar(task, known), known


def _answer(
    task: str, facts: Sequence[Parsed], question: str, rules: Grammar, known: Vocabulary, strict: bool
) -> StorySolution:
    asked = rules.question(question)
    if asked is None:
        raise OracleError(f"{question.strip()!r} is not a question of {task}", where=task)
    return _SOLVERS[task](Story(facts, asked, known, strict))


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
