"""Files and folders of the user's own that lead elsewhere, never end, are no files or no text: one line at download, nothing kept."""

from __future__ import annotations

import gzip
import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from corpora.sources import create
from corpora.sources.formats.lines import _CHUNK_BYTES, bounded_lines, check_text, file_lines, piece_lines
from corpora.sources.formats.tsv import plain_file, quoted_batches
from corpora.sources.local_folder import local_files
from corpora.sources.transport.fetch import copy_file
from corpora.sources.transport.lock import read_lock
from corpora.sources.transport.rawfile import RawFile
from corpora.sources.transport.staging import differing
from haymaker.core.errors import HaymakerError, ParamsError, SourceError
from haymaker.core.files.paths import open_plain

NINES = b"9" * 5000


def folder(root: Path, **files: str | bytes) -> Path:
    """A folder with a good text and others; `__` in a name is a slash, `_` a full stop."""
    for name, text in {"good_txt": "good", **files}.items():
        path = root / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return root


def fetch(tmp_path: Path, context, kind: str, **options: object) -> list[tuple[str, str]]:
    source = create("mine", kind, {"split": "test", **options}, where="w")
    raw = tmp_path / "raw"
    source.fetch(raw, context)
    assert source.verify(raw, context) == []
    return [(doc.doc_id, doc.text) for batch in source.batches(raw) for doc in source.read(raw, batch)]


class TestPatterns:
    @pytest.mark.parametrize(
        "pattern",
        ["", "/etc/*", "/", "**x", "a**/b", "../*", "a/../../b", "./a", "a//b", "*.txt/", "a\0b", "../../**/*"],
    )
    @pytest.mark.parametrize("kind", ["text_folder"])
    def test_one_that_leaves_the_folder_or_is_none_is_refused_with_the_parameters(self, pattern, kind):
        with pytest.raises(ParamsError, match="pattern"):
            create("mine", kind, {"path": "x", "pattern": pattern}, where="w")

    @pytest.mark.parametrize(
        ("pattern", "expected"),
        [
            ("*.txt", ["b.txt", "x/c.txt", "x/y/d.txt"]),
            ("x/*.txt", ["x/c.txt"]),
            ("x/**/*.txt", ["x/c.txt", "x/y/d.txt"]),
            ("**/*.md", ["x/e.md"]),
            ("**", ["b.txt", "x/c.txt", "x/e.md", "x/y/d.txt"]),
            ("[bc].txt", ["b.txt", "x/c.txt"]),
            ("y/?.txt", ["x/y/d.txt"]),
        ],
    )
    def test_others_match_at_any_depth_and_never_hidden_files(self, tmp_path, pattern, expected):
        for name in ("b.txt", "x/c.txt", "x/y/d.txt", "x/e.md", ".h/a.txt", "x/.a.txt"):
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text("")
        assert local_files(tmp_path, pattern) == expected


class TestLinks:
    def outside(self, tmp_path: Path) -> Path:
        return folder(tmp_path / "elsewhere", secret_txt="secret", deep__more_txt="more")

    @pytest.mark.parametrize("kind", ["file", "folder", "relative", "through", "prefix"])
    def test_one_that_leaves_is_refused_by_name_and_followed_when_told(self, tmp_path, context, kind):
        outside, mine = self.outside(tmp_path), folder(tmp_path / "mine")
        folder(tmp_path / "mine-too", twin_txt="twin")
        places: dict[str, Path] = {
            "file": outside / "secret.txt", "folder": outside, "relative": Path("../elsewhere/secret.txt"),
            "through": Path("inner/../../elsewhere/secret.txt"), "prefix": tmp_path / "mine-too/twin.txt",
        }  # fmt: skip
        (mine / "inner").mkdir()
        (mine / "link.txt").symlink_to(places[kind])
        with pytest.raises(SourceError, match=r"'link.txt' is a link to a place outside the folder.*follow_links"):
            fetch(tmp_path, context, "text_folder", path=str(mine))
        assert not (tmp_path / "raw").exists()
        found = dict(fetch(tmp_path, context, "text_folder", path=str(mine), follow_links=True))
        assert len(found) > 1 and {"secret", "twin"} & set(found.values())

    def test_one_that_stays_inside_is_fine(self, tmp_path, context):
        mine = folder(tmp_path / "mine", sub__a_txt="a")
        (mine / "b.txt").symlink_to("sub/a.txt")
        (mine / "again").symlink_to("sub")
        (tmp_path / "name").symlink_to(mine)  # the folder itself may be named by a link
        for path in (mine, tmp_path / "name"):
            assert dict(fetch(tmp_path, context, "text_folder", path=str(path))) == {
                "b": "a",
                "good": "good",
                "sub/a": "a",
            }

    @pytest.mark.parametrize("follow_links", [False, True])
    def test_loops_end(self, tmp_path, context, follow_links):
        mine = folder(tmp_path / "mine")
        (mine / "up").symlink_to(".")
        for one, other in (("p", "q"), ("q", "p")):
            (mine / one).mkdir()
            (mine / one / "over").symlink_to(mine / other)
        assert fetch(tmp_path, context, "text_folder", path=str(mine), follow_links=follow_links) == [("good", "good")]
        (mine / "self.txt").symlink_to("self.txt")
        with pytest.raises(SourceError, match=r"'self.txt' is a broken link"):
            fetch(tmp_path, context, "text_folder", path=str(mine), follow_links=follow_links)

    @pytest.mark.parametrize("kind", ["pg19_folder", "articles_jsonl", "questions_jsonl"])
    def test_other_kinds_of_folders_refuse_them_too(self, tmp_path, context, kind):
        mine = folder(tmp_path / "mine", test__1_txt="one", a_jsonl='{"id": "1"}')
        (mine / "test/2.txt").symlink_to(self.outside(tmp_path) / "secret.txt")
        (mine / "b.jsonl").symlink_to("/etc/hostname")
        with pytest.raises(SourceError, match="is a link to a place outside the folder"):
            create("mine", kind, {"path": str(mine)}, where="w").fetch(tmp_path / "raw", context)


