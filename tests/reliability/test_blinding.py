"""`haymaker validate` cannot be blinded: what stands in dvc.lock, manifest, card, tables and files must all agree, with the parameters too.

Whoever changes a file and its record in dvc.lock alike is found by what other files say of it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from haymaker.errors import ReleaseError
from pipelines import manifest
from tests.pipelines import tiny
from tests.reliability import small
from tests.reliability.conftest import Alone

Attack = Callable[[Path], None]
MANIFEST, CARD, LOCK = "data/releases/tiny/manifest.json", "data/releases/tiny/README.md", "dvc.lock"
PARQUET = "data/releases/tiny/data/babilong/qa1/4k/test-00000-of-00001.parquet"


def replaced(name: str, old: str, new: str, *, noted: bool = False) -> Attack:
    """Text in a file put for another; `noted`: dvc.lock is made to agree."""

    def attack(root: Path) -> None:
        path = root / name
        before = path.read_bytes()
        after = before.replace(old.encode(), new.encode(), 1)
        assert after != before, (name, old)
        path.unlink()
        path.write_bytes(after)
        if noted:
            note(root, name, before, after)

    return attack


def note(root: Path, name: str, before: bytes, after: bytes) -> None:
    """dvc.lock as if a stage had written the file so."""
    lock = (root / LOCK).read_text()
    for raw in (before, after):
        assert raw
    old, new = (hashlib.md5(raw, usedforsecurity=False).hexdigest() for raw in (before, after))
    assert old in lock, name
    lock = lock.replace(f"{old}\n      size: {len(before)}", f"{new}\n      size: {len(after)}")
    (root / LOCK).write_text(lock)


def edited_json(name: str, change: Callable[[Any], None], *, noted: bool = False) -> Attack:
    def attack(root: Path) -> None:
        path = root / name
        before = path.read_bytes()
        value = json.loads(before)
        change(value)
        after = (json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode()
        assert after != before
        path.unlink()
        path.write_bytes(after)
        if noted:
            note(root, name, before, after)

    return attack


def added(name: str, text: str = "print('hello')\n") -> Attack:
    def attack(root: Path) -> None:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)

    return attack


def linked(name: str, target: str = "/etc/passwd") -> Attack:
    return lambda root: (root / name).symlink_to(target)


def lock_without(stage: str) -> Attack:
    def attack(root: Path) -> None:
        lines = (root / LOCK).read_text().splitlines(keepends=True)
        first = lines.index(f"  {stage}:\n")
        last = next(
            (i for i in range(first + 1, len(lines)) if lines[i][:3].strip() and lines[i][2] != " "), len(lines)
        )
        (root / LOCK).write_text("".join(lines[:first] + lines[last:]))

    return attack


def lock_is_a_folder(root: Path) -> None:
    (root / LOCK).unlink()
    (root / LOCK).mkdir()


def seed_of_the_lock(stage: str) -> Attack:
    def attack(root: Path) -> None:
        head, mark, tail = (root / LOCK).read_text().partition(f"  {stage}:\n")
        key = "release.seed: 7" if "release.seed: 7" in tail.split("outs:")[0] else "seed: 7"
        assert key in tail.split("outs:")[0]
        (root / LOCK).write_text(head + mark + tail.replace(key, key.replace("7", "8"), 1))

    return attack


def first_file(value: Any) -> dict[str, Any]:
    facts: dict[str, Any] = next(iter(value["files"].values()))
    return facts


TABLES = "data/reports/tiny/tables/babilong.json"
ATTACKS: dict[str, tuple[Attack, str]] = {
    "no lock": (lambda root: (root / LOCK).unlink(), "dvc.lock: is missing"),
    "lock is a folder": (lock_is_a_folder, "dvc.lock: "),
    "lock is empty": (lambda root: (root / LOCK).write_text(""), "dvc.lock: damaged"),
    "lock is no YAML": (lambda root: (root / LOCK).write_text("a: [\n"), "dvc.lock: damaged"),
    "lock is no text": (lambda root: (root / LOCK).write_bytes(b"\xff\xfe\x00"), "dvc.lock: damaged"),
    "lock of no stages": (lambda root: (root / LOCK).write_text("schema: '2.0'\nstages:\n"), "dvc.lock: "),
    "lock of another schema": (replaced(LOCK, "'2.0'", "'3.0'"), "dvc.lock: damaged (ValueError: schema '3.0')"),
    "lock without rows": (lock_without("generate@babilong"), "dvc.lock: has no record of stage generate@babilong"),
    "lock without card": (lock_without("card"), "dvc.lock: has no record of stage card"),
    "lock without validate": (lock_without("validate"), "dvc.lock: has no record of stage validate"),
    "lock without a source": (lock_without("download@stories"), "dvc.lock: has no record of stage download@stories"),
    "seed of the rows in the lock": (seed_of_the_lock("generate@babilong"), "release.seed was 8, is 7"),
    "seed of the card in the lock": (seed_of_the_lock("card"), "stage card is not what the parameters ask for"),
    "command in the lock": (replaced(LOCK, "cmd: haymaker stage card", "cmd: true"), "stage card is not what"),
    "version in the lock": (replaced(LOCK, "generate: ", "generate: 9"), "generate was 9"),
    "seed of the manifest": (replaced(MANIFEST, '"seed": 7', '"seed": 8'), f"{MANIFEST}: "),
    "name of the manifest": (replaced(MANIFEST, '"name": "tiny"', '"name": "huge"'), f"{MANIFEST}: "),
    "rows of the manifest": (edited_json(MANIFEST, lambda m: first_file(m).update(rows=99)), f"{MANIFEST}: "),
    "seed of the manifest, noted": (replaced(MANIFEST, '"seed": 7', '"seed": 8', noted=True), f"{MANIFEST}: not what"),
    "name of the manifest, noted": (replaced(MANIFEST, '"tiny"', '"huge"', noted=True), f"{MANIFEST}: not what"),
    "rows of the manifest, noted": (edited_json(MANIFEST, lambda m: first_file(m).update(rows=99), noted=True), f"{MANIFEST}: not what"),
    "checksum in the manifest, noted": (edited_json(MANIFEST, lambda m: first_file(m).update(sha256="0" * 64), noted=True), f"{MANIFEST}: "),
    "a file out of the manifest, noted": (edited_json(MANIFEST, lambda m: m["files"].popitem(), noted=True), f"{MANIFEST}: not what"),
    "fingerprint of the manifest, noted": (edited_json(MANIFEST, lambda m: m.update(made_by="0" * 32), noted=True), f"{MANIFEST}: "),
    "a number of the card": (replaced(CARD, "seed 7", "seed 8"), f"{CARD}: "),
    "a number of the card, noted": (replaced(CARD, "seed 7", "seed 8", noted=True), f"{CARD}: not what"),
    "fingerprint of the tables": (edited_json(TABLES, lambda t: t.update(made_by="0" * 32)), f"{TABLES}: "),
    "fingerprint of the tables, noted": (edited_json(TABLES, lambda t: t.update(made_by="0" * 32), noted=True), f"{TABLES}: not made by"),
    "fingerprint of a receipt, noted": (
        edited_json("data/prepared/corpora/books.json", lambda t: t.update(made_by="0" * 32), noted=True),
        "data/prepared/corpora/books.json: not made by the parameters in force",
    ),
    "a checksum in the tables, noted": (edited_json(TABLES, lambda t: first_file(t).update(sha256="0" * 64), noted=True), "changed since it was built"),
    "parameters": (replaced("params.yaml", "seed: 7", "seed: 8"), "release.seed was 7, is 8"),
    "title in the parameters": (replaced("params.yaml", "title: Tiny", "title: Huge"), "stage card is not what"),
    "versions": (replaced("versions.yaml", "\ngenerate: ", "\ngenerate: 9"), f"generate was {(number := tiny.version_of('generate'))}, is 9{number}"),
    "a loader in the release": (added("data/releases/tiny/loader.py"), "data/releases/tiny/loader.py: no stage makes it"),
    "a loader among the suites": (added("data/releases/tiny/data/loader.py"), "data/releases/tiny/data/loader.py: no stage makes it"),
    "a loader among the rows": (added("data/releases/tiny/data/babilong/loader.py"), "data/releases/tiny/data/babilong/loader.py: "),
    "a hidden file": (added("data/releases/tiny/.hidden"), "data/releases/tiny/.hidden: no stage makes it"),
    "a link": (linked("data/releases/tiny/passwords"), "data/releases/tiny/passwords: no stage makes it"),
    "a link to a folder among the rows": (linked("data/releases/tiny/data/babilong/more", "/etc"), "babilong/more: no stage makes it"),
    "a link to nothing among the rows": (linked("data/releases/tiny/data/babilong/qa1/x", "no"), "qa1/x: no stage makes it"),
    "a pipe among the rows": (lambda root: os.mkfifo(root / "data/releases/tiny/data/babilong/p"), "babilong/p: no stage makes it"),
    "a hidden folder": (added("data/releases/tiny/.cache/loader.py"), "data/releases/tiny/.cache/loader.py: no stage makes it"),
    "keys of two types": (replaced("params.yaml", "qa1: {}", "qa1: {}\n      7: {}"), "params.yaml: "),
    "no parameters": (lambda root: (root / "params.yaml").write_text(""), "params.yaml: "),
    "rows of a suite that nobody asked for": (added("data/releases/tiny/data/other/x/4k/test-00000-of-00001.parquet"), "data/releases/tiny/data/other/"),
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


@pytest.mark.parametrize("name", ATTACKS)
def test_validate_names_it(mine: Path, name: str) -> None:
    attack, wanted = ATTACKS[name]
    attack(mine)
    line = tiny.one_line(tiny.called(mine, "validate"))
    assert wanted in line, line


def test_a_run_makes_all_of_it_right(mine: Path, whole: Path) -> None:
    """What stands in no record of a stage is the user's, and stays: the run asks to move it."""
    for name in ("checksum in the manifest, noted", "fingerprint of a receipt, noted", "seed of the rows in the lock"):
        ATTACKS[name][0](mine)
    done = tiny.called(mine, "run")
    assert done.returncode == 0, done.stderr
    assert "not made by the parameters that dvc.lock notes" in done.stderr
    assert small.promised(mine) == small.promised(whole)
    added("data/releases/tiny/loader.py")(mine)
    assert "data/releases/tiny/loader.py: no stage makes it. Next: move it away" in tiny.one_line(
        tiny.called(mine, "run")
    )
    assert (mine / "data/releases/tiny/loader.py").is_file()


