"""Which files of a release are asked for, and the command that asks for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from haymaker.core.buckets import bucket_order
from haymaker.core.errors import ParamsError, ReleaseError
from haymaker.core.params import nearest
from haymaker.releases.pulled.partial_pull import MINI, RowFile, row_file

PARTS = ("test", "dev", "train", "all")


@dataclass(frozen=True, slots=True)
class Selection:
    """What a person wants of a release; empty: everything of that kind.

    Attributes:
        suites: names.
        tasks: names, or suite/task.
        buckets: names.
        split: test, dev, train or all.
        mini: the small set; alone unless tasks, suites, buckets or another split are named too.
    """

    suites: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    buckets: tuple[str, ...] = ()
    split: str = "test"
    mini: bool = False

    @classmethod
    def of(cls, suites: str, tasks: str, buckets: str, *, split: str = "test", mini: bool = False) -> Selection:
        """From names with commas between, as options have them."""
        return cls(words(suites), words(tasks), words(buckets), split, mini)

    def names(self, listed: Iterable[str]) -> list[str]:
        """The files that are wanted of those that a manifest lists, in its order.

        Raises:
            ParamsError: an unknown split.
            ReleaseError: a suite, task or bucket that the release does not have, or nothing of what is asked for together.
        """
        if self.split not in PARTS:
            raise ParamsError(f"no split {self.split!r:.80}", where="--split", fix=nearest(self.split, PARTS))
        names = list(listed)
        rows = [found for name in names if (found := row_file(name))]
        self._check_known(rows)
        wanted = {found.name for found in rows if self._wants(found)} if not self.mini or self._is_narrow() else set()
        if self.mini:
            wanted |= _mini(names)
        if not wanted:
            raise ReleaseError("the release has no such rows", where=str(self), fix="ask for less at once")
        return [name for name in names if name in wanted]

    def __str__(self) -> str:
        """As a person asks for it."""
        asked = {"--suites": self.suites, "--tasks": self.tasks, "--buckets": self.buckets}
        words = [f"{option} {','.join(values)}" for option, values in asked.items() if values]
        return " ".join([*words, f"--split {self.split}", *(["--mini"] if self.mini else [])])

    def _is_narrow(self) -> bool:
        return bool(self.suites or self.tasks or self.buckets or self.split != PARTS[0])

    def _wants(self, rows: RowFile) -> bool:
        return (
            (not self.suites or rows.suite in self.suites)
            and (not self.tasks or bool({rows.task, f"{rows.suite}/{rows.task}"} & set(self.tasks)))
            and (not self.buckets or rows.bucket in self.buckets)
            and self.split in ("all", rows.part)
        )

    def _check_known(self, rows: Sequence[RowFile]) -> None:
        suites, buckets = {found.suite for found in rows}, {found.bucket for found in rows}
        tasks = {found.task for found in rows} | {f"{found.suite}/{found.task}" for found in rows}
        kinds = (("suite", self.suites, suites), ("task", self.tasks, tasks), ("bucket", self.buckets, buckets))
        for kind, asked, known in kinds:
            for name in asked:
                if name not in known:
                    plain = sorted(known, key=bucket_order) if kind == "bucket" else sorted(known)
                    raise ReleaseError(
                        f"no {kind} {name!r:.80} in this release", where=f"--{kind}s", fix=nearest(name, plain)
                    )


def words(text: str) -> tuple[str, ...]:
    """Names with commas between."""
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _mini(names: Iterable[str]) -> set[str]:
    found = {name for name in names if MINI.fullmatch(name)}
    if not found:
        raise ReleaseError("the release has no small set", where="--mini", fix="choose --tasks and --buckets")
    return found


def tasks_without_rows(choice: Selection, names: Iterable[str]) -> Iterator[str]:
    """One line per task that was asked for by name and has nothing in the buckets and split asked for."""
    wanted = [found for name in names if (found := row_file(name))]
    for task in choice.tasks:
        if not any(task in (found.task, f"{found.suite}/{found.task}") for found in wanted):
            yield f"{task} has no rows in the buckets and split asked for"
