"""`haymaker validate` cannot be deceived: parameters, stage records, manifest, card, tables and files must all agree.

A file that is changed together with its stage record is found by what other files contain.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from haymaker.core.errors import ReleaseError
from haymaker.core.files.disk import json_text, sha256_file
from haymaker.releases import manifest
from pipelines.stages import records
from tests.errors import refused
from tests.extras import LONG
from tests.pipelines import tiny
from tests.reliability import small
from tests.reliability.conftest import Alone

Attack = Callable[[Path], object]
MANIFEST, CARD = "data/releases/tiny/manifest.json", "data/releases/tiny/README.md"
TABLES, RECORDS = "data/reports/tiny/tables/babilong.json", "data/reports/tiny/stages"


def rewritten(path: Path, content: bytes) -> None:
    """Other content; a hard link to the file is not changed with it."""
    assert content != path.read_bytes(), path
    path.unlink()
    path.write_bytes(content)


def resealed(root: Path, stage: str, change: Callable[[Any], None]) -> None:
    """Change the record of a stage as the stage itself would write it."""
    place = root / (
        f"data/stages/{stage}.json" if stage in ("download", "prepare", "retrieve") else f"{RECORDS}/{stage}.json"
    )
    record = json.loads(place.read_bytes())
    del record["digest"]
    change(record)
    rewritten(place, json_text(record | {"digest": records._seal(record)}).encode())


def noted(root: Path, name: str, stage: str) -> None:
    """Let the record of a stage agree with a file."""
    resealed(root, stage, lambda record: record["files"].update({name: sha256_file(root / name)}))


def replaced(name: str, old: str, new: str, *, by: str = "") -> Attack:
    """Replace text in a file; `by`: the stage whose record is made to agree."""

    def attack(root: Path) -> None:
        rewritten(root / name, (root / name).read_bytes().replace(old.encode(), new.encode(), 1))
        if by:
            noted(root, name, by)

    return attack


def edited(name: str, change: Callable[[Any], None], *, by: str = "") -> Attack:
    """The same for the content of a JSON file."""

    def attack(root: Path) -> None:
        value = json.loads((root / name).read_bytes())
        change(value)
        rewritten(root / name, json_text(value).encode())
        if by:
            noted(root, name, by)

    return attack


def added(name: str, text: str = "print('hello')\n") -> Attack:
    def attack(root: Path) -> None:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)

    return attack


def linked(name: str, target: str = "/etc/passwd") -> Attack:
    return lambda root: (root / name).symlink_to(target)


def first_file(value: Any) -> dict[str, Any]:
    facts: dict[str, Any] = next(iter(value["files"].values()))
    return facts


def flipped_and_noted(root: Path) -> None:
    """One bit of the rows, with the record of `generate` made to agree."""
    flipped(root / "data/releases/tiny/data")
    noted(root, next((root / "data/releases/tiny/data").rglob("*.parquet")).relative_to(root).as_posix(), "generate")


def record_is_a_folder(root: Path) -> None:
    (root / RECORDS / "card.json").unlink()
    (root / RECORDS / "card.json").mkdir()


def other_params(stage: str) -> Attack:
    return lambda root: resealed(root, stage, lambda record: record.update(made_by="0" * 32))


ATTACKS: dict[str, tuple[Attack, str, str]] = {
    "no record of the card": (lambda root: (root / RECORDS / "card.json").unlink(), f"{RECORDS}/card.json", "damaged"),
    "record is a folder": (record_is_a_folder, "card.json", ""),
    "record is no JSON": (lambda root: rewritten(root / RECORDS / "validate.json", b"{"), f"{RECORDS}/validate.json", "damaged"),
    "record without its seal": (edited(f"{RECORDS}/generate.json", lambda r: r.update(made_by="0" * 32)), f"{RECORDS}/generate.json", "damaged"),
    "record of other rows": (other_params("generate"), f"{RECORDS}/generate.json", "parameters"),
    "record of another card": (other_params("card"), f"{RECORDS}/card.json", "parameters"),
    "record of other inputs": (other_params("prepare"), "data/stages/prepare.json", "parameters"),
    "record of fewer files": (lambda root: resealed(root, "generate", lambda r: r["files"].popitem()), "", "stage"),
    "seed of the manifest": (replaced(MANIFEST, '"seed": 7', '"seed": 8'), MANIFEST, "changed"),
    "seed of the manifest, noted": (replaced(MANIFEST, '"seed": 7', '"seed": 8', by="card"), MANIFEST, "differs"),
    "name of the manifest, noted": (replaced(MANIFEST, '"tiny"', '"huge"', by="card"), MANIFEST, "differs"),
    "rows of the manifest, noted": (edited(MANIFEST, lambda m: first_file(m).update(rows=99), by="card"), MANIFEST, "differs"),
    "checksum in the manifest, noted": (edited(MANIFEST, lambda m: first_file(m).update(sha256="0" * 64), by="card"), MANIFEST, "differs"),
    "a file out of the manifest, noted": (edited(MANIFEST, lambda m: m["files"].popitem(), by="card"), MANIFEST, "differs"),
    "a number of the card": (replaced(CARD, "seed 7", "seed 8"), CARD, "changed"),
    "a number of the card, noted": (replaced(CARD, "seed 7", "seed 8", by="card"), CARD, "differs"),
    "a number of the tables": (edited(TABLES, lambda t: t["counts"].update(rows=99)), TABLES, "changed"),
    "tokenizer of the tables, noted": (edited(TABLES, lambda t: t["tokenizers"].update(tekken="0" * 16), by="generate"), "", "differs"),
    "a bit of the rows, noted": (flipped_and_noted, "", "data/releases/tiny/"),
    "parameters": (replaced("params.yaml", "seed: 7", "seed: 8"), "", "parameters"),
    "title in the parameters": (replaced("params.yaml", "title: Tiny", "title: Huge"), f"{RECORDS}/card.json", "parameters"),
    "versions": (replaced("versions.yaml", "\ngenerate: ", "\ngenerate: 9"), f"{RECORDS}/generate.json", "parameters"),
    "a loader in the release": (added("data/releases/tiny/loader.py"), "data/releases/tiny/loader.py", ""),
    "a loader among the suites": (added("data/releases/tiny/data/loader.py"), "data/releases/tiny/data/loader.py", ""),
    "a loader among the rows": (added("data/releases/tiny/data/babilong/loader.py"), "data/releases/tiny/data/babilong/loader.py", ""),
    "a hidden file": (added("data/releases/tiny/.hidden"), "data/releases/tiny/.hidden", ""),
    "a link": (linked("data/releases/tiny/passwords"), "data/releases/tiny/passwords", ""),
    "a link to a folder among the rows": (linked("data/releases/tiny/data/babilong/more", "/etc"), "babilong/more", ""),
    "a link to nothing among the rows": (linked("data/releases/tiny/data/babilong/qa1/x", "no"), "qa1/x", ""),
    "a pipe among the rows": (lambda root: os.mkfifo(root / "data/releases/tiny/data/babilong/p"), "babilong/p", ""),
    "a hidden folder": (added("data/releases/tiny/.cache/loader.py"), "data/releases/tiny/.cache/loader.py", ""),
    "keys of two types": (replaced("params.yaml", "qa1: {}", "qa1: {}\n      7: {}"), "params.yaml", ""),
    "no parameters": (lambda root: (root / "params.yaml").write_text(""), "params.yaml", ""),
    "rows of a suite that nobody asked for": (added("data/releases/tiny/data/other/x/4k/test-00000-of-00001.parquet"), "", "data/releases/tiny/data/other/"),
}  # fmt: skip


@pytest.fixture(scope="module")
def whole(alone: Alone, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy without links."""
    root = tmp_path_factory.mktemp("blind") / "project"
    shutil.copytree(alone.root, root)
    assert tiny.called(root, "validate").returncode == 0
    return root


