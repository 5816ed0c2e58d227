"""The project folder: paths, and fully checked parameters."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from corpora import sources
from corpora.retrieval.index import RETRIEVERS
from corpora.sources.base import FetchContext
from corpora.tokenizers import tokenizer
from generators.inputs import KINDS, InputKind, Inputs, Use
from generators.spec import Entry
from generators.suite import ReleaseSuite, release_suite
from haymaker.core import params as parameters
from haymaker.core.errors import EnvironmentProblem, ParamsError, TokenizerError
from haymaker.core.files.disk import read_json
from haymaker.core.files.yaml_file import read_bytes
from haymaker.core.params import Params, Section, names_read, nearest
from haymaker.core.progress import say
from haymaker.core.rng import digest
from haymaker.releases.folder import params_file_of
from haymaker.releases.manifest import LEFT_OUT
from haymaker.scoring.metrics import all_metrics
from pipelines.expanded import expanded
from pipelines.shipped_blocks import next_step

PHRASES = "phrases"
"""Key in tables/<suite>.json and manifest.json (per suite): phrase file -> digest; absent if all rows are English."""
MIRROR_VARIABLE = "HAYMAKER_MIRROR"
PARAMS, VERSIONS, PIPELINE = "params.yaml", "versions.yaml", "dvc.yaml"
RELEASES = "releases"


@dataclass(frozen=True)
class Project:
    """A folder with params.yaml and dvc.yaml.

    Attributes:
        root: path of the folder.
        file: parameter file, relative to root.
    """

    root: Path
    file: str = "params.yaml"

    @staticmethod
    def here() -> Project:
        """Return the project in the current folder.

        Raises:
            EnvironmentProblem: the folder has no dvc.yaml.
        """
        root = Path.cwd()
        if not (root / "dvc.yaml").is_file():
            raise EnvironmentProblem("contains no dvc.yaml", where=str(root), fix="cd to the project folder")
        return Project(root)

    @property
    def data(self) -> Path:
        """Folder of the DVC outputs."""
        return self.root / "data"

    @property
    def work(self) -> Path:
        """Folder of unfinished and reusable shards; not a DVC output."""
        return self.data / "work"

    @property
    def release(self) -> Path:
        """Dataset folder of the finished release, next to the folders of other releases."""
        return self.data / RELEASES / self.params.release.name

    @property
    def reports(self) -> Path:
        """Folder of counts, check reports and plots of the release."""
        return self.data / "reports" / self.params.release.name

    @property
    def counts(self) -> Path:
        """Folder of counts of prepared inputs, shared by releases."""
        return self.data / "counts"

    def name_of(self, place: Path) -> str:
        """Return a path relative to the project root, with slashes, for error messages and records."""
        return place.relative_to(self.root).as_posix()

    def with_release(self, name: str | None) -> Project:
        """Return the same project with params/<name>.yaml (or this path) as its parameter file; None: the active file."""
        if name is None:
            return self
        name = name.removeprefix("params/").removesuffix(".yaml")
        known = self.releases()
        if name not in known:
            file = params_file_of(self.root, name)
            fix = f"did you mean {file!r}? params/{file}.yaml builds {name}" if file else nearest(name, known)
            raise ParamsError(f"unknown release {name!r:.120}", where="params/", fix=fix)
        return Project(self.root, f"params/{name}.yaml")

    def releases(self) -> list[str]:
        """Return the names of the parameter files in params/."""
        return sorted(path.stem for path in (self.root / "params").glob("*.yaml"))

    @cached_property
    def text(self) -> bytes:
        """Content of the parameter file, read once; complete if the file extends another one."""
        return expanded(self.root, self.file)

    @cached_property
    def texts(self) -> dict[str, bytes]:
        """Files that determine the build, read once: the parameter file (as params.yaml), versions.yaml, dvc.yaml."""
        others = {name: read_bytes(self.root / name, name=name) for name in (VERSIONS, PIPELINE)}
        return {PARAMS: self.text, **others}

    @property
    def snapshot(self) -> str:
        """Digest of `texts`."""
        return digest(*(text.hex() for text in self.texts.values())).hex()

    @cached_property
    def params(self) -> Params:
        """Checked parameters: every source, corpus, suite and task is valid, and every referenced name is declared."""
        params = parameters.load(self.text, name=self.file)
        with self._in_file():
            _check(params, Inputs(params, self.data), self.root)
        return params

    @cached_property
    def inputs(self) -> Inputs:
        """Prepared inputs of this project."""
        return Inputs(self.params, self.data)

    def suites(self) -> list[ReleaseSuite]:
        """Return the suites of the release, without tasks that need a source known to be unavailable."""
        with self._in_file():
            return [release_suite(name, self.inputs) for name in self.params.suites]

    def built_suites(self) -> list[ReleaseSuite]:
        """Return the suites as built: without the tasks that `generate` left out, independent of the raw files."""
        with self._in_file():
            return [release_suite(name, self.inputs, self._left_out(name)) for name in self.params.suites]

    def _left_out(self, suite: str) -> dict[str, str]:
        tables = self.reports / "tables" / f"{suite}.json"
        return dict(read_json(tables).get(LEFT_OUT, {})) if tables.is_file() else {}

    def fetch_context(self) -> FetchContext:
        """Return the mirror, the download cache and the lock file for fetching sources."""
        given = os.environ.get(MIRROR_VARIABLE) or self.params.mirror
        mirror = (self.root / given).resolve() if given else None
        return FetchContext(
            mirror=mirror, cache=self.work / "downloads", lock_file=self.root / "sources.lock.json", report=say
        )

    @contextmanager
    def _in_file(self) -> Iterator[None]:
        """Prefix the key in parameter errors with the name of the parameter file."""
        try:
            yield
        except ParamsError as error:
            raise ParamsError(error.what, where=f"{self.file}: {error.where}".rstrip(": "), fix=error.fix) from None


def _check(params: Params, inputs: Inputs, root: Path) -> None:
    for name, source in params.sources.items():
        sources.create(name, source.kind, source.options, where=f"sources.{name}")
    for key, names in (("release", [params.tokenizer.release]), ("also", params.tokenizer.also)):
        for name in names:
            try:
                tokenizer.check_name(name)
            except TokenizerError as error:
                raise ParamsError(error.what, where=f"tokenizer.{key}", fix=error.fix) from None
    for kind in KINDS.values():
        for name, values in getattr(params, kind.key).items():
            section = kind.parse(values, name)
            if section:
                _check_block(inputs, root, kind, section, f"{kind.key}.{name}")
    _check_passages(params, root)
    if not any(suite.tasks for suite in params.suites.values()):
        raise ParamsError("no rows to build", where="suites", fix="give a suite at least one task")
    for suite in params.suites:
        built = release_suite(suite, inputs)
        for entry in built.entries.values():
            _check_entry(params, root, entry, built.task(entry.name).uses())


def _check_block(inputs: Inputs, root: Path, kind: InputKind, section: Section, where: str) -> None:
    """Check that the names referenced in the block of a prepared input are declared and provide the required data."""
    for key, mark, name in names_read(section):
        _declared(inputs.params, root, Use(mark.kind, name), mark.roles, f"{where}.{key}")
    if kind.lists:
        key, listing = kind.lists
        source, wanted = getattr(section, key), getattr(section, "set")  # noqa: B009  (of sections with `lists`)
        known = getattr(inputs.source(source), listing)()
        _known(wanted, known, "set", f"{where}.set")
        for name in getattr(section, "distractor_sets", ()):
            _known(name, known, "set", f"{where}.distractor_sets")


def _check_entry(params: Params, root: Path, entry: Entry[Any], uses: tuple[Use, ...]) -> None:
    """Check that the names referenced by a task are declared and its metrics exist."""
    for metric in entry.spec.metrics:
        _known(metric, all_metrics(), "metric", entry.where)
    marks = {Use(mark.kind, name): (key, mark.roles) for key, mark, name in names_read(entry.settings)}
    for use in uses:
        key, roles = marks.get(use, ("", ()))
        shared = key in params.suites[entry.suite].options
        where = f"suites.{entry.suite}" if shared else entry.where
        _declared(params, root, use, roles, f"{where}.{key}".rstrip("."))


def _check_passages(params: Params, root: Path) -> None:
    """Check passage rules: store names differ from corpus names, and the indexes needed by retrieval sets exist."""
    for name in params.passages.keys() & params.corpora.keys():
        fix = "give one of them another name"
        raise ParamsError(f"{name!r} is also the name of a corpus", where=f"passages.{name}", fix=fix)
    for name in params.indexes:
        _declared(params, root, Use("passages", name), (), "indexes")
    for name, values in params.retrieval_sets.items():
        mining: Any = KINDS["retrieval_sets"].parse(values, name)
        _declared(params, root, Use("indexes", mining.passages), (), f"retrieval_sets.{name}.passages")
        index = KINDS["indexes"].parse(params.indexes[mining.passages], mining.passages)
        for part in RETRIEVERS[mining.retriever]:
            if getattr(index, part) is None:
                raise ParamsError(f"retriever {mining.retriever!r} needs an index of kind {part}", where=f"retrieval_sets.{name}",
                                  fix=f"add indexes.{mining.passages}.{part}")  # fmt: skip


def _declared(params: Params, root: Path, use: Use, roles: tuple[str, ...], where: str) -> None:
    """Check that a block of that name exists and that a source has one of the required roles."""
    kind, name = KINDS[use.kind], use.name
    if name not in (known := getattr(params, kind.key)):
        raise ParamsError(f"unknown {kind.what} {name!r}", where=where, fix=next_step(root, use, roles, known))
    if roles and not set(roles) & set(sources.info(params.sources[name].kind).roles):
        raise ParamsError(f"source {name!r} (kind {params.sources[name].kind}) does not provide {' or '.join(roles)}", where=where,
                          fix="see haymaker sources list for what each kind provides")  # fmt: skip


def _known(name: str, names: Iterable[str], what: str, where: str) -> None:
    if name not in (known := list(names)):
        raise ParamsError(f"unknown {what} {name!r}", where=where, fix=nearest(name, known))
