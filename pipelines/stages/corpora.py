"""Build a background corpus for the stage prepare: clean the documents, split them into sentences, count tokens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from corpora.stores.sentences import languages
from corpora.stores.sentences.build import build_batch, merge
from corpora.stores.sentences.clean import CLEANING_VERSION
from corpora.stores.sentences.split import SENTENCES_VERSION
from corpora.stores.sentences.store import BACKGROUND_VERSION
from corpora.tokenizers.tokenizer import COUNTING_VERSION
from generators.inputs import Inputs, Use
from pipelines.execution.worker_state import inputs_of
from pipelines.stages.prepare import Recipe, batch_of, batches_of, provenance, result, store_of


def recipe(inputs: Inputs, name: str) -> Recipe:
    """Return the recipe of data/corpora/<name>/."""
    corpus = inputs.corpus(name)
    versions = (BACKGROUND_VERSION, CLEANING_VERSION, SENTENCES_VERSION, COUNTING_VERSION)
    split_by = [made for made in (languages.made_by(corpus.clean.splitter),) if made]
    batches = batches_of(inputs, Use("corpora", name), corpus.source, "documents")
    return Recipe(corpus.source, batches, (corpus.model_dump_json(), *versions, *split_by))


def batch(sent: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Build one shard: the documents of one batch."""
    inputs = inputs_of(sent)
    corpus = inputs.corpus(sent["name"])
    source, raw = inputs.source(corpus.source), inputs.raw(corpus.source)
    built = build_batch(source.read(raw, batch_of(sent)), corpus, inputs.tokenizers, folder)
    return built | {"dropped": built["dropped"] | source.take_odd()}


def merged(sent: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Merge the batches into the store."""
    inputs = inputs_of(sent)
    corpus = inputs.corpus(sent["name"])
    meta = merge(sent["shards"], corpus, inputs.tokenizers, store_of(folder), provenance(inputs, corpus.source))
    totals = meta["totals"]
    dropped = ", ".join(f"{reason} {count:,}" for reason, count in meta["dropped"].items() if count)
    summary = f"{meta['documents']} documents, {totals['units']:,} sentences, {totals['tokens-0']:,} tokens; left out: {dropped}"
    return result(folder, {"documents": meta["documents"], **totals, "left_out": meta["dropped"]}, summary)
