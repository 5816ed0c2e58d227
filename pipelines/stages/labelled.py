"""Stage labelled: one set of labelled texts, sifted, counted and written as one file (docs/spec/helmet.md 9)."""

from __future__ import annotations

from typing import Any

from corpora.stores.labelled import SPLITS, LabelledParams, sifted, write_labelled
from generators.inputs import KINDS, Use
from haymaker.errors import CorpusError
from haymaker.files import read_json, write_json
from haymaker.params import parse
from pipelines.integrity import demand_inputs
from pipelines.progress import say
from pipelines.project import Project


def run(project: Project, name: str) -> None:
    """Write data/labelled/<name>.parquet and data/counts/labelled-<name>.json.

    Raises:
        CorpusError: no shots, no questions, or fewer than two labels are left.
    """
    inputs = project.inputs
    params = parse(LabelledParams, inputs.params.labelled[name], where=f"labelled.{name}")
    demand_inputs(project, [Use("sources", params.source)])
    source, raw = inputs.source(params.source), inputs.raw(params.source)
    given = {part: source.labelled(raw, params.set, part) for part in SPLITS}
    texts, dropped = sifted(given, controls=params.controls)
    labels = {text.label for text in texts["train"]}
    questions = sum(len(texts[part]) for part in SPLITS if part != "train")
    if len(labels) < 2 or not questions:
        raise CorpusError(
            f"{len(texts['train'])} shots of {len(labels)} labels and {questions} questions are left",
            where=f"labelled.{name}", fix=f"look at set {params.set!r} of source {params.source!r}",
        )  # fmt: skip
    counts: dict[str, Any] = {
        "labels": len(labels),
        "texts": {part: len(texts[part]) for part in SPLITS},
        "dropped": {part: dict(sorted(dropped[part].items())) for part in SPLITS},
    }
    summary = f"{len(texts['train']):,} shots of {len(labels)} labels, {questions:,} questions"
    provenance = {k: v for k, v in read_json(raw / "SOURCE.json").items() if k != "files"}
    meta = {
        "set": name,
        "summary": summary,
        "params": params.model_dump(mode="json"),
        "sources": {params.source: provenance},
        "dropped": counts["dropped"],
    }
    target = KINDS["labelled"].path(project.data, name)
    write_labelled(texts, target, inputs.tokenizers, meta)
    write_json(project.counts / f"labelled-{name}.json", counts)
    left_out = sum(dropped.values(), start=type(dropped["train"])())
    say(f"  {summary}" + "".join(f"; {reason.replace('_', ' ')} {n:,}" for reason, n in sorted(left_out.items())))
