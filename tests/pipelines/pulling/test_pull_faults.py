"""What goes wrong between the Hub and the disk: one line without secrets, nothing wrong under a final name, the same command goes on."""

from __future__ import annotations

import os
import re
import shutil
import signal
import threading
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from haymaker.core.errors import ReleaseError
from haymaker.core.rng import Stream
from haymaker.releases.manifest import TEXTS, check_texts
from tests.errors import refused
from tests.hub import UNUSABLE, Fault, LocalHub
from tests.pipelines import tiny
from tests.pipelines.pulling.conftest import REPO, TOKEN, Reader, fitting, release, right

QA1 = "data/babilong/qa1/4k/test-00000-of-00001.parquet"
ASKED = ("pull", REPO, "--tasks", "qa1", "--lengths", "1k,4k")
ALL = 99


def recovered(reader: Reader, built_root: Path) -> None:
    """The same command, once nothing stands in its way."""
    reader.hub.faults.clear()
    done = reader(*ASKED)
    assert done.returncode == 0, done.stderr
    assert len(reader.files() - set(TEXTS)) == 2 and right(reader, built_root)
    assert not [path for path in reader.folder.rglob("*") if path.suffix in (".incomplete", ".tmp")]


@pytest.mark.parametrize(
    ("fault", "value"),
    [
        (Fault("*/refs", status=401, headers={"X-Error-Message": f"token {TOKEN} is expired"}), "token"),
        (Fault(f"*/{QA1}", "GET", status=500), "500"),
        (Fault(f"*/{QA1}", cut=9000), ""),
        (Fault(f"*/{QA1}", served=lambda data: data[::-1]), "SHA-256"),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in (
                (Fault("*/refs", status=429, headers={"Retry-After": "1"}), "wait"),
                (Fault(f"*/{QA1}", status=404, headers={"X-Error-Code": "EntryNotFound"}), "no such"),
                (Fault(f"*/{QA1}", status=403, headers={"X-Error-Code": "GatedRepo"}), "token"),
                (Fault(f"*/{QA1}", served=lambda data: data[:-9]), "bytes"),
            )
        ),
    ],
    ids=lambda value: f"{value.method}{value.status or ('cut' if value.cut else 'bytes')}" if isinstance(value, Fault) else "",
)  # fmt: skip
def test_a_fault_is_one_line_and_the_same_command_goes_on(
    reader: Reader, hub: LocalHub, built_root: Path, fault: Fault, value: str
) -> None:
    hub.faults = [replace(fault, times=ALL)]
    hub.tokens, reader.more["HF_TOKEN"] = {TOKEN: "read"}, TOKEN
    line = tiny.one_line(reader(*ASKED), "", value)
    assert line.startswith(f"haymaker: {REPO}") and "?" not in line, line
    assert QA1 not in reader.files() and right(reader, built_root)
    if reader.files():
        tiny.one_line(reader("validate", "--release", REPO), "", "missing", fix="haymaker pull", code=1)  # half-fetched
    recovered(reader, built_root)


def test_what_passes_is_waited_for(reader: Reader, hub: LocalHub, built_root: Path) -> None:
    hub.faults = [
        Fault(f"*/{QA1}", "GET", status=429, times=2, headers={"Retry-After": "0"}),
        Fault(f"*/{QA1}", "HEAD", status=500, times=2),
        Fault(f"*/{QA1}", cut=20_000, times=2),
    ]
    done = reader(*ASKED)
    assert done.returncode == 0 and right(reader, built_root), done.stderr
    assert [fault.times for fault in hub.faults] == [0, 0, 0]
    size, lost = (reader.folder / QA1).stat().st_size, 20_000 * 2  # the library goes on in steps of 10 MB
    assert hub.sent[QA1] == size + lost
    for said in ("Retrying in", "Rate limited. Waiting", "Error while downloading"):
        assert re.search(f"^{said}", done.stderr, re.M), done.stderr
    assert "?" not in done.stderr and "127.0.0.1" not in done.stderr, "each wait is said once, without addresses"
    assert len(done.stderr.splitlines()) < 20


