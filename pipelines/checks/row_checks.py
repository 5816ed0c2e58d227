"""Check finished rows: each check reads the released file and does not rely on the internal state of the generator."""

from __future__ import annotations

import gc
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from itertools import accumulate, pairwise
from typing import Any, cast

from corpora.tokenizers.tokenizer import Tokenizer
from generators import room
from generators.spec import BackgroundUnits, Row
from generators.suite import ReleaseSuite
from haymaker.core.lengths import MIN_FILL, is_natural, length_tokens, outside
from haymaker.core.rng import digest
from haymaker.core.rows.chat_template import TEMPLATES, declared_template, messages_in
from haymaker.core.rows.row_checks import Check
from haymaker.core.text.equivalents import accepted, origins
from haymaker.scoring.metrics import UnknownMetric
from haymaker.scoring.metrics import get as metric
from pipelines.checks.repeated_questions import mark, repeated
from pipelines.checks.token_recount import Recount

_SHOWN = 5  # failures listed per check
_HASHED = 16  # units with this many characters or more are stored as hashes of as many hex digits
_MARK = "\n"  # between units
_THOUGHT = "<think>\nOne could say yes, no or none, or name A, 1 or 2 [1].\n\nSo:\n</think>\n\n"
"""Example of reasoning text before an answer."""


@dataclass
class Findings:
    """Results of the checks on one or more files.

    Attributes:
        checked: check -> number of checked rows.
        failed: check -> number of failures.
        failures: the first few failures, "check: row: problem".
        unused: length -> unused tokens, one value per row with background.
        unfilled: "suite/task/length" -> unused tokens of the rows that are filled less than FILL requires.
        depths: depth of the deciding fact, in tenths -> rows.
        labels: task -> answer -> rows, for tasks with a closed answer set.
        ranges: group -> length -> background ranges or unit names, for the nesting check.
        questions: (row, table, split or "" if splits may share it, hash of the identity that must be unique).
        documents: split -> background documents used in it.
        marks: task (suite/task) -> marks of its test questions, to compare tasks.
    """

    checked: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    unused: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    unfilled: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    depths: Counter[int] = field(default_factory=Counter)
    labels: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    ranges: dict[str, dict[str, Any]] = field(default_factory=lambda: defaultdict(dict))
    questions: list[tuple[str, str, str, str]] = field(default_factory=list)
    documents: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    marks: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def fail(self, check: Check, row_id: str, what: str) -> None:
        """Count a failure, and list the first few of each check."""
        self.failed[check.name] += 1
        if self.failed[check.name] <= _SHOWN:
            self.failures.append(f"{check.name}: {row_id}: {what}")


