"""Parameter files: every mistake is one line that names the key and the nearest right one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from haymaker.core import params
from haymaker.core.errors import HaymakerError, ParamsError
from haymaker.core.lengths import WORD_RANGES, is_natural, length_order, length_tokens, outside, typical_tokens
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


def test_a_word_that_begins_one_known_name_alone_means_it() -> None:
    known = ["longbench", "longgenbench", "marathon", "marathon_sim"]
    assert params.nearest("longgen", known) == "did you mean 'longgenbench'?"
    assert params.nearest("marath", known) == "did you mean 'marathon'?"


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
