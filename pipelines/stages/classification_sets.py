"""Build a classification set for the stage prepare: labelled texts, filtered and counted (docs/spec/helmet.md 9)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from corpora.stores.labelled import LABELLED_VERSION, SPLITS, LabelledParams, sifted, write_labelled
from corpora.tokenizers.tokenizer import COUNTING_VERSION
from generators.inputs import Inputs
from haymaker.core.errors import CorpusError
from haymaker.core.params import parse
from pipelines.execution.worker_state import inputs_of
from pipelines.stages.inputs import STORE
from pipelines.stages.prepare import Recipe, provenance, result


def recipe(inputs: Inputs, name: str) -> Recipe:
    """Return the recipe of data/classification_sets/<name>.parquet."""
    params = _params(inputs, name)
    return Recipe(params.source, (), (params.model_dump_json(), LABELLED_VERSION, COUNTING_VERSION))


def merged(sent: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Build the classification set.

    Raises:
        CorpusError: no shots, no questions, or fewer than two labels remain.
    """
    inputs, name = inputs_of(sent), sent["name"]
    params = _params(inputs, name)
    source, raw = inputs.source(params.source), inputs.raw(params.source)
    given = {split: source.labelled(raw, params.set, split) for split in SPLITS}
    texts, dropped = sifted(given, fix_encoding=params.fix_encoding)
    labels = {text.label for text in texts["train"]}
    questions = sum(len(texts[split]) for split in SPLITS if split != "train")
    if len(labels) < 2 or not questions:
        raise CorpusError(
            f"{len(texts['train'])} shots of {len(labels)} labels and {questions} questions are usable",
            where=f"classification_sets.{name}", fix=f"check set {params.set!r} of source {params.source!r}",
        )  # fmt: skip
    counts: dict[str, Any] = {
        "labels": len(labels),
        "texts": {split: len(texts[split]) for split in SPLITS},
        "dropped": {split: dict(sorted(dropped[split].items())) for split in SPLITS},
    }
    summary = f"{len(texts['train']):,} shots of {len(labels)} labels, {questions:,} questions"
    facts = {key: value for key, value in provenance(inputs, params.source).items() if key != "files"}
    meta = {
        "set": name,
        "summary": summary,
        "params": params.model_dump(mode="json"),
        "sources": {params.source: facts},
        "dropped": counts["dropped"],
    }
    write_labelled(texts, folder / STORE, inputs.tokenizers, meta)
    left_out = sum(dropped.values(), start=type(dropped["train"])())
    reasons = "".join(f"; {reason.replace('_', ' ')} {n:,}" for reason, n in sorted(left_out.items()))
    return result(folder, counts, summary + reasons)


def _params(inputs: Inputs, name: str) -> LabelledParams:
    return parse(LabelledParams, inputs.params.classification_sets[name], where=f"classification_sets.{name}")
