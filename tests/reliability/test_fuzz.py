"""Malformed input of every kind: it is taken, or refused in one line; never another exception, never half an output.

Each example counts; `HAYMAKER_LONG=1` tries ten times as many.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import os
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from corpora import sources
from corpora.sources.babi import parse_file
from corpora.sources.base import FetchContext
from corpora.sources.transport.archives import extract
from corpora.sources.transport.lock import read_lock
from corpora.stores.sentences.build import build_batch, merge
from corpora.stores.sentences.store import Background, CorpusParams
from corpora.tokenizers import tokenizer
from haymaker.cli import main
from haymaker.core.errors import HaymakerError
from pipelines.plan import plan
from pipelines.project import Project
from tests.extras import LONG
from tests.pipelines import tiny
from tests.reliability import small

pytestmark = pytest.mark.filterwarnings("ignore::hypothesis.errors.HypothesisWarning")  # of long inputs
EXAMPLES = 200 if os.environ.get(LONG) else 10
fuzzed = settings(
    max_examples=EXAMPLES, derandomize=True, database=None, deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)  # fmt: skip


def attempt(what: Callable[[], Any]) -> bool:
    """Whether it was taken; if not, it was refused in one line."""
    try:
        what()
    except HaymakerError as error:
        assert "\n" not in str(error)
        assert len(str(error)) < 2000
        return False
    return True


@contextlib.contextmanager
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


# -------------------------------------------------------------------------------------------------------- parameters

DEMO = (tiny.ROOT / "params/demo.yaml").read_text(encoding="utf-8")
BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{chr(98 + i)}: &{chr(98 + i)} [{','.join(['*' + chr(97 + i)] * 9)}]\n" for i in range(9)
)
NASTY = [
    b"", b"\x00", b"\xff\xfe\x00r", b"PK\x03\x04", b"\xef\xbb\xbfrelease: {}\n", b"\t- a\n", b"---\n---\n", b"a: &a [*a]\n",
    b"a: &a {b: *a}\n", b"? [1, 2]\n: 3\n", b"? {a: 1}\n: 3\n", b"!!set {a, b}\n", b"1: 2\n", b"release: *nothing\n",
    b"<<: {a: 1}\n", b"<<: 3\n", b"a: !!binary =\n", b"a: !!timestamp x\n", b"a: !!int x\n", b"a: !!float x\n", b"%TAG ! x\n---\na\n",
    b"[" * 1200, b"{a: " * 1200, b"a: !!bool x\n", b"a: !!int ''\n", b"a: " * 3000, b"- " * 3000, b"a: " + b"9" * 5000, b"a: 0x" + b"f" * 5000, b"a: 1e999\n",
    b"a: 1:60:61\n", b"a: 0o9\n", BOMB.encode(), DEMO.replace("title:", f"title: &t [{'x,' * 50}]\nother:").encode(),
    (BOMB + DEMO).encode(), (BOMB.replace("\n", "\n  ").join(("sources:\n  ", "")) + "x: *i\n").encode(),
    DEMO.replace("title:", "title: &x [1]\n  titel:").encode(), (BOMB + "release:\n  title: *i\n").encode(), (BOMB + "suites: {babilong: {tasks: {}, extra: *i}}\n").encode(),  DEMO.replace("  title: ", "  title: &a !!str ").encode("utf-16"), DEMO.replace(":", "\t:").encode(),
    DEMO.replace("\n", "\r\n").encode(), DEMO.replace("\n", "\r").encode(), DEMO.replace("\n", "\u2028").encode(),
]  # fmt: skip
VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20), st.just(10**30), st.just(-(10**30)),
    st.just("x" * 100_000), st.just("\x00"), st.just("\ud7ff\u202e\u0301"), st.just([]), st.just({}), st.just("1M"),
    st.just({"test": 10**12}), st.just({"": 1}), st.just("../../x"), st.just("file:///etc/passwd"), st.just("${x}"),
    st.recursive(st.integers() | st.text(max_size=3), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3), max_leaves=6),
)  # fmt: skip


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Paths to everything in nested mappings and lists."""
    if path:
        yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, below in inner:
        yield from places(below, (*path, key))


