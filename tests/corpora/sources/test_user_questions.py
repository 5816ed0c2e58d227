"""Articles and questions of the user's own: what a line may hold, and every mistake named with file and line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from corpora.sources import create
from corpora.sources.base import FetchContext, Source
from haymaker.core.errors import SourceError
from haymaker.core.rows.source_records import Article, Evidence, Paragraph, Question
from tests.errors import refused

ARTICLE = {"id": "a1", "title": "Ada  Low", "text": "\nAda was\na poet.\r\n \r\nShe died in 1901.\n"}
QUESTION = {"id": 1, "question": "Who was a poet?", "answers": ["Ada", " Ada ", "A. Low"]}
GOLD = {"article_id": "a1", "paragraph": 2}


def written(path: Path, *records: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    raw = "".join(r if isinstance(r, str) else json.dumps(r, ensure_ascii=False) + "\n" for r in records).encode()
    path.write_bytes(raw)
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
    return [q for split in ("test", "dev", "train") for q in source.questions(raw, "user", split)]


class TestArticles:
    def test_blank_lines_part_paragraphs_and_the_title_is_number_0(self, tmp_path, context):
        listed = {"id": 7, "title": "", "paragraphs": [" One\nline. ", "", "Two."], "url": "not read"}
        one, two = articles(str(written(tmp_path / "a.jsonl", ARTICLE, listed)), context)
        paragraphs = [Paragraph("text", "Ada was a poet."), Paragraph("text", "She died in 1901.")]
        assert one == Article("a1", "Ada Low", (Paragraph("title", "Ada Low"), *paragraphs))
        assert (two.article_id, two.title) == ("7", "")
        assert [paragraph.text for paragraph in two.paragraphs] == ["", "One line.", "", "Two."]

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            (ARTICLE, ("files/a.jsonl:2", "'a1'")),
            (ARTICLE | {"id": 2, "paragraphs": ["x"]}, ("files/a.jsonl:2", "'text'", "'paragraphs'")),
        ],
    )  # fmt: skip
    def test_a_wrong_line_is_refused_at_download(self, tmp_path, context, line, message):
        path = written(tmp_path / "a.jsonl", ARTICLE, line)
        with refused(SourceError, *message):
            articles(str(path), context)
        assert not (tmp_path / "work/raw").exists()


class TestQuestions:
    def test_an_answer_a_list_of_answers_and_graded_passages(self, tmp_path, context):
        named = [{"article_id": 7, "text": "Bo was.", "group": 1}, {"article_id": "a1"}]
        graded = [GOLD | {"grade": 3}, {"article_id": "a1", "paragraph": 1, "grade": 0}]
        given = [
            QUESTION | {"evidence": [GOLD], "references": ["Ada was."], "split": "dev"},
            {"id": "x", "question": "Who?", "answer_groups": [["Ada", "A."], ["Bo"]], "evidence": named},
            {"id": "y", "question": "poets", "evidence": graded, "split": "test"},
        ]
        search, one, listed = questions(tmp_path, context, *given, splits={"train": 1})
        assert one == Question(
            "1", "dev", "Who was a poet?", "single", answers=("Ada", "A. Low"), references=("Ada was.",),
            evidence=(Evidence(article_id="a1", paragraph=2),),
        )  # fmt: skip
        assert (listed.split, listed.kind, listed.answers) == ("train", "list", ())
        assert listed.answer_groups == (("Ada", "A."), ("Bo",))
        assert listed.evidence == (Evidence(article_id="7", text="Bo was.", group=1), Evidence(article_id="a1"))
        assert (search.kind, [each.grade for each in search.evidence]) == ("search", [3, 0])

    def test_one_question_is_never_on_both_sides(self, tmp_path, context):
        one, other = QUESTION | {"split": "test"}, QUESTION | {"id": 2, "question": "who was a POET", "split": "train"}
        with refused(SourceError, "files/q.jsonl:2", 1):
            questions(tmp_path, context, one, other)
        assert len(questions(tmp_path, context, one, other | {"split": "test"})) == 2

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"id": "1"}, ("files/q.jsonl:2", "'1'")),
            ({"evidenc": []}, ("files/q.jsonl:2", "'evidenc'", "Next: 'evidence'")),
            ({"answers": "Ada"}, ("files/q.jsonl:2", "'answers'")),
            ({"evidence": [GOLD | {"text": "x"}]}, ("files/q.jsonl:2: evidence", "'paragraph'", "'text'")),
            ({"evidence": [GOLD | {"group": 0}]}, ("files/q.jsonl:2: evidence", "'group'", 0, "Next: `answer_groups`")),
            ({"evidence": [GOLD | {"grade": 4}]}, ("files/q.jsonl:2: evidence", "'grade'", 4, "Next: 0", "Next: 3")),
            ({"evidence": [GOLD, GOLD | {"grade": 1}]}, ("files/q.jsonl:2", "evidence")),
        ],
    )  # fmt: skip
    def test_a_wrong_line_is_refused_at_download(self, tmp_path, context, change, message):
        wrong = {k: v for k, v in (QUESTION | {"id": 2} | change).items() if k == "id" or v is not None}
        with refused(SourceError, *message):
            questions(tmp_path, context, QUESTION, wrong)
        assert not (tmp_path / "work/raw").exists()