@pytest.fixture
def mine(whole: Path, tmp_path: Path) -> Path:
    shutil.copytree(whole, tmp_path / "project", symlinks=True, ignore=shutil.ignore_patterns("work"))
    return tmp_path / "project"


@pytest.mark.parametrize("name", [*ATTACKS][:: 1 if os.environ.get(LONG) else 2])
def test_validate_names_it(mine: Path, name: str) -> None:
    attack, where, value = ATTACKS[name]
    attack(mine)
    done = tiny.called(mine, "validate")
    assert done.returncode in (1, 2), "2 for unreadable parameters and records"
    tiny.one_line(done, where, value, code=done.returncode)


def test_a_run_makes_all_of_it_right(mine: Path, whole: Path) -> None:
    """Except files that no stage wrote: they belong to the user, and the run asks to move them."""
    for name in (
        "checksum in the manifest, noted",
        "record of other inputs",
        "a bit of the rows, noted",
        "record of other rows",
    ):
        ATTACKS[name][0](mine)
    done = tiny.called(mine, "run")
    assert done.returncode == 0, done.stderr
    assert not small.differing(mine, small.promised(whole))
    assert tiny.called(mine, "validate").returncode == 0


# ------------------------------------------------------------------------------------------------ a folder that was downloaded


def flipped(root: Path) -> None:
    path = next(root.rglob("*.parquet"))
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 1
    path.write_bytes(raw)


