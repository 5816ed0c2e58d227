"""Articles and questions of the user's own: what a line may hold, and every mistake named with file and line."""

from __future__ import annotations

import copy
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from corpora.sources import create
from corpora.sources.base import FetchContext, Source
from corpora.sources.formats import batches
from haymaker.core.errors import ParamsError, SourceError
from haymaker.core.rows.source_records import Article, Evidence, Paragraph, Question
from tests.corpora.sources.test_malformed import JUNK, places, replaced

ARTICLE = {"id": "a1", "title": "Ada  Low", "text": "\nAda was\na poet.\r\n \r\nShe died in 1901.\n"}
QUESTION = {"id": 1, "question": "Who was a poet?", "answers": ["Ada", " Ada ", "A. Low"]}
GOLD = {"article_id": "a1", "paragraph": 2}


def written(path: Path, *records: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    raw = "".join(r if isinstance(r, str) else json.dumps(r, ensure_ascii=False) + "\n" for r in records).encode()
    packed = {".gz": gzip.compress, ".zst": zstandard.ZstdCompressor().compress}.get(path.suffix, bytes)(raw)
    path.write_bytes(packed)
    return path


def fetched(kind: str, path: object, context: FetchContext, **options: object) -> tuple[Source, Path]:
    source = create("mine", kind, {"path": path, **options}, where="w")
    raw = context.cache.parent / "raw"
    source.fetch(raw, context)
    assert source.verify(raw, context) == []
    return source, raw


def articles(path: object, context: FetchContext) -> list[Article]:
    source, raw = fetched("articles_jsonl", path, context)
    return [article for batch in source.batches(raw) for article in source.articles(raw, batch)]


def questions(tmp_path: Path, context: FetchContext, *records: object, **options: object) -> list[Question]:
    source, raw = fetched("questions_jsonl", str(written(tmp_path / "q.jsonl", *records)), context, **options)
    assert source.question_sets() == ("user",)
    return [q for part in ("test", "dev", "train") for q in source.questions(raw, "user", part)]


class TestArticles:
    def test_blank_lines_part_paragraphs_and_the_title_is_number_0(self, tmp_path, context):
        listed = {"id": 7, "title": "", "paragraphs": [" One\nline. ", "", "Two."], "url": "not read"}
        one, two = articles(str(written(tmp_path / "a.jsonl", ARTICLE, listed)), context)
        paragraphs = [Paragraph("text", "Ada was a poet."), Paragraph("text", "She died in 1901.")]
        assert one == Article("a1", "Ada Low", (Paragraph("title", "Ada Low"), *paragraphs))
        assert (two.article_id, two.title) == ("7", "")
        assert [paragraph.text for paragraph in two.paragraphs] == ["", "One line.", "", "Two."]

    def test_a_folder_at_any_depth_plain_and_packed(self, tmp_path, context):
        names = ("b.jsonl.gz", "a.jsonl", "deep/c.jsonl.zst", "deep/a.jsonl")
        for name in names:
            written(tmp_path / "mine" / name, ARTICLE | {"id": name})
        (tmp_path / "mine/readme.txt").write_text("not ours")
        found = articles([str(tmp_path / "mine")], context)
        assert sorted(article.article_id for article in found) == sorted(names)
        assert {article.paragraphs for article in found} == {found[0].paragraphs}

    def test_batches_are_whole_lines_and_cover_all(self, tmp_path, context, monkeypatch):
        from corpora.sources.formats import lines

        path = written(tmp_path / "a.jsonl", *(ARTICLE | {"id": i} for i in range(50)))
        whole = articles(str(path), context)
        monkeypatch.setattr(lines, "BATCH_BYTES", 300)
        monkeypatch.setattr(batches.group, "__defaults__", (300,))
        source, raw = fetched("articles_jsonl", str(path), context)
        assert len(source.batches(raw)) > 5
        assert [article for batch in source.batches(raw) for article in source.articles(raw, batch)] == whole

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ({"title": "x", "text": "x"}, r"a\.jsonl:2: has no key 'id'"),
            (ARTICLE | {"id": ""}, r"a\.jsonl:2: 'id' is '', not an id"),
            (ARTICLE, r"a\.jsonl:2: article id 'a1' was used before"),
            ({"id": 2, "text": "x"}, r"a\.jsonl:2: has no key 'title'"),
            ({"id": 2, "title": None, "text": "x"}, r"a\.jsonl:2: 'title' is NoneType, not text"),
            ({"id": 2, "title": "x", "txt": "x"}, r"a\.jsonl:2: has no key 'text', and no 'paragraphs' \(its keys: id,"),
            (ARTICLE | {"id": 2, "paragraphs": ["x"]}, r"a\.jsonl:2: has both 'text' and 'paragraphs'"),
            (ARTICLE | {"id": 2, "text": " \n"}, r"a\.jsonl:2: 'text' is empty"),
            (ARTICLE | {"id": 2, "text": ["x"]}, r"a\.jsonl:2: 'text' is list, not text"),
            ({"id": 2, "title": "x", "paragraphs": [" ", ""]}, r"a\.jsonl:2: 'paragraphs' holds no text"),
            ({"id": 2, "title": "x", "paragraphs": ["x", 3]}, r"a\.jsonl:2: 'paragraphs' is int, not text"),
            ({"id": 2, "title": "x", "paragraphs": "x"}, r"a\.jsonl:2: 'paragraphs' is str, not a list"),
            ({"id": 2, "title": "x", "text": "\ud800"}, r"a\.jsonl:2: not UTF-8|a\.jsonl:2: 'text' holds a lone"),
            ('{"id": 2,\n', r"a\.jsonl:2: not JSON"),
            ("[1]\n", r"a\.jsonl:2: expected an object, not list"),
        ],
    )  # fmt: skip
    def test_a_wrong_line_is_refused_at_download(self, tmp_path, context, line, message):
        line = json.dumps(line) + "\n" if isinstance(line, dict) else line
        path = written(tmp_path / "a.jsonl", ARTICLE, line)
        with pytest.raises(SourceError, match=message):
            articles(str(path), context)
        assert not (tmp_path / "work/raw").exists()

    def test_nothing_there(self, tmp_path, context):
        with pytest.raises(SourceError, match="source mine: holds no article"):
            articles(str(written(tmp_path / "a.jsonl", "\n")), context)
        (tmp_path / "empty").mkdir()
        with pytest.raises(SourceError, match=r"empty: no file matches '\*\.jsonl\*'"):
            articles(str(tmp_path / "empty"), context)
        with pytest.raises(SourceError, match=r"none\.jsonl"):
            articles(str(tmp_path / "none.jsonl"), context)


