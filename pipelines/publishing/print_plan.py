"""Print the plan and the result of publishing."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table as Grid

from haymaker.core.errors import HaymakerError
from haymaker.core.progress import megabytes, out
from haymaker.releases.configs import configs
from haymaker.releases.pulled.ref import tag
from pipelines.publishing.publish_plan import changes
from pipelines.publishing.publisher import Publisher, RemoteState, UploadBatch
from pipelines.publishing.release_files import ReleaseFiles

_MOST_TASKS = 40


def show(
    place: Publisher, staged: ReleaseFiles, remote: RemoteState, steps: Sequence[UploadBatch], refused: Sequence[HaymakerError], *, public: bool
) -> None:  # fmt: skip
    """Print files, destination, licences and changes, and anything that blocks publication."""
    facts, size = staged.manifest, sum(local.size for local in staged.files.values())
    proof = facts["proof"]
    out.print(f"{facts['name']} {facts['version']} -> {remote.repo} {tag(facts['version'])}")
    out.print(f"  {place.state_line(remote, public=public)}")
    out.print(
        f"  {len(staged.files):,} files, {megabytes(size)}; {proof['rows']:,} rows, {proof['tokens']:,} tokens, all proved"
    )
    out.print(f"  as it will stand there: {staged.folder}")
    out.print(_licences(staged))
    _changes(staged, remote)
    sent = [name for step in steps for name in step.sent]
    removed = sum(len(step.removed) for step in steps)
    cost = sum(staged.files[name].size for name in sent)
    out.print(
        f"to send: {len(sent):,} files, {megabytes(cost)}; to remove: {removed:,}; steps: {len(steps)}, then {place.sign}"
    )
    for line in place.cost_lines(staged, remote, cost, public=public):
        out.print(line)
    for error in refused:
        out.print(f"refused: {error}")


def done(place: Publisher, staged: ReleaseFiles) -> None:
    """Print that the version is published, and how to load it."""
    version = staged.manifest["version"]
    how, reading = place.result_lines(version, configs(staged.manifest)[0].name)
    out.print(f"{place.address} {tag(version)} is published: {len(staged.files):,} files, {how}")
    out.print(f"Next: {reading}")


def _licences(staged: ReleaseFiles) -> Grid:
    grid = Grid(box=None, padding=(0, 2, 0, 0))
    for name in ("source", "what", "licence"):
        grid.add_column(name)
    for name, source in staged.manifest["sources"].items():
        grid.add_row(name, source["title"], source["licence"])
    return grid


def _changes(staged: ReleaseFiles, remote: RemoteState) -> None:
    if not remote.newest:
        out.print("changes: everything is new, no version is published yet")
        return
    found = changes(staged, remote)
    out.print(f"changes since {remote.newest}:" + ("" if found else " none in the rows"))
    for task, change in list(found.items())[:_MOST_TASKS]:
        out.print(f"  {task}: {change.new} new, {change.changed} changed, {change.gone} gone")
    if len(found) > _MOST_TASKS:
        out.print(f"  ... and {len(found) - _MOST_TASKS} more tasks")
