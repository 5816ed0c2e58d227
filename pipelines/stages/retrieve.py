"""Stage retrieve: BM25 and vector indexes of passages, then gold passages and hard negatives of all question sets."""

from __future__ import annotations

from typing import Any

from haymaker.core.progress import say
from haymaker.releases.manifest import LEFT_OUT
from pipelines.project import Project
from pipelines.stages import index, inputs, mine


def run(project: Project) -> tuple[dict[str, str], dict[str, Any]]:
    """Build data/indexes/ and data/retrieval_sets/, and their counts in data/counts/retrieve/.

    Raises:
        HaymakerError: an input is damaged, a library or model is missing, or a set has no usable question.
    """
    inputs.begin_input(project, "retrieve")
    uses, no_indexes = inputs.available(project, ["indexes"])
    found = index.build(project, [use.name for use in uses])
    known = inputs.link(project, found)
    for use, done in found.items():
        say(f"  index {use.name}: {done.result['summary']}")
    uses, no_sets = inputs.available(project, ["retrieval_sets"])
    sets = mine.build(project, [use.name for use in uses])
    known |= inputs.link(project, sets)
    for use, done in sets.items():
        say(f"  retrieval set {use.name}: {done.result['summary']}")
    return known, {"inputs": inputs.facts(found | sets), LEFT_OUT: no_indexes | no_sets}
