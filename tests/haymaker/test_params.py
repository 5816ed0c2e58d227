"""Parameter files: every mistake is one line that names the key and the nearest right one; files that extend another; old names."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from haymaker.core import params
from haymaker.core.errors import HaymakerError, ParamsError
from haymaker.core.extends import as_yaml, merged, parent_name
from haymaker.core.files.yaml_file import mapping
from haymaker.core.lengths import WORD_RANGES, is_natural, length_order, length_tokens, outside, typical_tokens
from haymaker.core.renamed import new_name
from pipelines.project import Project
from tests.errors import refused

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("name", "tokens"),
    [
        ("0k", None),
        ("4k", 4096),
        ("128k", 131072),
        ("1M", 1_000_000),
        ("10M", 10_000_000),
        ("natural", None),
        ("0-4k", None),
        ("8k+", None),
    ],
)
def test_lengths(name: str, tokens: int | None) -> None:
    assert length_tokens(name) == tokens
    assert is_natural(name) == (tokens is None and name != "0k")
    assert not is_natural(name) or typical_tokens(name) > 1000


@pytest.mark.parametrize(
    "name",
    "33kk|k||4K|-4k|4.5k|04k|11M|99999M|4k |4 k|Natural|4k+|8-4k|0k-4k|8k +".split("|"),
)
def test_bad_lengths(name: str) -> None:
    with refused(ParamsError, "", f"'{name}'", fix="10M" if name.endswith("M") else "natural, 0-4k, 4-8k, 8k+"):
        length_tokens(name)


def test_length_order_is_by_length() -> None:
    names = ["1M", "8k+", "4k", "0k", "0-4k", "128k", "natural", "4-8k"]
    assert sorted(names, key=length_order) == ["0k", "natural", "0-4k", "4-8k", "8k+", "4k", "128k", "1M"]


@given(words=st.integers(0, 10**7))
def test_every_length_is_in_one_range_of_words(words: int) -> None:
    """LongBench-E: below 4,000, below 8,000, and the rest; a natural row may have any length."""
    holding = [name for name in WORD_RANGES if not outside(name, words)]
    assert holding == ["0-4k" if words < 4000 else "4-8k" if words < 8000 else "8k+"]
    assert not outside("natural", words)


@pytest.fixture
def demo(tmp_path: Path) -> Path:
    return Path(shutil.copy(ROOT / "params" / "demo.yaml", tmp_path / "params.yaml"))


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("  seed: 20261120", "  sed: 20261120", ["release.sed", "unknown key 'sed'", "did you mean 'seed'?"]),
        ("tokenizer:", "tokeniser:", ["unknown key 'tokeniser'", "did you mean 'tokenizer'?"]),
        ("  seed: 20261120", "  seed: 1\n  seed: 2", ["'seed' is repeated", "params.yaml:"]),
        ("  zstd_level: 3", "  zstd_level: 99", ["parquet.zstd_level", "99"]),
        ("full_recount_max_length: 64k", "full_recount_max_length: 33kk", ["'33kk' is not a length"]),
        ("sources:", "sources: [", ["not valid YAML", "params.yaml:"]),
    ],
)
def test_mistakes(demo: Path, old: str, new: str, says: list[str]) -> None:
    demo.write_text(demo.read_text().replace(old, new, 1))
    with pytest.raises(ParamsError) as caught:
        params.load(demo.read_bytes(), name=str(demo))
    line = str(caught.value)
    assert "\n" not in line
    for part in says:
        assert part in line, line


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)
    )
)
def test_anything_else_is_a_clear_error(value: object) -> None:
    with pytest.raises(HaymakerError) as caught:
        params.parse(params.Params, value, where="params.yaml")  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)


def test_active_parameters_are_the_demo() -> None:
    """params.yaml is a copy of params/demo.yaml, except for the path of the schema: a fresh clone builds what its dvc.lock says."""
    active = (ROOT / "params.yaml").read_bytes().replace(b"$schema=params/schema.json", b"$schema=schema.json")
    releases = {path.read_bytes(): path.stem for path in (ROOT / "params").glob("*.yaml")}
    if releases.get(active, "demo") != "demo":
        pytest.skip(f"NOT RUN: params.yaml is release {releases[active]}; haymaker run demo before a commit")
    assert active == (ROOT / "params" / "demo.yaml").read_bytes()


def test_what_a_file_changes_of_the_one_that_it_extends() -> None:
    """Mappings are merged; lengths, and sources with a kind, are replaced; suites and tasks select; a setting of a suite applies to all."""
    one = {"lengths": {"4k": 5, "16k": 5}, "tasks": {"x": {"depths": 3, "decoys": 2}, "y": {"depths": 5}, "z": None}}
    sources = {"a": {"kind": "novels", "words": 80}, "b": {"kind": "talk", "words": 3}, "c": {"kind": "talk"}}
    parent = {"release": {"name": "above", "seed": 1}, "sources": sources, "suites": {"one": one, "two": {"tasks": {}}}}
    child = {"release": {"name": "below"}, "sources": {"a": {"words": 9}, "b": {"kind": "folder"}}, "mirror": None}
    found = merged(parent, child)
    assert found["release"] == {"name": "below", "seed": 1} and found["mirror"] is None
    assert found["sources"] == {"a": {"kind": "novels", "words": 9}, "b": {"kind": "folder"}, "c": {"kind": "talk"}}
    assert found["suites"] == parent["suites"]
    changed = {"depths": 9, "lengths": {"8k": 1}, "tasks": {"x": {"depths": 4}, "y": None, "new": {"base": "z"}}}
    tasks = {"x": {"depths": 4, "decoys": 2}, "y": {}, "new": {"base": "z"}}
    assert merged(parent, {"suites": {"one": changed}})["suites"] == {"one": changed | {"tasks": tasks}}


def test_a_parent_is_a_name_and_the_child_has_a_name_of_its_own() -> None:
    assert parent_name({"extends": "demo", "release": {"name": "mine"}}, where="w") == "demo"
    for wrong in (None, 3, "../demo", "demo.yaml"):
        with refused(ParamsError, "w: extends", fix="extends: demo"):
            parent_name({"extends": wrong, "release": {"name": "mine"}}, where="w")
    with refused(ParamsError, "w", fix="name"):
        parent_name({"extends": "demo", "release": {"seed": 3}}, where="w")


@pytest.mark.parametrize("text", ["no", "1.0", "a: b", "ä # b", ""])
def test_the_written_file_has_the_same_values(text: str) -> None:
    values = {"a": {text or "k": [text, {"b": text}]}, "n": None, "f": 0.5, "i": 3, "t": True}
    assert mapping(as_yaml(values, "comment"), name="x") == values


_IN_A_FILE = (
    ("retrieval_sets:", "mined:", "retrieval_sets"),
    ("edition: simulated", "edition: world", "simulated"),
    ("kind: simulated_babi", "kind: world_babi", "simulated_babi"),
    ("top_k: 10000", "depth: 10000", "top_k"),
    ("    lengths:\n", "    buckets:\n", "lengths"),
    ("base: icl_banking77\n", "of: icl_banking77\n", "base"),
    ("timeline_reorder_sim:", "timeline_reorder_world:", "timeline_reorder_sim"),
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
