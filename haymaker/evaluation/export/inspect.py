"""Export for Inspect: one task, whose rows you select when you run it (`inspect eval haymaker_tasks.py -T rows=4k`).

Each row has its own output token budget. Inspect only runs chat models, so base models are not supported.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from haymaker.core.errors import ReleaseError
from haymaker.core.params import nearest
from haymaker.evaluation.export.rows import SCORE, scores
from haymaker.evaluation.export.tables import ExportedTables, Table, table_rows, tables_file
from haymaker.releases.messages import messages
from haymaker.scoring.statistics.overall import Place, average

if TYPE_CHECKING:
    from inspect_ai import Task

TASKS = '''"""Written by haymaker export inspect; -T rows=NAME: mini, a length, a suite or a table, several with commas between."""

from pathlib import Path

from inspect_ai import Task, task

from haymaker.evaluation.export.inspect import task_of



@task
def haymaker(rows: str = "{rows}") -> Task:
    return task_of(Path(__file__).parent, str(rows))
'''


def files(tables: Sequence[Table], release: Mapping[str, str], *, base: bool, thinking_tokens: int) -> dict[str, str]:
    """Return the files of the export folder: name -> content."""
    first = tables[0].length
    return {
        "haymaker_tasks.py": TASKS.replace("{rows}", first),
        **tables_file(tables, release, base=base, thinking_tokens=thinking_tokens),
    }


def task_of(folder: Path, names: str) -> Task:
    """Return the task over the selected tables.

    Args:
        folder: export folder.
        names: comma-separated tables, lengths and suites.

    Raises:
        ReleaseError: unknown name, or a file of the release no longer exists.
    """
    from inspect_ai import Task
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.scorer import Score, metric, scorer
    from inspect_ai.solver import solver

    facts = ExportedTables.read(folder)
    rows = {row["id"]: row for table in _named(facts.tables, names) for row in table_rows(table)}

    def ask() -> Any:
        async def solve(state: Any, generate: Any) -> Any:
            budget = rows[state.sample_id]["max_new_tokens"] + facts.thinking_tokens
            return await generate(state, max_tokens=budget, temperature=0.0)

        return solve

    def haymaker_score() -> Any:
        async def score(state: Any, target: Any) -> Any:
            found = scores(rows[state.sample_id], state.output.completion, base=False)
            return Score(value=found[SCORE], metadata=found) if SCORE in found else Score.unscored(metadata=found)

        return score

    def mean_scores() -> Any:
        def compute(scores: list[Any]) -> dict[str, float]:  # Inspect reads this annotation
            return means((rows[each.sample_id], each.score.as_float()) for each in scores)

        return compute

    ours = scorer(metrics=[metric(mean_scores)()])(haymaker_score)
    samples = [
        Sample(
            input=_messages(row), target=list(row["answers"]), id=row["id"],
            metadata={key: row[key] for key in ("suite", "task", "length", "group_id")},
        )
        for row in rows.values()
    ]  # fmt: skip
    return Task(
        dataset=MemoryDataset(samples, name=facts.release), solver=solver(ask)(), scorer=ours(), version=facts.version
    )


def means(scores: Iterable[tuple[Mapping[str, Any], float]]) -> dict[str, float]:
    """Return the overall score, its standard error, and the mean of each suite and table, as `haymaker score` has them.

    Args:
        scores: row and score of its primary metric, of each row with a score.
    """
    cells = defaultdict[Place, list[tuple[str, float]]](list)
    for row, score in scores:
        cells[Place(row["suite"], row["task"], row["length"])].append((row["group_id"], score))
    if not cells:
        return {"overall": float("nan")}
    overall, suites = average(cells), dict.fromkeys(place.suite for place in cells)
    return {
        "overall": overall.mean,
        **({"overall_stderr": overall.error} if overall.error is not None else {}),
        **{suite: average({at: of for at, of in cells.items() if at.suite == suite}).mean for suite in suites},
        **{"_".join(place): average({place: of}).mean for place, of in cells.items()},
    }


def _messages(row: Mapping[str, Any]) -> Any:
    from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser

    kinds: dict[str, Any] = {
        "system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant,
    }  # fmt: skip
    return [kinds[message["role"]](content=message["content"]) for message in messages(row)]


def _named(tables: Sequence[Table], names: str) -> list[Table]:
    """Return the tables that match any of the names."""
    known = dict.fromkeys(name for table in tables for name in (table.length, table.suite, table.name))
    wanted = [name.strip() for name in names.split(",")]
    for name in wanted:
        if name not in known:
            raise ReleaseError(f"no rows match {name!r:.80}", where="rows", fix=nearest(name, known))
    return [table for table in tables if {table.length, table.suite, table.name} & set(wanted)]
