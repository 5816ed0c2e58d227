"""Upload a release in consecutive batches, and verify the result before the version is marked."""

from __future__ import annotations

from haymaker.core.errors import HubError
from haymaker.core.progress import Progress
from haymaker.releases.manifest import MANIFEST
from pipelines.publishing.publisher import Publisher, RemoteState, UploadBatch, changed_files, foreign_files
from pipelines.publishing.release_files import ReleaseFiles

_AGAIN = "the same command again sends what differs; the version is not published"


def upload(
    place: Publisher, staged: ReleaseFiles, remote: RemoteState, steps: list[UploadBatch], *, public: bool
) -> str:
    """Upload the batches.

    Returns:
        the revision that contains all files.

    Raises:
        HubError: access refused, no connection, or the location changed since `remote` was read.
    """
    head = place.start(remote, public=public)
    cost = {step: sum(staged.files[name].size for name in step.sent) for step in steps}
    with Progress("publish", total=sum(cost.values()), shards=len(steps), unit="B", parts="steps") as progress:
        for step in steps:
            head = place.write(staged, step, head)
            progress.advance(cost[step])
    return head


def verify(place: Publisher, staged: ReleaseFiles, revision: str) -> None:
    """Check that a revision contains exactly the sent files; if it includes the manifest, read that back too.

    Raises:
        HubError: a file differs, is missing or was not sent; the message names the first one.
    """
    held = place.listing(revision)
    wanted = {name: local for name, local in staged.files.items() if name not in place.last}
    if wrong := changed_files(wanted, held):
        what = f"{place.title} holds other bytes than were sent" if wrong[0] in held else "did not arrive"
        raise HubError(what, where=f"{place.address} {wrong[0]}", fix=_AGAIN)
    if extra := foreign_files(wanted, held):
        raise HubError("was not sent, and is there", where=f"{place.address} {extra[0]}", fix=_AGAIN)
    if MANIFEST in wanted and place.read(MANIFEST, revision) != staged.files[MANIFEST].path.read_bytes():
        raise HubError(
            f"{place.title} gives other bytes than were sent", where=f"{place.address} {MANIFEST}", fix=_AGAIN
        )
