"""Select the candidates for each table and record why the others were rejected. Shared by all tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from generators.spec import Candidate, Table, listing
from generators.task import Task
from haymaker.core.errors import BuildError
from haymaker.core.lengths import USUAL, length_tokens

_PATIENCE = 64  # consecutive unusable candidates of an endless pool
_TRIED = 256  # candidates of an endless pool that are tried at a shorter length, for an error message


@dataclass(frozen=True, slots=True)
class Selection:
    """The candidates of a table.

    Attributes:
        candidates: candidates in order; each makes `variants` rows.
        dropped: number of candidates rejected at every length, by reason.
        missing: candidate -> why it is missing at this length.
    """

    candidates: list[Candidate]
    dropped: dict[str, int]
    missing: dict[str, str]

    def selection(self) -> dict[str, Any]:
        """Return the rejected candidates for the reports."""
        return {"dropped": self.dropped, "missing": self.missing}


def select(task: Task[Any], table: Table) -> Selection:
    """Return the first candidates that make rows; unusable ones are skipped.

    Raises:
        BuildError: too few reach the length; names the longest length that enough of them reach.
    """
    task.check_feasible(table)
    pool, wanted = task.pool(table.split), table.rows // task.variants
    endless = pool.count is None
    patience = task.patience or (_PATIENCE if endless else None)
    picked: list[Candidate] = []
    dropped, missing, failed = pool.left_out.copy(), dict[str, str](), 0
    for candidate in _candidates(task, table):
        if len(picked) == wanted or failed == patience:
            break
        if reason := task.rejection_reason(candidate):
            dropped[reason] += 1
            failed += endless
        elif reason := task.rejection_reason_at(table, candidate):
            missing[candidate.key] = reason
            failed += 1
        else:
            picked.append(candidate)
            failed = 0
    if len(picked) < wanted:
        raise _too_few(task, table, len(picked), dropped, Counter(missing.values()))
    return Selection(picked, dict(sorted(dropped.items())), missing)


def _candidates(task: Task[Any], table: Table) -> Iterator[Candidate]:
    return map(task.pool(table.split).candidate, task.candidate_order(table))


def _too_few(task: Task[Any], table: Table, found: int, dropped: Counter[str], missing: Counter[str]) -> BuildError:
    wanted = table.rows // task.variants
    longest = next((length for length in USUAL if _reach(task, replace(table, length=length), table) >= wanted), None)
    reached = (
        f"; the longest length that {wanted} reach is {longest}" if longest else f"; no shorter length has {wanted}"
    )
    fixes = [f"request {found * task.variants} rows or fewer"] if found else []
    if longest or missing:
        fixes.append(f"use {longest or ('another length' if table.natural else 'a longer length')}")
    if task.uses():
        fixes.append(f"prepare more ({' or '.join(map('.'.join, task.uses()))})")
    return BuildError(
        f"{wanted} questions are required, but only {found} reach the length ({listing(dropped + missing) or 'there are no more'}){'' if table.natural else reached}",
        where=f"{table.config} {table.split}", fix=", or ".join(fixes) or "drop the length",
    )  # fmt: skip


def _reach(task: Task[Any], shorter: Table, table: Table) -> int:
    """Return how many candidates make rows of a shorter length, up to the number that the table needs."""
    if not 0 < (length_tokens(shorter.length) or 0) < (table.tokens or 0):
        return 0
    found, most = 0, _TRIED if task.pool(table.split).count is None else None
    for candidate in islice(_candidates(task, shorter), most):
        if found * task.variants >= table.rows:
            break
        found += not task.rejection_reason(candidate) and not task.rejection_reason_at(shorter, candidate)
    return found
