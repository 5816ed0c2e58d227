"""Selection of release files by suite, task, length and split."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from haymaker.core.choices import SPLITS, check_choice
from haymaker.core.errors import ReleaseError
from haymaker.core.lengths import length_order
from haymaker.core.params import nearest
from haymaker.core.rows.parquet import read_row_groups, to_rows
from haymaker.releases.folder import row_files
from haymaker.releases.pulled.partial_pull import MINI, RowFile, row_file


@dataclass(frozen=True, slots=True)
class Selection:
    """Requested rows of a release; an empty field means all.

    Attributes:
        suites: suite names.
        tasks: task names, or suite/task.
        lengths: length names.
        split: test, dev, train or all.
        mini: the small set; only it, unless tasks, suites, lengths or another split are given.
    """

    suites: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    lengths: tuple[str, ...] = ()
    split: str = "test"
    mini: bool = False

    @classmethod
    def of(cls, suites: str, tasks: str, lengths: str, *, split: str = "test", mini: bool = False) -> Selection:
        """Create a selection from comma-separated names (command-line options)."""
        return cls(words(suites), words(tasks), words(lengths), split, mini)

    def names(self, listed: Iterable[str]) -> list[str]:
        """Return the selected files of those listed in a manifest, in its order.

        Raises:
            ParamsError: the split is unknown.
            ReleaseError: a suite, task or length is unknown, or no rows match the selection.
        """
        check_choice(self.split, (*SPLITS, "all"), "split", "--split")
        names = list(listed)
        rows = [found for name in names if (found := row_file(name))]
        self._check_known(rows)
        wanted = {found.name for found in rows if self._wants(found)} if not self.mini or self._is_narrow() else set()
        if self.mini:
            wanted |= _mini(names)
        if not wanted:
            raise ReleaseError("no rows match this selection", where=str(self), fix="use fewer filters")
        return [name for name in names if name in wanted]

    def files(self, release: Path) -> list[str]:
        """Return the selected files of those in a release folder, by their names below it: data/, then mini/.

        Raises:
            ParamsError, ReleaseError: as in `names`.
        """
        return self.names(path.relative_to(release).as_posix() for path in row_files(release))

    def row_filter(self, release: Path) -> Callable[[str, tuple[str, str, str]], bool]:
        """Return a function that checks id and (suite, task, length) of a row.

        Raises:
            ParamsError, ReleaseError: as in `names`.
        """
        if self == TEST_ROWS:
            return lambda row_id, table: True
        tables = {(rows.suite, rows.task, rows.length) for name in self.files(release) if (rows := row_file(name))}
        ids = mini_ids(release) if self.mini else frozenset()
        return lambda row_id, table: table in tables or row_id in ids

    def __str__(self) -> str:
        """Return the selection as command-line options."""
        asked = {"--suites": self.suites, "--tasks": self.tasks, "--lengths": self.lengths}
        words = [f"{option} {','.join(values)}" for option, values in asked.items() if values]
        return " ".join([*words, f"--split {self.split}", *(["--mini"] if self.mini else [])])

    def _is_narrow(self) -> bool:
        return bool(self.suites or self.tasks or self.lengths or self.split != SPLITS[0])

    def _wants(self, rows: RowFile) -> bool:
        return (
            (not self.suites or rows.suite in self.suites)
            and (not self.tasks or bool({rows.task, f"{rows.suite}/{rows.task}"} & set(self.tasks)))
            and (not self.lengths or rows.length in self.lengths)
            and self.split in ("all", rows.split)
        )

    def _check_known(self, rows: Sequence[RowFile]) -> None:
        suites, lengths = {found.suite for found in rows}, {found.length for found in rows}
        tasks = {found.task for found in rows} | {f"{found.suite}/{found.task}" for found in rows}
        kinds = (("suite", self.suites, suites), ("task", self.tasks, tasks), ("length", self.lengths, lengths))
        for kind, asked, known in kinds:
            for name in asked:
                if name not in known:
                    fix = nearest(name, known, order=length_order if kind == "length" else None)
                    raise ReleaseError(f"no {kind} {name!r:.80} in this release", where=f"--{kind}s", fix=fix)


TEST_ROWS = Selection()
"""All test rows."""


def words(text: str) -> tuple[str, ...]:
    """Split comma-separated names."""
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _mini(names: Iterable[str]) -> set[str]:
    found = {name for name in names if MINI.fullmatch(name)}
    if not found:
        raise ReleaseError("the release has no small subset", where="--mini", fix="choose --tasks and --lengths")
    return found


def mini_ids(release: Path) -> frozenset[str]:
    """Return the ids of the rows in the small set; empty without one."""
    files = [file for file in row_files(release) if MINI.fullmatch(file.relative_to(release).as_posix())]
    groups = (to_rows(table, file) for file in files for table in read_row_groups(file, ("id",)))
    return frozenset(row["id"] for rows in groups for row in rows)


def tasks_without_rows(choice: Selection, names: Iterable[str]) -> Iterator[str]:
    """Yield one line per selected task that has no rows in the selected lengths and split."""
    wanted = [found for name in names if (found := row_file(name))]
    for task in choice.tasks:
        if not any(task in (found.task, f"{found.suite}/{found.task}") for found in wanted):
            yield f"{task} has no rows with the selected lengths and split"
