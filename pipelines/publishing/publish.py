"""`haymaker publish`: look, say what would be done, and only then send, verify and tag."""

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
    """What a person asked for.

    Attributes:
        repo: ORG/NAME, or the address of a folder of a store.
        release: folder or name; None: the active one.
        public: readable for everybody.
        allow: sources that may be published although their terms restrict it.
        permissive: leave out what other restricted sources are in.
        yes: do it; else say what would be done.
    """

    repo: str
    release: str | None = None
    public: bool = False
    allow: tuple[str, ...] = ()
    permissive: bool = False
    yes: bool = False

    @property
    def command(self) -> str:
        """The command that does it."""
        words = ["haymaker", "publish", self.repo]
        words += ["--release", self.release] if self.release else []
        words += ["--public"] * self.public + [word for name in self.allow for word in ("--allow", name)]
        return shlex.join([*words, *["--permissive"] * self.permissive, "--yes"])


def publish(wish: PublishOptions) -> None:
    """Publish a release, or say what that would do.

    Raises:
        HaymakerError: why it may not or could not be done; nothing is published then.
    """
    place = open_publisher(_address(wish.repo))
    folder = release_folder(wish.release)
    manifest.verify(folder)
    said = read_json(folder / manifest.MANIFEST)
    check_verified(said, str(folder))
    said, refused = _permitted(wish, said)
    work = folders.work_folder()
    with locked(work / "publish", owner=f"haymaker publish {place.address}"), place.session():
        place.check_writer(public=wish.public)
        staged = stage(said, folder, place.address_in(said), work / "publish" / said["name"], _private())
        there = place.look(said["version"])
        if not refused and publish_plan.is_published(staged, there):
            named = f"{place.address} {ref.tag(said['version'])}"
            out.print(f"{named} is already published: every file is there, nothing was sent")
        else:
            _do(wish, place, staged, there, refused)
        if wish.yes:
            _record(work / RECORD, staged, place.address, sha256_file(folder / manifest.MANIFEST))


def _do(
    wish: PublishOptions, place: Publisher, staged: ReleaseFiles, there: RemoteState, refused: list[HaymakerError]
) -> None:
    steps = publish_plan.steps(staged, there)
    refused = [*refused, *publish_plan.refusals(place, staged, there, public=wish.public)]
    print_plan.show(place, staged, there, steps, refused, public=wish.public)
    if refused:
        raise refused[0]
    if not wish.yes:
        out.print(f"Nothing was sent. Next: {wish.command}")
        return
    revision = upload.upload(place, staged, there, steps, public=wish.public)
    upload.verify(place, staged, revision)
    place.mark(staged, revision)
    print_plan.done(place, staged)


def _address(text: str) -> str:
    found = ref.parse_reference(text, "haymaker publish")
    if found.version:
        fix = f"haymaker publish {found.repo}"
        raise ParamsError("the version is that of the release (release.version)", where=text, fix=fix)
    return found.repo


def _permitted(wish: PublishOptions, said: dict[str, Any]) -> tuple[dict[str, Any], list[HaymakerError]]:
    """The manifest of what may be published, and what is in the way."""
    for name in wish.allow:
        if name not in said["sources"]:
            raise ParamsError(
                f"no source {name!r} in this release", where="--allow", fix=nearest(name, said["sources"])
            )
    restricted = {name: why for name, why in licences.restricted(said).items() if name not in wish.allow}
    if wish.permissive and restricted:
        for name, why in restricted.items():
            say(f"left out: what is made of {name} ({why})")
        return licences.without(said, set(restricted)), []
    fix = "haymaker publish --allow {0} if you may, or --permissive to leave it out"
    return said, [ReleaseError(why, where=f"source {name}", fix=fix.format(name)) for name, why in restricted.items()]


def _private() -> tuple[str, ...]:
    """What no published text may hold."""
    folders = {f"{place}/" for place in (Path.cwd(), Path.home()) if len(place.parts) > 1}
    return tuple(text for text in (token(), *sorted(folders)) if text)


def _record(path: Path, staged: ReleaseFiles, repo: str, checksum: str) -> None:
    """Note which release was published as what; `haymaker releases` tells."""
    known = read_json(path) if path.is_file() else {}
    entry = {"repo": repo, "version": staged.said["version"], "manifest": checksum}
    write_json(path, known | {staged.said["name"]: entry})
