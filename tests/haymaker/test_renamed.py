"""Old names are refused with one line that gives the new name."""

from __future__ import annotations

from pathlib import Path

import pytest

from haymaker.core.errors import HaymakerError, ParamsError
from haymaker.core.params import nearest
from haymaker.core.renamed import new_name
from haymaker.core.rows.schema import arrow_schema
from haymaker.evaluation.score.options import ScoringOptions
from pipelines.project import Project
from tests.pipelines import tiny

ROOT = Path(__file__).parents[2]
_IN_A_FILE = (
    ("retrieval_sets:", "mined:", "retrieval_sets"),
    ("classification_sets:", "labelled:", "classification_sets"),
    ("retrieval_set: nq", "mined: nq", "retrieval_set"),
    ("edition: simulated", "edition: world", "simulated"),
    ("full_recount_max_length", "recount_all_up_to", "full_recount_max_length"),
    ("kind: simulated_babi", "kind: world_babi", "simulated_babi"),
    ("source: novels_sim", "source: novels_world", "novels_sim"),
    ("decontaminate", "drop_lookalikes", "decontaminate"),
    ("top_k: 10000", "depth: 10000", "top_k"),
    ("num_negatives: 9000", "keep: 9000", "num_negatives"),
    ("    lengths:\n", "    buckets:\n", "lengths"),
    ("base: icl_banking77\n", "of: icl_banking77\n", "base"),
    ("timeline_reorder_sim:", "timeline_reorder_world:", "timeline_reorder_sim"),
    ("distractor_similarity: high", "closeness: near", "distractor_similarity"),
    ("paraphrase: true", "wording: other", "paraphrase"),
)


@pytest.mark.parametrize(("now", "old", "named"), _IN_A_FILE, ids=[old.strip() for _, old, _ in _IN_A_FILE])
def test_an_old_key_or_value_of_a_parameter_file(tmp_path: Path, now: str, old: str, named: str) -> None:
    text = (ROOT / "params.yaml").read_text(encoding="utf-8")
    assert now in text
    (tmp_path / "params.yaml").write_text(text.replace(now, old, 1), encoding="utf-8")
    with pytest.raises(ParamsError) as error:
        _ = Project(tmp_path).params
    assert f"write {named!r} (" in error.value.fix and "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("old", "known", "new"),
    [
        *((old, arrow_schema().names, new) for old, new in (("bucket", "length"), ("n_units", "num_segments"))),
        ("proof", ["rows", "validate"], "validate"),
    ],
)
def test_an_old_column_or_topic_of_bench(old: str, known: list[str], new: str) -> None:
    assert nearest(old, known) == f"write {new!r} ({old!r} was renamed)"


def test_an_old_group_of_scores() -> None:
    with pytest.raises(HaymakerError, match=r"write 'split' \('part' was renamed\)"):
        ScoringOptions(by="part").check()


@pytest.mark.parametrize(
    ("words", "old", "new"),
    [
        ("pull x", "--into", "--local-dir"),
        ("eval x", "--plan", "--dry-run"),
        ("show x", "--part", "--split"),
        ("score x", "--rows", "--row-scores"),
    ],
)
def test_an_old_flag(words: str, old: str, new: str) -> None:
    done = tiny.called(ROOT, *words.split(), old, "y")
    assert done.returncode == 2
    assert done.stderr.endswith(f"Next: write {new!r} ({old!r} was renamed)\n")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("depth", ""),
        ("wording", "paraphrase"),
        ("a_world", "a_sim"),
        ("s_a_world_4k", "s_a_sim_4k"),
        ("worldly", ""),
        ("x", ""),
    ],
)
def test_a_new_name_is_given_only_where_it_is_valid(old: str, new: str) -> None:
    assert new_name(old, ["depths", "paraphrase", "a_sim", "s_a_sim_4k", "simly"]) == new


@pytest.mark.parametrize(
    "name", ["narrativeqa_{}", "infbench_qa_zh_{}", "helmet_narrativeqa_{}_128k", "helmet_narrativeqa_{}_sim_128k"]
)
def test_an_old_name_of_documents_among_distractors(name: str) -> None:
    old, new = name.format("embedded"), name.format("distractors")
    assert new_name(old.replace("_sim", "_world"), [new]) == new
    assert new_name(old, ["narrativeqa"]) == ""
