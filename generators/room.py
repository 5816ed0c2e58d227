"""Output token budget: tokens that a release keeps free in every row for the answer (docs/reference/output-budget.md)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from generators.spec import Entry, TaskSpec
from haymaker.core.errors import ParamsError
from haymaker.core.lengths import USUAL, length_tokens
from haymaker.core.params import ReleaseParams

KEY = "reserved_output_tokens"
LEAST_PROMPT = 256
"""Minimum tokens of a prompt: instruction, question and something to read."""


def asked(entry: Entry[Any], release: ReleaseParams) -> int:
    """Return the output token budget that an entry or the release sets; 0: exactly what the answer takes.

    If lengths are lengths of outputs, the whole length is the budget, and the result is 0.
    """
    if entry.spec.task.of_output:
        return 0
    wanted = entry.settings.reserved_output_tokens or release.reserved_output_tokens or 0
    return wanted if wanted > entry.spec.max_new_tokens else 0


def beyond(budget: int, spec: TaskSpec) -> int:
    """Return the tokens of a budget that the answer does not take."""
    return max(0, budget - spec.max_new_tokens)


def beyond_answer(entry: Entry[Any], release: ReleaseParams) -> int:
    """Return the tokens that the rows of an entry keep free beyond what the answer takes."""
    return beyond(asked(entry, release), entry.spec)


def check_room(entry: Entry[Any], release: ReleaseParams, where: str) -> None:
    """Refuse a budget that is less than an answer or leaves no prompt, before anything is built.

    Args:
        entry: entry of the release.
        release: its parameters.
        where: key that sets the budget.

    Raises:
        ParamsError: such a budget, or a budget where lengths are lengths of outputs.
    """
    own = entry.settings.reserved_output_tokens
    if entry.spec.task.of_output and own:
        raise ParamsError(
            "the lengths of this task are output lengths: all of a length is the output token budget",
            where=where,
            fix=f"drop {KEY}",
        )
    wanted, needed = own or release.reserved_output_tokens, entry.spec.max_new_tokens
    if wanted and wanted < needed and not entry.spec.task.of_output:
        raise ParamsError(
            f"{wanted:,} tokens are too few: an answer of {entry.suite} {entry.name} takes up to {needed:,}", where=where,
            fix=f"use {needed} or more" + ("" if own else f", or give {entry.where} its own {KEY}"),
        )  # fmt: skip
    check_prompt(entry, release, where, (length for length, _, _ in entry.rows))


def check_prompt(entry: Entry[Any], release: ReleaseParams, where: str, lengths: Iterable[str]) -> None:
    """Refuse a budget that leaves no prompt in one of some lengths.

    Raises:
        ParamsError: names the length and the smallest length that works.
    """
    budget = asked(entry, release)
    for length in lengths if budget else ():
        tokens, least = length_tokens(length), budget + release.reserved_template_tokens + LEAST_PROMPT
        if tokens is not None and tokens < least:
            longer = next((name for name in reversed(USUAL) if (length_tokens(name) or 0) >= least), None)
            most = tokens - release.reserved_template_tokens - LEAST_PROMPT
            fixes = [f"drop {length} of {entry.where}" + (f" (the shortest that works is {longer})" if longer else "")]
            if most >= entry.spec.max_new_tokens:
                fixes.append(f"use {most} or less")
            raise ParamsError(
                f"{budget:,} tokens leave no room for a prompt in length {length} of {entry.suite} {entry.name}",
                where=where, fix=", or ".join(fixes),
            )  # fmt: skip


def key(entry: Entry[Any], shared: Mapping[str, Any], values: Mapping[str, Any]) -> str:
    """Return the key that sets the budget of an entry: its own, that of its suite, or that of the release."""
    if values.get(KEY):
        return f"{entry.where}.{KEY}"
    in_suite = entry.settings.reserved_output_tokens and KEY in shared
    return f"suites.{entry.suite}.{KEY}" if in_suite else f"release.{KEY}"
