"""Tasks and their entries in a release, as data: specs, settings, tables, candidates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Generic, TypeVar

from pydantic import BeforeValidator, Field

from haymaker.core.lengths import is_natural, length_order, length_tokens, typical_tokens
from haymaker.core.params import Length, Name, OutputRoom, Section, omit_if_default
from haymaker.core.rows.config_name import config_name
from haymaker.core.rows.row_checks import Check
from haymaker.core.rows.source_records import Split

Rows = Annotated[int, Field(strict=True, ge=1, le=1_000_000)]
Lengths = dict[
    Length,
    Annotated[
        dict[Split, Rows],
        BeforeValidator(
            lambda rows: rows if isinstance(rows, dict) else {"test": rows},
            json_schema_input_type=Rows | dict[Split, Rows],
        ),
        Field(min_length=1),
    ],
]
"""Rows per length and split, as in the parameters; a number means test rows."""
_SHORT_PROMPT = 600  # tokens of a prompt that asks for a long output, roughly
Row = dict[str, Any]
"""A finished row as read from a file."""
BackgroundUnits = list[tuple[str, int, int]] | list[str]
"""Units of a context in order: ranges (document, first unit, one past the last), or the units themselves, by name or text."""


class TaskSettings(Section):
    """Keys of `suites.<suite>.tasks.<name>` that every task has; the settings of a task add their own.

    A key that an entry does not set comes from the block of the suite, then from the TaskSpec, then from this class.
    What follows from the settings alone is a method here: number of rows per question, title, metrics, limits of shortcuts.

    Attributes:
        base: name of the task, for an entry with another name.
        lengths: rows per length: a number of test rows, or a number per split; rounded up to a multiple of the rows per question.
        reserved_output_tokens: output token budget of each row; None: as in the release.
        shared_by: what the rows of a candidate at one length differ in, e.g. "depths"; for messages.
    """

    base: Name | None = None
    lengths: Lengths = Field(default_factory=dict)
    reserved_output_tokens: OutputRoom = omit_if_default(None)
    shared_by: ClassVar[str] = "rows of each question"

    @property
    def variants(self) -> int:
        """Rows of a candidate at one length: depths, orders, a row without the answer."""
        return 1

    @property
    def has_natural_length(self) -> bool:
        """Whether rows of natural length are possible, if the class can make them (Task.natural)."""
        return True

    def title_words(self) -> Mapping[str, object]:
        """Values for the {words} in the title; by default each setting by its name."""
        return dict(iter(self))

    def metrics(self, spec: TaskSpec) -> Sequence[str]:
        """Metrics of all rows, the primary one first."""
        return spec.metrics

    def allows(self, spec: TaskSpec) -> Mapping[str, Allowed]:
        """Scores that shortcuts may reach, if higher than for other tasks."""
        return spec.allows

    def missing_requirements(self) -> str:
        """Libraries that the rows need and that are not installed, with the command to install them, or an empty string."""
        return ""


S = TypeVar("S", bound=TaskSettings)


@dataclass(frozen=True, slots=True)
class Allowed:
    """Score that a shortcut may reach at a task, if higher than for other tasks (pipelines/checks/shortcuts).

    Attributes:
        percent: highest score that is not flagged.
        why: reason in one sentence, for the card.
    """

    percent: int
    why: str


@dataclass(frozen=True, slots=True, eq=False)
class TaskSpec:
    """One published task as data.

    Attributes:
        name: name within the suite.
        task: class that makes the rows (a generators.task.Task).
        title: one line; {words} in it come from TaskSettings.title_words.
        category: ability that is tested.
        metrics: ids of metrics, the primary one first.
        max_new_tokens: maximum tokens of the answer.
        version: version of the rows; raised when their bytes change.
        ends: what limits the longest length, in a few words.
        wording: key of the prompt texts, if the file has several.
        prompts: YAML file of the prompt texts; None: the file of the class.
        stop: stop strings for base models.
        use_chat_template: whether the prompt is a message to a chat model; False: a text to continue, without a chat template.
        variant: how the task differs from the plain task; None for the plain task.
        defaults: settings that differ from the defaults of the class.
        skips: check -> why the rows skip it.
        imitates: name of the data set that the questions come from ({words} as in the title); empty if the questions are our own.
        allows: shortcut -> score that it may reach and why, if higher than for other tasks.
        language: language of the rows, if different from the release; else empty.
        allows_simulated: the same for rows of simulated sources, in addition.
        solver: exact solver: finished prompt -> accepted answers. None if there is none, or if it depends on the settings (Task.solve).
        right_output: finished row -> an output that every strict metric scores 100.
        kind: variant of the Task class, if the class supports several kinds of task (see its module).
        floors: cheap outputs that the card scores per length: name -> function from a finished row to outputs, whose mean
            counts; none if the kind of row has no such output.
        repeats: task of the suite whose questions this one asks again in another form, on purpose; else empty.
    """

    name: str
    task: type[Any]
    title: str
    category: str
    metrics: tuple[str, ...]
    max_new_tokens: int
    version: int = 1
    ends: str = ""
    wording: str = ""
    prompts: Path | None = None
    stop: tuple[str, ...] = ()
    use_chat_template: bool = True
    variant: str | None = None
    defaults: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    skips: Mapping[Check, str] = field(default_factory=lambda: MappingProxyType({}))
    imitates: str = ""
    allows: Mapping[str, Allowed] = field(default_factory=lambda: MappingProxyType({}))
    language: str = ""
    allows_simulated: Mapping[str, Allowed] = field(default_factory=lambda: MappingProxyType({}))
    solver: Callable[[str], list[str] | None] | None = None
    right_output: Callable[[Row], str] = lambda row: str(row["answers"][0])
    kind: Any = None
    floors: Mapping[str, Callable[[Row], Sequence[str]]] = field(default_factory=lambda: MappingProxyType({}))
    repeats: str = ""

    def titled(self, settings: TaskSettings | None = None, *, simulated: bool) -> str:
        """Return the title of an entry.

        Args:
            settings: settings of the entry; None: settings of the plain task.
            simulated: whether the rows come from simulated sources; the title then begins with it.
        """
        kind: type[Any] = self.task
        settings = settings or kind.settings_type.model_construct(**self.defaults)
        title, imitates = (text.format_map(settings.title_words()) for text in (self.title, self.imitates))
        if not simulated:
            return title
        if not imitates:
            return f"{title} (in simulated text)"
        rest = title.removeprefix(imitates).lstrip(":, ")
        return f"Simulated version of {imitates}: {rest[:1].lower()}{rest[1:]}"

    @property
    def checks(self) -> frozenset[Check]:
        """Checks that the rows must pass."""
        return frozenset(Check) - self.skips.keys()


@dataclass(frozen=True, slots=True)
class Entry(Generic[S]):
    """A task as a release requests it, complete.

    Attributes:
        suite: name of the suite.
        name: name of the published task.
        spec: the task.
        settings: checked settings.
        rows: (length, split, rows), shortest length first; empty for a task that the release does not list. Requested
            numbers are rounded up so that every question has all its rows (length_rows).
        siblings: all entries of the suite, by name.
    """

    suite: str
    name: str
    spec: TaskSpec
    settings: S
    rows: tuple[tuple[str, Split, int], ...]
    siblings: Mapping[str, Entry[Any]]

    @property
    def where(self) -> str:
        """Key of the entry, for error messages."""
        return f"suites.{self.suite}.tasks.{self.name}"

    @property
    def rounded(self) -> dict[int, int]:
        """Requested numbers of rows that were rounded up -> number of rows in the release."""
        asked = self.settings.lengths
        return {n: rows for length, split, rows in self.rows if (n := asked[length][split]) != rows}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A question or group, the same at every length; its material is read when a row needs it.

    Attributes:
        split: split of the candidate.
        number: number of the candidate in the task.
        key: name in every row (column group_id).
        draw: name of a row of a training stream, for tasks that draw depths or texts again for every row; else empty.
    """

    split: Split
    number: int
    key: str
    draw: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """All rows of one task, length and split.

    Attributes:
        suite, task, length, split: as in every row.
        rows: number of rows.
        of_output: whether the length is a length of outputs (Task.of_output).
        simulated: whether any source of the rows is simulated.
    """

    suite: str
    task: str
    length: str
    split: Split
    rows: int
    of_output: bool = False
    simulated: bool = False

    @property
    def key(self) -> str:
        """Name of the work folder."""
        return f"{self.suite}-{self.task}-{self.length}-{self.split}"

    @property
    def tokens(self) -> int | None:
        """Tokens of a row; None for lengths without a target length: 0k and natural ones."""
        return length_tokens(self.length)

    @property
    def natural(self) -> bool:
        """Whether rows have the natural length of their material."""
        return is_natural(self.length)

    @property
    def typical_tokens(self) -> int:
        """Typical tokens of a row, for estimates."""
        return _SHORT_PROMPT if self.of_output else typical_tokens(self.length)

    @property
    def config(self) -> str:
        """Name of the config that loads the table."""
        return config_name(self.suite, self.task, self.length, simulated=self.simulated)


def listing(reasons: Counter[str]) -> str:
    """Return reasons of rejection with their counts, for error messages."""
    return ", ".join(f"{reason}: {count}" for reason, count in sorted(reasons.items()))


def length_rows(lengths: Lengths, variants: int) -> tuple[tuple[str, Split, int], ...]:
    """Return (length, split, rows), shortest length first.

    Args:
        lengths: rows per length and split, as requested.
        variants: rows per candidate; every number of rows is rounded up to a multiple of it.
    """
    rows = ((b, split, n) for b in sorted(lengths, key=length_order) for split, n in lengths[b].items())
    return tuple((length, split, n + -n % variants) for length, split, n in rows)
