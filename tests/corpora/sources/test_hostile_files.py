"""Files and folders of the user's own that lead elsewhere, never end, are no files or no text: one line at download, nothing kept."""

from __future__ import annotations

import gzip
import json
import os
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from corpora.sources import create
from corpora.sources.formats.lines import _CHUNK_BYTES
from corpora.sources.local_folder import local_files
from corpora.sources.transport.fetch import copy_file
from corpora.sources.transport.lock import read_lock
from corpora.sources.transport.rawfile import RawFile
from haymaker.core.errors import HaymakerError, ParamsError, SourceError
from tests.errors import refused


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


def test_a_pattern_that_leaves_the_folder_or_is_none_is_refused_with_the_parameters():
    for pattern in ("", "/etc/*", "/", "**x", "a**/b", "../*", "a/../../b", "./a", "a//b", "*.txt/", "a\0b"):
        with pytest.raises(ParamsError, match="pattern"):
            create("mine", "text_folder", {"path": "x", "pattern": pattern}, where="w")


def test_patterns_match_at_any_depth_and_never_hidden_files(tmp_path):
    folder(tmp_path, b_txt="", x__c_txt="", x__y__d_txt="", x__e_md="", _h__a_txt="", x___a_txt="")
    matches = {
        "*.txt": ["b.txt", "good.txt", "x/c.txt", "x/y/d.txt"],
        "x/*.txt": ["x/c.txt"],
        "x/**/*.txt": ["x/c.txt", "x/y/d.txt"],
        "**": ["b.txt", "good.txt", "x/c.txt", "x/e.md", "x/y/d.txt"],
        "[bc].txt": ["b.txt", "x/c.txt"],
        "y/?.txt": ["x/y/d.txt"],
    }
    assert {pattern: local_files(tmp_path, pattern) for pattern in matches} == matches


class TestLinks:
    def outside(self, tmp_path: Path) -> Path:
        return folder(tmp_path / "elsewhere", secret_txt="secret", deep__more_txt="more")

    @pytest.mark.parametrize("kind", ["folder", "through", "prefix"])
    def test_one_that_leaves_is_refused_by_name_and_followed_when_told(self, tmp_path, context, kind):
        outside, mine = self.outside(tmp_path), folder(tmp_path / "mine")
        folder(tmp_path / "mine-too", twin_txt="twin")
        places: dict[str, Path] = {
            "folder": outside,
            "through": Path("inner/../../elsewhere/secret.txt"),
            "prefix": tmp_path / "mine-too/twin.txt",
        }
        (mine / "inner").mkdir()
        (mine / "link.txt").symlink_to(places[kind])
        with refused(SourceError, "", "'link.txt'", "link", fix="follow_links"):
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
            found = dict(fetch(tmp_path, context, "text_folder", path=str(path)))
            assert found == {"b": "a", "good": "good", "sub/a": "a"}

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


def pipe(path: Path) -> None:
    os.mkfifo(path)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


class TestNoPlainFiles:
    """Each of these would block for ever, or never end, when opened."""

    @pytest.mark.parametrize("make", [pipe, device])
    def test_in_a_folder(self, tmp_path, context, make: Callable[[Path], None]):
        mine = folder(tmp_path / "mine")
        make(mine / "odd.txt")
        with refused(SourceError, "", "'odd.txt'", "regular"):
            fetch(tmp_path, context, "text_folder", path=str(mine), follow_links=True)

    @pytest.mark.parametrize("make", [pipe, device, Path.mkdir])
    def test_as_a_path(self, tmp_path, context, make):
        path = tmp_path / "odd.jsonl"
        make(path)
        calls = [
            lambda: read_lock(path, "x"),
            lambda: copy_file(RawFile("a", path.as_uri()), path, tmp_path / "raw/a", context),
        ]
        for kind, options in (("jsonl", {"text_key": "t"}), ("parquet", {"text_column": "t"}), ("text_folder", {})):
            source = create("mine", kind, {"path": str(path), **options}, where="w")
            calls.append(lambda source=source: source.fetch(tmp_path / "raw", context))
        for call in calls:
            with refused(HaymakerError):
                call()
        assert not (tmp_path / "raw").exists()


