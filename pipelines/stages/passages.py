"""Build a passage corpus for the stage prepare, from articles cut into passages or from ready-made passages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from corpora.sources.base import Batch, Source
from corpora.stores.passages.build import build_batch
from corpora.stores.passages.cut import CUTTING_VERSION, CutParams, cut
from corpora.stores.passages.merge import merge
from corpora.stores.passages.store import PASSAGES_VERSION, PassageParams
from corpora.stores.sentences.split import SENTENCES_VERSION
from corpora.tokenizers.tokenizer import COUNTING_VERSION
from generators.inputs import Inputs, Use
from haymaker.core.params import parse
from haymaker.core.rows.source_records import Passage
from haymaker.core.text.fix_text import fix_text
from haymaker.core.text.normalize import clean
from pipelines.execution.worker_state import inputs_of
from pipelines.stages.prepare import Recipe, batch_of, batches_of, provenance, result, store_of


def recipe(inputs: Inputs, name: str) -> Recipe:
    """Return the recipe of the store data/corpora/<name>/."""
    corpus = _corpus(inputs, name)
    batches = batches_of(inputs, Use("passages", name), corpus.source, "articles or passages")
    versions = (PASSAGES_VERSION, CUTTING_VERSION, SENTENCES_VERSION, COUNTING_VERSION)
    return Recipe(corpus.source, batches, (corpus.model_dump_json(), *versions))


def merged(sent: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Merge the batches into the store."""
    inputs = inputs_of(sent)
    corpus = _corpus(inputs, sent["name"])
    meta = merge(sent["shards"], corpus, inputs.tokenizers, store_of(folder), provenance(inputs, corpus.source))
    totals, dropped = meta["totals"], meta["dropped"]
    reasons = ", ".join(f"{reason} {count:,}" for reason, count in dropped.items() if count) or "nothing"
    counts = {"articles": totals["articles"], "passages": totals["passages"], "tokens": totals["tokens-0"]}
    summary = f"{totals['articles']:,} articles, {totals['passages']:,} passages, {totals['tokens-0']:,} tokens; left out: {reasons}"
    return result(folder, {**counts, "left_out": dropped}, summary)


def batch(sent: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Build one shard: the passages of one batch."""
    inputs = inputs_of(sent)
    corpus = _corpus(inputs, sent["name"])
    dropped: Counter[str] = Counter()
    source, raw = inputs.source(corpus.source), inputs.raw(corpus.source)
    passages = passages_of(source, raw, batch_of(sent), corpus.cut, dropped)
    return build_batch(passages, corpus, inputs.tokenizers, folder, dropped)


def _corpus(inputs: Inputs, name: str) -> PassageParams:
    return parse(PassageParams, inputs.params.passages[name], where=f"passages.{name}")


def passages_of(source: Source, raw: Path, read: Batch, rules: CutParams, dropped: Counter[str]) -> Iterator[Passage]:
    """Yield the passages of a batch: cut from articles, or ready-made by the source; normalized in the same way."""
    if "articles" not in source.info.roles:
        for passage in source.passages(raw, read):
            yield _tidied(passage, rules, dropped)
        return
    for article in source.articles(raw, read):
        yield from cut(article, rules, dropped)
    dropped.update(source.take_odd())


def _tidied(passage: Passage, rules: CutParams, dropped: Counter[str]) -> Passage:
    """Return a ready-made passage, cleaned and normalized like the cut passages."""
    text, found = fix_text(passage.text) if rules.fix_encoding else (passage.text, 0)
    if found:
        dropped["mended"] += found
    title = fix_text(passage.title)[0] if rules.fix_encoding else passage.title
    return replace(passage, title=title, text=clean(text) if rules.normalize else text)
