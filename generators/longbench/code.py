"""LongBench's tasks over source code: a line that needs another file, a line of one long file (docs/spec/longbench.md 2.5)."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType

from generators.code.kinds import CrossFile, OneFile
from generators.code.task import CodeTask
from generators.spec import Allowed, TaskSpec
from haymaker.core.rows.row_checks import Check

METRICS = ("longbench_edit@strict", "longbench_edit@official", "code_line@strict")
_SKIPS = MappingProxyType({
    Check.ORACLE: "no exact solver: what comes next is for a reader to find; a parser proves that the line stands in the file and what it needs in the context",
})  # fmt: skip
_LIKE = Allowed(
    40, "any two lines of code share a third of their characters, lines that open alike more; `code_line` is 0"
)
_FEW_FORMS = Allowed(65, "lines of simulated programs are of nine forms and share what is no name; `code_line` is 0")
_ALLOWS = MappingProxyType(
    dict.fromkeys(("majority", "by_opening", "question_alone", "closed_book", "odd_out", "after_markers"), _LIKE)
    | {"odd_length": Allowed(65, "files with much that others use are long; a short context has room for few files")}
)


def _spec(name: str, kind: OneFile | CrossFile, title: str) -> TaskSpec:
    return TaskSpec(
        name, CodeTask, title, "code", METRICS, 64, ends="where the files of a part end", wording=name,
        prompts=Path(__file__).with_suffix(".yaml"), use_chat_template=False, skips=_SKIPS, allows=_ALLOWS, version=3, kind=kind,
        allows_simulated=dict.fromkeys(("majority", "by_opening", "question_alone"), _FEW_FORMS),
    )  # fmt: skip


TASKS: tuple[TaskSpec, ...] = (
    _spec("repobench_p", CrossFile(), "The next line of a file, which needs another file of the project"),
    _spec("lcc", OneFile(), "The next line of one long file of code"),
)
