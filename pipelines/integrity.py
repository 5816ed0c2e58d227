"""Are the files still what was recorded of them? Time and size, which DVC goes by, do not tell: every byte is hashed.

Two records are held against the files. `dvc.lock` knows the MD5 of every output; `haymaker run` and `haymaker validate`
look at all of them. SOURCE.json, meta.json and the receipts know the SHA-256 of what a stage reads; every stage looks at its
inputs, so that a plain `dvc repro`, or a stage run by hand, builds nothing upon damage either.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from generators.inputs import KINDS, Use
from haymaker.errors import CorpusError, ReleaseError, SourceError
from haymaker.files import read_json, remove, sha256_file
from pipelines import hashes, lockfile, records
from pipelines.graph import Stage, fingerprint
from pipelines.lockfile import Output
from pipelines.progress import say
from pipelines.project import Project

_NAMED = 8  # files of one output that are named; the rest is counted
_AGAIN = "haymaker run builds it again"
_PREPARED = ("data/prepared/", *(f"data/{kind.place.partition('/')[0]}/" for kind in KINDS.values()))


def unfinished(project: Project, looked: hashes.Looked) -> str:
    """What is left to do, the first of it; empty when every stage was run as it is declared, on what is here, and made what is here.

    Stricter than DVC, which goes by time and size. It is not asked then: to start it takes longer than to look at every byte.
    """
    entries = lockfile.read(project)
    for name, stage in project.stages.items():
        if name not in entries:
            return f"{name} has not run"
        if not entries[name].is_of(stage):
            return f"{name}: {_difference(entries[name], stage)}"
        for each in (*entries[name].deps, *entries[name].outs):
            if not looked.holds(each):
                return f"{each.path} is not what {name} noted"
    return ""


def mend(project: Project, looked: hashes.Looked) -> None:
    """Remove what is not as dvc.lock says, and damaged or false copies of it in DVC's cache: DVC then makes it anew.

    Raises:
        ReleaseError: dvc.lock is damaged.
    """
    entries = lockfile.read(project)
    entries = {name: entry for name, entry in entries.items() if name in project.stages}
    outputs = [output for entry in entries.values() for output in entry.outs]
    looked.warm(outputs)
    wrong = [output for output in outputs if not looked.holds(output)]
    _mend_bytes(project, looked, wrong)
    false = {
        name: entry for name, entry in entries.items() if records.noted(project, name) not in (None, entry.made_by)
    }
    for name in false:
        say(f"{name}: not made by the parameters that dvc.lock notes, building it again")
    if false:
        forget(project, false)


def is_cached(project: Project, looked: hashes.Looked) -> bool:
    """Whether something that is not here as dvc.lock says, of a stage that is as it was run, is in DVC's cache."""
    entries = lockfile.read(project)
    wanted = [entry for name, entry in entries.items() if name in project.stages and entry.is_of(project.stages[name])]
    absent = [out for entry in wanted for out in entry.outs if not looked.holds(out)]
    cache = hashes.cache_folder(project) if absent else project.root
    return any(hashes.cached(cache, out.md5).is_file() for out in absent)


def _mend_bytes(project: Project, looked: hashes.Looked, wrong: Sequence[Output]) -> None:
    cache = hashes.cache_folder(project) if wrong else project.root
    for output in wrong:
        here, listed = looked.listing(output), hashes.listed(output, cache)
        names = _differing(here, listed) or sorted(here)  # the same files: then the record itself is wrong
        changed = [name for name in names if name in here]
        for name in changed[:_NAMED]:
            ours = listed is None or name in listed
            what = "changed since it was built, building it again" if ours else "not what a stage made, removed"
            say(f"{_joined(output, name)}: {what}")
        if len(changed) > _NAMED:
            say(f"{output.path}: {len(changed) - _NAMED} more files changed since they were built")
        for name in changed:
            remove(project.root / _joined(output, name))
        listing = hashes.cached(cache, output.md5)
        if listed is None and listing.is_file():
            remove(listing)
            _sweep(looked, cache)  # which of its files are damaged nobody knows now, and DVC trusts what is read-only
        for md5 in {listed[name] for name in names if name in listed} if listed else ():
            if looked.md5(hashes.cached(cache, md5)) != md5:
                remove(hashes.cached(cache, md5))


def _sweep(looked: hashes.Looked, cache: Path) -> None:
    """Remove what DVC's cache holds under a false name."""
    for path in cache.glob("??/*"):
        if looked.md5(path) != f"{path.parent.name}{path.name}".removesuffix(".dir"):
            remove(path)


def forget(project: Project, false: Mapping[str, lockfile.Entry]) -> None:
    """Have stages run again: without their records, and without what DVC notes of them here and in its list of runs.

    From either it would bring back what they made.
    """
    for name in false:
        if place := records.path(project, name):
            remove(place)
    made = [out.md5.encode() for entry in false.values() for out in entry.outs]
    for run in hashes.runs_folder(project).glob("*/*/*"):
        if any(md5 in run.read_bytes() for md5 in made):
            run.unlink()
    lockfile.tidy(project, without=false)


