"""Room for the answer: what a release keeps free in every row beyond what the answer alone takes (docs/reference/room.md)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from generators.spec import Entry, TaskSpec
from haymaker.core.buckets import USUAL, bucket_tokens
from haymaker.core.errors import ParamsError
from haymaker.core.params import ReleaseParams

KEY = "reserved_output_tokens"
LEAST_PROMPT = 256
"""Tokens of instruction, question and anything to read: no prompt has fewer."""


def asked(entry: Entry[Any], release: ReleaseParams) -> int:
    """Tokens that its rows keep for the answer, by the release or by the entry itself; 0: what the answer alone takes.

    Where buckets are lengths of outputs the whole bucket is the room.
    """
    if entry.spec.task.of_output:
        return 0
    wanted = entry.settings.reserved_output_tokens or release.reserved_output_tokens or 0
    return wanted if wanted > entry.spec.max_new_tokens else 0


def beyond(room: int, spec: TaskSpec) -> int:
    """Tokens of a room that the answer does not take."""
    return max(0, room - spec.max_new_tokens)


def extra(entry: Entry[Any], release: ReleaseParams) -> int:
    """Return the tokens that the rows of an entry keep for the answer beyond what the answer takes."""
    return beyond(asked(entry, release), entry.spec)


def check_room(entry: Entry[Any], release: ReleaseParams, where: str) -> None:
    """Refuse a room that is less than an answer, or leaves no prompt, before anything is built.

    Args:
        entry: of the release.
        release: its parameters.
        where: key that says the room.

    Raises:
        ParamsError: as said, or the key stands where buckets are lengths of outputs.
    """
    own = entry.settings.reserved_output_tokens
    if entry.spec.task.of_output and own:
        raise ParamsError(
            "its buckets are lengths of outputs: all of a bucket is the room", where=where, fix=f"drop {KEY}"
        )
    wanted, needed = own or release.reserved_output_tokens, entry.spec.max_new_tokens
    if wanted and wanted < needed and not entry.spec.task.of_output:
        raise ParamsError(
            f"{wanted:,} tokens, an answer of {entry.suite} {entry.name} takes up to {needed:,}", where=where,
            fix=f"use {needed} or more" + ("" if own else f", or give {entry.where} a {KEY} of its own"),
        )  # fmt: skip
    check_prompt(entry, release, where, (bucket for bucket, _, _ in entry.rows))


def check_prompt(entry: Entry[Any], release: ReleaseParams, where: str, buckets: Iterable[str]) -> None:
    """Refuse a room that leaves no prompt in one of some buckets.

    Args:
        entry: of the release.
        release: its parameters.
        where: key that says the room.
        buckets: wanted of the entry.

    Raises:
        ParamsError: names the bucket and the smallest that has room.
    """
    room = asked(entry, release)
    for bucket in buckets if room else ():
        tokens, least = bucket_tokens(bucket), room + release.reserved_template_tokens + LEAST_PROMPT
        if tokens is not None and tokens < least:
            longer = next((name for name in reversed(USUAL) if (bucket_tokens(name) or 0) >= least), None)
            most = tokens - release.reserved_template_tokens - LEAST_PROMPT
            ways = [f"drop {bucket} of {entry.where}" + (f" (the shortest that works is {longer})" if longer else "")]
            if most >= entry.spec.max_new_tokens:
                ways.append(f"use {most} or less")
            raise ParamsError(
                f"{room:,} tokens leave no room for a prompt in bucket {bucket} of {entry.suite} {entry.name}",
                where=where, fix=", or ".join(ways),
            )  # fmt: skip


def key(entry: Entry[Any], shared: Mapping[str, Any], values: Mapping[str, Any]) -> str:
    """Where the room of an entry is said: by itself, in its suite's block, or for the whole release."""
    if values.get(KEY):
        return f"{entry.where}.{KEY}"
    return (
        f"suites.{entry.suite}.{KEY}" if entry.settings.reserved_output_tokens and KEY in shared else f"release.{KEY}"
    )
