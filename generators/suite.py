"""Suites: data (task specs) that a release turns into entries, tables and rows, in the same way for all suites."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from corpora import sources
from generators import room
from generators.fingerprint import spec_fingerprint
from generators.inputs import Inputs, Use
from generators.select import Selection, select
from generators.spec import Allowed, Candidate, Entry, Row, Table, TaskSettings, TaskSpec, length_rows
from generators.task import Task
from generators.training import TrainingRows
from haymaker.core.errors import ParamsError
from haymaker.core.lengths import NO_BACKGROUND, is_natural
from haymaker.core.params import SuiteParams, names_read, nearest, parse
from haymaker.core.renamed import rename_fix
from haymaker.core.rows.config_name import SIMULATED_SUFFIX
from haymaker.core.rows.row_checks import Check
from haymaker.core.rows.schema import Sample
from haymaker.core.text.equivalents import accepted

_CHECKED_BY = {Check.VERBATIM: "problems", Check.CLEAN: "answer_leaks", Check.ORACLE: "solve"}
PHRASES = "phrases"
"""Key of Task.fingerprint: file of phrases -> digest."""
SUITES = {
    "babilong": "generators.babilong.suite:SUITE",
    "frontier": "generators.frontier.suite:SUITE",
    "helmet": "generators.helmet.suite:SUITE",
    "longbench": "generators.longbench.suite:SUITE",
    "longgenbench": "generators.longgenbench.suite:SUITE",
    "marathon": "generators.marathon.suite:SUITE",
    "synthetic": "generators.synthetic.suite:SUITE",
}


@dataclass(frozen=True, slots=True)
class Suite:
    """A published benchmark.

    Attributes:
        name: key under `suites`.
        title: one line.
        defects: page of the known defects of the original.
        tasks: all tasks that can be built.
    """

    name: str
    title: str
    defects: str
    tasks: tuple[TaskSpec, ...]

    def spec(self, name: str, where: str) -> TaskSpec:
        """Return the task of a name.

        Raises:
            ParamsError: unknown task.
        """
        known = {spec.name: spec for spec in self.tasks}
        if name not in known:
            own = " (an entry with a name of its own has the key `base: TASK`)" if where.endswith(f".{name}") else ""
            raise ParamsError(f"unknown task {name!r}", where=where, fix=nearest(name, known) + own)
        return known[name]


def suite(name: str) -> Suite:
    """Return a suite by its name.

    Raises:
        ParamsError: the name is not registered.
    """
    if name not in SUITES:
        raise ParamsError(f"unknown suite {name!r}", where="suites", fix=nearest(name, SUITES))
    module, _, attribute = SUITES[name].partition(":")
    found: Suite | None = getattr(importlib.import_module(module), attribute, None)
    if found is None or found.name != name:
        what = f"is registered as {SUITES[name]!r}, which is not a suite of that name"
        raise ParamsError(what, where=f"suites.{name}", fix="correct SUITES in generators/suite.py")
    return found


class ReleaseSuite:
    """A suite with the entries that a release requests.

    Args:
        suite: its tasks.
        params: its block of the parameter file.
        inputs: prepared inputs.
        left_out: entry -> why no row of it was built, as recorded by a build; None: derived from the inputs.

    Raises:
        ParamsError: a mistake in the block.
    """

    def __init__(
        self, suite: Suite, params: SuiteParams, inputs: Inputs, left_out: Mapping[str, str] | None = None
    ) -> None:
        self.suite, self.name, self.inputs = suite, suite.name, inputs
        self._noted = left_out
        self._shared = params.options
        self._check_shared()
        self.entries: dict[str, Entry[Any]] = {}
        for name, values in params.tasks.items():
            self.entries[name] = self._entry(name, {} if values is None else values)
        self._tasks: dict[str, Task[Any]] = {}
        self._training: dict[str, TrainingRows] = {}
        self._selections: dict[Table, Selection] = {}
        self._simulated: dict[str, bool] = {}
        for entry in self.entries.values():
            _check_checks(entry.spec, entry.where)
            self.task(entry.name).check()
            self._check_name(entry)

    # ------------------------------------------------------------------------------------------------ entries

    def _check_shared(self) -> None:
        """Refuse keys of the block that no task has."""
        known = {key for spec in self.suite.tasks for key in spec.task.settings_type.model_fields} - {"base"}
        for key in self._shared:
            if key not in known:
                raise ParamsError(
                    f"unknown key {key!r}", where=f"suites.{self.name}: {key}", fix=nearest(key, known | {"tasks"})
                )

    def _entry(self, name: str, values: Any, *, listed: bool = True) -> Entry[Any]:
        """Return a complete, checked entry.

        Raises:
            ParamsError: unknown task or key, or no lengths.
        """
        where = f"suites.{self.name}.tasks.{name}"
        given = values if isinstance(values, Mapping) else {}
        if "of" in given:
            raise ParamsError("unknown key 'of'", where=where, fix=rename_fix("of", ("base",)))
        spec = self.suite.spec(str(given.get("base") or name), where)
        kind: type[Task[Any]] = spec.task
        settings = self._settings(spec, values, where)
        if not listed:
            return Entry(self.name, name, spec, settings, (), self.entries)
        if not settings.lengths:
            raise ParamsError("has no lengths", where=where, fix=f"give lengths here or in suites.{self.name}.lengths")
        for length in settings.lengths:
            _check_context(kind, settings, length, f"{where}.lengths.{length}")
        rows = length_rows(settings.lengths, settings.variants)
        entry = Entry(self.name, name, spec, settings, rows, self.entries)
        room.check_room(entry, self.inputs.params.release, room.key(entry, self._shared, values))
        return entry

    def _settings(self, spec: TaskSpec, values: Any, where: str) -> TaskSettings:
        """Return the settings: of the spec, overridden by the block of the suite, overridden by the entry."""
        kind: type[TaskSettings] = spec.task.settings_type
        if not isinstance(values, Mapping):
            raise ParamsError(f"needs keys and values, not {values!r}", where=where)
        shared = {key: value for key, value in self._shared.items() if key in kind.model_fields}
        try:
            return parse(kind, {**spec.defaults, **shared, **values}, where=where)
        except ParamsError as error:
            place, _, path = error.where.partition(": ")
            if path.partition(".")[0] in shared.keys() - values.keys():  # the mistake is in the block of the suite
                place = f"suites.{self.name}"
            raise ParamsError(error.what, where=f"{place}: {path}".rstrip(": "), fix=error.fix) from None

    def task(self, name: str) -> Task[Any]:
        """Return the Task of an entry, or of a task that the release does not list (for training).

        Raises:
            ParamsError: no such entry or task, or required settings are missing.
        """
        if name not in self._tasks:
            known = {*self.entries, *(spec.name for spec in self.suite.tasks)}
            if name not in known:
                raise ParamsError(f"unknown task {name!r}", where=f"suites.{self.name}", fix=nearest(name, known))
            entry = self.entries.get(name) or self._entry(name, {}, listed=False)
            self._tasks[name] = entry.spec.task(entry, self.inputs)
        return self._tasks[name]

    def simulated(self, name: str) -> bool:
        """Whether any source of a task is simulated; reads the parameters only."""
        if name not in self._simulated:
            given = self.inputs.params.sources
            named = {source for use in self.task(name).uses() for source in self.inputs.sources_of(use)}
            kinds = {given[source].kind for source in named & given.keys()}
            self._simulated[name] = any(sources.info(kind).edition == "simulated" for kind in kinds)
        return self._simulated[name]

    def _check_name(self, entry: Entry[Any]) -> None:
        """Refuse a name that marks simulated rows for an entry of real sources."""
        if entry.name.endswith(SIMULATED_SUFFIX) and self.task(entry.name).uses() and not self.simulated(entry.name):
            fix = f"give it another name (base: {entry.spec.name}), or simulated sources"
            raise ParamsError(
                f"names that end in {SIMULATED_SUFFIX} are reserved for simulated rows", where=entry.where, fix=fix
            )

    def metrics(self, name: str) -> Sequence[str]:
        """Metrics of the rows of a task, the primary one first."""
        task = self.task(name)
        found: Sequence[str] = task.settings.metrics(task.spec)
        return found

    def allows(self, name: str) -> Mapping[str, Allowed]:
        """Scores that shortcuts may reach at a task, if higher than for other tasks."""
        task = self.task(name)
        return {**task.settings.allows(task.spec), **(task.spec.allows_simulated if self.simulated(name) else {})}

    def family(self, name: str) -> str:
        """Return the base task of an entry (`base`, `rows_of`, TaskSpec.repeats); variants of a task ask the same questions."""
        entry = self.entries[name]
        base = getattr(entry.settings, "rows_of", "")
        return self.family(base) if base else entry.spec.repeats or entry.spec.name

    # ------------------------------------------------------------------------------------------------- tables

    @cached_property
    def left_out(self) -> dict[str, str]:
        """Entry without rows -> which optional source or library is unavailable, and why."""
        if self._noted is not None:
            return {name: why for name, why in self._noted.items() if name in self.entries}
        return {name: why for name in self.entries if (why := self._unavailable(self.task(name)))}

    def _unavailable(self, task: Task[Any]) -> str:
        reasons = map(self.inputs.unavailable, task.uses())
        return task.settings.missing_requirements() or next(filter(None, reasons), "")

    def built(self) -> dict[str, Entry[Any]]:
        """Entries with rows: all except those left out."""
        return {name: entry for name, entry in self.entries.items() if name not in self.left_out}

    def uses(self) -> tuple[Use, ...]:
        """Inputs of all entries, each once."""
        return tuple(dict.fromkeys(use for name in self.built() for use in self.task(name).uses()))

    def word_files(self) -> dict[str, str]:
        """Phrase files of all entries: name -> digest."""
        found = [self.task(name).fingerprint().get(PHRASES, {}) for name in self.built()]
        return {name: digest for files in found for name, digest in sorted(files.items())}

    def tables(self) -> list[Table]:
        """Tables that the parameters request and that can be built; reads no data."""
        return [
            Table(self.name, entry.name, length, split, rows, entry.spec.task.of_output, self.simulated(entry.name))
            for entry in self.built().values()
            for length, split, rows in entry.rows
        ]

    def fingerprint(self, table: Table) -> dict[str, Any]:
        """Return everything that decides the bytes of a table, as JSON."""
        task, release = self.task(table.task), self.inputs.params.release
        uses, no_corpus = task.uses(), table.length == NO_BACKGROUND
        read = [use for use in uses if not (no_corpus and use.kind == "corpora")]
        unread = {key for key, mark, name in names_read(task.settings) if Use(mark.kind, name) not in read}
        return {
            "table": [self.name, table.task, table.length, table.split, table.rows],
            "spec": spec_fingerprint(task.spec),
            "settings": task.settings.model_dump(mode="json", exclude={"base", "lengths", room.KEY, *unread}),
            "own": task.fingerprint(),
            "sources": self.inputs.source_names(uses) if len(read) == len(uses) else [],
            "release": [release.stream_key, release.seed, release.language, release.reserved_template_tokens],
            "tokenizers": [tokenizer.fingerprint for tokenizer in self.inputs.tokenizers],
            "inputs": [[*use, self.inputs.open(use).digest] for use in read],
            **({"room": budget} if (budget := room.asked(task.entry, release)) else {}),
        }

    def select(self, table: Table) -> Selection:
        """Return the candidates of a table, selected once.

        Raises:
            BuildError: too few reach the length.
        """
        if table not in self._selections:
            self._selections[table] = select(self.task(table.task), table)
        return self._selections[table]

    # --------------------------------------------------------------------------------------------------- rows

    def candidates(self, table: Table, first: int, last: int) -> list[Candidate]:
        """Return the candidates of rows first .. last - 1, which a worker needs to build these rows."""
        variants = self.task(table.task).variants
        return self.select(table).candidates[first // variants : -(-last // variants)]

    def rows(self, table: Table, candidates: Sequence[Candidate], first: int, last: int) -> Iterator[Sample]:
        """Yield rows first .. last - 1 of a table; the variants of a candidate are consecutive.

        Args:
            table: table of the rows.
            candidates: result of candidates().
            first: number of the first row.
            last: one past the last row.
        """
        task = self.task(table.task)
        start = first // task.variants
        for row in range(first, last):
            yield _finished(task.row(table, candidates[row // task.variants - start], row % task.variants))

    def build(self, table: Table, first: int, last: int) -> Iterator[Sample]:
        """Yield rows first .. last - 1 of a table."""
        return self.rows(table, self.candidates(table, first, last), first, last)

    def draw(self, task: str, length: str, seed: int, number: int, turn: int) -> Sample:
        """Return row `number` of training stream `seed`: split train, any task and length (TrainingRows.draw).

        Raises:
            ParamsError: no such task.
            BuildError: no training text or question that fits.
        """
        instance = self.task(task)
        _check_context(type(instance), instance.settings, length, instance.entry.where)
        room.check_prompt(instance.entry, instance.release, instance.entry.where, [length])
        table = Table(self.name, task, length, "train", 0, instance.of_output, self.simulated(task))
        if task not in self._training:
            self._training[task] = TrainingRows(instance)
        return _finished(self._training[task].draw(table, seed, number, turn))

    def limit(self, task: str) -> int | None:
        """Return the tokens of the longest possible row of an entry; None without a limit or without its inputs."""
        instance = self.task(task)
        limit = instance.limit() if self.inputs.are_here(instance.uses()) else None
        return limit if limit is None else limit + room.beyond_answer(instance.entry, instance.release)

    def measures(self, rows: Callable[[Table], Iterable[Row]]) -> dict[str, Any]:
        """Return figures of the finished test rows: name -> task -> length -> figures.

        Args:
            rows: returns the rows of a table with the columns generators.task.MEASURED.
        """
        found: dict[str, Any] = {}
        for table in self.tables():
            if table.split == "test":
                for name, figures in self.task(table.task).measures(rows(table)).items():
                    found.setdefault(name, {}).setdefault(table.task, {})[table.length] = figures
        return found


def _finished(row: Sample) -> Sample:
    """Add the equivalent forms of the answers to a row."""
    row.answers = accepted(row.answers, row.metrics)
    row.answer_groups = row.answer_groups and [accepted(group, row.metrics) for group in row.answer_groups]
    return row


def _check_checks(spec: TaskSpec, where: str) -> None:
    """Refuse a task that neither implements nor skips a check that only the task can do."""
    for check, method in _CHECKED_BY.items():
        if check is Check.ORACLE and spec.solver:
            continue
        if check in spec.checks and getattr(spec.task, method) is getattr(Task, method):
            raise ParamsError(
                f"{spec.task.__name__} has no `{method}`, which the rule {check.name} needs", where=where,
                fix=f"write it, or give the reason in the TaskSpec's skips: {{Check.{check.name}: ...}}",
            )  # fmt: skip


def _check_context(kind: type[Task[Any]], settings: TaskSettings, length: str, where: str) -> None:
    if length == NO_BACKGROUND and not kind.no_background:
        raise ParamsError("this task has no rows without a context", where=where, fix=f"drop {NO_BACKGROUND}")
    if is_natural(length) and not (kind.natural and settings.has_natural_length):
        raise ParamsError(
            "this task has no rows of natural length", where=where, fix="give a number of tokens, such as 4k"
        )


def release_suite(name: str, inputs: Inputs, left_out: Mapping[str, str] | None = None) -> ReleaseSuite:
    """Return a suite with its block of the parameters; without a block it has no entries, but its tasks can be used for training."""
    return ReleaseSuite(suite(name), inputs.params.suites.get(name, SuiteParams()), inputs, left_out)
