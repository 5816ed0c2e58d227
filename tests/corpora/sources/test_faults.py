"""Downloads from a server that does everything wrong: all arrive, or name the fault in one line; the next run finds nothing poisoned."""

from __future__ import annotations

import datetime
import hashlib
import json
from pathlib import Path
from typing import Any, ClassVar

import pytest

from corpora.sources.addressed import Addressed
from corpora.sources.base import FetchContext, RawFile, SourceInfo
from corpora.sources.transport import fetch as transport
from corpora.sources.transport.fetch import fetch_file
from haymaker.core.errors import SourceError
from tests.corpora.sources.faults import PAGE, Server, Wrong, packed, zipped
from tests.errors import refused

DATA = b"".join(b'{"n": %d}\n' % i for i in range(60_000))
SHA = hashlib.sha256(DATA).hexdigest()


@pytest.fixture
def server(web: Server) -> Server:
    web.files["/a.jsonl"] = DATA
    return web


def fetch(server: Server, context: FetchContext, tmp_path: Path, **known: Any) -> bytes:
    fetch_file(RawFile("a.jsonl", f"{server.url}/a.jsonl", **known), tmp_path / "raw", context)
    return (tmp_path / "raw/a.jsonl").read_bytes()


SOON = {"Retry-After": "0"}
ARRIVE = {
    "429 with Retry-After": [Wrong(429, SOON, times=2)],
    "408, 500, 502": [Wrong(status, times=1) for status in (408, 500, 502)],
    "503, 504, 520": [Wrong(status, times=1) for status in (503, 504, 520)],
    "cut": [Wrong(cut=200_000, times=1)],
    "cut again and again": [Wrong(cut=90_000, times=7)],
    "cut, then no ranges": [Wrong(cut=200_000, times=1), Wrong(whole=True)],
    "packed though not asked for": [Wrong(headers={"Content-Encoding": "gzip"}, body=packed)],
    "cut, then packed": [Wrong(cut=200_000, times=1), Wrong(headers={"Content-Encoding": "gzip"}, body=packed)],
    "refuses what libraries call themselves": [
        Wrong(403, when=lambda request: "haymaker/" not in request.headers["User-Agent"])
    ],
    "no tag": [Wrong(cut=200_000, times=1)],
    "fewer bytes than it says": [Wrong(headers={"Content-Length": str(len(DATA) + 7)}, cut=len(DATA), times=1)],
    "cut, then a part that says nothing of its place": [Wrong(cut=200_000, times=1), Wrong(odd="of something")],
    "cut, then a part from elsewhere": [Wrong(cut=200_000, times=1), Wrong(odd=f"bytes 400000-500000/{len(DATA)}")],
    "more bytes than it says": [Wrong(body=lambda data: data + b"more", headers={"Content-Length": str(len(DATA))})],
}


KNOWN = {"sha256": SHA, "size_bytes": len(DATA)}


@pytest.mark.parametrize("fault", ARRIVE)
def test_what_is_asked_for_again_arrives(server, context, tmp_path, fault):
    """Whether its bytes are known or not."""
    server.tags = fault != "no tag"
    for known in ({}, KNOWN) if "cut" in fault else ({},):
        server.wrong = [Wrong(**vars(each)) for each in ARRIVE[fault]]
        (tmp_path / "raw/a.jsonl").unlink(missing_ok=True)
        assert fetch(server, context, tmp_path, **known) == DATA
    assert not list(context.cache.rglob("*.part"))
    assert {each["accept-encoding"] for each in server.seen} == {"identity"}


def test_a_break_is_gone_on_with_where_it_broke(server, context, tmp_path):
    server.wrong = [Wrong(cut=200_000, times=1)]
    assert fetch(server, context, tmp_path) == DATA
    first, second = server.seen
    assert "range" not in first and second["range"].startswith("bytes=")
    assert int(second["range"][6:].rstrip("-")) > 0 and second["if-range"].startswith('"')


def test_a_file_that_changes_between_two_attempts_begins_anew(server, context, tmp_path):
    other = DATA.replace(b"n", b"m")

    def changes(request: object) -> bool:
        server.files["/a.jsonl"] = other if len(server.seen) > 1 else DATA
        return len(server.seen) == 1

    server.wrong = [Wrong(cut=200_000, when=changes)]
    assert fetch(server, context, tmp_path) == other


