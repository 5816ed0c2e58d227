"""`haymaker publish`: print the plan; with --yes, send the files, verify them and mark the version."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from haymaker.core.errors import HaymakerError, HubError, ParamsError, ReleaseError
from haymaker.core.files.disk import locked, read_json, sha256_file, write_json
from haymaker.core.params import nearest
from haymaker.core.progress import out, say
from haymaker.releases import manifest
from haymaker.releases.folder import BUILT, release_folder
from haymaker.releases.pulled import folders, ref
from haymaker.releases.remote.backend import Backend, RemoteState
from haymaker.releases.remote.hub_errors import token
from haymaker.releases.remote.open_backend import open_backend
from pipelines.publishing import publish_plan
from pipelines.publishing.card import licences
from pipelines.publishing.print_plan import print_plan, print_result
from pipelines.publishing.release_files import ReleaseFiles, check_verified, stage

RECORD = "published.json"


@dataclass(frozen=True, slots=True)
class PublishOptions:
    """Options of `haymaker publish`.

    Attributes:
        repo: ORG/NAME, or the address of a folder of a store.
        release: folder or name; None: the active release.
        public: make a new repository public.
        allow: sources that the user may publish despite restrictive terms.
        exclude_restricted: exclude tasks built from other restricted sources.
        yes: publish; otherwise only print the plan.
    """

    repo: str
    release: str | None = None
    public: bool = False
    allow: tuple[str, ...] = ()
    exclude_restricted: bool = False
    yes: bool = False

    @property
    def command(self) -> str:
        """The command line that publishes with these options."""
        words = ["haymaker", "publish", self.repo]
        words += ["--release", self.release] if self.release else []
        words += ["--public"] * self.public + [word for name in self.allow for word in ("--allow", name)]
        return shlex.join([*words, *["--exclude-restricted"] * self.exclude_restricted, "--yes"])


def publish(options: PublishOptions) -> None:
    """Publish a release, or print the plan.

    Raises:
        HaymakerError: publishing is not allowed or failed; the version is then not published.
    """
    place = open_backend(_address(options.repo), public=options.public)
    folder = release_folder(options.release)
    manifest.verify(folder)
    facts = read_json(folder / manifest.MANIFEST)
    check_verified(facts, str(folder))
    facts, refused = _permitted(options, facts)
    work = folders.work_folder()
    with locked(work / "publish", owner=f"haymaker publish {place.address}"):
        place.check_writer()
        is_store = ref.is_address(place.address)  # a store can move, so its texts contain no address
        address = (BUILT / str(facts["name"])).as_posix() if is_store else place.address
        staged = stage(facts, folder, address, work / "publish" / facts["name"], _private())
        remote = place.read_state(facts["version"])
        if not refused and publish_plan.is_published(staged, remote):
            named = f"{place.address} {ref.tag(facts['version'])}"
            out.print(f"{named} is already published with the same files; nothing was uploaded")
        else:
            _publish(options, place, staged, remote, refused)
        if options.yes:
            _record(work / RECORD, staged, place.address, sha256_file(folder / manifest.MANIFEST))


def _publish(
    options: PublishOptions, place: Backend, staged: ReleaseFiles, remote: RemoteState, refused: list[HaymakerError]
) -> None:
    plan = publish_plan.upload_plan(staged, remote)
    refused = [*refused, *publish_plan.refusals(place, staged, remote)]
    print_plan(place, staged, remote, plan, refused)
    if refused:
        raise refused[0]
    if not options.yes:
        out.print(f"Nothing was uploaded. Next: {options.command}")
        return
    revision = _upload(place, staged, remote.head, plan)
    _check_uploaded(place, staged, revision)
    place.mark_version(staged.folder, str(staged.manifest["version"]), revision)
    print_result(place, staged)


def _upload(place: Backend, staged: ReleaseFiles, revision: str, plan: publish_plan.UploadPlan) -> str:
    """Upload the files that differ, and return the revision that contains all files except `place.last`."""
    title = f"{staged.manifest['name']} {staged.manifest['version']}"
    texts = [name for name in plan.texts if name not in place.last]
    if plan.rows:
        revision = place.upload(staged.folder, plan.rows, (), f"{title}: rows", revision)
    if texts or plan.removed:
        revision = place.upload(staged.folder, texts, plan.removed, f"{title}: card and manifest", revision)
    return revision


def _check_uploaded(place: Backend, staged: ReleaseFiles, revision: str) -> None:
    """Check that a revision contains exactly the release; the error names the first wrong file."""
    held = place.listing(revision)
    wanted = {name: local for name, local in staged.files.items() if name not in place.last}
    wrong = {
        name: "has other bytes than the release" if name in held else "is missing after the upload"
        for name in publish_plan.changed_files(wanted, held)
    }
    wrong |= dict.fromkeys(publish_plan.foreign_files(wanted, held), "was added by someone else")
    for name, what in wrong.items():
        fix = "run the same command again to upload the differences; the version is not published"
        raise HubError(f"{name} {what}", where=place.address, fix=fix)


def _address(text: str) -> str:
    found = ref.parse_reference(text, "haymaker publish")
    if found.version:
        fix = f"haymaker publish {found.repo}"
        raise ParamsError("omit the version: release.version is published", where=text, fix=fix)
    return found.repo


def _permitted(options: PublishOptions, facts: dict[str, Any]) -> tuple[dict[str, Any], list[HaymakerError]]:
    """Return the manifest of the publishable tasks, and errors for sources that block publication."""
    for name in options.allow:
        if name not in facts["sources"]:
            raise ParamsError(
                f"no source {name!r} in this release", where="--allow", fix=nearest(name, facts["sources"])
            )
    restricted = {name: why for name, why in licences.restricted(facts).items() if name not in options.allow}
    if options.exclude_restricted and restricted:
        for name, why in restricted.items():
            say(f"excluded: tasks built from {name} ({why})")
        return licences.without(facts, set(restricted)), []
    fix = "haymaker publish --allow {0} if you have permission, or --exclude-restricted to exclude it"
    return facts, [ReleaseError(why, where=f"source {name}", fix=fix.format(name)) for name, why in restricted.items()]


def _private() -> tuple[str, ...]:
    """Return the strings that no published text may contain: the token and local folders."""
    folders = {f"{place}/" for place in (Path.cwd(), Path.home()) if len(place.parts) > 1}
    return tuple(text for text in (token(), *sorted(folders)) if text)


def _record(path: Path, staged: ReleaseFiles, repo: str, checksum: str) -> None:
    """Record address and version of a published release, for `haymaker releases`."""
    known = read_json(path) if path.is_file() else {}
    entry = {"repo": repo, "version": staged.manifest["version"], "manifest": checksum}
    write_json(path, known | {staged.manifest["name"]: entry})
