"""PG19 in its folder layouts, and simulated novels in the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpora.sources import create


def everything(source, raw):
    return [doc for batch in source.batches(raw) for doc in source.read(raw, batch)]


def layout(root: Path, books: dict[str, bytes]) -> Path:
    for name, data in books.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
    return root


@pytest.mark.real
def test_the_forty_real_books(real, tmp_path):
    source = create("pg19", "pg19_mirror", {"splits": ["test", "train"]}, where="w")
    raw = tmp_path / "raw/pg19"
    source.fetch(raw, real)
    assert source.verify(raw, real) == []
    documents = everything(source, raw)
    assert [doc.split for doc in documents] == ["test"] * 24 + ["train"] * 16
    assert (documents[0].doc_id, documents[0].title) == ("33", "The Scarlet Letter by Nathaniel Hawthorne")
    assert (documents[-1].doc_id, len(documents[-1].text.encode())) == ("28054", 1_983_729)


def test_a_folder_in_the_original_layout(context, tmp_path):
    files = {"test/10.txt": b"ten", "test/9.txt": b"\xef\xbb\xbfnine\r\n", "validation/7.txt": "siebenß".encode()}
    files |= {"train/1.txt": b"one", "metadata.csv": b'9,"Nine, a story",1850,u\n', "other/5.txt": b"no"}
    root = layout(tmp_path / "mine", files)
    source = create("pg", "pg19_folder", {"path": str(root), "splits": ["dev", "test"]}, where="w")
    source.fetch(tmp_path / "raw", context)
    found = [(doc.doc_id, doc.title, doc.split, doc.text) for doc in everything(source, tmp_path / "raw")]
    assert found == [("9", "Nine, a story", "test", "nine\r\n"), ("10", "", "test", "ten"), ("7", "", "dev", "siebenß")]
    assert str(tmp_path) not in (tmp_path / "raw/SOURCE.json").read_text()


def test_verify_names_each_changed_file_and_a_second_fetch_puts_them_right(context, tmp_path):
    root = layout(tmp_path / "mine", {f"test/{i}.txt": b"abc" for i in range(4)})
    source = create("pg", "pg19_folder", {"path": str(root)}, where="w")
    raw = tmp_path / "raw"
    source.fetch(raw, context)
    first = (raw / "SOURCE.json").read_bytes()
    (raw / "test/0.txt").write_bytes(b"abX")
    (raw / "test/1.txt").write_bytes(b"ab")
    (raw / "test/2.txt").unlink()
    (raw / "test/9.txt").write_bytes(b"new")
    problems = source.verify(raw, context)
    assert len(problems) == 4
    for problem, name in zip(problems, ("0.txt", "1.txt", "2.txt", "9.txt"), strict=True):
        assert name in problem
    source.fetch(raw, context)
    assert (raw / "SOURCE.json").read_bytes() == first and source.verify(raw, context) == []


def test_simulated_novels_of_one_split_leave_those_of_another_alone(context, tmp_path):
    found = []
    for folder, novels in (("few", {"test": 1, "train": 1}), ("more", {"test": 2, "dev": 1, "train": 1})):
        source = create("n", "simulated_novels", {"seed": 3, "novels": novels, "words": 600}, where="w")
        source.fetch(tmp_path / folder, context)
        found.append(everything(source, tmp_path / folder))
    few, more = found
    assert set(few) < set(more) and [doc.split for doc in more] == ["test", "test", "dev", "train"]
    assert all(500 < len(doc.text.split()) < 700 for doc in more)
