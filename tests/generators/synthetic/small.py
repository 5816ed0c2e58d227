"""The synthetic suite on backgrounds small enough to make in a test: made-up words, 48 test and 8 train documents; German and Chinese."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from corpora.stores.sentences.build import build_batch, merge
from corpora.stores.sentences.clean import CleaningParams
from corpora.stores.sentences.store import CorpusParams
from corpora.tokenizers import tokenizer
from generators.generated.base import GeneratedTask
from generators.inputs import Inputs
from generators.spec import Table
from generators.suite import ReleaseSuite
from generators.synthetic.suite import SUITE
from haymaker.core.params import Params
from haymaker.core.rng import Stream
from haymaker.core.rows.schema import Sample
from haymaker.core.rows.source_records import Document, Split
from tests import languages
from tests.generators import kit

TOKENIZERS = ("tekken",)
CORPUS = "books"  # about 150,000 test tokens under tekken: enough for lengths up to 64k
_SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu".split()
_CLEAN = CleaningParams(
    splitter="lines", front_matter=False, headings=False, tables=False, page_numbers=False, min_tokens=4
)


def _document(split: Split, number: int) -> Document:
    stream = Stream("small books", split, number)

    def sentence() -> str:
        words = ["".join(stream.choice(_SYLLABLES) for _ in range(2)) for _ in range(stream.between(5, 14))]
        return " ".join(words).capitalize() + "."

    return Document(f"{split}-{number}", f"Book {number}", split, "\n".join(sentence() for _ in range(160)))


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="small-synthetic-")


def store(
    data: Path, corpus: str, rules: CorpusParams, documents: Sequence[Document], tokenizers: Sequence[str]
) -> None:
    """Build the store of a corpus in a data folder, in place of other corpora."""
    batch, counters = data / "batch", [tokenizer.load(name) for name in tokenizers]
    batch.mkdir(parents=True)
    shutil.rmtree(data / "corpora", ignore_errors=True)
    (data / "corpora").mkdir()
    merge([(batch, build_batch(documents, rules, counters, batch))], rules, counters, data / "corpora" / corpus, {})


@cache
def _data(tokenizers: tuple[str, ...]) -> Path:
    """A data folder with the store, one per process and set of tokenizers."""
    data = Path(_folder().name) / "-".join(tokenizers)
    documents = [_document("test", i) for i in range(48)] + [_document("train", i) for i in range(8)]
    store(data, CORPUS, CorpusParams(source="novels", clean=_CLEAN), documents, tokenizers)
    return data


def params(tasks: dict[str, Any], tokenizers: tuple[str, ...] = TOKENIZERS, **options: Any) -> Params:
    """Parameters of a release with this suite alone."""
    return kit.params(
        {"synthetic": {"background": CORPUS, "tasks": tasks, **options}},
        tokenizers,
        sources={"novels": {"kind": "simulated_novels"}},
        corpora={CORPUS: {"source": "novels"}},
    )


def suite(
    folder: Path, tasks: dict[str, Any], tokenizers: tuple[str, ...] = TOKENIZERS, **options: Any
) -> ReleaseSuite:
    """The whole suite over a data folder of its own, which gets a copy of the store; options: other keys of `suites.synthetic`."""
    target = folder / "corpora" / CORPUS
    if not target.exists():
        shutil.copytree(_data(tokenizers) / "corpora" / CORPUS, target)
    return _set_up(folder, tasks, tokenizers, options)


def _set_up(data: Path, tasks: dict[str, Any], tokenizers: tuple[str, ...], options: dict[str, Any]) -> ReleaseSuite:
    built = params(tasks, tokenizers, **options)
    return ReleaseSuite(SUITE, built.suites["synthetic"], Inputs(built, data))


def task(name: str, *, tokenizers: tuple[str, ...] = TOKENIZERS, **entry: Any) -> GeneratedTask[Any]:
    """A task with the entry's settings, set up once in a process; lengths do not matter here."""
    return _task(name, tokenizers, json.dumps(entry))


def fresh(name: str) -> GeneratedTask[Any]:
    """A task that has made no rows yet."""
    return _task.__wrapped__(name, TOKENIZERS, "{}")


@cache
def _task(name: str, tokenizers: tuple[str, ...], entry: str) -> GeneratedTask[Any]:
    wanted = {name: {"lengths": {"4k": 4620}, **json.loads(entry)}}
    built = _set_up(_data(tokenizers), wanted, tokenizers, {}).task(name)
    assert isinstance(built, GeneratedTask)
    return built


def table(name: str, length: str, split: Split = "test", rows: int = 1) -> Table:
    """What Task.row asks for."""
    return Table("synthetic", name, length, split, rows)


def sample(task: GeneratedTask[Any], length: str, group: int, variant: int = 0, split: Split = "test") -> Sample:
    """The row of a group, by its number."""
    return task.row(table(task.entry.name, length, split), task.pool(split).candidate(group), variant)


# ---------------------------------------------------------------------------------------------- in German and Chinese

VILLAGE = "village"
_SPOKEN = {"front_matter": False, "min_tokens": 3}


@cache
def _spoken_data(language: str, tokenizers: tuple[str, ...]) -> Path:
    data = Path(_folder().name) / "-".join((language, *tokenizers)) / "data"
    splits: list[Split] = ["test"] * 6 + ["train"] * 2
    texts = zip(splits, languages.texts(language, 8), strict=True)
    documents = [Document(f"t-{i}", "", split, text) for i, (split, text) in enumerate(texts)]
    rules = CorpusParams.model_validate({"source": "novels", "language": language, "clean": _SPOKEN})
    store(data, VILLAGE, rules, documents, tokenizers)
    return data


def spoken(
    language: str, tasks: dict[str, Any], tokenizers: tuple[str, ...] = TOKENIZERS, root: Path | None = None, **options: Any
) -> ReleaseSuite:  # fmt: skip
    """The suite over the corpus of a language; `root` is the project folder that phrase files lie in."""
    data = _spoken_data(language, tokenizers)
    if root is not None:
        shutil.copytree(data, root / "data", dirs_exist_ok=True)
        data = root / "data"
    options = {"background": VILLAGE, **options}
    built = params(tasks, tokenizers, **options)
    corpora = {VILLAGE: {"source": "novels", "language": language, "clean": _SPOKEN}}
    built = built.model_copy(update={"corpora": corpora})
    return ReleaseSuite(SUITE, built.suites["synthetic"], Inputs(built, data))
