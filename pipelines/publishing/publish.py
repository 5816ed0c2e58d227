"""`haymaker publish`: print the plan; with --yes, send the files, verify them and mark the version."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from haymaker.core.errors import HaymakerError, ParamsError, ReleaseError
from haymaker.core.files.disk import locked, read_json, sha256_file, write_json
from haymaker.core.params import nearest
from haymaker.core.progress import out, say
from haymaker.releases import manifest
from haymaker.releases.folder import release_folder
from haymaker.releases.pulled import folders, ref
from haymaker.releases.remote.hf_errors import token
from pipelines.publishing import print_plan, publish_plan, upload
from pipelines.publishing.card import licences
from pipelines.publishing.open_publisher import open_publisher
from pipelines.publishing.publisher import Publisher, RemoteState
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
        permissive: exclude tasks built from other restricted sources.
        yes: publish; otherwise only print the plan.
    """

    repo: str
    release: str | None = None
    public: bool = False
    allow: tuple[str, ...] = ()
    permissive: bool = False
    yes: bool = False

    @property
    def command(self) -> str:
        """The command line that publishes with these options."""
        words = ["haymaker", "publish", self.repo]
        words += ["--release", self.release] if self.release else []
        words += ["--public"] * self.public + [word for name in self.allow for word in ("--allow", name)]
        return shlex.join([*words, *["--permissive"] * self.permissive, "--yes"])


def publish(options: PublishOptions) -> None:
    """Publish a release, or print the plan.

    Raises:
        HaymakerError: publishing is not allowed or failed; the version is then not published.
    """
    place = open_publisher(_address(options.repo))
    folder = release_folder(options.release)
    manifest.verify(folder)
    said = read_json(folder / manifest.MANIFEST)
    check_verified(said, str(folder))
    said, refused = _permitted(options, said)
    work = folders.work_folder()
    with locked(work / "publish", owner=f"haymaker publish {place.address}"), place.session():
        place.check_writer(public=options.public)
        staged = stage(said, folder, place.address_in_texts(said), work / "publish" / said["name"], _private())
        remote = place.read_state(said["version"])
        if not refused and publish_plan.is_published(staged, remote):
            named = f"{place.address} {ref.tag(said['version'])}"
            out.print(f"{named} is already published: every file is there, nothing was sent")
        else:
            _do(options, place, staged, remote, refused)
        if options.yes:
            _record(work / RECORD, staged, place.address, sha256_file(folder / manifest.MANIFEST))


def _do(
    options: PublishOptions, place: Publisher, staged: ReleaseFiles, remote: RemoteState, refused: list[HaymakerError]
) -> None:
    steps = publish_plan.steps(staged, remote)
    refused = [*refused, *publish_plan.refusals(place, staged, remote, public=options.public)]
    print_plan.show(place, staged, remote, steps, refused, public=options.public)
    if refused:
        raise refused[0]
    if not options.yes:
        out.print(f"Nothing was sent. Next: {options.command}")
        return
    revision = upload.upload(place, staged, remote, steps, public=options.public)
    upload.verify(place, staged, revision)
    place.mark_version(staged, revision)
    print_plan.done(place, staged)


def _address(text: str) -> str:
    found = ref.parse_reference(text, "haymaker publish")
    if found.version:
        fix = f"haymaker publish {found.repo}"
        raise ParamsError("the version is that of the release (release.version)", where=text, fix=fix)
    return found.repo


def _permitted(options: PublishOptions, said: dict[str, Any]) -> tuple[dict[str, Any], list[HaymakerError]]:
    """Return the manifest of the publishable tasks, and errors for sources that block publication."""
    for name in options.allow:
        if name not in said["sources"]:
            raise ParamsError(
                f"no source {name!r} in this release", where="--allow", fix=nearest(name, said["sources"])
            )
    restricted = {name: why for name, why in licences.restricted(said).items() if name not in options.allow}
    if options.permissive and restricted:
        for name, why in restricted.items():
            say(f"left out: what is made of {name} ({why})")
        return licences.without(said, set(restricted)), []
    fix = "haymaker publish --allow {0} if you may, or --permissive to leave it out"
    return said, [ReleaseError(why, where=f"source {name}", fix=fix.format(name)) for name, why in restricted.items()]


def _private() -> tuple[str, ...]:
    """Return the strings that no published text may contain: the token and local folders."""
    folders = {f"{place}/" for place in (Path.cwd(), Path.home()) if len(place.parts) > 1}
    return tuple(text for text in (token(), *sorted(folders)) if text)


def _record(path: Path, staged: ReleaseFiles, repo: str, checksum: str) -> None:
    """Record address and version of a published release, for `haymaker releases`."""
    known = read_json(path) if path.is_file() else {}
    entry = {"repo": repo, "version": staged.manifest["version"], "manifest": checksum}
    write_json(path, known | {staged.manifest["name"]: entry})
