"""Are the files still what was recorded of them? Time and size, which DVC goes by, do not tell: every byte is hashed.

Two records are held against the files. `dvc.lock` knows the MD5 of every output; `haymaker run` and `haymaker validate`
look at all of them. SOURCE.json, meta.json and the receipts know the SHA-256 of what a stage reads; every stage looks at its
inputs, so that a plain `dvc repro`, or a stage run by hand, builds nothing upon damage either.
"""

from __future__ import annotations

import concurrent.futures
import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from generators.inputs import KINDS, Use
from haymaker.errors import CorpusError, HaymakerError, ReleaseError, SourceError
from haymaker.files import remove
from haymaker.params import read_yaml
from pipelines import receipts
from pipelines.progress import say
from pipelines.project import Project

_NAMED = 8  # files of one output that are named; the rest is counted
_AGAIN = "haymaker run builds it again"
_PREPARED = ("data/prepared/", *(f"data/{kind.place.partition('/')[0]}/" for kind in KINDS.values()))


@dataclass(frozen=True, slots=True)
class Output:
    """An output as dvc.lock knows it: path below the project, MD5 (of a folder: of its listing, with ".dir"), bytes."""

    stage: str
    path: str
    md5: str
    size: int

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder of files."""
        return self.md5.endswith(".dir")


@dataclass
class Looked:
    """MD5 of the files that were looked at, good as long as inode, size and time stay: one process, moments apart."""

    root: Path
    _known: dict[Path, tuple[tuple[int, int, int], str]] = field(default_factory=dict)

    def md5(self, path: Path) -> str:
        """Hex MD5; empty when there is no such file."""
        try:
            stat = path.stat()
            mark = (stat.st_ino, stat.st_size, stat.st_mtime_ns)
            known = self._known.get(path)
            if known is None or known[0] != mark:
                with path.open("rb") as file:
                    known = (mark, hashlib.file_digest(file, "md5").hexdigest())
                self._known[path] = known
            return known[1]
        except OSError:
            return ""

    def listing(self, output: Output) -> dict[str, str]:
        """Name below the output -> MD5; a plain file has the name ""."""
        place = self.root / output.path
        if not output.is_folder:
            return {"": self.md5(place)} if place.is_file() else {}
        files = sorted(path for path in place.rglob("*") if path.is_file())
        return {path.relative_to(place).as_posix(): self.md5(path) for path in files}

    def holds(self, output: Output) -> bool:
        """Whether the output has the bytes that were recorded."""
        files = self.listing(output)
        size = sum((self.root / output.path / name).stat().st_size for name in files)
        md5 = _folder_md5(files) if output.is_folder else files.get("", "")
        return (md5, size) == (output.md5, output.size)

    def warm(self, outputs: Iterable[Output]) -> None:
        """Hash all files, as many at a time as there are processors."""
        places = [self.root / output.path for output in outputs]
        files = [path for place in places for path in (place, *place.rglob("*")) if path.is_file()]
        with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            list(pool.map(self.md5, files))


def _folder_md5(files: dict[str, str]) -> str:
    """DVC's name for a folder: the MD5 of its listing."""
    entries = [{"md5": md5, "relpath": name} for name, md5 in sorted(files.items())]
    return hashlib.md5(json.dumps(entries, sort_keys=True).encode(), usedforsecurity=False).hexdigest() + ".dir"


def recorded(project: Project) -> list[Output]:
    """Outputs of this release's stages in dvc.lock; none when there is no such file.

    Raises:
        ReleaseError: dvc.lock is damaged.
    """
    wanted = _stages(project)
    try:
        return [
            Output(name, str(out["path"]), str(out["md5"]), int(out["size"]))
            for name, stage in _locked_stages(project).items()
            if name in wanted
            for out in stage.get("outs", [])
        ]
    except (KeyError, TypeError, ValueError) as error:
        raise _damaged(f"{type(error).__name__}: {error}") from None


def is_tidy(project: Project) -> bool:
    """Whether dvc.lock holds this release's stages alone, sorted: a run that was killed may not have come to that.

    Raises:
        ReleaseError: dvc.lock is damaged.
    """
    names = list(_locked_stages(project))
    return names == sorted(names) and set(names) <= _stages(project)


