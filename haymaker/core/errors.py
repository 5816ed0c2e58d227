"""Errors that a user can fix, as one class tree.

HaymakerError            printed as one line, exit status 2, no traceback
+-- CheckFailed          a check found something wrong; exit status 1
+-- ParamsError          parameter file: unknown key, bad length, bad YAML
+-- SourceError          raw files: missing, truncated, wrong checksum or structure
|   +-- UnavailableError     gated, withdrawn or missing; running again does not help
+-- CorpusError          prepared text store: empty, too small, corrupt
+-- TokenizerError       tokenizer: unknown, missing offline, not additive
+-- BuildError           row that cannot be built as requested
+-- ReleaseError         release files: missing, changed, failing a check
+-- HubError             Hub or remote store: refused, missing, unreachable, or content differs from the upload
+-- EnvironmentProblem   disk, permissions, locks, programs
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from haymaker.core.text.strings import visible


class HaymakerError(Exception):
    """Error that the user can fix.

    Args:
        what: description of the problem, with the value that caused it.
        where: file, key, row or byte position; empty if there is none.
        fix: next step for the user, usually a command.

    Attributes:
        exit_status: exit status of a command that ends with this error.
    """

    exit_status = 2

    def __init__(self, what: str, *, where: str = "", fix: str = "") -> None:
        self.what, self.where, self.fix = what, where, fix
        super().__init__(what, where, fix)

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        text = f"{place}{self.what}"
        if self.fix:
            text = f"{text.rstrip('.')}. Next: {self.fix}"
        return visible(" ".join(text.split()))

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.what, self.where, self.fix)


def _rebuild(kind: type[HaymakerError], what: str, where: str, fix: str) -> HaymakerError:
    """Recreate an error that a worker process raised."""
    return kind(what, where=where, fix=fix)


class CheckFailed(HaymakerError):
    """A command that checks something (validate, doctor, sources verify, sources check) found something wrong."""

    exit_status = 1

    @classmethod
    @contextmanager
    def instead_of(cls, *kinds: type[HaymakerError]) -> Iterator[None]:
        """Raise errors of these kinds as a failed check."""
        try:
            yield
        except kinds as error:
            raise cls(error.what, where=error.where, fix=error.fix) from error


class ParamsError(HaymakerError):
    """A parameter file is invalid."""


class SourceError(HaymakerError):
    """Raw files are missing, incomplete or have the wrong structure."""


class UnavailableError(SourceError):
    """Raw files are unavailable: refused, withdrawn, not in the mirror or not provided. Retrying does not help."""


class CorpusError(HaymakerError):
    """A prepared text store is empty, too small or corrupt."""


class TokenizerError(HaymakerError):
    """A tokenizer is unknown, unavailable, or breaks the counting rule."""


class BuildError(HaymakerError):
    """A row cannot be built as requested."""


class ReleaseError(HaymakerError):
    """Files of a finished release are missing, changed or fail a check."""


class HubError(HaymakerError):
    """The Hugging Face Hub or a store refuses, lacks the file, is unreachable, or holds other content than was sent."""


class EnvironmentProblem(HaymakerError):
    """Problem of the machine: disk, permissions, locks, missing programs."""
