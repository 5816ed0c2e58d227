"""The suite over small corpora in German and Chinese, with the phrases of their language or of a file."""

from __future__ import annotations

import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from corpora.stores.sentences.store import CorpusParams
from generators.inputs import Inputs
from generators.suite import ReleaseSuite
from generators.synthetic.suite import SUITE
from haymaker.core.rows.source_records import Document, Split
from tests import languages
from tests.generators.synthetic import small

CORPUS = "village"
_CLEAN = {"front_matter": False, "min_tokens": 3}


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="small-languages-")


@cache
def _data(language: str, tokenizers: tuple[str, ...]) -> Path:
    data = Path(_folder().name) / "-".join((language, *tokenizers)) / "data"
    splits: list[Split] = ["test"] * 6 + ["train"] * 2
    texts = zip(splits, languages.texts(language, 8), strict=True)
    documents = [Document(f"t-{i}", "", split, text) for i, (split, text) in enumerate(texts)]
    rules = CorpusParams.model_validate({"source": "novels", "language": language, "clean": _CLEAN})
    small.store(data, CORPUS, rules, documents, tokenizers)
    return data


def suite(
    language: str, tasks: dict[str, Any], tokenizers: tuple[str, ...] = small.TOKENIZERS, root: Path | None = None, **options: Any
) -> ReleaseSuite:  # fmt: skip
    """The suite over the corpus of a language; `root` is the project folder that phrase files lie in."""
    data = _data(language, tokenizers)
    if root is not None:
        shutil.copytree(data, root / "data", dirs_exist_ok=True)
        data = root / "data"
    options = {"background": CORPUS, **options}
    built = small.params(tasks, tokenizers, **options)
    corpora = {CORPUS: {"source": "novels", "language": language, "clean": _CLEAN}}
    params = built.model_copy(update={"corpora": corpora})
    return ReleaseSuite(SUITE, params.suites["synthetic"], Inputs(params, data))
