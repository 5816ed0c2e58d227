"""Simulated rows cannot be taken for the data set that they imitate: configs, titles, card, plan, show and scores say what they are."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from haymaker.core.rows.config_name import SIMULATED_SUFFIX
from haymaker.releases.configs import configs
from haymaker.releases.find_row import find
from haymaker.releases.folder import manifest
from pipelines.project import Project
from tests.pipelines import tiny

RELEASES = Project(tiny.ROOT).releases()


@cache
def named(release: str) -> list[tuple[bool, str, str, str]]:
    """(made of any kind of source called simulated_..., task, config, title) of every table of a parameter file."""
    project = Project(tiny.ROOT).with_release(release)
    kinds = {name: source.kind for name, source in project.params.sources.items()}
    found = []
    for built in project.suites():
        for table in built.tables():
            read = {kinds[name] for use in built.task(table.task).uses() for name in project.inputs.sources_of(use)}
            simulated = any(kind.startswith("simulated_") for kind in read)
            title = built.entries[table.task].spec.titled(simulated=built.simulated(table.task))
            found.append((simulated, table.task, table.config, title))
    return found


@pytest.mark.parametrize("release", RELEASES)
def test_simulated_rows_and_no_others_are_named_so(release: str) -> None:
    assert named(release)
    for simulated, task, config, title in named(release):
        assert simulated == config.rpartition("_")[0].endswith(SIMULATED_SUFFIX), config
        assert config.count(SIMULATED_SUFFIX) <= 1
        assert simulated == (title.startswith("Simulated version of ") or title.endswith("(in simulated text)")), title
        assert not simulated or release not in ("babilong", "full", "mirror")
        assert simulated or not task.endswith(SIMULATED_SUFFIX)


def test_card_show_and_score_say_it(built: Project, tmp_path: Path) -> None:
    tables = {table.config for each in built.suites() for table in each.tables()}
    assert {each.name for each in configs(manifest(built.release)) if each.length and not each.group} == tables
    title = "Simulated version of bAbI: one supporting fact: where a person is"
    assert title in (built.release / "TASKS.md").read_text(encoding="utf-8")
    assert tiny.called(built.root, "show", "qa1", "--length", "0k").stdout.startswith(title)
    row, outputs = find(built.release, "qa1", "0k", 0, "test"), tmp_path / "outputs.jsonl"
    outputs.write_text(f'{{"id": "{row["id"]}", "output": "{row["answers"][0]}"}}\n', encoding="utf-8")
    line = "simulated rows, not comparable with the data sets that they imitate: babilong qa1"
    assert line in " ".join(tiny.called(built.root, "score", str(outputs)).stdout.split())
