"""What shots to learn from and shots to count have in common: groups, their rows, where their material ends."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator

from corpora.records import Part
from generators.helmet.shots.params import TaskPlan
from generators.helmet.shots.rows import ShotWriter
from generators.helmet.shots.stock import Stock
from generators.rows import RowWriter
from generators.task import Table
from haymaker.sample import Sample

SEAMS = 16  # tokens that seams may cost a row, and more


class Family(ABC):
    """How the rows of a task are made.

    Args:
        plan: the task entry.
        stock: its set.
        writer: counts and writes rows.
    """

    def __init__(self, plan: TaskPlan, stock: Stock, writer: RowWriter) -> None:
        self.plan, self.stock, self.writer = plan, stock, ShotWriter(stock, writer, plan.variant)
        self.reserved = writer.release.reserved_template_tokens + writer.info.max_new_tokens

    @abstractmethod
    def groups(self, part: Part) -> Iterator[int]:
        """What can be asked, in the release's order."""

    @abstractmethod
    def group_id(self, part: Part, group: int) -> str:
        """Name of a group in every row that asks it."""

    @abstractmethod
    def short_of(self, table: Table, group: int) -> str:
        """Why a group makes no row of a bucket that the texts do fill; empty when it does."""

    @abstractmethod
    def row(self, table: Table, group: int) -> Sample:
        """The row of a group.

        Raises:
            BuildError: the bucket is too long or too short for it.
        """

    @abstractmethod
    def limit(self) -> int | None:
        """Tokens that every group reaches; None where nothing ends them."""
