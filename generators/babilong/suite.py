"""BABILong: the facts of a bAbI story, in order, between sentences of books (arXiv 2406.10149, docs/spec/babilong.md)."""

from __future__ import annotations

from generators.babilong.allowed import ALLOWED
from generators.babilong.prompts import load_prompts
from generators.babilong.task import StoryTask
from generators.spec import TaskSpec
from generators.suite import Suite
from haymaker.core.rows.row_checks import Check

SUITE = Suite(
    name="babilong",
    title="BABILong: reasoning over facts scattered through books",
    defects="docs/defects/babilong.md",
    tasks=tuple(
        TaskSpec(
            name=name,
            task=StoryTask,
            title=prompt.title,
            category="reasoning",
            metrics=("babilong@strict", "babilong@official"),
            imitates="bAbI",
            max_new_tokens=20,  # docs/spec/babilong.md 7.4
            version=6,
            ends="where the text of the background corpus ends",
            stop=("\n",),
            allows=ALLOWED.get(name, {}),
            skips={Check.CLEAN: "answers are words that every story has; the oracle says which fact decides"},
        )
        for name, prompt in load_prompts().items()
    ),
)