class TestNoText:
    @pytest.mark.parametrize(
        ("data", "message"),
        [
            (b"caf\xe9", r"not UTF-8 at byte 3 \(0xe9\)\."),
            ("Text".encode("utf-16"), r"not UTF-8 at byte 0 \(0xff\) \(it begins like UTF-16\)"),
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


class TestLongLines:
    @pytest.mark.parametrize(
        ("name", "pack", "kind"), [("a.jsonl.gz", gzip.compress, "jsonl"), ("a.jsonl", bytes, "articles_jsonl")]
    )
    def test_one_above_the_limit_is_refused_with_its_number(self, tmp_path, context, name, pack, kind):
        (tmp_path / name).write_bytes(pack(b"\n" + LONG))
        options = {"text_key": "body"} if kind == "jsonl" else {}
        source = create("mine", kind, {"path": str(tmp_path / name), "max_line_mb": 1, **options}, where="w")
        with refused(SourceError, "a.jsonl:2", 1, fix="max_line_mb"):
            source.fetch(tmp_path / "raw", context)
        if kind == "jsonl":
            assert len(fetch(tmp_path, context, kind, path=str(tmp_path / name), max_line_mb=2, text_key="body")) == 1

    def test_what_unpacks_to_one_endless_line_is_refused_in_little_memory(self, tmp_path, context):
        path = tmp_path / "bomb.jsonl.gz"
        path.write_bytes(gzip.compress(b'{"body": "' + b"a" * 50_000_000, 1))
        source = create("mine", "jsonl", {"path": str(path), "text_key": "body", "max_line_mb": 1}, where="w")
        tracemalloc.start()
        with refused(SourceError, "bomb.jsonl:1", 1):
            source.fetch(tmp_path / "raw", context)
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
        tracemalloc.stop()


class TestNumbers:
    @pytest.mark.parametrize("value", [b"9" * 5000, b"1e999", b"-Infinity", b"1.5"])
    def test_endless_ones_in_json_lines(self, tmp_path, context, value):
        for key in ("id", "grade", "group", "paragraph"):
            evidence = {"article_id": "1", "text": "x"} if key == "id" else {"article_id": "1", key: 0}
            record = {"id": "q", "question": "who", "evidence": [evidence]}
            (record if key == "id" else evidence)[key] = "VALUE"
            (tmp_path / "q.jsonl").write_bytes(json.dumps(record).encode().replace(b'"VALUE"', value) + b"\n")
            source = create("mine", "questions_jsonl", {"path": str(tmp_path / "q.jsonl")}, where="w")
            with refused(SourceError) as caught:
                source.fetch(tmp_path / "raw", context)
            assert "q.jsonl:1" in str(caught.value) and len(str(caught.value)) < 400


class TestManyFiles:
    def test_their_number_costs_no_waiting_for_the_disk(self, tmp_path, context, monkeypatch):
        """One by one, ten thousand small files took two minutes."""
        synced: list[int] = []
        monkeypatch.setattr(os, "fsync", synced.append)
        mine = folder(tmp_path / "mine", **{f"t{i}_txt": f"text {i}" for i in range(60)})
        assert len(fetch(tmp_path, context, "text_folder", path=str(mine))) == 61
        assert len(synced) < 10

    def test_what_a_killed_attempt_left_counts_for_nothing(self, tmp_path, context):
        mine = folder(tmp_path / "mine", a_txt="a good text", b_txt=b"\xff")
        with pytest.raises(SourceError, match="not UTF-8"):
            fetch(tmp_path, context, "text_folder", path=str(mine))
        (stage,) = context.cache.glob("*.stage")
        (stage / "files/a.txt").write_text("a go")  # as a kill in the middle would leave it
        (stage / "files/.a.txt.1.haymaker.tmp").write_text("half")
        (mine / "b.txt").write_text("b")
        found = dict(fetch(tmp_path, context, "text_folder", path=str(mine)))
        assert found == {"a": "a good text", "b": "b", "good": "good"}
        names = {path.name for path in (tmp_path / "raw").rglob("*") if path.is_file()}
        assert names == {"SOURCE.json", "a.txt", "b.txt", "good.txt"}
