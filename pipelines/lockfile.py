"""dvc.lock: what DVC noted of every stage: the parameters it went by, and the MD5 of all that it read and made."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from haymaker.errors import HaymakerError, ReleaseError
from haymaker.files import written
from pipelines import graph
from pipelines.project import Project

NAME = "dvc.lock"
_EMPTY: dict[str, Any] = {"schema": "2.0", "stages": {}}


@dataclass(frozen=True, slots=True)
class Output:
    """A file or folder as dvc.lock knows it.

    Attributes:
        stage: that has it as an input or output.
        path: below the project.
        md5: of a folder, the MD5 of its listing, with ".dir".
        size: bytes.
    """

    stage: str
    path: str
    md5: str
    size: int

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder of files."""
        return self.md5.endswith(".dir")


@dataclass(frozen=True)
class Entry:
    """What is noted of one stage."""

    command: Any
    values: graph.Values
    deps: tuple[Output, ...]
    outs: tuple[Output, ...]

    def is_of(self, stage: graph.Stage) -> bool:
        """Whether the stage, as it is declared now, is the one that was run."""
        paths = ({each.path for each in self.deps}, {each.path for each in self.outs})
        same = self.command == stage.command and paths == (set(stage.deps), set(stage.outs))
        return same and self.made_by == stage.made_by

    @property
    def made_by(self) -> str:
        """Fingerprint of the values that were noted."""
        return graph.fingerprint(self.values)


def read(project: Project, file: str = NAME) -> dict[str, Entry]:
    """What dvc.lock notes of our stages, also of those that this release does not have; nothing when there is no such file.

    Args:
        project: the project.
        file: dvc.lock, or a copy of one that was kept, below the project.

    Raises:
        ReleaseError: it is damaged.
    """
    try:
        return {name: entry(name, noted) for name, noted in _stages(project, file).items() if graph.is_ours(name)}
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise damaged(f"{type(error).__name__}: {error}") from None


def _stages(project: Project, file: str = NAME) -> dict[str, Any]:
    return dict(_whole(project, file)["stages"])


def _whole(project: Project, file: str = NAME) -> dict[str, Any]:
    path = project.root / file
    if not path.is_symlink() and not path.exists():
        return _EMPTY
    try:
        whole = graph.read_plain(path.read_bytes(), NAME)  # read once, wherever it lies
        if whole["schema"] != "2.0":
            raise ValueError(f"schema {whole['schema']!r}")
        return {**whole, "stages": dict(whole["stages"] or {})}
    except HaymakerError as error:
        raise damaged(error.what) from None
    except (KeyError, OSError, TypeError, ValueError) as error:
        raise damaged(f"{type(error).__name__}: {error}") from None


def damaged(what: str) -> ReleaseError:
    """The line for a dvc.lock that cannot be read."""
    return ReleaseError(f"damaged ({what})", where=NAME, fix="git checkout dvc.lock, or remove it, then haymaker run")


def check_schema(project: Project) -> None:
    """DVC too can read it.

    Raises:
        ReleaseError: it cannot.
    """
    from dvc.schema import COMPILED_LOCKFILE_SCHEMA
    from voluptuous import Invalid

    path = project.root / NAME
    try:
        if path.is_file():
            COMPILED_LOCKFILE_SCHEMA(graph.read_plain(path.read_bytes(), NAME))
    except Invalid as error:
        raise damaged(str(error)) from None


def is_tidy(project: Project) -> bool:
    """Whether it holds the stages of this release alone, sorted: a run that was killed may not have come to that."""
    names = list(_stages(project))
    return names == sorted(names) and set(names) == _kept(project, names)


def tidy(project: Project, without: Collection[str] = ()) -> None:
    """Drop what it keeps of stages that this release does not have, and sort: the release alone decides the file.

    Args:
        project: the project.
        without: stages to drop as well: DVC would take what it notes of them from its cache, not run them.
    """
    noted = _stages(project)
    _write(project, {name: noted[name] for name in _kept(project, noted) - set(without)})


@contextmanager
def lean(project: Project) -> Iterator[None]:
    """While the body runs, without what it notes of stages of whose outputs nothing is here: DVC writes all of it after each stage.

    What none of them has made by then is noted again at the end.
    """
    absent = {name for name, each in read(project).items() if name in project.stages and not _is_here(project, each)}
    if not absent:
        yield
        return
    before = _stages(project)
    _write(project, {name: before[name] for name in before.keys() - absent})
    try:
        yield
    finally:
        _note_again(project, {name: before[name] for name in absent})


def _note_again(project: Project, stages: Mapping[str, Any]) -> None:
    try:
        noted = read(project)
    except ReleaseError:  # DVC was killed while it wrote: the next run makes the file anew
        return
    if stages.keys() - noted.keys():
        _write(project, {**stages, **_stages(project)})


def _is_here(project: Project, noted: Entry) -> bool:
    return any((project.root / out.path).exists() for out in noted.outs)


def _write(project: Project, stages: Mapping[str, Any]) -> None:
    """Put these stages, sorted, in the place of those that it has, as DVC writes them; without any, no file: DVC begins one."""
    from dvc.utils.serialize import dumps_yaml

    if not stages:
        (project.root / NAME).unlink(missing_ok=True)
        return
    whole = {**_whole(project), "stages": {name: stages[name] for name in sorted(stages)}}
    with written(project.root / NAME) as temporary:
        temporary.write_text(dumps_yaml(whole), encoding="utf-8")


def _kept(project: Project, names: Iterable[str]) -> set[str]:
    others = graph.others(project.texts)
    return {name for name in names if name in project.stages or name.partition("@")[0] in others}


def entry(name: str, noted: Any) -> Entry:
    """What is noted of a stage, in dvc.lock or in DVC's list of earlier runs.

    Raises:
        AttributeError, LookupError, TypeError, ValueError: it is something else.
    """

    def outputs(key: str) -> tuple[Output, ...]:
        listed = noted.get(key) or ()
        return tuple(Output(name, str(each["path"]), str(each["md5"]), int(each["size"])) for each in listed)

    values = {str(file): dict(keys) for file, keys in (noted.get("params") or {}).items()}
    return Entry(noted["cmd"], values, outputs("deps"), outputs("outs"))