REFUSED = {
    "a page": ([Wrong(body=lambda data: PAGE)], ("/a.jsonl", "server")),
    "too busy for long": ([Wrong(429, {"Retry-After": "90000"})], ("/a.jsonl", "1,500")),
    "always busy": ([Wrong(503)], ("/a.jsonl", 503)),
    "no part is to be had where none was asked for": ([Wrong(416)], ("/a.jsonl", 416)),
    "a part of all": ([Wrong(206, {"Content-Range": f"bytes 5-9/{len(DATA)}"})], ("/a.jsonl", 206)),
    "never whole": ([Wrong(cut=0)], ("/a.jsonl", "RemoteProtocolError")),
    "cut for ever": ([Wrong(cut=100_000, times=1), Wrong(503)], ("/a.jsonl", "cut")),
    "not packed as it says": ([Wrong(headers={"Content-Encoding": "gzip"})], ("/a.jsonl", "DecodingError")),
    "shorter than known": ([Wrong(body=lambda data: data[:-5])], ("/a.jsonl", "768,885", "768,890")),
    "other bytes than known": ([Wrong(body=lambda data: data.replace(b"7", b"8"))], ("/a.jsonl", "checksum")),
    "a page for known bytes": ([Wrong(body=lambda data: PAGE)], ("/a.jsonl", "web page")),
}


@pytest.mark.parametrize("fault", REFUSED)
def test_what_cannot_arrive_is_one_line_and_the_next_run_works(server, context, tmp_path, fault):
    faults, line = REFUSED[fault]
    server.wrong, known = [Wrong(**vars(each)) for each in faults], KNOWN if "known" in fault else {}
    with refused(SourceError, *line) as caught:
        fetch(server, context, tmp_path, **known)
    assert "\n" not in str(caught.value) and "Next: " in str(caught.value)
    assert not list((tmp_path / "raw").rglob("*"))
    assert not known or not list(context.cache.rglob("*.part"))
    server.wrong = []
    assert fetch(server, context, tmp_path, **known) == DATA


@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.TGZ"])
def test_a_packed_file_whose_packing_stands_in_the_header_is_kept_as_it_is(server, context, tmp_path, name):
    """Hosts that store a file beside its Content-Encoding send it so whatever we accept: unpacked it would be another file."""
    server.files[f"/{name}"] = packed(DATA)
    server.wrong = [Wrong(headers={"Content-Encoding": "gzip"})]
    sha = hashlib.sha256(packed(DATA)).hexdigest()
    file = RawFile(name, f"{server.url}/{name}?key=1", len(packed(DATA)), sha)
    server.files[f"/{name}?key=1"] = packed(DATA)
    assert fetch_file(file, tmp_path / "raw", context).sha256 == sha


def test_of_a_line_that_breaks_again_and_again_every_byte_counts(server, context, tmp_path):
    server.wrong = [Wrong(cut=50_000, times=15)]
    assert fetch(server, context, tmp_path) == DATA
    assert server.starts() == [50_000 * number for number in range(1, 16)]


def test_attempts_are_bounded_and_waits_are_those_asked_for(server, context, tmp_path, monkeypatch):
    waits: list[float] = []
    monkeypatch.setattr(transport, "sleep", waits.append)
    soon = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=100)
    server.wrong = [
        Wrong(429, {"Retry-After": "7"}, times=1),
        Wrong(429, {"Retry-After": soon.strftime("%a, %d %b %Y %H:%M:%S GMT")}, times=1),
        Wrong(503),
    ]
    with pytest.raises(SourceError):
        fetch(server, context, tmp_path)
    assert len(server.seen) == transport.ATTEMPTS
    assert waits[0] == 7 and 60 < waits[1] <= 100 and all(wait < 1 for wait in waits[2:])


class Lines(Addressed):
    """A source of JSON lines whose digest nobody knows."""

    kind: ClassVar[str] = "lines"
    terms: ClassVar[dict[str, Any]] = {"title": "Lines", "homepage": "", "licence": "CC0-1.0", "roles": ("questions",)}
    info: ClassVar[SourceInfo] = SourceInfo(**terms, download_bytes=10)
    at: str
    archive: str = ""

    def files(self) -> list[RawFile]:
        if self.archive:
            return [RawFile(self.archive, f"{self.at}/{self.archive}")]
        return [RawFile("a.jsonl", f"{self.at}/a.jsonl"), RawFile("b.jsonl", f"{self.at}/b.jsonl")]

    def check(self, raw: Path) -> None:
        for file in sorted(raw.glob("*.jsonl")):
            try:
                json.loads(file.read_bytes().splitlines()[0])
            except ValueError:
                raise SourceError("not JSON", where=file.name) from None


