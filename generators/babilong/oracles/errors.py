"""The error of all oracle parts."""

from __future__ import annotations

from functools import partial

from haymaker.core.errors import BuildError


class OracleError(BuildError):
    """The text does not decide its question.

    Args:
        what: what is missing or in conflict.
        where: task, or place in the prompt.
        fix: the next thing to do.
        ambiguous: True when a best guess exists and `strict` forbade it; False when there is no answer at all.
    """

    def __init__(self, what: str, *, where: str = "", fix: str = "", ambiguous: bool = False) -> None:
        super().__init__(what, where=where, fix=fix)
        self.ambiguous = ambiguous

    def __reduce__(self) -> tuple[object, ...]:
        return partial(OracleError, self.what, where=self.where, fix=self.fix, ambiguous=self.ambiguous), ()