def pipe(path: Path) -> None:
    os.mkfifo(path)


def sock(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(os.path.relpath(path))  # such names are short


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


class TestNoPlainFiles:
    """Each of these would block for ever, or never end, when opened."""

    @pytest.mark.parametrize("make", [pipe, sock, device])
    def test_in_a_folder(self, tmp_path, context, make: Callable[[Path], None]):
        mine = folder(tmp_path / "mine")
        make(mine / "odd.txt")
        with pytest.raises(SourceError, match=r"'odd\.txt' is not a regular file"):
            fetch(tmp_path, context, "text_folder", path=str(mine), follow_links=True)

    @pytest.mark.parametrize("make", [pipe, sock, device, Path.mkdir])
    @pytest.mark.parametrize("kind", ["jsonl", "parquet", "articles_jsonl", "lock", "copy", "text_folder"])
    def test_as_a_path(self, tmp_path, context, make, kind):
        path = tmp_path / "odd.jsonl"
        make(path)
        with pytest.raises(
            HaymakerError, match=r"not a file|is not a regular file|no such folder|cannot be read|no file matches"
        ):
            if kind == "lock":
                read_lock(path, "x")
            elif kind == "copy":
                copy_file(RawFile("a", path.as_uri()), path, tmp_path / "raw/a", context)
            else:
                options = {"jsonl": {"text_key": "t"}, "parquet": {"text_column": "t"}}.get(kind, {})
                create("mine", kind, {"path": str(path), **options}, where="w").fetch(tmp_path / "raw", context)
        assert not (tmp_path / "raw").exists()

    def test_opening_one_returns_at_once(self, tmp_path):
        pipe(tmp_path / "p")
        with pytest.raises(OSError, match="is not a regular file"):
            open_plain(tmp_path / "p")

    @pytest.mark.parametrize("path", ["~nosuchuser/x", "a\0b", "x" * 300, ""])
    @pytest.mark.parametrize("kind", ["text_folder", "jsonl", "pg19_folder", "articles_jsonl"])
    def test_what_no_path_is(self, tmp_path, context, path, kind):
        options = {"text_key": "t"} if kind == "jsonl" else {}
        with pytest.raises(HaymakerError, match=r"no user|is not a valid path|needs either"):
            create("mine", kind, {"path": path, **options}, where="w").fetch(tmp_path / "raw", context)


class TestNoText:
    @pytest.mark.parametrize(
        ("data", "message"),
        [
            (b"caf\xe9", r"not UTF-8 at byte 3 \(0xe9\)\."),
            ("Text".encode("utf-16"), r"not UTF-8 at byte 0 \(0xff\) \(it begins like UTF-16\)"),
            (b"\xfe\xff" + "Text".encode("utf-16-be"), r"byte 0 \(0xfe\) \(it begins like UTF-16\)"),
            ("Text".encode("utf-32"), r"byte 0 \(0xff\) \(it begins like UTF-32\)"),
            (b"\0\0\xfe\xff" + "Text".encode("utf-32-be"), r"byte 2 \(0xfe\) \(it begins like UTF-32\)"),
            (b"a\xed\xa0\x80", "not UTF-8 at byte 1 "),
            (b"a\xc0\xaf", "not UTF-8 at byte 1 "),
            (b"ab\xe2\x82", r"not UTF-8 at byte 2 \(0xe2\)"),
            (b"a" * (_CHUNK_BYTES - 1) + b"\xe2\x82\xac\xff", rf"not UTF-8 at byte {_CHUNK_BYTES + 2:,} \(0xff\)"),
            (b"a" * (_CHUNK_BYTES - 1) + b"\xe2\x82x", rf"not UTF-8 at byte {_CHUNK_BYTES - 1:,} \(0xe2\)"),
        ],
    )
    def test_is_refused_at_download_with_file_and_byte(self, tmp_path, context, data, message):
        mine = folder(tmp_path / "mine", sub__odd_txt=data)
        with pytest.raises(SourceError, match=rf"sub/odd\.txt: {message}" if "not UTF-8" in message else message):
            fetch(tmp_path, context, "text_folder", path=str(mine))
        assert not (tmp_path / "raw").exists()

    def test_a_byte_order_mark_and_characters_across_chunks_are_fine(self, tmp_path, context):
        text = "a" * (_CHUNK_BYTES - 1) + "\u20ac"
        mine = folder(tmp_path / "mine", odd_txt=b"\xef\xbb\xbf" + text.encode())
        assert ("odd", text) in fetch(tmp_path, context, "text_folder", path=str(mine))

    def test_a_name_that_is_no_text_is_refused(self, tmp_path, context):
        mine = folder(tmp_path / "mine")
        Path(os.fsdecode(os.fsencode(mine) + b"/caf\xe9.txt")).write_text("x")
        with pytest.raises(SourceError, match="is not a UTF-8 name"):
            fetch(tmp_path, context, "text_folder", path=str(mine))


LONG = b'{"body": "' + b"a" * 1_000_000 + b'"}\n'
UNPACKS = """
import resource, sys
from pathlib import Path
from corpora.sources import create
from corpora.sources.base import FetchContext
from haymaker.core.errors import SourceError
import zstandard
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
source = create("mine", "jsonl", {"path": sys.argv[1], "text_key": "body"}, where="w")
try:
    source.fetch(Path("raw").absolute(), FetchContext(None, Path("work").absolute(), Path("lock.json")))
except SourceError as error:
    print(error)
"""


class TestLongLines:
    @pytest.mark.parametrize(("name", "pack"), [("a.jsonl", bytes), ("a.jsonl.gz", gzip.compress)])
    @pytest.mark.parametrize("kind", ["jsonl", "articles_jsonl"])
    def test_one_above_the_limit_is_refused_with_its_number(self, tmp_path, context, name, pack, kind):
        (tmp_path / name).write_bytes(pack(b"\n" + LONG))
        options = {"text_key": "body"} if kind == "jsonl" else {}
        source = create("mine", kind, {"path": str(tmp_path / name), "max_line_mb": 1, **options}, where="w")
        with pytest.raises(SourceError, match=r"a\.jsonl:2: a line is longer than 1 MB\. Next: .*max_line_mb"):
            source.fetch(tmp_path / "raw", context)
        if kind == "jsonl":
            assert len(fetch(tmp_path, context, kind, path=str(tmp_path / name), max_line_mb=2, text_key="body")) == 1

    @pytest.mark.parametrize("end", [b"", b"\n", b"\r", b"\nx"])
    def test_in_a_text_too(self, tmp_path, end):
        path = tmp_path / "a.txt"
        for length, wrong in ((1_000_000, False), (1_000_001, True)):
            path.write_bytes(b"x\n" + b"a" * length + end + b"a" * 999_999)
            if wrong or not end:
                with pytest.raises(SourceError, match=r"a\.txt: a line is longer than 1 MB"):
                    check_text(path, "a.txt", 1)
            else:
                check_text(path, "a.txt", 1)

    def test_in_tab_separated_files_too(self, tmp_path, monkeypatch):
        for function in (piece_lines, file_lines):
            monkeypatch.setattr(function, "__defaults__", (1,))  # MB
        (tmp_path / "a.tsv").write_bytes(b"id\ttext\n1\t" + b"a" * 1_000_000 + b"\n")
        for read in (
            lambda: list(plain_file(tmp_path, "a.tsv", 2)),
            lambda: quoted_batches(tmp_path, "a.tsv", ["id", "text"]),
        ):
            with pytest.raises(SourceError, match=r"a\.tsv:2: a line is longer than 1 MB"):
                read()

    def test_what_unpacks_to_one_endless_line_is_refused_in_little_memory(self, tmp_path):
        with (
            (tmp_path / "bomb.jsonl.zst").open("wb") as file,
            zstandard.ZstdCompressor(1).stream_writer(file) as packed,
        ):
            packed.write(b'{"body": "')
            for _ in range(500):
                packed.write(b"a" * 1_000_000)
        command = [sys.executable, "-c", UNPACKS, "bomb.jsonl.zst"]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "OPENBLAS_NUM_THREADS": "1"}
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60)
        assert "bomb.jsonl:1: a line is longer than 64 MB" in done.stdout, done.stderr

    def test_the_last_line_needs_no_end(self, tmp_path):
        (tmp_path / "a").write_bytes(b"a\nb")
        with (tmp_path / "a").open("rb") as file:
            assert list(bounded_lines(file, "a")) == [(1, b"a\n"), (2, b"b")]


