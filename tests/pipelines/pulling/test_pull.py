"""haymaker pull, and reading what was pulled: only what is asked for, verified, added to, used by name."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import haymaker
from haymaker.core.errors import HaymakerError, ParamsError, ReleaseError
from haymaker.releases.manifest import TEXTS
from haymaker.releases.pulled.ref import Reference, newest, parse_reference
from tests.errors import refused, refused_line
from tests.hub import LocalHub
from tests.pipelines import tiny
from tests.pipelines.pulling.conftest import MINI, REPO, Reader, release, right

QA1 = "data/babilong/qa1/{}/test-00000-of-00001.parquet"


def test_only_what_is_asked_for_comes_and_more_is_added(reader: Reader, hub: LocalHub, built_root: Path) -> None:
    done = reader("pull", REPO, "--tasks", "qa1", "--lengths", "4k")
    assert done.returncode == 0 and "0.1.0 is the newest of 1 versions" in done.stderr, done.stderr
    assert reader.files() == {QA1.format("4k"), *TEXTS} and right(reader, built_root)
    many = len(json.loads((built_root / "data/releases/tiny/manifest.json").read_text())["files"])
    assert f"not selected: {many - 1} files" in done.stderr
    hub.requests.clear()
    done = reader("pull", f"{REPO}@0.1.0", "--tasks", "babilong/qa1,qa3", "--lengths", "1k,4k", "--mini")
    assert done.returncode == 0 and "already here: 1 files" in done.stderr
    qa3 = "data/babilong/qa3/1k/test-00000-of-00001.parquet"
    mini = {path for path in reader.files() if path.startswith("mini/")}
    assert reader.fetched() == {QA1.format("1k"), qa3, *mini} and MINI in mini, "texts and what was here stay"
    assert reader.files() == {QA1.format("1k"), QA1.format("4k"), qa3, *mini, *TEXTS} and right(reader, built_root)
    assert loaded(reader, "babilong_qa1_sim_4k", "all_sim_4k", "mini")[:2] == [6, 6]
    verified = reader("validate", "--release", REPO)
    assert verified.returncode == 0 and f"{3 + len(mini)} of {many} files, as pulled, match" in verified.stderr
    hub.requests.clear()
    assert reader("pull", REPO, "--tasks", "qa1", "--lengths", "4k").returncode == 0
    assert not reader.fetched()
    done = reader("pull", REPO, "--tasks", "qa1,qa3", "--lengths", "16k")
    assert done.returncode == 0 and "qa3 has no rows with the selected lengths and split" in done.stderr


def test_the_test_rows_are_meant_and_all_is_the_release(reader: Reader, hub: LocalHub) -> None:
    whole = hub._commits[REPO][hub._head[REPO]]
    assert reader("pull", REPO).returncode == 0
    assert reader.files() == {name for name in whole if "train" not in name and not name.startswith("mini/")}
    assert reader("pull", REPO, "--split", "all", "--mini").returncode == 0
    assert {name: (reader.folder / name).read_bytes() for name in reader.files()} == whole
    verified, many = reader("validate", "--release", f"{REPO}@0.1.0"), len(whole) - len(TEXTS)
    assert verified.returncode == 0 and f"{many} of {many} files" in verified.stderr, verified.stderr


def loaded(reader: Reader, *configs: str) -> list[int]:
    """Rows that `load_dataset` finds in the pulled folder."""
    code = (
        "import sys, datasets; folder, cache, *configs = sys.argv[1:]; "
        "print([len(datasets.load_dataset(folder, each, split='test', cache_dir=cache)) for each in configs])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(reader.folder), str(reader.home / "datasets"), *configs],
        capture_output=True, text=True, env=tiny.environment(), check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return list(json.loads(done.stdout.splitlines()[-1]))


def test_the_newest_version_is_taken_and_an_unknown_one_named(reader: Reader, hub: LocalHub, built_root: Path) -> None:
    for version in ("0.9.0", "0.10.0"):
        hub.commit(REPO, release(built_root / "data/releases/tiny", version=version))
        hub.tag(REPO, f"v{version}")
    hub.tag(REPO, "latest")
    done = reader("pull", REPO, "--tasks", "qa3")
    assert done.returncode == 0 and "0.10.0 is the newest of 3 versions" in done.stderr
    tiny.one_line(reader("pull", f"{REPO}@0.11.0"), REPO, "0.11.0", fix=f"haymaker pull {REPO}@0.10.0")
    assert reader("pull", f"{REPO}@0.9.0", "--tasks", "qa3").returncode == 0
    assert reader("show", "qa3", "--release", f"{REPO}@0.9.0").returncode == 0
    newest_here = reader("validate", "--release", REPO).stderr
    assert "0.10.0: the checksums of the manifest and 1 of 18" in newest_here


def test_a_folder_of_ones_own(reader: Reader, hub: LocalHub, built_root: Path) -> None:
    own = reader.home / "own"
    assert reader("pull", REPO, "--tasks", "qa3", "--local-dir", str(own)).returncode == 0
    assert reader("show", "qa3", "--release", str(own)).returncode == 0
    tiny.one_line(reader("show", "qa3", "--release", REPO), REPO, fix=f"haymaker pull {REPO}")
    hub.commit(REPO, release(built_root / "data/releases/tiny", version="0.2.0"))
    hub.tag(REPO, "v0.2.0")
    tiny.one_line(reader("pull", REPO, "--local-dir", str(own)), str(own), f"{REPO}@0.1.0")
    (reader.home / "full").mkdir()
    (reader.home / "full/thesis.tex").write_text("mine")
    tiny.one_line(reader("pull", REPO, "--local-dir", str(reader.home / "full")), str(reader.home / "full"), "empty")
    assert [path.name for path in (reader.home / "full").iterdir()] == ["thesis.tex"]


def test_reading_goes_by_name_and_asks_no_network(reader: Reader, hub: LocalHub) -> None:
    assert reader("pull", REPO, "--tasks", "qa1", "--lengths", "1k").returncode == 0
    hub.requests.clear()
    assert reader("show", "qa1", "--release", REPO).returncode == 0
    pull = f"haymaker pull {REPO}@0.1.0 --tasks babilong/qa1 --lengths"
    tiny.one_line(reader("show", "qa1", "--length", "4k", "--release", REPO), fix=f"{pull} 4k")
    tiny.one_line(reader("show", "qa1", "--split", "train", "--release", REPO), fix=f"{pull} 0k,1k,4k --split train")
    tiny.one_line(reader("show", "qa9", "--release", REPO), "", "'qa9'")
    tiny.one_line(reader("show", "qa1", "--length", "5k", "--release", REPO), "", "'5k'")
    assert not hub.requests


def test_scores_of_what_is_here(reader: Reader, built_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built = built_root / "data/releases/tiny"
    tables = [pq.read_table(built / QA1.format(length), columns=["id", "answers"]) for length in ("1k", "4k")]
    short, long = ({row["id"]: row["answers"][0] for row in table.to_pylist()} for table in tables)
    file = reader.home / "outputs.jsonl"
    file.write_text("\n".join(json.dumps({"id": i, "output": output}) for i, output in (short | long).items()))
    assert reader("pull", REPO, "--tasks", "qa1", "--lengths", "1k").returncode == 0
    done = reader("score", str(file), "--release", REPO)
    assert done.returncode == 0 and "qa1" in done.stdout
    pull = f"haymaker pull {REPO}@0.1.0 --tasks babilong/qa1 --lengths 4k"
    refused_line(done.stderr, "", "babilong/qa1", "4k", fix=pull)
    monkeypatch.setenv("HAYMAKER_HOME", str(reader.home / "cache"))
    monkeypatch.chdir(reader.home)
    assert haymaker.score(short, f"{REPO}@0.1.0").figures == haymaker.score(short, built).figures
    with refused(ReleaseError, "", "4k", fix=pull):
        haymaker.score(long, REPO)


def test_damage_is_seen_and_mended(reader: Reader, hub: LocalHub, built_root: Path) -> None:
    assert reader("pull", REPO, "--tasks", "qa1", "--lengths", "1k,4k").returncode == 0
    again = f"haymaker pull {REPO}@0.1.0 --tasks babilong/qa1 --lengths"

    def invalid(*values: str, fix: str = "") -> None:
        tiny.one_line(reader("validate", "--release", REPO), *values, fix=fix, code=1)

    (reader.folder / QA1.format("1k")).write_bytes(b"damaged")
    invalid(QA1.format("1k"), "changed", fix=f"{again} 1k")
    (reader.folder / QA1.format("4k")).unlink()
    (reader.folder / "README.md").write_text("damaged")
    hub.requests.clear()
    assert reader("pull", REPO, "--tasks", "qa1", "--lengths", "1k").returncode == 0
    assert reader.fetched() == {QA1.format("1k"), *TEXTS} and right(reader, built_root)
    invalid(QA1.format("4k"), fix=f"{again} 4k")  # it was asked for
    (reader.folder / "stranger.txt").write_text("?")
    invalid("stranger.txt")


def test_references() -> None:
    assert parse_reference("org/tiny@v1.10.0") == Reference("org/tiny", "1.10.0") and newest([]) is None
    assert parse_reference("s3://bucket/folder/@v1.10.0") == Reference("s3://bucket/folder", "1.10.0")
    assert parse_reference("file:///some/where") == Reference("file:///some/where")
    assert newest(["0.9.0", "0.10.0", "0.2.11"]) == "0.10.0"
    for text in ("org", "org/tiny@latest", "../tiny", "org/..", "org/tiny/more", "org/ti ny", "@1.0.0", "org/tiny@1.0"):
        with refused(HaymakerError, "", text):
            parse_reference(text)
    for text in (
        "s3://", "s3:///", "s3://key:secret@bucket/x", "s3://bucket/../x", "s3://bucket/x@latest", "hf://datasets/org/x",
        "file:///a/./b", "simplecache::s3://bucket/x", "s3://bucket/x?key=1",
    ):  # fmt: skip
        with pytest.raises(ParamsError, match="is not a folder of a store") as error:
            parse_reference(text)
        assert "secret" not in str(error.value)