def demand(project: Project) -> None:
    """Every stage was run by the parameters in force, and what it made is as dvc.lock says, but for what `validate` writes anew.

    Raw files and stores that are not here at all are not asked for: a release can be proved without them.

    Raises:
        ReleaseError: names the first file that is not.
    """
    entries = _demand_entries(project)
    looked = hashes.Looked(project.root)
    outputs = [
        out for name, entry in entries.items() if name != "validate" for out in entry.outs if not _spared(project, out)
    ]
    looked.warm(outputs)
    for output in outputs:
        if not looked.holds(output):
            _name(project, looked, output)
    records.demand(project, (name for name in entries if name != "validate"))


def _name(project: Project, looked: hashes.Looked, output: Output) -> NoReturn:
    here, listed = looked.listing(output), hashes.listed(output, hashes.cache_folder(project))
    if listed is None and here:
        _name_by_own_records(project, looked, output)
    names = _differing(here, listed) if listed is not None else [""]
    gone = bool(names) and names[0] not in here and (listed is not None or not here)
    where = _joined(output, names[0]) if names else lockfile.NAME
    raise ReleaseError("missing" if gone else "changed since it was built", where=where, fix=_AGAIN)


def _name_by_own_records(project: Project, looked: hashes.Looked, output: Output) -> None:
    """DVC's cache is gone, and with it what it knew of each file of a folder: a source, a store and a suite know theirs."""
    for kind in KINDS.values():
        for name in getattr(project.params, kind.key) if kind.store else ():
            use = Use(kind.key, name)
            if kind.path(project.data, name) == project.root / output.path and not project.inputs.unavailable(use):
                demand_inputs(project, [use])
    stage, _, suite = output.stage.partition("@")
    if stage == "generate":
        files = read_json(project.reports / "tables" / f"{suite}.json", "files")["files"]
        for name in sorted(files.keys() | looked.listing(output).keys()):
            place = project.root / output.path / name
            if name not in files or not place.is_file() or sha256_file(place) != files[name]["sha256"]:
                raise ReleaseError("changed since it was built", where=_joined(output, name), fix=_AGAIN)


def _demand_entries(project: Project) -> dict[str, lockfile.Entry]:
    """What dvc.lock notes of this release's stages: each, as it is declared now."""
    entries = lockfile.read(project)
    for name, stage in project.stages.items():
        if name not in entries:
            what = f"has no record of stage {name}" if entries else "is missing: nothing says how these files were made"
            raise ReleaseError(what, where=lockfile.NAME, fix="haymaker run")
        if not entries[name].is_of(stage):
            raise ReleaseError(f"stage {name} is not what the parameters ask for: {_difference(entries[name], stage)}",
                               where=lockfile.NAME, fix="haymaker run")  # fmt: skip
    return {name: entries[name] for name in project.stages}


def _difference(entry: lockfile.Entry, stage: Stage) -> str:
    """The first value that differs, in short."""
    for file, values in stage.values.items():
        for key, value in values.items():
            known = entry.values.get(file, {}).get(key)
            if fingerprint({file: {key: known}}) != fingerprint({file: {key: value}}):
                return f"{key} was {known!r:.60}, is {value!r:.60}" if not isinstance(value, dict) else f"{key} differs"
    return "its command, inputs or outputs differ"


def _spared(project: Project, output: Output) -> bool:
    return output.path.startswith(_PREPARED) and not (project.root / output.path).exists()


def demand_inputs(project: Project, uses: Iterable[Use]) -> None:
    """What a stage is about to read is what SOURCE.json, meta.json and the receipt say; without a receipt it came alone.

    Raises:
        SourceError, CorpusError: names the first file that is not.
    """
    for use in uses:
        if use.kind == "sources":
            _demand_source(project, use.name)
        opened = project.inputs.open(use)
        opened.verify()
        if records.known(project, use) not in (None, opened.digest):
            where = KINDS[use.kind].path(project.data, use.name).relative_to(project.root).as_posix()
            raise CorpusError("changed since it was made", where=where, fix=_AGAIN)


def _demand_source(project: Project, name: str) -> None:
    for problem in project.inputs.source(name).verify(project.inputs.raw(name), project.fetch_context()):
        where, _, what = problem.partition(": ")
        raise SourceError(what, where=f"data/raw/{where}", fix=_AGAIN)


def _differing(here: dict[str, str], listed: dict[str, str] | None) -> list[str]:
    """Names that are missing, changed or not recorded; all that is here when nobody knows what should be."""
    if listed is None:
        return sorted(here)
    return sorted(name for name in here.keys() | listed.keys() if here.get(name) != listed.get(name))


def _joined(output: Output, name: str) -> str:
    return f"{output.path}/{name}" if name else output.path