class TestNumbers:
    @pytest.mark.parametrize("value", [NINES, b"1e999", b"-Infinity", b"1" + b"0" * 4000, b"1.5"])
    @pytest.mark.parametrize("key", ["id", "grade", "group", "paragraph"])
    def test_endless_ones_in_json_lines(self, tmp_path, context, value, key):
        record = {
            "id": "q",
            "question": "who",
            "evidence": [{"article_id": "1", "grade": 0, "group": 0, "paragraph": 0}],
        }
        line = json.dumps(record).replace(
            '"q"' if key == "id" else f'"{key}": 0', f'"{key}": 0'.replace("0", "VALUE") if key != "id" else "VALUE"
        )
        (tmp_path / "q.jsonl").write_bytes(line.encode().replace(b"VALUE", value) + b"\n")
        source = create("mine", "questions_jsonl", {"path": str(tmp_path / "q.jsonl")}, where="w")
        with pytest.raises(SourceError, match=r"q\.jsonl:1") as caught:
            source.fetch(tmp_path / "raw", context)
        assert len(str(caught.value)) < 400

    @pytest.mark.parametrize("value", [NINES, b"1e999", b"NaN", b'"x"', b"[]", b"null"])
    def test_in_our_own_json(self, tmp_path, value):
        entry = b'{"a": {"files": {"f": {"size": VALUE, "sha256": "0"}}}}'.replace(b"VALUE", value)
        (tmp_path / "lock.json").write_bytes(entry)
        with pytest.raises(SourceError, match=r"not JSON|damaged"):
            read_lock(tmp_path / "lock.json", "a")
        listed = b'{"source": "s", "options": {}, "files": [{"path": "f", "sha256": "0", "size": VALUE}]}'
        (tmp_path / "SOURCE.json").write_bytes(listed.replace(b"VALUE", value))
        (tmp_path / "f").write_text("x")
        assert len(differing(tmp_path, "s", {})) == 1


