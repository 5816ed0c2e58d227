"""Build mini/, next to data/: a small fixed set of rows across tasks and lengths, so that a first score takes minutes.

Rows are copied unchanged, including their ids. Each task has its own selection and its own file, so adding or changing
a task does not change the files of other tasks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generators.spec import Entry
from haymaker.core.files.disk import read_json
from haymaker.core.lengths import NO_BACKGROUND, is_natural, length_order, length_tokens
from haymaker.core.rng import Stream, digest
from haymaker.core.rows.parquet import open_writer, read_row_groups, to_rows
from haymaker.core.text.equivalents import equivalents
from haymaker.releases.folder import MINI
from pipelines.checks.row_digest import logical_digest
from pipelines.execution.executor import worker_count
from pipelines.project import Project

if TYPE_CHECKING:
    import pyarrow as pa

FILE = "test-00000-of-00001.parquet"
SHORT, LONG = "4k", "32k"
ROWS = {"short": 2, "long": 1}
RULE = (
    f"of every task {ROWS['short']} test rows at its longest length up to {SHORT} (or its shortest) and {ROWS['long']} at its longest length "
    f"up to {LONG}, of different questions where there are enough; where no length is filled up to {LONG}, {ROWS['short']} natural rows that are no longer; of tasks whose output is long one row at the shortest; "
    f"tasks that have nothing up to {LONG} are not in it"
)
_COLUMNS = ("id", "group_id", "prompt_tokens", "max_new_tokens", "answers", "answer_groups", "choices")


@dataclass(frozen=True)
class _Place:
    """A finished row and its position: file, row group, row."""

    file: Path
    group: int
    at: int
    row: dict[str, Any]


def build_mini(project: Project, folder: Path) -> dict[str, Any]:
    """Select rows of the release and copy them into an empty folder.

    Args:
        project: project with a validated release.
        folder: folder to create and fill.

    Returns:
        Facts for the manifest: `rule`; `tasks` (suite -> task -> rows, prompt_tokens, output_tokens at most, lengths,
        and `one_answer`: every eligible row has one exact answer); `files` (name below the release -> sha256,
        logical_digest, rows, tokens, bytes).

    Raises:
        ReleaseError: a file of the release is damaged.
    """
    tasks: dict[str, dict[str, Any]] = {}
    files: dict[str, dict[str, Any]] = {}
    folder.mkdir(parents=True)
    entries = [(built.name, entry) for built in project.built_suites() for entry in built.built().values()]
    with ThreadPoolExecutor(worker_count()) as pool:  # most of the time is spent reading Parquet
        made = list(pool.map(lambda each: _small(project, each[0], each[1], folder), entries))
    for (suite, entry), (facts, files_of_it) in zip(entries, made, strict=True):
        files |= files_of_it
        if facts:
            tasks.setdefault(suite, {})[entry.name] = facts
    return {"rule": RULE, "tasks": tasks, "files": files}


def _small(project: Project, suite: str, entry: Entry[Any], stage: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Write the selected rows of a task; return the facts of the task and of its file, both empty without rows."""
    asked = _asked(project, suite, entry.name, of_output=entry.spec.task.of_output)
    chosen = _chosen(project, suite, entry.name, asked)
    if not chosen:
        return {}, {}
    name = f"{suite}/{entry.name}/{FILE}"
    seen = (place.row for rows, _ in asked for place in rows)
    facts = _facts(chosen) | {"one_answer": all(map(_is_one, seen))}
    return facts, {f"{MINI}/{name}": _copied(chosen, stage / name, project)}


def lengths(lengths: Iterable[str], *, of_output: bool) -> list[tuple[str, int]]:
    """Return the lengths of a task to use, each with its number of rows.

    Args:
        lengths: lengths with test rows.
        of_output: whether the lengths are output lengths.
    """
    known = sorted(lengths, key=length_order)
    filled = [name for name in known if name != NO_BACKGROUND and not is_natural(name)]
    near = [name for name in filled if _tokens(name) <= _tokens(LONG)]
    unfilled = [name for name in known if is_natural(name)] or ([] if filled else known)
    if not near:
        return [(name, ROWS["short"]) for name in unfilled[:1]]
    if of_output:
        return [(near[0], 1)]
    short = next((name for name in reversed(near) if _tokens(name) <= _tokens(SHORT)), near[0])
    long = [] if near[-1] == short else [(near[-1], ROWS["long"])]
    return [(short, ROWS["short"]), *long]