def test_nobody_waits_for_hours(reader: Reader, hub: LocalHub) -> None:
    """The library would sleep as long as it is told to, five times over."""
    for headers in ({"Retry-After": "3600"}, {"RateLimit": '"resolvers";r=0;t=3600'}):
        hub.faults = [Fault(f"*/{QA1}", "GET", status=429, times=ALL, headers=headers)]
        tiny.one_line(reader(*ASKED), REPO, 60)
        assert hub.faults[0].times == ALL - 1, "asked once"


def test_private_and_gated(reader: Reader, hub: LocalHub, built_root: Path) -> None:
    hub.private, hub.tokens = {REPO}, {TOKEN: "read"}
    tiny.one_line(reader(*ASKED), REPO, "private")
    reader.more["HF_TOKEN"] = TOKEN.replace("Secret", "Wrong")
    tiny.one_line(reader(*ASKED), "", REPO, "token")
    reader.more["HF_TOKEN"] = TOKEN
    hub.gated = {REPO}
    assert tiny.one_line(reader(*ASKED), "", REPO, "token") and not reader.files()
    hub.gated = set()
    recovered(reader, built_root)


def other(hub: LocalHub, files: dict[str, bytes]) -> None:
    hub.commit(REPO, files)
    hub.tag(REPO, "v0.1.0")


def test_texts_that_do_not_fit(reader: Reader, hub: LocalHub, built_root: Path) -> None:
    files = release(built_root / "data/releases/tiny")
    where = f"{REPO}@0.1.0"
    other(hub, files | {"manifest.json": files["manifest.json"].replace(b'"seed": 7', b'"seed": 8')})
    tiny.one_line(reader(*ASKED), where, "manifest.json", "card")
    other(hub, release(built_root / "data/releases/tiny", version="0.2.0"))
    tiny.one_line(reader(*ASKED), where, "'0.2.0'")
    other(hub, {name: data for name, data in files.items() if name != "manifest.json"})
    tiny.one_line(reader(*ASKED), where, "manifest.json", "missing")
    assert not reader.files()
    other(hub, files)
    recovered(reader, built_root)
    other(hub, release(built_root / "data/releases/tiny", seed=8))
    tiny.one_line(reader(*ASKED), where, "v0.1.0", fix="rm -r")
    assert right(reader, built_root)


FACTS = {"sha256": "0" * 64, "bytes": 3, "rows": 1}


def test_a_hostile_manifest_is_refused(tmp_path: Path) -> None:
    names = (
        "../../../escaped.parquet",
        "/tmp/escaped.parquet",
        "data/babilong/../../test-00000-of-00001.parquet",
        "data/babilong/qa1/..\\..\\x/test-00000-of-00001.parquet",
        "mini/../test-00000-of-00001.parquet",
        "load.py",
        ".cache/haymaker/pulled.json",
        "README.md",
    )
    wrong: list[Any] = [FACTS | {"sha256": "../x"}, FACTS | {"bytes": "3"}, ["sha256"]]
    for entry in [*({name: FACTS} for name in names), *({QA1: facts} for facts in wrong)]:
        manifest = {"name": "tiny", "version": "0.1.0", "seed": 7, "files": {QA1: FACTS, **entry}}
        for text, data in fitting(manifest).items():
            (tmp_path / text).write_bytes(data)
        with refused(ReleaseError, "manifest.json", "lists"):
            check_texts(tmp_path)
    (tmp_path / "README.md").write_text("# A card\n")
    with refused(ReleaseError, "README.md", "checksum"):
        check_texts(tmp_path)