PLACES = sorted(places(yaml.safe_load(DEMO)), key=str)


@st.composite
def changed_values(draw: st.DrawFn) -> bytes:
    """The demo's parameters with one to three values replaced, taken away, or given another name."""
    data = yaml.safe_load(DEMO)
    for _ in range(draw(st.integers(1, 3))):
        *above, last = draw(st.sampled_from(PLACES))
        at = data
        with contextlib.suppress(KeyError, IndexError, TypeError):  # an earlier change took the place away
            for key in above:
                at = at[key]
            change = draw(st.sampled_from(("replace", "replace", "remove", "rename")))
            if change == "replace":
                at[last] = draw(VALUES)
            else:
                value = at.pop(last)
                if change == "rename" and isinstance(at, dict):
                    at[draw(st.text(max_size=12))] = value
    return yaml.safe_dump(data, sort_keys=False, allow_unicode=True).encode("utf-8", "surrogatepass")


@st.composite
def changed_text(draw: st.DrawFn, text: bytes) -> bytes:
    """A file with a few stretches cut out, doubled, moved, or overwritten."""
    raw = bytearray(text)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, max(0, len(raw) - 1)))
        length = draw(st.sampled_from((1, 1, 2, 7, 40, 400)))
        new = draw(st.sampled_from((b"", raw[at : at + length] * 2, b"\t", b"\x00", b"\xff", b": ", b"- ", b"&a ", b"*a ", b"'", b"\n", b"\xcc\x81", b"| ", b"#", b"{", b"!!")))  # fmt: skip
        raw[at : at + length] = new
    return bytes(raw)


def take_params(raw: bytes) -> None:
    with folder() as root:
        (root / "dvc.yaml").touch()
        (root / "params.yaml").write_bytes(raw)
        before = sorted(root.rglob("*"))
        try:
            attempt(lambda: plan.make_plan(Project(root)))
            if len(raw) % 5 == 0:
                say_through_the_program(root)
        finally:
            assert sorted(root.rglob("*")) == before


def say_through_the_program(root: Path) -> None:
    """The entry point: exit status 0, or 2 and one line."""
    stderr, here, arguments = io.StringIO(), Path.cwd(), sys.argv
    os.chdir(root)
    sys.argv = ["haymaker", "plan"]
    try:
        with (
            contextlib.redirect_stderr(stderr),
            contextlib.redirect_stdout(io.StringIO()),
            pytest.raises(SystemExit) as stop,
        ):
            main.main()
    finally:
        os.chdir(here)
        sys.argv = arguments
    assert stop.value.code in (0, 2)
    if stop.value.code:
        assert stderr.getvalue().startswith("haymaker: ") and stderr.getvalue().count("\n") == 1, stderr.getvalue()


@pytest.mark.parametrize("raw", NASTY, ids=range(len(NASTY)))
def test_nasty_parameters(raw: bytes) -> None:
    take_params(raw)


@fuzzed
@given(raw=changed_values())
def test_parameters_with_changed_values(raw: bytes) -> None:
    take_params(raw)


@fuzzed
@given(raw=changed_text(DEMO.encode()) | st.binary(max_size=200))
def test_parameters_with_changed_text(raw: bytes) -> None:
    take_params(raw)


# ---------------------------------------------------------------------------------------------------------- archives

NAMES = st.sampled_from(
    ("a.txt", "b/c.txt", "../x", "/etc/x", "a.txt/b", "b", "b/", ".", "..", "", "a\\b", "C:x", "x\x00y", "é", "a" * 300, "\u202etxt", "b/./c.txt", "b//c.txt", "-rf")
)  # fmt: skip


