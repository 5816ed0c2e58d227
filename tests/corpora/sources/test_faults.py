"""Downloads from a server that does everything wrong: all arrive, or name the fault in one line; the next run finds nothing poisoned."""

from __future__ import annotations

import datetime
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

from corpora.sources.addressed import Addressed
from corpora.sources.base import FetchContext, RawFile, SourceInfo
from corpora.sources.transport import patience, ranges, web
from corpora.sources.transport.fetch import fetch_file
from haymaker.errors import SourceError
from tests.corpora.sources.faults import PAGE, Server, Wrong, packed, serving

DATA = b"".join(b'{"n": %d}\n' % i for i in range(60_000))
SHA = hashlib.sha256(DATA).hexdigest()


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as state:
        state.files["/a.jsonl"] = DATA
        yield state


def fetch(server: Server, context: FetchContext, tmp_path: Path, **known: Any) -> bytes:
    fetch_file(RawFile("a.jsonl", f"{server.url}/a.jsonl", **known), tmp_path / "raw", context)
    return (tmp_path / "raw/a.jsonl").read_bytes()


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web, "CHUNK_BYTES", 1 << 14)


SOON = {"Retry-After": "0"}
ARRIVE = {
    "429 with Retry-After": [Wrong(429, SOON, times=2)],
    "429 until a date": [Wrong(429, {"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, times=1)],
    "503 twice": [Wrong(503, times=2)],
    "408": [Wrong(408, times=1)],
    "500, 502, 504": [Wrong(500, times=1), Wrong(502, times=1), Wrong(504, times=1)],
    "cut": [Wrong(cut=200_000, times=1)],
    "cut again and again": [Wrong(cut=90_000, times=7)],
    "cut, then no ranges": [Wrong(cut=200_000, times=1), Wrong(whole=True)],
    "cut at once, then fine": [Wrong(cut=0, times=3)],
    "packed though not asked for": [Wrong(headers={"Content-Encoding": "gzip"}, body=packed)],
    "cut, then packed": [Wrong(cut=200_000, times=1), Wrong(headers={"Content-Encoding": "gzip"}, body=packed)],
    "refuses what libraries call themselves": [
        Wrong(403, when=lambda request: "haymaker/" not in request.headers["User-Agent"])
    ],
    "no tag": [Wrong(cut=200_000, times=1)],
}


@pytest.mark.parametrize("known", [{}, {"sha256": SHA, "size_bytes": len(DATA)}], ids=["unknown", "known"])
@pytest.mark.parametrize("fault", ARRIVE)
def test_what_is_asked_for_again_arrives(server, context, tmp_path, fault, known):
    server.wrong, server.tags = [*ARRIVE[fault]], fault != "no tag"
    server.wrong = [Wrong(**vars(each)) for each in server.wrong]
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
    "a page": ([Wrong(body=lambda data: PAGE)], "the server sends a web page instead of the file"),
    "gone": ([Wrong(404)], "no such file or repository"),
    "forbidden": ([Wrong(403)], "access was refused"),
    "too busy for long": ([Wrong(429, {"Retry-After": "90000"})], "asks to wait 1,500 minutes"),
    "always busy": ([Wrong(503)], r"cannot be reached \(status 503\)"),
    "never whole": ([Wrong(cut=0)], r"cannot be reached \(RemoteProtocolError"),
    "cut for ever": ([Wrong(cut=100_000, times=1), Wrong(503)], r"cut short: got [\d,]+ of .*resumes from there"),
}
WRONG_FILES = {
    "shorter": (lambda data: data[:-5], "wrong size: 768,885 bytes, not 768,890"),
    "longer": (lambda data: data + b"\n", "wrong size: 768,891 bytes, not 768,890"),
    "another": (lambda data: data.replace(b"7", b"8"), "wrong checksum: sha256"),
}


@pytest.mark.parametrize("fault", REFUSED)
def test_what_cannot_arrive_is_one_line_and_the_next_run_works(server, context, tmp_path, fault):
    faults, line = REFUSED[fault]
    server.wrong = [Wrong(**vars(each)) for each in faults]
    with pytest.raises(SourceError, match=line) as caught:
        fetch(server, context, tmp_path)
    assert "\n" not in str(caught.value) and "Next: " in str(caught.value)
    assert not list((tmp_path / "raw").rglob("*"))
    server.wrong = []
    assert fetch(server, context, tmp_path) == DATA


@pytest.mark.parametrize("fault", WRONG_FILES)
def test_other_bytes_than_promised_are_not_kept(server, context, tmp_path, fault):
    body, line = WRONG_FILES[fault]
    server.wrong = [Wrong(body=body)]
    known = {"sha256": SHA, "size_bytes": len(DATA)}
    with pytest.raises(SourceError, match=line):
        fetch(server, context, tmp_path, **known)
    assert not [*(tmp_path / "raw").rglob("*"), *context.cache.rglob("*.part")]
    server.wrong = []
    assert fetch(server, context, tmp_path, **known) == DATA


def test_attempts_are_bounded_and_waits_are_those_asked_for(server, context, tmp_path, monkeypatch):
    waits: list[float] = []
    monkeypatch.setattr(patience.time, "sleep", waits.append)
    soon = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=100)
    server.wrong = [
        Wrong(429, {"Retry-After": "7"}, times=1),
        Wrong(429, {"Retry-After": soon.strftime("%a, %d %b %Y %H:%M:%S GMT")}, times=1),
        Wrong(503),
    ]
    with pytest.raises(SourceError):
        fetch(server, context, tmp_path)
    assert len(server.seen) == patience.ATTEMPTS
    assert waits[0] == 7 and 60 < waits[1] <= 100 and all(wait < 1 for wait in waits[2:])


class TestParts:
    """Large files come in parts, side by side."""

    @pytest.fixture(autouse=True)
    def small(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(ranges, "WORTH_BYTES", 1000)

    def test_four_parts_make_the_file(self, server, context, tmp_path):
        assert fetch(server, context, tmp_path) == DATA
        asked = sorted(each["range"] for each in server.seen if "range" in each)
        assert len(asked) == ranges.CONNECTIONS and len({each["if-range"] for each in server.seen[1:]}) == 1

    def test_a_part_that_breaks_goes_on(self, server, context, tmp_path):
        server.wrong = [Wrong(cut=30_000, times=5, when=lambda request: "Range" in request.headers)]
        assert fetch(server, context, tmp_path, sha256=SHA) == DATA

    def test_a_server_that_gives_no_parts_after_all_sends_one_stream(self, server, context, tmp_path):
        server.wrong = [Wrong(whole=True)]
        assert fetch(server, context, tmp_path) == DATA

    def test_without_a_tag_there_is_one_stream(self, server, context, tmp_path):
        server.tags = False
        assert fetch(server, context, tmp_path) == DATA
        assert len(server.seen) == 1

    def test_a_run_that_ended_goes_on_with_each_part(self, server, context, tmp_path):
        later = Wrong(503, when=lambda request: "Range" in request.headers)
        server.wrong = [Wrong(cut=100_000, times=4, when=later.when), later]
        with pytest.raises(SourceError, match=r"cut short: got [1-9]"):
            fetch(server, context, tmp_path)
        (journal,) = context.cache.rglob("*.parts")
        done = json.loads(journal.read_bytes())["done"]
        assert all(done) and sum(done) < len(DATA)
        server.wrong = []
        server.seen.clear()
        assert fetch(server, context, tmp_path) == DATA
        starts = sorted(int(each["range"][6:].split("-")[0]) for each in server.seen if "range" in each)
        assert starts == [len(DATA) * part // 4 + there for part, there in enumerate(done)]

    def test_a_file_that_changes_meanwhile_begins_anew(self, server, context, tmp_path):
        other = DATA.replace(b"n", b"m")

        def changes(request: Any) -> bool:
            if "Range" in request.headers:
                server.files["/a.jsonl"] = other
            return False

        server.wrong = [Wrong(when=changes)]
        assert fetch(server, context, tmp_path) == other


class Lines(Addressed):
    """A source of JSON lines whose digest nobody knows."""

    kind: ClassVar[str] = "lines"
    info: ClassVar[SourceInfo] = SourceInfo("Lines", "", "CC0-1.0", True, "real", ("questions",), ("en",), 10)
    at: str

    def files(self) -> list[RawFile]:
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
    with pytest.raises(SourceError, match=r"web page|not JSON"):
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