class TestQuestions:
    def test_one_answer(self, tmp_path, context):
        record = QUESTION | {"evidence": [GOLD], "references": ["Ada was."], "part": "dev"}
        (found,) = questions(tmp_path, context, record)
        assert found == Question(
            "1", "dev", "Who was a poet?", "single", answers=("Ada", "A. Low"), references=("Ada was.",),
            evidence=(Evidence(article_id="a1", paragraph=2),),
        )  # fmt: skip

    def test_a_list_of_answers(self, tmp_path, context):
        evidence = [{"article_id": 7, "text": "Bo was.", "group": 1}, {"article_id": "a1"}]
        record = {"id": "x", "question": "Who?", "answer_groups": [["Ada", "A."], ["Bo"]], "evidence": evidence}
        (found,) = questions(tmp_path, context, record, parts={"train": 1})
        assert (found.part, found.kind, found.answers) == ("train", "list", ())
        assert found.answer_groups == (("Ada", "A."), ("Bo",))
        assert found.evidence == (Evidence(article_id="7", text="Bo was.", group=1), Evidence(article_id="a1"))

    def test_graded_passages(self, tmp_path, context):
        evidence = [GOLD | {"grade": 3}, {"article_id": "a1", "paragraph": 1, "grade": 0}]
        (found,) = questions(tmp_path, context, {"id": "x", "question": "poets", "evidence": evidence, "part": "test"})
        assert (found.kind, [each.grade for each in found.evidence]) == ("search", [3, 0])

    def test_lines_without_a_part_are_shared_by_their_words(self, tmp_path, context):
        records = [QUESTION | {"id": i, "question": f"Who is {i // 2}?"} for i in range(1000)]
        found = questions(tmp_path, context, *records, parts={"test": 3, "train": 1})
        sides = {part: {q.text for q in found if q.part == part} for part in ("test", "train")}
        assert not sides["test"] & sides["train"] and len(found) == 1000
        assert 340 < len(sides["test"]) < 410
        more = questions(tmp_path, context, *records, QUESTION | {"id": "more"}, parts={"test": 3, "train": 1})
        assert set(found) < set(more), "a further line moves no other"

    def test_one_question_is_never_on_both_sides(self, tmp_path, context):
        one, other = QUESTION | {"part": "test"}, QUESTION | {"id": 2, "question": "who was a POET", "part": "train"}
        with pytest.raises(
            SourceError,
            match=r"q\.jsonl:2: a question of part train that is asked in part test too \(files/q\.jsonl:1\)",
        ):
            questions(tmp_path, context, one, other)
        assert len(questions(tmp_path, context, one, other | {"part": "test"})) == 2

    def test_packed_questions(self, tmp_path, context):
        path = written(tmp_path / "q.jsonl.gz", QUESTION, QUESTION | {"id": 2})
        source, raw = fetched("questions_jsonl", [str(path)], context, parts={"test": 1})
        assert [q.question_id for q in source.questions(raw, "user", "test")] == ["1", "2"]
        assert [path.name for path in (raw / "files").iterdir()] == ["q.jsonl"]
        with pytest.raises(
            SourceError, match=r"source mine: has no set of questions 'usre'. Next: did you mean 'user'\?"
        ):
            source.questions(raw, "usre", "test")

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"id": None}, r"q\.jsonl:2: 'id' is None, not an id"),
            ({"id": "1"}, r"q\.jsonl:2: question id '1' was used before"),
            ({"question": " "}, r"q\.jsonl:2: 'question' is empty"),
            ({"part": "tets"}, r"q\.jsonl:2: 'part' is 'tets'. Next: one of train, dev, test"),
            ({"part": ["test"]}, r"q\.jsonl:2: 'part' is \['test'\]"),
            ({"evidenc": []}, r"q\.jsonl:2: unknown key 'evidenc'. Next: did you mean 'evidence'\?"),
            ({"answers": []}, r"q\.jsonl:2: has no answer"),
            ({"answers": "Ada"}, r"q\.jsonl:2: 'answers' is str, not a list"),
            ({"answers": [["Ada"]]}, r"q\.jsonl:2: 'answers' is list, not text"),
            ({"answer_groups": [["Ada"]]}, r"q\.jsonl:2: has answers and answer_groups. Next: give one of"),
            ({"answers": None, "answer_groups": []}, r"q\.jsonl:2: 'answer_groups' is no list of lists"),
            ({"answers": None, "answer_groups": ["Ada"]}, r"q\.jsonl:2: 'answer_groups' is no list of lists"),
            ({"answers": None, "answer_groups": [["Ada"], []]}, r"q\.jsonl:2: has no answer"),
            ({"answers": None}, r"q\.jsonl:2: has no answer. Next: give one of"),
            ({"answers": None, "evidence": [GOLD]}, r"q\.jsonl:2: has no answer. Next: give one of"),
            ({"references": "Ada"}, r"q\.jsonl:2: 'references' is str, not a list"),
            ({"evidence": GOLD}, r"q\.jsonl:2: 'evidence' is dict, not a list"),
            ({"evidence": ["a1"]}, r"q\.jsonl:2: 'evidence' holds other things than objects"),
            ({"evidence": [{"paragraph": 1}]}, r"q\.jsonl:2: evidence: has no key 'article_id'"),
            ({"evidence": [GOLD | {"txt": "x"}]}, r"q\.jsonl:2: evidence: unknown key 'txt'. Next: did you mean 'text'"),
            ({"evidence": [GOLD | {"text": "x"}]}, r"q\.jsonl:2: evidence: has both 'paragraph' and 'text'"),
            ({"evidence": [GOLD | {"paragraph": -1}]}, r"q\.jsonl:2: evidence: 'paragraph' is -1, not a whole number"),
            ({"evidence": [GOLD | {"group": 0}]}, r"q\.jsonl:2: evidence: 'group' is 0. Next: it counts `answer_groups`"),
            ({"evidence": [GOLD | {"grade": 4}]}, r"q\.jsonl:2: evidence: 'grade' is 4. Next: from 0 to 3"),
            ({"evidence": [GOLD | {"grade": 1}]}, r"q\.jsonl:2: has answers and graded evidence"),
            ({"evidence": [GOLD, GOLD | {"grade": 1}]}, r"q\.jsonl:2: some evidence has a grade, some has none"),
        ],
    )  # fmt: skip
    def test_a_wrong_line_is_refused_at_download(self, tmp_path, context, change, message):
        wrong = {k: v for k, v in (QUESTION | {"id": 2} | change).items() if k == "id" or v is not None}
        with pytest.raises(SourceError, match=message):
            questions(tmp_path, context, QUESTION, wrong)
        assert not (tmp_path / "work/raw").exists()

    def test_nothing_there_and_wrong_options(self, tmp_path, context):
        with pytest.raises(SourceError, match="source mine: holds no question"):
            questions(tmp_path, context, "\n")
        with pytest.raises(ParamsError, match="add up to 0"):
            questions(tmp_path, context, QUESTION, parts={"test": 0})
        with pytest.raises(ParamsError, match=r"unknown key 'text_key'"):
            questions(tmp_path, context, QUESTION, text_key="x")