def one_member(name: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as zipped:
        zipped.writestr(name, "text")
    return out.getvalue()


@st.composite
def archives(draw: st.DrawFn) -> bytes:
    """A zip or tar with a few members, some of them special, perhaps damaged."""
    out, members = io.BytesIO(), draw(st.lists(st.tuples(NAMES, st.binary(max_size=40), st.integers(0, 9)), max_size=5))
    if draw(st.booleans()):
        with contextlib.suppress(UserWarning), zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as zipped:
            for name, content, special in members:
                info = zipfile.ZipInfo(name.replace("\x00", "") or "x")
                info.compress_type = zipfile.ZIP_DEFLATED if special % 2 else zipfile.ZIP_STORED
                if special == 9:
                    info.create_system, info.external_attr = 3, 0o120777 << 16
                with contextlib.suppress(UserWarning):
                    zipped.writestr(info, content if special < 8 else bytes(200_000))
    else:
        mode: Any = draw(st.sampled_from(("w", "w:gz", "w:bz2")))
        with tarfile.open(fileobj=out, mode=mode) as tar:
            for name, content, special in members:
                info = tarfile.TarInfo(name.replace("\x00", "") or "x")
                info.size = len(content)
                if special > 6:
                    info.type = draw(st.sampled_from((tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE)))  # fmt: skip
                    info.linkname, info.size = "/etc/passwd", 0
                tar.addfile(info, io.BytesIO(content))
    raw = out.getvalue()
    return draw(st.just(raw) | changed_text(raw) | st.just(raw[: draw(st.integers(0, len(raw)))]))


@fuzzed
@given(raw=archives())
@example(raw=b"")
@example(raw=b"PK\x05\x06" + bytes(18))
@example(raw=bytes(1024))
@example(raw=one_member("a" * 300))
@example(raw=one_member("x.txt")[1:])
def test_archives(raw: bytes) -> None:
    with folder() as root:
        archive, target = root / "in.zip", root / "below" / "out"
        archive.write_bytes(raw)
        taken = attempt(lambda: extract(archive, target, max_bytes=100_000, max_files=4))
        assert target.is_dir() == taken
        assert sorted(path.name for path in root.iterdir()) in (["below", "in.zip"], ["in.zip"])
        assert [path.name for path in (root / "below").glob("*")] == (["out"] if taken else [])
        for path in target.rglob("*"):
            assert not path.is_symlink() and (path.is_file() or path.is_dir())


# ------------------------------------------------------------------------------------------------- texts, lines, bAbI

PROSE = (
    "It was a morning of fog, and the ferry lay idle. 'Who goes there?' asked the keeper.\n\nCHAPTER II\n\n" * 3
).encode()
PIECES = st.sampled_from(
    (b"", b"\x00", b"\xef\xbb\xbf", b"\r\n", b"\r", b"\n" * 50, b"." * 500, b"!?" * 300, b"\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d. ",
     "e\u0301\u0301\u0301".encode() * 40, "\u202eabc. ".encode(), "\u2028\u2029\x85".encode(), b"a" * 30_000, b"word " * 8000, "\U0001f469\u200d\U0001f680. ".encode() * 9,
     "\u3002\u4f60\u597d\u3002".encode() * 30, b"\x1a\x1b[31m", b"Mary went to the kitchen. ", PROSE)
)  # fmt: skip
GOOD = small.text("good", 150).encode()
TEXTS = st.tuples(
    st.lists(
        PIECES | st.just(GOOD) | st.text(max_size=60).map(lambda text: text.encode("utf-8", "replace")), max_size=6
    ),
    st.sampled_from((b"", b"", b"", b"\xff", b"\xed\xa0\x80", b"\xe2\x82")) | st.binary(max_size=30),
).map(lambda parts: b"".join(parts[0]) + parts[1])


@cache
def tekken() -> tokenizer.Tokenizer:
    return tokenizer.load("tekken")


def build(root: Path, kind: str, options: dict[str, Any]) -> Background:
    """A source of local files through fetch, cleaning, splitting, counting and merging."""
    context = FetchContext(None, root / "cache", root / "sources.lock.json")
    source, counter = sources.create("mine", kind, options, where="sources.mine"), [tekken()]
    source.fetch(root / "raw", context)
    rules, work = CorpusParams(source="mine"), []
    for batch in source.batches(root / "raw"):
        place = root / f"batch-{batch.index}"
        place.mkdir()
        work.append((place, build_batch(source.read(root / "raw", batch), rules, counter, place)))
    merge(work, rules, counter, root / "store", {})
    store = Background(root / "store")
    store.verify()
    return store


@fuzzed
@given(raws=st.lists(TEXTS, min_size=1, max_size=2))
@example(raws=[b""])
@example(raws=[b"\xef\xbb\xbf"])
@example(raws=[PROSE, PROSE])
def test_books(raws: list[bytes]) -> None:
    with folder() as root:
        (root / "texts").mkdir()
        for number, raw in enumerate(raws):
            (root / "texts" / f"{number}.txt").write_bytes(raw)
        options = {"path": str(root / "texts"), "split": "test"}
        if attempt(lambda: build(root, "text_folder", options)):
            store = Background(root / "store")
            bytes(store.text).decode("utf-8")
            assert store.byte_at[-1] == len(store.text)
        assert not [path for path in root.rglob("*") if path.name.endswith(".tmp")]


RECORDS = st.lists(
    st.fixed_dictionaries(
        {
            "id": st.integers() | st.text(min_size=2) | st.integers() | st.sampled_from((None, True, 1.5, [], "", "a")),
            "text": st.sampled_from((GOOD.decode(),) * 9 + (None, 3, "")) | st.text(max_size=30),
        }
    )
    | st.just({"text": GOOD.decode()}),
    min_size=1,
    max_size=3,
).map(lambda records: "".join(json.dumps(record) + "\n" for record in records).encode())


@fuzzed
@given(
    raw=RECORDS | RECORDS | RECORDS.flatmap(changed_text),
    name=st.sampled_from(("x.jsonl", "x.jsonl.gz")),
    packed=st.booleans(),
)
@example(raw=b"[" * 5000, name="x.jsonl", packed=False)
@example(raw=b'{"id": 1e999, "text": "x"}', name="x.jsonl", packed=False)
@example(raw=b'{"id": ' + b"9" * 5000 + b', "text": "x"}', name="x.jsonl", packed=False)
@example(raw=b'{"id": "a", "text": "\\ud800"}', name="x.jsonl", packed=False)
def test_json_lines(raw: bytes, name: str, packed: bool) -> None:
    with folder() as root:
        (root / name).write_bytes(gzip.compress(raw) if packed else raw)
        options = {"path": str(root / name), "text_key": "text", "id_key": "id"}
        attempt(lambda: build(root, "jsonl", options))


STORY = "1 Mary moved to the bathroom.\n2 John went to the hallway.\n3 Where is Mary? \tbathroom\t1\n4 Daniel left.\n5 Where is John? \thallway\t2\n"
BABI = st.sampled_from((b"\t", b"1 ", b"0 x\n", b"1 x\n", b"6 Where? \ta\t9\n", b"\xff", b"\xef\xbb\xbf", b"\x00", b"\r\n", b"99999999999999999999999 x\n", b"\xd9\xa1 x\n", b"|", b"?", b"\xc2\xb2 x\n", b"3 Where? \t\t1\n", b"3 Where? \ta\t\n", b"2 x\n"))  # fmt: skip


@fuzzed
@given(raw=changed_text((STORY * 3).encode()) | st.lists(BABI | st.just(STORY.encode()), max_size=6).map(b"".join))
@example(raw=b"")
@example(raw=b"\xef\xbb\xbf" + STORY.replace("\n", "  \r\n").encode() + b"\n \n")
def test_babi(raw: bytes) -> None:
    with folder() as root:
        file = root / "qa1_test.txt"
        file.write_bytes(raw)
        attempt(lambda: parse_file(file, "qa1", "test"))


LOCK = json.dumps({"hub:a/b": {"revision": None, "files": {"x": {"sha256": "0" * 64, "size": 3}}}}).encode()


@fuzzed
@given(raw=changed_text(LOCK) | st.sampled_from((b"[]", b"3", b'{"hub:a/b": 3}', b'{"hub:a/b": {"files": []}}', b'{"hub:a/b": null}', b"[" * 5000)))  # fmt: skip
def test_lock_files(raw: bytes) -> None:
    with folder() as root:
        (root / "sources.lock.json").write_bytes(raw)
        attempt(lambda: read_lock(root / "sources.lock.json", "hub:a/b"))