@pytest.mark.parametrize("place", [PARQUET, "data/corpora/books/text.bin", "data/raw/notes/files/test/one.txt"])
def test_without_the_cache_of_dvc_the_file_is_named(mine: Path, place: str) -> None:
    shutil.rmtree(mine / ".dvc/cache")
    raw = bytearray((mine / place).read_bytes())
    raw[len(raw) // 2] ^= 1
    (mine / place).write_bytes(raw)
    assert f"haymaker: {place}: changed since it was " in tiny.one_line(tiny.called(mine, "validate")) or (
        place.removeprefix("data/") in tiny.one_line(tiny.called(mine, "validate"))
    )


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
        old, new = (hashlib.sha256(raw).hexdigest() for raw in (before, after))
        (root / "README.md").write_text((root / "README.md").read_text().replace(old, new))

    return attack


DOWNLOADED: dict[str, tuple[Attack, str]] = {
    "a bit of a file": (flipped, "changed since it was released"),
    "a file is missing": (lambda root: next(root.rglob("*.parquet")).unlink(), "missing"),
    "a file is a link to nothing": (lambda root: (root / "x").symlink_to("nowhere"), "x: is not listed in the manifest"),
    "a loader": (added("tiny.py"), "tiny.py: is not listed in the manifest"),
    "another file of rows": (added("data/babilong/qa1/4k/test-00001-of-00001.parquet"), "is not listed"),
    "no manifest": (lambda root: (root / "manifest.json").unlink(), "manifest.json: missing"),
    "no card": (lambda root: (root / "README.md").unlink(), "README.md: missing"),
    "seed of the manifest": (replaced("manifest.json", '"seed": 7', '"seed": 8'), "manifest.json: not the one that the card names"),
    "manifest cut short": (lambda root: (root / "manifest.json").write_text("{"), "manifest.json: not the one"),
    "card without a checksum": (lambda root: (root / "README.md").write_text("# Tiny\n"), "README.md: names no checksum"),
    "a folder for a file": (listing({"data": {"sha256": ""}}), "manifest.json: lists what is no file of a release"),
    "a file elsewhere": (listing({"../../../etc/hostname": {"sha256": "0" * 64}}), "lists what is no file of a release"),
    "a listing of numbers": (listing({"x": 3}), "lists what is no file of a release"),
    "a listing that is a list": (listing([1]), "lists what is no file of a release"),
    "a card that leads elsewhere": (
        lambda root: (root / "README.md").write_text((root / "README.md").read_text().replace("path: data/", "path: https://x.example/")),
        "README.md: names 'https://x.example/babilong/",
    ),
    "a card of another head": (lambda root: (root / "README.md").write_text((root / "README.md").read_text().replace("configs:", "config:")), "README.md: its head"),
    "no such folder": (lambda root: shutil.rmtree(root), "README.md: missing"),
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
    assert re.search(r"tiny 0\.1\.0: manifest and \d+ files are what they say; seed 7", done.stderr)


@pytest.mark.parametrize("name", DOWNLOADED)
def test_a_downloaded_release_that_is_not_what_it_says(downloaded: Path, name: str) -> None:
    attack, wanted = DOWNLOADED[name]
    attack(downloaded)
    with pytest.raises(ReleaseError) as caught:
        manifest.demand(downloaded)
    assert wanted in str(caught.value) and os.fspath(downloaded) in str(caught.value)
