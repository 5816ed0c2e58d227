"""BABILong: the facts of a bAbI story scattered, in order, between sentences of books (arXiv 2406.10149).

Facts, constants and defects of the reference: spec/babilong.md. Which defect is excluded where: docs/defects/babilong.md.
"""

from __future__ import annotations

from generators.babilong.prompts import load_prompts
from generators.babilong.task import StoryTask
from generators.spec import Check, TaskSpec
from generators.suite import Suite

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
            max_new_tokens=20,  # spec/babilong.md 7.4
            version=2,
            ends="where the text of the background corpus ends",
            stop=("\n",),
            skips={Check.CLEAN: "answers are words that every story has; the oracle says which fact decides"},
        )
        for name, prompt in load_prompts().items()
    ),
)
