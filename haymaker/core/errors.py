"""Every mistake a person can make, as one tree.

HaymakerError            one clear line, exit status 2, never a traceback
+-- ParamsError          a parameter file: unknown key, bad bucket, bad YAML
+-- SourceError          raw files: missing, truncated, wrong checksum, wrong shape
|   +-- UnavailableError     not for us: gated, withdrawn, not here; running again does not help
+-- CorpusError          a prepared text store: empty, too small, corrupt
+-- TokenizerError       a tokenizer: unknown, missing offline, not additive
+-- BuildError           a row that cannot be built as asked
+-- ReleaseError         finished files: missing, changed, failing a check
+-- HubError             where releases are published: refused, not there, out of reach, or not what we sent
+-- EnvironmentProblem   disk, permissions, locks, programs
"""

from __future__ import annotations

from haymaker.core.text.strings import visible


class HaymakerError(Exception):
    """A mistake the user can mend.

    Args:
        what: what is wrong, naming the value that was met.
        where: file, key, row or byte where it was met; empty when there is no such place.
        fix: the next thing to do, usually a command.
    """

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
    """Unpickle in the parent what a worker process raised."""
    return kind(what, where=where, fix=fix)


class ParamsError(HaymakerError):
    """A parameter file is wrong."""


class SourceError(HaymakerError):
    """Raw files are missing, incomplete or not of the shape they must have."""


class UnavailableError(SourceError):
    """Raw files cannot be had: refused, withdrawn, not in the mirror, not given. Neither the network nor this program is at fault."""


class CorpusError(HaymakerError):
    """A prepared text store is empty, too small or corrupt."""


class TokenizerError(HaymakerError):
    """A tokenizer is unknown, not here, or breaks the counting rule."""


class BuildError(HaymakerError):
    """A row cannot be built as asked."""


class ReleaseError(HaymakerError):
    """Files of a finished release are missing, changed or fail a check."""


class HubError(HaymakerError):
    """The Hugging Face Hub, or a store, refuses, does not have it, cannot be reached, or holds something else than was sent."""


class EnvironmentProblem(HaymakerError):
    """The machine is in the way: disk, permissions, locks, missing programs."""