class TestManyFiles:
    def test_their_number_costs_no_waiting_for_the_disk(self, tmp_path, context, monkeypatch):
        """One by one, ten thousand small files took two minutes."""
        synced: list[int] = []
        real = os.fsync
        monkeypatch.setattr(os, "fsync", lambda handle: (synced.append(handle), real(handle))[1])
        mine = folder(tmp_path / "mine", **{f"t{i}_txt": f"text {i}" for i in range(300)})
        assert len(fetch(tmp_path, context, "text_folder", path=str(mine))) == 301
        assert len(synced) < 10

    def test_what_a_killed_attempt_left_counts_for_nothing(self, tmp_path, context):
        mine = folder(tmp_path / "mine", a_txt="a good text", b_txt=b"\xff")
        with pytest.raises(SourceError, match="not UTF-8"):
            fetch(tmp_path, context, "text_folder", path=str(mine))
        (stage,) = context.cache.glob("*.stage")
        (stage / "files/a.txt").write_text("a go")  # as a kill in the middle would leave it
        (stage / "files/.a.txt.1.haymaker.tmp").write_text("half")
        (mine / "b.txt").write_text("b")
        assert dict(fetch(tmp_path, context, "text_folder", path=str(mine))) == {
            "a": "a good text",
            "b": "b",
            "good": "good",
        }
        assert {path.name for path in (tmp_path / "raw").rglob("*") if path.is_file()} == {
            "SOURCE.json", "a.txt", "b.txt", "good.txt",
        }  # fmt: skip