FULL = QUESTION | {"part": "test", "references": ["x"], "evidence": [GOLD | {"group": 0}], "answer_groups": [["Ada"]]}
del FULL["answers"]
CASES: dict[str, dict[str, Any]] = {
    "article": {"id": "a", "title": "T", "paragraphs": ["x"]},
    "article text": ARTICLE,
    "question": QUESTION | {"evidence": [{"article_id": "a1", "text": "x"}]},
    "list": FULL,
    "search": {"id": "x", "question": "poets", "evidence": [GOLD | {"grade": 3}]},
}


@pytest.mark.parametrize("case", CASES)
@given(data=st.data())
def test_a_value_of_any_other_kind_is_read_or_refused_in_one_line(case, data, tmp_path_factory):
    raw = tmp_path_factory.getbasetemp() / f"own-{case.replace(' ', '-')}"
    record = copy.deepcopy(CASES[case])
    damaged = replaced(record, data.draw(st.sampled_from(places(record))), data.draw(JUNK))
    (raw / "files").mkdir(parents=True, exist_ok=True)
    (raw / "files/a.jsonl").write_text(json.dumps(damaged) + "\n")
    source = create("mine", "articles_jsonl" if "article" in case else "questions_jsonl", {"path": "x"}, where="w")
    try:
        source.check(raw)
    except SourceError as error:
        assert "\n" not in str(error) and ("a.jsonl:1" in str(error) or "holds no" in str(error))