@contextmanager
def uncollected() -> Iterator[None]:
    """Disable cyclic garbage collection: it would scan tens of thousands of small objects per row, without cycles."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _misses(name: str, row: Row) -> str:
    """Return why a metric cannot score a row, or an empty string."""
    try:
        return metric(name).misses(row)
    except UnknownMetric as error:
        return str(error)


class RowChecks:
    """Checks on single rows.

    Args:
        suite: suite of the rows.
        tokenizers: tokenizers of the release, for recounting.
        recount: whether to recount the tokens of a row, given the row and its index in the file.
    """

    def __init__(self, suite: ReleaseSuite, tokenizers: list[Tokenizer], recount: Callable[[Row, int], bool]) -> None:
        self._suite, self._tokenizers, self._recount = suite, tokenizers, recount

    def look(self, row: Row, index: int, findings: Findings) -> None:
        """Run every check declared by the task of a row."""
        checks = self._suite.task(row["task"]).spec.checks
        missed = {name: why for name in row["metrics"] if (why := _misses(name, row))}
        for name, why in missed.items():
            findings.fail(Check.STRICT, row["id"], f"{name} cannot score it: {why}")
        for check, function in (
            (Check.BUDGET, self._budget),
            (Check.FILL, self._fill),
            (Check.VERBATIM, self._verbatim),
            (Check.CLEAN, self._clean),
            (Check.ORACLE, self._oracle),
            (Check.STRICT, self._strict),
        ):
            idle = (check is Check.FILL and row["unused_tokens"] is None) or (check is Check.STRICT and missed)
            if check in checks and not idle:
                findings.checked[check.name] += 1
                for problem in function(row, index, findings):
                    findings.fail(check, row["id"], problem)
        if row["choices"] and row["answers"]:
            findings.labels[row["task"]][row["answers"][0]] += 1

    def _budget(self, row: Row, index: int, findings: Findings) -> Iterator[str]:
        if length_tokens(row["length"]) != row["length_tokens"]:
            yield f"length {row['length']} does not match length_tokens {row['length_tokens']}"
        if row["length_of"] == "output":
            if row["reserved_output_tokens"] > row["length_tokens"]:
                yield f"the answer may take {row['reserved_output_tokens']} tokens of {row['length_tokens']}"
        elif row["reserved_output_tokens"] != self._room(row):
            yield f"{row['reserved_output_tokens']} tokens are reserved for the answer, not {self._room(row)}"
        elif row["length_tokens"] is not None:
            total = sum(
                row[k] for k in ("prompt_tokens", "reserved_output_tokens", "reserved_template_tokens", "unused_tokens")
            )
            if total != row["length_tokens"]:
                yield f"parts add up to {total}, not {row['length_tokens']}"
            if row["unused_tokens"] < 0:
                yield f"over budget by {-row['unused_tokens']} tokens"
        if is_natural(row["length"]):
            yield from _length(row)
        if self._recount(row, index):
            findings.checked["recounted"] += 1
            yield from self._counts(row, index)

    def _room(self, row: Row) -> int:
        """Return the output token budget of a row: the release value, or `max_new_tokens` if larger."""
        return max(
            room.asked(self._suite.task(row["task"]).entry, self._suite.inputs.params.release),
            int(row["max_new_tokens"]),
        )

    @cached_property
    def _anew(self) -> Recount:
        return Recount(self._tokenizers, self._suite.inputs.params.release.stream_key)

    def _counts(self, row: Row, index: int) -> Iterator[str]:
        yield from self._anew.problems(row, index)

    def _fill(self, row: Row, index: int, findings: Findings) -> Iterator[str]:
        if (fill := _filled(row)) < MIN_FILL:
            yield f"filled to {fill:.2%}"

    def _verbatim(self, row: Row, index: int, findings: Findings) -> Iterator[str]:
        try:
            yield from _conversation(row)
            yield from self._suite.task(row["task"]).problems(row)
        except Exception as error:  # any error of a check on a row is a finding about the row
            yield f"{type(error).__name__}: {error}"

    def _clean(self, row: Row, index: int, findings: Findings) -> Iterator[str]:
        """Check for answer leaks, without equivalent forms: distractors are chosen by the answers of the source."""
        yield from self._suite.task(row["task"]).answer_leaks(
            row | {"answers": next(origins(row["answers"], row["metrics"]))}
        )

    def _oracle(self, row: Row, index: int, findings: Findings) -> Iterator[str]:
        try:
            answers = self._suite.task(row["task"]).solve(row["prompt"])
        except Exception as error:  # any error of a solver on a row is a finding about the row
            yield f"{type(error).__name__}: {error}"
            return
        if answers is None or accepted(answers, row["metrics"]) != row["answers"]:
            yield f"the solver returns {answers}, the stored answers are {row['answers']}"

    def _strict(self, row: Row, index: int, findings: Findings) -> Iterator[str]:
        right = self._suite.task(row["task"]).spec.right_output(row)
        thought = f"{_THOUGHT}{right}"
        for name in row["metrics"]:
            if name.endswith("@strict") and not metric(name).needs_model and not metric(name).lacks(row):
                function = metric(name).function
                if function(right, row) != 1.0 or function("", row) != 0.0:
                    yield f"{name} does not give 100 to the stored answer and 0 to an empty one"
                elif function(thought, row) != 1.0:
                    yield f"{name} does not give 100 to the stored answer after a reasoning block"

    def remember(self, row: Row, findings: Findings) -> None:
        """Collect the data for the checks across rows."""
        checks = self._suite.task(row["task"]).spec.checks
        variant = f"{row['depth_index']} {row['order_index']}"
        task = f"{row['suite']} {row['task']}"  # two suites may have tasks of the same name with the same questions
        table = f"{task}/{row['length']}/{variant}"
        if Check.UNIQUE in checks and row["answers"]:  # rows without answers fail another check
            identity = digest(self._suite.task(row["task"]).identity(row)).hex()
            findings.questions.append((row["id"], table, row["split"] if Check.APART in checks else "", identity))
        if row["split"] == "test" and row["answers"]:
            findings.marks[f"{row['suite']}/{row['task']}"].add(mark(row))
        if Check.APART in checks:
            findings.documents[row["split"]].update(row["doc_ids"])
        if Check.NESTED in checks and row["length_tokens"] is not None:
            findings.ranges[f"{task} {row['group_id']} {variant} {row['variant'] or ''}"][row["length"]] = _compact(
                self._suite.task(row["task"]).background(row)
            )
        if (unused := row["unused_tokens"]) is not None:
            findings.unused[row["length"]].append(unused)
            if _filled(row) < MIN_FILL:
                findings.unfilled[f"{row['suite']}/{row['task']}/{row['length']}"].append(unused)
        if row["depth"] is not None:
            findings.depths[min(9, int(row["depth"] * 10))] += 1


def _conversation(row: Row) -> Iterator[str]:
    """Check that the prompt of a conversation is the text of its messages, up to the opening of the reply."""
    if row["messages"] is None:
        return
    template = TEMPLATES.get(name := declared_template(row) or "")
    if template is None:
        yield f"the chat template of its messages is {name!r}, not one of {', '.join(TEMPLATES)}"
    elif messages_in(row["prompt"], template) != row["messages"]:
        yield f"the prompt is not the text of its messages by the chat template {name!r}"
    elif row["answer_prefix_start"] != (start := len(row["prompt"]) - len(template.cue)):
        yield f"the answer prefix starts at {row['answer_prefix_start']}, but the reply opens at {start}"


def _filled(row: Row) -> float:
    """Return the share of the length that is used."""
    return 1 - float(row["unused_tokens"] / row["length_tokens"])


def _length(row: Row) -> Iterator[str]:
    """Check the stored length in words (Chinese: characters) of question, context and answers, and the length range."""
    answers, stored = row["answers"], json.loads(row["metadata"])["length"]
    texts = (row["question"], row["prompt"][row["context_start"] : row["context_end"]], *answers)
    counts = list(accumulate(len(text if row["language"] == "zh" else text.split()) for text in texts))
    possible = {counts[1 + len(start)] for start in origins(answers, row["metrics"])}
    if stored not in possible or outside(row["length"], stored):
        yield f"question, context and answers have {counts[-1]} words, but the stored length of the {row['length']} row is {stored}"


def across(findings: Findings, suites: Iterable[ReleaseSuite] = ()) -> None:
    """Run the checks across all rows: no duplicates, disjoint splits, longer contexts contain shorter ones."""
    _unique(findings)
    for suite in suites:
        own = {
            name.partition("/")[2]: marks for name, marks in findings.marks.items() if name.startswith(f"{suite.name}/")
        }
        for task, what in repeated(suite, own):
            findings.fail(Check.UNIQUE, f"{suite.name}/{task}", what)
    _apart(findings)
    _nested(findings)


def _unique(findings: Findings) -> None:
    ids: Counter[str] = Counter(row_id for row_id, *_ in findings.questions)
    seen: dict[tuple[str, str, str], str] = {}
    for row_id, table, split, question in findings.questions:
        findings.checked[Check.UNIQUE.name] += 1
        if ids[row_id] > 1:
            findings.fail(Check.UNIQUE, row_id, "id appears twice")
        first = seen.setdefault((table, split, question), row_id)
        if first != row_id:
            findings.fail(Check.UNIQUE, row_id, f"same facts and question as {first}")


def _apart(findings: Findings) -> None:
    questions: dict[str, str] = {}
    for row_id, table, split, question in findings.questions:
        if not split:
            continue
        findings.checked[Check.APART.name] += 1
        other = questions.setdefault(f"{table.split('/')[0]}\n{question}", split)
        if other != split:
            findings.fail(Check.APART, row_id, f"same facts and question in {other} and {split}")
    splits = sorted(findings.documents)
    for i, a in enumerate(splits):
        for b in splits[i + 1 :]:
            for doc in sorted(findings.documents[a] & findings.documents[b]):
                findings.fail(Check.APART, doc, f"background document in {a} and {b}")


def _nested(findings: Findings) -> None:
    for group, by_length in findings.ranges.items():
        order = sorted(by_length, key=lambda length: length_tokens(length) or 0)
        for shorter, longer in pairwise(order):
            findings.checked[Check.NESTED.name] += 1
            small, large = by_length[shorter], by_length[longer]
            if not (_in_order(small, large) if isinstance(small, str) else _subsequence(small, large)):
                findings.fail(Check.NESTED, group, f"{longer} does not contain the background of {shorter} in order")


def _compact(units: BackgroundUnits) -> list[tuple[str, int, int]] | str:
    """Return unit names joined into one string, long names hashed to 16 hex digits; ranges are returned unchanged."""
    if not units or not isinstance(units[0], str):
        return cast("list[tuple[str, int, int]]", units)
    if max(map(len, units)) < _HASHED and (joined := _MARK.join(units)).count(_MARK) == len(units) - 1:
        return joined  # same result as below, ten times as fast
    size = _HASHED // 2
    return _MARK.join([
        name if len(name) < _HASHED and _MARK not in name else blake2b(name.encode(), digest_size=size).hexdigest()
        for name in units
    ])  # fmt: skip


def _in_order(small: str, large: str) -> bool:
    """Return whether `large` contains all units of `small` in the same order."""
    rest = iter(large.split(_MARK) if large else ())
    return all(unit in rest for unit in small.split(_MARK))


def _subsequence(small: list[Any], large: list[Any]) -> bool:
    """Return whether every range of `small` is inside a range of `large`, in the same order."""
    at = done = 0  # range of `large`, first free unit in it
    for doc, first, last in small:
        while at < len(large) and not (
            large[at][0] == doc and max(large[at][1], done) <= first and last <= large[at][2]
        ):
            at, done = at + 1, 0
        if at == len(large):
            return False
        done = last
    return True