@pytest.mark.parametrize("body", [lambda data: PAGE, lambda data: b"sorry, come back later"], ids=["page", "apology"])
def test_what_does_not_pass_its_checks_is_locked_nowhere(server, context, tmp_path, body):
    """Before: one page served with status 200 was locked as the file, and every later run failed."""
    server.files["/b.jsonl"] = DATA
    server.wrong = [Wrong(body=body, when=lambda request: request.path == "/b.jsonl")]
    source, target = Lines(at=server.url), tmp_path / "raw"
    with refused(SourceError, "b.jsonl"):
        source.fetch(target, context)
    assert not context.lock_file.exists() and not target.exists()
    server.wrong = []
    source.fetch(target, context)
    assert (target / "b.jsonl").read_bytes() == DATA
    locked = json.loads(context.lock_file.read_bytes())["lines"]["files"]
    assert {name: file["sha256"] for name, file in locked.items()} == {"a.jsonl": SHA, "b.jsonl": SHA}
    assert [path.name for path in context.cache.iterdir() if path.suffix != ".lock"] == []


def test_a_run_that_ends_between_two_files_keeps_the_first(server, context, tmp_path):
    server.files["/b.jsonl"] = DATA
    server.wrong = [Wrong(503, when=lambda request: request.path == "/b.jsonl")]
    with pytest.raises(SourceError):
        Lines(at=server.url).fetch(tmp_path / "raw", context)
    server.wrong = []
    server.seen.clear()
    Lines(at=server.url).fetch(tmp_path / "raw", context)
    assert len(server.seen) == 1


def test_what_a_killed_run_found_of_a_file_that_is_gone_binds_nobody(server, context, tmp_path, monkeypatch):
    """An archive is removed once it is unpacked: a run killed then must not demand its bytes of a host that has newer ones."""
    server.files["/a.zip"] = zipped({"a.jsonl": DATA, "b.jsonl": DATA})
    source, target = Lines(at=server.url, archive="a.zip"), tmp_path / "raw"

    def killed(self: Lines, raw: Path) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Lines, "check", killed)
        with pytest.raises(KeyboardInterrupt):
            source.fetch(target, context)
    server.files["/a.zip"] = zipped({"a.jsonl": DATA[:11]})
    source.fetch(target, context)
    assert [path.name for path in sorted((target / "unpacked").iterdir())] == ["a.jsonl"]
    (locked,) = json.loads(context.lock_file.read_bytes())["lines"]["files"].values()
    assert locked["sha256"] == hashlib.sha256(server.files["/a.zip"]).hexdigest()


class TestHub:
    """Files of hf addresses: the Hub's cache, and what is said to those without a token."""

    COMMIT = "5" * 40

    @pytest.fixture(autouse=True)
    def hub(self, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        from huggingface_hub import constants

        template = f"{server.url}/{{repo_id}}/resolve/{{revision}}/{{filename}}"
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
        monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(tmp_path / "token"))
        monkeypatch.delenv("HF_TOKEN", raising=False)
        server.files[f"/datasets/me/law/resolve/{self.COMMIT}/a.jsonl"] = DATA

    def fetch(self, context: FetchContext, tmp_path: Path) -> bytes:
        url = f"hf://datasets/me/law@{self.COMMIT}/a.jsonl"
        fetch_file(RawFile("a.jsonl", url, len(DATA), SHA), tmp_path / "raw", context)
        return (tmp_path / "raw/a.jsonl").read_bytes()

    def test_a_token_goes_to_the_hub(self, server, context, tmp_path, monkeypatch):
        monkeypatch.setenv("HF_TOKEN", "hf_mine")
        server.wrong = [Wrong(503)]
        with pytest.raises(SourceError) as caught:
            self.fetch(context, tmp_path)
        assert "HF_TOKEN" not in str(caught.value) and server.seen[-1]["authorization"] == "Bearer hf_mine"
