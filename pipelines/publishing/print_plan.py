"""Print the plan and the result of publishing."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table as Grid

from haymaker.core.errors import HaymakerError
from haymaker.core.progress import megabytes, out
from haymaker.releases.configs import configs
from haymaker.releases.pulled.ref import is_address, tag
from haymaker.releases.remote.backend import Backend, RemoteState
from pipelines.publishing.publish_plan import UploadPlan, changes, limits
from pipelines.publishing.release_files import ReleaseFiles

_MOST_TASKS = 40


def print_plan(
    place: Backend, staged: ReleaseFiles, remote: RemoteState, plan: UploadPlan, refused: Sequence[HaymakerError]
) -> None:
    """Print files, destination, licences and changes, and anything that blocks publication."""
    facts, size = staged.manifest, sum(local.size for local in staged.files.values())
    verification, uploaded = facts["verification"], sum(staged.files[name].size for name in plan.uploaded)
    out.print(f"{facts['name']} {facts['version']} -> {place.address} {tag(facts['version'])}")
    out.print(f"  {_state(place, remote)}")
    out.print(f"  {len(staged.files):,} files, {megabytes(size)}")
    out.print(f"  {verification['rows']:,} rows, {verification['tokens']:,} tokens, all checked")
    out.print(f"  preview: {staged.folder}")
    out.print(_licences(staged))
    _print_changes(staged, remote)
    out.print(f"to upload: {len(plan.uploaded):,} files, {megabytes(uploaded)}; to remove: {len(plan.removed):,} files")
    used = f"{megabytes(remote.used + uploaded)} ({megabytes(remote.used)} now; old versions stay)"
    out.print(f"storage afterwards: about {used}")
    for what, n, most in [] if is_address(place.address) else limits(staged):
        out.print(f"  {what}: {n:,} (limit of the Hub: {most:,}{', exceeded' if n > most else ''})")
    for error in refused:
        out.print(f"refused: {error}")


def print_result(place: Backend, staged: ReleaseFiles) -> None:
    """Print that the version is published, and how to load it."""
    version = staged.manifest["version"]
    out.print(f"{place.address} {tag(version)} is published: {len(staged.files):,} files, all compared")
    out.print(f"Next: haymaker pull {place.address}@{version}")
    if not is_address(place.address):
        config = configs(staged.manifest)[0].name
        out.print(f"  or load_dataset('{place.address}', '{config}', revision='{tag(version)}')")


def _state(place: Backend, remote: RemoteState) -> str:
    version = f"newest version: {remote.newest or 'none'}" if remote.exists else "new"
    if is_address(place.address):
        return version
    if remote.exists and remote.private and place.public:
        return f"{version}, private (you can change this in its settings on the Hub)"
    is_private = remote.private if remote.exists else not place.public
    return f"{version}, {'private' if is_private else 'public'}"


def _licences(staged: ReleaseFiles) -> Grid:
    grid = Grid(box=None, padding=(0, 2, 0, 0))
    for name in ("source", "title", "licence"):
        grid.add_column(name)
    for name, source in staged.manifest["sources"].items():
        grid.add_row(name, source["title"], source["licence"])
    return grid


def _print_changes(staged: ReleaseFiles, remote: RemoteState) -> None:
    if not remote.newest:
        out.print("changes: all files are new (first version)")
        return
    found = changes(staged, remote)
    out.print(f"changes since {remote.newest}:" + ("" if found else " no rows changed"))
    for task, (new, changed, gone) in list(found.items())[:_MOST_TASKS]:
        out.print(f"  {task}: {new} new, {changed} changed, {gone} gone")
    if len(found) > _MOST_TASKS:
        out.print(f"  ... and {len(found) - _MOST_TASKS} more tasks")