def _tokens(length: str) -> int:
    return length_tokens(length) or 0


def _asked(project: Project, suite: str, task: str, *, of_output: bool) -> list[tuple[list[_Place], int]]:
    """Return the eligible rows and the number to select for each length of a task, shortest length first."""
    listed, found = _test_files(project, f"{suite}/{task}"), []
    for length, count in lengths(listed, of_output=of_output):
        rows = [place for file in listed[length] for place in _places(project.release / "data" / file)]
        found.append(([place for place in rows if of_output or place.row["prompt_tokens"] <= _tokens(LONG)], count))
    return found


def _chosen(project: Project, suite: str, task: str, asked: Iterable[tuple[list[_Place], int]]) -> list[_Place]:
    """Select the rows of a task; a question is used twice only if there are no others."""
    used: set[str] = set()
    chosen: list[_Place] = []
    for rows, count in asked:
        ranked = sorted(rows, key=lambda place: _rank(project, suite, task, place.row))
        for _ in range(min(count, len(ranked))):
            place = next((place for place in ranked if place.row["group_id"] not in used), ranked[0])
            ranked.remove(place)
            used.add(place.row["group_id"])
            chosen.append(place)
    return chosen


def _test_files(project: Project, task: str) -> dict[str, list[str]]:
    """Return length -> validated test files, below data/."""
    found: dict[str, list[str]] = {}
    for name in sorted(read_json(project.reports / "validate.json", "files")["files"]):
        folder, _, file = name.rpartition("/")
        above, _, length = folder.rpartition("/")
        if above == task and file.startswith("test-"):
            found.setdefault(length, []).append(name)
    return found


def _rank(project: Project, suite: str, task: str, row: Mapping[str, Any]) -> tuple[int, int]:
    """Return the sort key of a row: by question, the same at every length, then by row id; not by file order."""
    key = (project.params.release.stream_key, MINI, suite, task)
    return Stream(*key, row["group_id"]).word(), Stream(*key, row["id"]).word()


def _places(file: Path) -> Iterator[_Place]:
    for group, table in enumerate(read_row_groups(file, _COLUMNS)):
        for at, row in enumerate(to_rows(table, file)):
            yield _Place(file, group, at, row)


def _copied(chosen: Sequence[_Place], path: Path, project: Project) -> dict[str, Any]:
    """Write the rows of a task and return the facts of the file."""
    import pyarrow as pa

    table = pa.concat_tables(_read(chosen)).combine_chunks()
    path.parent.mkdir(parents=True, exist_ok=True)
    with open_writer(path, project.params.parquet.zstd_level) as writer:
        writer.write_table(table, row_group_size=len(table))
    data = path.read_bytes()
    return {
        "sha256": sha256(data).hexdigest(),
        "bytes": len(data),
        "logical_digest": digest(logical_digest(to_rows(table, path))).hex(),
        "rows": len(table),
        "tokens": sum(place.row["prompt_tokens"] for place in chosen),
    }


def _read(chosen: Sequence[_Place]) -> Iterator[pa.Table]:
    """Yield each row as a table; every row group is read once."""
    import pyarrow.parquet as pq

    groups: dict[tuple[Path, int], pa.Table] = {}
    for place in chosen:
        if (key := (place.file, place.group)) not in groups:
            with pq.ParquetFile(place.file, memory_map=True) as file:
                groups[key] = file.read_row_group(place.group)
        yield groups[key].slice(place.at, 1)


def _facts(chosen: Sequence[_Place]) -> dict[str, Any]:
    return {
        "rows": len(chosen),
        "prompt_tokens": sum(place.row["prompt_tokens"] for place in chosen),
        "output_tokens": sum(place.row["max_new_tokens"] for place in chosen),
        "lengths": sorted({place.file.parent.name for place in chosen}, key=length_order),
    }


def _is_one(row: Mapping[str, Any]) -> bool:
    """Return whether a row has exactly one accepted answer (equivalent forms aside), and that answer is not a list."""
    (answer, *others), groups = row["answers"] or [""], row["answer_groups"] or [1]
    return (
        bool(answer)
        and set(others) <= set(equivalents(answer))
        and len(groups) == 1
        and ("," not in answer or answer in (row["choices"] or ()))
    )