def test_of_a_hostile_manifest_nothing_is_written(reader: Reader, hub: LocalHub) -> None:
    hostile = {"name": "tiny", "version": "0.1.0", "seed": 7, "files": {"../../../load.py": FACTS}}
    other(hub, {"../../../load.py": b"x"} | fitting(hostile))
    tiny.one_line(reader("pull", REPO), f"{REPO}@0.1.0", "manifest.json", "lists")
    new = {path.name for path in reader.home.rglob("*") if path.is_file()}
    assert new <= {".lock"}, new


def test_the_disk_is_full_meanwhile(reader: Reader, built_root: Path) -> None:
    reader.more["LARGEST"] = "20000"
    tiny.one_line(reader(*ASKED), "", "File too large")
    assert QA1 not in reader.files()
    del reader.more["LARGEST"]
    recovered(reader, built_root)


def events(reader: Reader, *arguments: str, kill_at: int = 0) -> int:
    """How many requests and pieces of files the server meets; at the one of that number the program is killed."""
    met, pids, known = count(1), [], threading.Event()
    last = 0

    def meet(_: str) -> None:
        nonlocal last
        last = next(met)
        if last == kill_at:
            known.wait(60)
            os.kill(pids[0], signal.SIGKILL)

    reader.hub.watch = meet
    pids.append(reader.start(*arguments))
    known.set()
    code = reader.programs.end().returncode
    reader.hub.watch = lambda event: None
    assert code == (-signal.SIGKILL if kill_at else 0)
    return last


@pytest.mark.parametrize("kills", [2, pytest.param(10, marks=pytest.mark.slow)])
def test_kill_at_any_point_and_go_on(reader: Reader, hub: LocalHub, built_root: Path, kills: int) -> None:
    """Keyed events, each a request or 8 kB of a file; the same command then brings the rest, and nothing twice."""
    everything = ("pull", REPO, "--split", "all", "--mini", "--tasks", "qa1,qa2,qa3,qa1_grid,qa1_quarter")
    whole, points = hub._commits[REPO][hub._head[REPO]], Stream("pull", "kills")
    every = events(reader, *everything)
    for i in range(kills):
        shutil.rmtree(reader.folder)
        at = 1 + every * i // kills + points.below(max(1, every // kills))
        events(reader, *everything, kill_at=min(at, every - 1))
        here = reader.files() - {"README.md", "manifest.json"}
        assert right(reader, built_root), "nothing wrong under a final name"
        if here:
            has_rows = any(name.endswith(".parquet") for name in here)
            tiny.one_line(reader("validate", "--release", str(reader.folder)), code=1 if has_rows else 2)
        hub.requests.clear()
        assert reader(*everything).returncode == 0
        assert not here & reader.fetched(), "what was whole is not fetched again"
        assert {name: (reader.folder / name).read_bytes() for name in reader.files()} == whole


def test_no_network_no_folder_and_unusable_settings_are_one_line(reader: Reader) -> None:
    before = dict(reader.more)
    for name, value in UNUSABLE:
        reader.more = before | {name: value}
        line = tiny.one_line(reader(*ASKED), "environment", "proxies or certificates", fix=name)
        assert "secret" not in line
    proxies = dict.fromkeys(("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"), "http://127.0.0.1:9")
    reader.more = before | proxies | {"NO_PROXY": "", "no_proxy": ""}
    tiny.one_line(reader(*ASKED), REPO, fix="network")
    reader.more = before
    reader.more["HAYMAKER_HOME"] = str(reader.home / "file")
    (reader.home / "file").write_text("")
    tiny.one_line(reader(*ASKED), "", "Not a directory")


def test_a_damaged_copy_in_the_cache_of_the_user_is_not_used(reader: Reader, hub: LocalHub, built_root: Path) -> None:
    """Before, each attempt copied it again, and the error advised to ask the publisher."""
    copy = reader.programs.cache / "datasets--org--tiny/snapshots" / hub._head[REPO] / QA1
    copy.parent.mkdir(parents=True)
    copy.write_bytes(b"damaged")
    recovered(reader, built_root)
