"""What publishing would do or did, as a person reads it."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table as Grid

from haymaker.errors import HaymakerError
from pipelines.card.configs import configs
from pipelines.hub.plan import Step, changes, limits
from pipelines.hub.remote import Remote
from pipelines.hub.staged import Staged
from pipelines.progress import out
from pipelines.reference import tag

_MOST_TASKS = 40


def show(
    staged: Staged, remote: Remote, steps: Sequence[Step], refused: Sequence[HaymakerError], *, public: bool
) -> None:
    """Print what would be sent, where, under which terms, and what stands against it."""
    said, size = staged.said, sum(local.size for local in staged.files.values())
    proof = said["proof"]
    out.print(f"{said['name']} {said['version']} -> {remote.repo} {tag(said['version'])}")
    out.print(f"  {_place(remote, public=public)}")
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
        f"to send: {len(sent):,} files, {megabytes(cost)}; to remove: {removed:,}; commits: {len(steps)}, then the tag"
    )
    kind = "private" if (remote.private if remote.head else not public) else "public"
    out.print(
        f"{kind} storage afterwards: about {megabytes(remote.used + cost)} ({megabytes(remote.used)} now; old versions stay)"
    )
    out.print("the Hub's viewer takes:")
    for what, count, most in limits(staged):
        over = "   more than it shows" if count > most else ""
        out.print(f"  {what}: {count:,} of {most:,}{over}")
    for error in refused:
        out.print(f"refused: {error}")


def done(staged: Staged, repo: str) -> None:
    """Say that it is published, and how to read it."""
    version = staged.said["version"]
    config = configs(staged.said)[0]
    out.print(f"{repo} {tag(version)} is published: {len(staged.files):,} files, each verified, then tagged")
    out.print(
        f"Next: load_dataset('{repo}', '{config.name}', revision='{tag(version)}')    or: haymaker pull {repo}@{version}"
    )


def megabytes(size: int) -> str:
    """'18.2 MB', '1,204.0 MB'; below a megabyte in kB."""
    return f"{size / 1e6:,.1f} MB" if size >= 1_000_000 else f"{size / 1e3:,.1f} kB"


def _place(remote: Remote, *, public: bool) -> str:
    if not remote.head:
        return "a new repository, " + ("public" if public else "private (--public makes it readable for everybody)")
    versions = f"newest version {remote.newest}" if remote.newest else "no version yet"
    if remote.private and public:
        return f"the repository is private and stays so (its settings on the Hub change that); {versions}"
    return f"the repository is {'private' if remote.private else 'public'}; {versions}"


def _licences(staged: Staged) -> Grid:
    grid = Grid(box=None, padding=(0, 2, 0, 0))
    for name in ("source", "what", "licence"):
        grid.add_column(name)
    for name, source in staged.said["sources"].items():
        grid.add_row(name, source["title"], source["licence"])
    return grid


def _changes(staged: Staged, remote: Remote) -> None:
    if not remote.newest:
        out.print("changes: everything is new, no version is published yet")
        return
    found = changes(staged, remote)
    out.print(f"changes since {remote.newest}:" + ("" if found else " none in the rows"))
    for task, change in list(found.items())[:_MOST_TASKS]:
        out.print(f"  {task}: {change.new} new, {change.changed} changed, {change.gone} gone")
    if len(found) > _MOST_TASKS:
        out.print(f"  ... and {len(found) - _MOST_TASKS} more tasks")
