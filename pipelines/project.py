"""The project folder: where everything lies, and its parameters checked down to the last key."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from corpora import sources, tokenizer
from corpora.background import CorpusParams
from corpora.sources.base import FetchContext
from generators.inputs import Inputs
from generators.task import SUITES, Suite, suite
from haymaker import params as parameters
from haymaker.errors import EnvironmentProblem, ParamsError, TokenizerError
from haymaker.params import Params, nearest, parse
from pipelines.progress import say

MIRROR_VARIABLE = "HAYMAKER_MIRROR"


@dataclass(frozen=True)
class Project:
    """A folder with params.yaml and dvc.yaml.

    Attributes:
        root: the folder.
        file: parameter file, relative to root.
    """

    root: Path
    file: str = "params.yaml"

    @staticmethod
    def here() -> Project:
        """The project of the current folder.

        Raises:
            EnvironmentProblem: there is none.
        """
        root = Path.cwd()
        if not (root / "dvc.yaml").is_file():
            raise EnvironmentProblem("no dvc.yaml here", where=str(root), fix="cd to the project folder")
        return Project(root)

    @property
    def data(self) -> Path:
        """DVC outputs."""
        return self.root / "data"

    @property
    def work(self) -> Path:
        """Unfinished and reusable shards; never an output."""
        return self.data / "work"

    @property
    def release(self) -> Path:
        """The finished release."""
        return self.data / "release"

    @property
    def reports(self) -> Path:
        """Counts, checks, plots."""
        return self.data / "reports"

    def with_release(self, name: str | None) -> Project:
        """The same project with params/<name>.yaml as its file; None keeps the active one."""
        if name is None:
            return self
        known = self.releases()
        if name not in known:
            raise ParamsError(f"no release {name!r}", where="params/", fix=nearest(name, known))
        return Project(self.root, f"params/{name}.yaml")

    def releases(self) -> list[str]:
        """Names of the parameter files in params/."""
        return sorted(path.stem for path in (self.root / "params").glob("*.yaml"))

    @cached_property
    def params(self) -> Params:
        """Parameters, checked: every source, corpus, suite and task, and that each name that is used is declared."""
        params = parameters.load(self.root / self.file, name=self.file)
        with self._in_file():
            _check(params, self.data)
        return params

    @cached_property
    def inputs(self) -> Inputs:
        """Prepared inputs of this project."""
        return Inputs(self.params, self.data)

    def suites(self) -> list[Suite]:
        """The suites of the release, set up."""
        with self._in_file():
            return [suite(name, self.inputs) for name in self.params.suites]

    def fetch_context(self) -> FetchContext:
        """Where downloads come from and wait."""
        given = os.environ.get(MIRROR_VARIABLE) or self.params.mirror
        mirror = (self.root / given).resolve() if given else None
        return FetchContext(
            mirror=mirror, cache=self.work / "downloads", lock_file=self.root / "sources.lock.json", report=say
        )

    @contextmanager
    def _in_file(self) -> Iterator[None]:
        """Name the parameter file in front of the key."""
        try:
            yield
        except ParamsError as error:
            raise ParamsError(error.what, where=f"{self.file}: {error.where}".rstrip(": "), fix=error.fix) from None


def _check(params: Params, data: Path) -> None:
    for name, source in params.sources.items():
        sources.create(name, source.kind, source.options, where=f"sources.{name}")
    for key, names in (("release", [params.tokenizer.release]), ("also", params.tokenizer.also)):
        for name in names:
            try:
                tokenizer.check_name(name)
            except TokenizerError as error:
                raise ParamsError(error.what, where=f"tokenizer.{key}", fix=error.fix) from None
    for name, values in params.corpora.items():
        corpus = parse(CorpusParams, values, where=f"corpora.{name}")
        _gives(corpus.source, ("documents",), params, f"corpora.{name}.source")
    _check_mining(params)
    _check_prepared(params)
    for missing in sorted(set(SUITES) - set(params.suites)):
        raise ParamsError(f"suite {missing!r} is not listed", where="suites", fix="list it; `tasks: []` turns it off")
    inputs = Inputs(params, data)
    for name in params.suites:
        uses = suite(name, inputs).uses()
        for used in uses.sources:
            _gives(used, ("questions",), params, f"suites.{name}")
        for names, declared, what in (
            (uses.corpora, params.corpora, "corpus"),
            (uses.mined, params.mined, "set of mined questions"),
            (uses.examples, params.examples, "set of labelled texts"),
            (uses.readings, params.readings, "collection of documents"),
        ):
            for used in names:
                _known(used, declared, what, f"suites.{name}")
    if not any(params.suites[name].tasks for name in params.suites):
        raise ParamsError("nothing is asked for", where="suites", fix="give a suite at least one task")


def _check_prepared(params: Params) -> None:
    """Sets of labelled texts, and documents with questions."""
    if params.examples:
        from corpora.examples import ExampleParams

        for name, values in params.examples.items():
            given = parse(ExampleParams, values, where=f"examples.{name}")
            _gives(given.source, ("labelled",), params, f"examples.{name}.source")
            _has(params, given.source, "label_sets", given.set, "set of labelled texts", f"examples.{name}.set")
    if params.readings:
        from corpora.readings import ReadingParams

        for name, values in params.readings.items():
            asked = parse(ReadingParams, values, where=f"readings.{name}")
            _gives(asked.source, ("asks",), params, f"readings.{name}.source")
            _has(params, asked.source, "ask_sets", asked.set, "set of documents", f"readings.{name}.set")


def _has(params: Params, source: str, listing: str, wanted: str, what: str, where: str) -> None:
    """The source has a set of that name."""
    given = params.sources[source]
    made = sources.create(source, given.kind, given.options, where=f"sources.{source}")
    _known(wanted, dict.fromkeys(getattr(made, listing)()), what, where)


def _check_mining(params: Params) -> None:
    """Passages, their indexes, and the sets of questions that are mined from them."""
    if not params.passages:
        return
    from corpora.passages import PassageParams
    from corpora.retrieval.index import IndexParams
    from corpora.retrieval.mining.params import MiningParams

    for name, values in params.passages.items():
        where = f"passages.{name}"
        _gives(parse(PassageParams, values, where=where).source, ("articles", "passages"), params, f"{where}.source")
        if name in params.corpora:
            raise ParamsError(f"{name!r} is the name of a corpus too", where=where, fix="give one of them another name")
    for name, values in params.indexes.items():
        _known(name, params.passages, "corpus of passages", "indexes")
        parse(IndexParams, values, where=f"indexes.{name}")
    for name, values in params.mined.items():
        where = f"mined.{name}"
        mining = parse(MiningParams, values, where=where)
        _gives(mining.questions, ("qa",), params, f"{where}.questions")
        _known(mining.passages, params.passages, "corpus of passages", f"{where}.passages")
        _known(mining.passages, params.indexes, "index", f"{where}.passages")
        _has(params, mining.questions, "question_sets", mining.set, "set of questions", f"{where}.set")
        index = parse(IndexParams, params.indexes[mining.passages], where=f"indexes.{mining.passages}")
        for kind in {"hybrid": ("lexical", "dense"), "random": ()}.get(mining.retriever, (mining.retriever,)):
            if getattr(index, kind) is None:
                raise ParamsError(f"retriever {mining.retriever!r} needs an index of kind {kind}", where=where,
                                  fix=f"add indexes.{mining.passages}.{kind}")  # fmt: skip


def _gives(name: str, roles: tuple[str, ...], params: Params, where: str) -> None:
    """The source is declared and gives what it is used for."""
    _known(name, params.sources, "source", where)
    if not set(roles) & set(sources.info(params.sources[name].kind).roles):
        raise ParamsError(f"source {name!r} (kind {params.sources[name].kind}) gives no {' or '.join(roles)}", where=where,
                          fix="haymaker sources list shows what each kind gives")  # fmt: skip


def _known(name: str, declared: object, what: str, where: str) -> None:
    names = list(declared) if isinstance(declared, dict) else []
    if name not in names:
        raise ParamsError(f"unknown {what} {name!r}", where=where, fix=nearest(name, names))
