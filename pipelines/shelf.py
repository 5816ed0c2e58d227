"""Releases side by side in one project: what is kept of each while another is built.

`data/releases/NAME` and `data/reports/NAME` are of one release alone; prepared inputs have one place for all of them, and dvc.lock notes
one release. So dvc.lock of each is kept in data/work/releases/NAME/, and when the parameters name another release than dvc.lock does, that
release's own is put back byte for byte, and with it, out of DVC's cache, the inputs that differ. All of it is looked at once more, byte by
byte, by the run that asked for it: whatever a kill, a plain `dvc repro` or an edit left, that run mends.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping

from haymaker.errors import HaymakerError
from haymaker.files import read_json, remove, written
from pipelines import dvc_program, hashes, lockfile
from pipelines.graph import PARAMS
from pipelines.lockfile import Entry, Output
from pipelines.progress import say
from pipelines.project import Project

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,59}")
_OF_RELEASES = ("data/releases/", "data/reports/")


def keep(project: Project) -> None:
    """Keep dvc.lock beside those of other releases, under the name of the release that it notes; nothing where it notes none."""
    name = noted(_read(project, lockfile.NAME))
    place, text = project.root / _kept(project, name), project.root / lockfile.NAME
    if name and not (place.is_file() and place.read_bytes() == text.read_bytes()):
        with written(place) as temporary:
            temporary.write_bytes(text.read_bytes())


def switch(project: Project) -> None:
    """Where dvc.lock notes another release than the parameters name: keep it, and bring back what is known of theirs.

    Of a release that was never here, the stages that both have in common stay noted.
    """
    now, name = _read(project, lockfile.NAME), project.params.release.name
    if noted(now) == name:
        return
    kept = _kept(project, name)
    then = _read(project, kept)
    if not (now or then):
        return
    keep(project)
    if not then:
        lockfile.tidy(project, without=[each for each in now if not _is_of(project, each, now[each])])
        return
    say(f"dvc.lock and inputs of {name} are put back")
    for place in _replaced(project, now, then):
        remove(project.root / place)  # or it would be taken for damage
    with written(project.root / lockfile.NAME) as temporary:
        temporary.write_bytes((project.root / kept).read_bytes())
    missing = [out.path for out in _outs(then) if not (project.root / out.path).exists()]
    if missing:
        dvc_program.checkout(project)
    if any(place.startswith(_OF_RELEASES) for place in missing):
        unlist(project)


def clear_others(project: Project, looked: hashes.Looked) -> None:
    """Remove what is another release's, as `git checkout` of params.yaml and dvc.lock leaves it: that is no damage."""
    outs = [
        out for name, entry in _read(project, lockfile.NAME).items() if name in project.stages for out in entry.outs
    ]
    looked.warm(outs)
    wrong = {out.path for out in outs if not looked.holds(out)}
    kept = (project.work / "releases").glob(f"*/{lockfile.NAME}") if wrong else ()
    others = [out for place in kept for out in _outs(_read(project, project.name_of(place)))]
    left = {out.path for out in others if out.path in wrong and looked.listing(out) and looked.holds(out)}
    if left:
        say(f"{len(left)} inputs are another release's: those of {project.params.release.name} are put back")
    for place in left:
        remove(project.root / place)


def say_replaced(project: Project) -> None:
    """One line before a build takes the place of one of the same name and version that other parameters made."""
    place, release = project.release / "manifest.json", project.params.release
    entries = _read(project, lockfile.NAME)
    if noted(entries) != release.name or not place.is_file():
        return
    with contextlib.suppress(HaymakerError):  # damaged: it is built again anyway
        same = read_json(place, "version")["version"] == release.version
        if same and any(name in entries and not _is_of(project, name, entries[name]) for name in project.stages):
            say(f"{release.name} {release.version} is here already, of other parameters or code: it is replaced "
                "(another release.version tells them apart, another release.name keeps both)")  # fmt: skip


def unlist(project: Project) -> None:
    """Take folders of releases out of DVC's list of what it put into the project.

    `dvc checkout` and `dvc pull` remove whatever stands in that list and not in dvc.lock: every release but one.
    """
    from dvc.repo import Repo

    with Repo(str(project.root)) as repo, contextlib.suppress(AttributeError), repo.state.links as listed:
        for place in [place for place in listed if place.startswith(_OF_RELEASES)]:
            del listed[place]


def noted(entries: Mapping[str, Entry]) -> str:
    """Name of the release that a dvc.lock notes; empty where it has no card of one."""
    with contextlib.suppress(KeyError, TypeError):
        name = str(entries["card"].values[PARAMS]["release"]["name"])
        return name if _NAME.fullmatch(name) else ""
    return ""


def _kept(project: Project, name: str) -> str:
    return project.name_of(project.work / "releases" / name / lockfile.NAME)


def _read(project: Project, name: str) -> dict[str, Entry]:
    """What a file notes; nothing where it is missing or damaged: the run makes it anew then."""
    with contextlib.suppress(HaymakerError):
        return lockfile.read(project, name)
    return {}


def _is_of(project: Project, name: str, entry: Entry) -> bool:
    return name in project.stages and entry.is_of(project.stages[name])


def _replaced(project: Project, now: Mapping[str, Entry], then: Mapping[str, Entry]) -> Iterator[str]:
    """Outputs where the one release has left other bytes than the other one had there."""
    here = {out.path: out.md5 for out in _outs(now)}
    declared = {path for stage in project.stages.values() for path in stage.outs}
    for out in _outs(then):
        if out.path in declared and here.get(out.path, out.md5) != out.md5:
            yield out.path


def _outs(entries: Mapping[str, Entry]) -> Iterator[Output]:
    for entry in entries.values():
        yield from entry.outs