def _stages(project: Project) -> set[str]:
    """DVC's names of this release's stages."""
    params = project.params
    prepared = {f"{kind.stage}@{name}" for kind in KINDS.values() for name in getattr(params, kind.key)}
    return {"tokenizers", "validate", "card"} | prepared | {f"generate@{name}" for name in params.suites}


def _locked_stages(project: Project) -> dict[str, Any]:
    """What DVC can read in dvc.lock."""
    from dvc.schema import COMPILED_LOCKFILE_SCHEMA
    from voluptuous import Invalid

    path = project.root / "dvc.lock"
    if not path.is_file():
        return {}
    try:
        stages: dict[str, Any] = COMPILED_LOCKFILE_SCHEMA(read_yaml(path, name="dvc.lock")).get("stages") or {}
    except (HaymakerError, Invalid) as error:
        raise _damaged(error.what if isinstance(error, HaymakerError) else str(error)) from None
    return stages


def _damaged(what: str) -> ReleaseError:
    return ReleaseError(f"damaged ({what})", where="dvc.lock", fix="git checkout dvc.lock, or remove it")


def mend(project: Project, looked: Looked) -> bool:
    """Remove what is not as dvc.lock says, and damaged copies of it in DVC's cache: DVC then makes it anew.

    Returns:
        Whether anything was amiss.
    """
    outputs = recorded(project)
    looked.warm(outputs)
    wrong = [output for output in outputs if not looked.holds(output)]
    cache = _cache(project) if wrong else project.root
    for output in wrong:
        here, listed = looked.listing(output), _listed(output, cache)
        names = _differing(here, listed) or sorted(here)  # the same files: then the record itself is wrong
        changed = [name for name in names if name in here]
        for name in changed[:_NAMED]:
            say(f"{_joined(output, name)}: changed since it was built, building it again")
        if len(changed) > _NAMED:
            say(f"{output.path}: {len(changed) - _NAMED} more files changed since they were built")
        for name in changed:
            remove(project.root / _joined(output, name))
        if listed is None:
            remove(_object(cache, output.md5))
        for md5 in {listed[name] for name in names if name in listed} if listed else ():
            if looked.md5(_object(cache, md5)) != md5:
                remove(_object(cache, md5))
    return bool(wrong)


def demand(project: Project) -> None:
    """The recorded outputs are as dvc.lock says, but for the reports that `validate` writes anew.

    Raw files and stores that are not here at all are not asked for: a release can be proved without them.

    Raises:
        ReleaseError: names the first file that is not.
    """
    looked = Looked(project.root)
    outputs = [out for out in recorded(project) if out.stage != "validate" and not _spared(project, out)]
    looked.warm(outputs)
    for output in outputs:
        if not looked.holds(output):
            here, listed = looked.listing(output), _listed(output, _cache(project))
            names = _differing(here, listed) if listed is not None else [""]
            gone = bool(names) and names[0] not in here and (listed is not None or not here)
            raise ReleaseError("missing" if gone else "changed since it was built", fix=_AGAIN,
                               where=_joined(output, names[0]) if names else "dvc.lock")  # fmt: skip


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
        if receipts.known(project, use) not in (None, opened.digest):
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


def _listed(output: Output, cache: Path) -> dict[str, str] | None:
    """What is recorded of each file: for a folder, DVC's listing, unless it is gone or damaged."""
    if not output.is_folder:
        return {"": output.md5}
    try:
        raw = _object(cache, output.md5).read_bytes()
    except OSError:
        return None
    if hashlib.md5(raw, usedforsecurity=False).hexdigest() + ".dir" != output.md5:
        return None
    return {entry["relpath"]: entry["md5"] for entry in json.loads(raw)}


def _cache(project: Project) -> Path:
    """Folder of DVC's cached files."""
    from dvc.repo import Repo

    with Repo(str(project.root)) as repo:
        return Path(repo.cache.local.path)


def _object(cache: Path, md5: str) -> Path:
    return cache / md5[:2] / md5[2:]