def listing(files: Any) -> Attack:
    """Other files in the manifest, and the card made to agree."""

    def attack(root: Path) -> None:
        before = (root / "manifest.json").read_bytes()
        after = json.dumps(json.loads(before) | {"files": files}).encode()
        (root / "manifest.json").write_bytes(after)
        old, new = (sha256(raw).hexdigest() for raw in (before, after))
        (root / "README.md").write_text((root / "README.md").read_text().replace(old, new))

    return attack


DOWNLOADED: dict[str, tuple[Attack, str, str]] = {
    "a bit of a file": (flipped, ".parquet", "changed"),
    "a file is missing": (lambda root: next(root.rglob("*.parquet")).unlink(), ".parquet", "missing"),
    "a file is a link to nothing": (lambda root: (root / "x").symlink_to("nowhere"), "x", ""),
    "a loader": (added("tiny.py"), "tiny.py", ""),
    "another file of rows": (added("data/babilong/qa1/4k/test-00001-of-00001.parquet"), "test-00001-of-00001.parquet", ""),
    "no manifest": (lambda root: (root / "manifest.json").unlink(), "manifest.json", "missing"),
    "no card": (lambda root: (root / "README.md").unlink(), "README.md", "missing"),
    "seed of the manifest": (replaced("manifest.json", '"seed": 7', '"seed": 8'), "manifest.json", "card"),
    "manifest cut short": (lambda root: (root / "manifest.json").write_text("{"), "manifest.json", "card"),
    "card without a checksum": (lambda root: (root / "README.md").write_text("# Tiny\n"), "README.md", "checksum"),
    "a folder for a file": (listing({"data": {"sha256": ""}}), "manifest.json", "lists"),
    "a file elsewhere": (listing({"../../../etc/hostname": {"sha256": "0" * 64}}), "manifest.json", "lists"),
    "a listing of numbers": (listing({"x": 3}), "manifest.json", "lists"),
    "a listing that is a list": (listing([1]), "manifest.json", "lists"),
    "a card that leads elsewhere": (
        lambda root: (root / "README.md").write_text((root / "README.md").read_text().replace("path: data/", "path: https://x.example/")),
        "README.md", "'https://x.example/babilong/",
    ),
    "a card of another head": (lambda root: (root / "README.md").write_text((root / "README.md").read_text().replace("configs:", "config:")), "README.md", "front matter"),
    "no such folder": (lambda root: shutil.rmtree(root), "README.md", "missing"),
}  # fmt: skip


@pytest.fixture
def downloaded(whole: Path, tmp_path: Path) -> Path:
    shutil.copytree(whole / "data/releases/tiny", tmp_path / "tiny")
    added(".cache/huggingface/download/README.md.metadata")(tmp_path / "tiny")
    added(".gitattributes")(tmp_path / "tiny")
    return tmp_path / "tiny"


def test_a_downloaded_release_is_what_it_says(downloaded: Path, tmp_path: Path) -> None:
    done = tiny.called(tmp_path, "validate", "--release", str(downloaded))
    assert done.returncode == 0, done.stderr
    assert re.search(r"tiny 0\.1\.0: the checksums of the manifest and \d+ files match; seed 7", done.stderr)


@pytest.mark.parametrize("name", DOWNLOADED)
def test_a_downloaded_release_that_is_not_what_it_says(downloaded: Path, name: str) -> None:
    attack, where, value = DOWNLOADED[name]
    attack(downloaded)
    with refused(ReleaseError, where, value, os.fspath(downloaded)):
        manifest.verify(downloaded)
