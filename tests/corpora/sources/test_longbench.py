"""LongBench taken apart: the mirror by heart, the archive from made files, and how far gold by words can be trusted.

Shown: a context that several questions share is one document, an article or paragraph is there once, marks of a copy are gone,
no example of TriviaQA is split test whose answers are not known or not in its passage, and every mistake is named with file and line.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.sources.longbench_hops import Titled, gold_by_words, whole_article
from corpora.sources.longbench_items import news, numbered, parted, shots
from haymaker.core.rows.source_records import DocumentQuestion, Evidence, Question
from haymaker.core.text.normalize import clean
from tests.corpora.sources.faults import zipped
from tests.corpora.sources.test_documents import documents, fetched, mirrored

# The archive, made here


def item(key: str, asked: str, context: str, *accepted: str) -> dict[str, Any]:
    return {"_id": key, "input": asked, "context": context, "answers": list(accepted), "length": 3, "all_classes": None}


def shot(passage: str, question: str, answer: str = "") -> str:
    return f"Passage:\n{passage}\nQuestion:\n{question}\nAnswer:\n{answer}".strip()


HOP = (
    "Passage 1:\nAda\nAda was a poet.\nPassage 2:\nBo (band)\nBo played.\n\nLife\nBo ended.\nPassage 3:\nCy\nCy slept."
)


def sets() -> dict[str, list[dict[str, Any]]]:
    several = "\n".join((shot("Bo met Ada.", "Who met Ada?", "Bo"), shot("Cy sleeps.", "Who sleeps?", "Cyrus")))
    again = "\n".join((shot("Bo  met Ada.", "Who did Bo meet?", "Ada"), shot("It is 7.", "What is it?", "8")))
    return {
        "narrativeqa": [
            item("n1", "Who?", " A story\n of Ada. ", "Ada"),
            item("n2", "When?", "A story of Ada.", "1990"),
        ],
        "qasper": [item("q1", "How?", "Intro\nWe try.", "so", "thus")],
        "multifieldqa_en": [item("m1", "Why?", "Some text.", "Because.")],
        "gov_report": [item("g1", "", "A report.", "In short.")],
        "multi_news": [
            item(
                "x1",
                "",
                "Passage 1:\nOne. NEWLINE_CHAR NEWLINE_CHAR Two.\nPassage 2:\nThree NEWLINE_CHAR four.",
                "Sum.",
            ),
            item("x2", "", "Passage 1:\nAlone.", "Alone."),
        ],
        "qmsum": [item("y1", "What is said?", "A: Hello.\nB: Bye.", "They greet.")],
        "triviaqa": [
            item("t1", shot("The item.", "Which is it?"), several, "Nothing", "item"),
            item("t2", shot("Another item.", "Who sleeps?"), again, "Another"),
        ],
        "hotpotqa": [item("h1", "Who is the poet of Bo?", HOP, "Ada", "poet")],
        "2wikimqa": [item("w1", "Do Cy and Ada sleep?", HOP, "no")],
        "musique": [item("u1", "What?", "Passage 1:\nDi\nDi sang.", "sang")],
        "passage_retrieval_en": [item("p1", "Sleep.", "Paragraph 1: One. \n\nParagraph 2: Two.", "Paragraph 2")],
        "passage_count": [item("c1", "", "Paragraph 1: Two.\n\nParagraph 2: Three.\n\nParagraph 3: Two.", "2")],
        "lcc": [item("l1", "", "code", "code")],
    }


def archive(change: dict[str, list[Any]] | None = None) -> dict[str, object]:
    found = sets() | (change or {})
    files = {f"data/{key}.jsonl": "".join(json.dumps(row) + "\n" for row in rows) for key, rows in found.items()}
    return {"data.zip": zipped(files | {f"data/{key}_e.jsonl": "not read" for key in found})}


def test_a_context_is_a_document_and_copies_of_it_are_one(tmp_path, context):
    source, raw = fetched(tmp_path, context, "longbench", archive())
    found = documents(source, raw)
    assert [(each.split, each.text) for each in found] == [
        ("test", "A story\n of Ada."),
        ("test", "Intro\n\nWe try."),
        ("test", "Some text."),
        ("test", "A report."),
        ("test", "Article 1:\n\nOne.\n\nTwo.\n\nArticle 2:\n\nThree\nfour."),
        ("test", "A: Hello.\n\nB: Bye."),
        ("test", "The item."),
        ("test", "Another item."),
        ("train", "Bo met Ada."),
        ("train", "It is 7."),
    ]
    first, second = source.document_questions(raw, "narrativeqa")
    assert first == DocumentQuestion("n1", found[0].doc_id, "test", "qa", "Who?", answers=("Ada",))
    assert (second.doc_id, second.answers) == (found[0].doc_id, ("1990",))
    assert [(q.split, q.text, q.answers) for q in source.document_questions(raw, "triviaqa")] == [
        ("test", "Which is it?", ("item",)),
        ("test", "Who sleeps?", ("Another",)),
        ("train", "Who met Ada?", ("Bo",)),
        ("train", "What is it?", ("8",)),
    ]
    (query,) = source.document_questions(raw, "qmsum")
    assert (query.doc_id, query.kind, query.references) == (found[5].doc_id, "summary", ("They greet.",))
    assert [each.question_id for each in source.document_questions(raw, "multi_news")] == ["x1"]
    assert source.document_questions(raw, "gov_report")[0].text == ""
    assert source.document_questions(raw, "qasper")[0].answers == ("so", "thus")


def test_what_the_archive_holds_beside_is_not_kept(tmp_path, context):
    _, raw = fetched(tmp_path, context, "longbench", archive())
    kept = {path.stem for path in (raw / "unpacked/data").iterdir()}
    assert kept == set(sets()) - {"lcc", "passage_retrieval_en", "passage_count"}


def made_mirror(folder: Path, known: str) -> Path:
    """The sets as the mirror has them; `known` is the file of questions with all their accepted answers."""
    files = {"triviaqa/topics.dpr.trivia.dev.txt.gz": known}
    for key, rows in sets().items():
        place = f"longbench/{'original' if key == 'multi_news' else 'mini'}/{key}.jsonl.gz"
        files[place] = "".join(json.dumps(row) + "\n" for row in rows)
    sums = []
    for place, text in files.items():
        path, packed = folder / place, gzip.compress(text.encode(), mtime=0)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(packed)
        sums.append(f"{hashlib.sha256(packed).hexdigest()}  {place}\n")
    (folder / "SHA256SUMS").write_text("".join(sums))
    return folder


def test_an_example_is_asked_only_where_all_its_answers_are_known_and_its_passage_holds_one(tmp_path, context):
    """A released example shows one alias, and it may be no answer at all."""
    known = "Who met  ada\t['B', '\"\"\"Bo\"\"\"']\nWhat is it?\t['8', 'eight']\n"
    mirror = made_mirror(tmp_path / "mirror", known)
    source, raw = mirrored("longbench_mirror", replace(context, mirror=mirror), tmp_path)
    examples = source.document_questions(raw, "triviaqa")[2:]
    assert [(q.text, q.split, q.answers) for q in examples] == [
        ("Who met Ada?", "test", ("Bo", "B")),
        ("What is it?", "train", ("8", "eight")),
    ]
    assert {each.doc_id: each.split for each in documents(source, raw)}[examples[0].doc_id] == "test"


def test_articles_of_all_contexts_are_there_once(tmp_path, context):
    source, raw = fetched(tmp_path, context, "longbench", archive())
    found = [article for batch in source.batches(raw) for article in source.articles(raw, batch)]
    assert [article.title for article in found] == ["Ada", "Bo (band)", "Cy", "Di"]
    assert [(each.kind, each.text) for each in found[1].paragraphs] == [
        ("title", "Bo (band)"), ("text", "Bo played."), ("section", "Life"), ("text", "Bo ended."),
    ]  # fmt: skip
    ada, bo, cy, _ = ((each.article_id, each.title) for each in found)
    (hop,) = source.questions(raw, "hotpotqa", "test")
    assert hop == Question(
        "h1", "test", "Who is the poet of Bo?", "bridge", answers=("Ada", "poet"),
        evidence=tuple(Evidence(article_id=key, title=title) for key, title in (ada, bo)),
        shown=(Evidence(article_id=cy[0], title="Cy"),),
    )  # fmt: skip
    (two,) = source.questions(raw, "wikimqa2", "test")
    assert (two.kind, [(e.article_id, e.title) for e in two.evidence]) == ("comparison", [ada, cy])
    assert source.questions(raw, "musique", "train") == source.questions(raw, "musique", "dev") == []


def test_paragraphs_are_there_once_and_the_named_one_is_the_evidence(tmp_path, context):
    source, raw = fetched(tmp_path, context, "longbench_paragraphs", archive())
    found = [passage for batch in source.batches(raw) for passage in source.passages(raw, batch)]
    assert [(p.title, p.text) for p in found] == [("", "One."), ("", "Two."), ("", "Three.")]
    assert source.questions(raw, "passage_retrieval_en", "test") == [
        Question("p1", "test", "Sleep.", "search", evidence=(Evidence(passage_id=found[1].passage_id, grade=3),))
    ]
    assert source.questions(raw, "passage_retrieval_en", "train") == []


# Parts


@given(st.lists(st.text("ab1:P \n", min_size=1).map(str.strip).filter(bool), min_size=1, max_size=12))
def test_numbered_texts_come_back(found):
    joined = "\n".join(f"Passage {number}:\n{each}" for number, each in enumerate(found, 1))
    assert numbered(joined, "Passage {}:\n", "w") == found
    assert numbered("Paragraph 1: See\nParagraph 3: it.", "Paragraph {}: ", "w") == ["See\nParagraph 3: it."]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("A b.\n\nLife\nC d.", "text section text"),
        ("A b.\nLife\nC d.", "text text text"),
        ("A b.\n\nLife", "text text"),
        ("Ab ran.He sat.\n== Life ==\nC d.\n== Notes ==\n\n== Links ==", "text text section text"),
        ("A b.\n\nHe said:\nC d.", "text text text"),
        ("A b.\n\none two three four five six seven eight nine\nC.", "text text text"),
    ],
)
def test_headings_of_an_article(text, kinds):
    assert " ".join(p.kind for p in whole_article(Titled("T", text)).paragraphs) == f"title {kinds}"


def test_links_to_other_sites_are_no_part_of_an_article():
    told = "External links were cut.\n\nExternal links\nare told of here." + " So it is told." * 200
    shop = "External links\nWorks by Ada at a library\nAda at a shop"
    for links in (shop, "Notes\nExternal links\n\nAda", "== External links ==\nAda"):
        (_, *found) = whole_article(Titled("T", f"{told}\n\n{links}")).paragraphs
        assert [paragraph.text for paragraph in found] == [line for line in told.split("\n") if line]


def test_gold_by_words_follows_a_relation_of_what_the_question_names():
    texts = {
        "Police": "It is by Ann Lee.",
        "Faith (song)": "Bo Cole and Ann Lee wrote it.",
        "Ann Lee": "x",
        "Lee": "Bo Cole is a singer.",
        "Dee Fox": "She knew Ann Lee.",
    }
    articles = [Titled(title, text) for title, text in texts.items()]
    assert gold_by_words("Which film whose director is older, Police or Faith?", ["1900"], articles) == [0, 1, 2]
    for question in ("Was Police a film?", "Was the directory of Police old?"):  # about the film itself
        assert gold_by_words(question, ["1900"], articles) == [0]
    others = [Titled("Police", "x"), Titled("Faith (song)", "y"), Titled("Z", "Said ÉVE."), Titled("!", "z")]
    assert gold_by_words("Was Faith a pol?", ["pol", "eve"], others) == [1, 2], "whole words"


def test_a_paper_is_asked_for_yes_or_no_where_the_answer_says_it_and_no_question_for_any_of_several(tmp_path, context):
    paper = "Intro\nWe try."
    given = [("Were others tested?", "we try", "no-one did"), ("Were others tested?", "Yes, so", "so")]
    given += [("Is it a tree or a net?", "a net"), ("Island of what?", "so")]
    papers = [item(f"q{n}", question, paper, *answers) for n, (question, *answers) in enumerate(given, 1)]
    asked = ("Name a member of it.", "Name the member.")
    hops = [item(f"h{n}", question, "Passage 1:\nIt\nRome. Nero.", "Nero") for n, question in enumerate(asked)]
    source, raw = fetched(tmp_path, context, "longbench", archive({"qasper": papers, "hotpotqa": hops}))
    assert [each.question_id for each in source.document_questions(raw, "qasper")] == ["q2", "q3", "q4"]
    assert [each.question_id for each in source.questions(raw, "hotpotqa", "test")] == ["h1"]
    assert source.take_odd() == {
        "odd_qasper (its question asks for yes or no, its answer says neither)": 1,
        "odd_hotpotqa (one of several is asked for)": 1,
        "odd_multi_news (clusters of fewer than two articles)": 1,
    }


def test_shots_news_and_lines():
    assert shots(shot("A\nQuestion:\nB", '"In ""x""?"', '"""c"""'), "w") == [("A\nQuestion:\nB", 'In "x"?', "c")]
    assert news([" ", "One. NEWLINE_CHAR  NEWLINE_CHAR NEWLINE_CHAR Two.", "SNEWLINE_CHARS"]) == (
        "Article 1:\n\nOne.\n\nTwo.\n\nArticle 2:\n\nSNEWLINE_CHARS"
    )
    assert news(["One."]) == news([]) == ""
    assert news(["One.", "Two.", "One.", " Two. "]) == "Article 1:\n\nOne.\n\nArticle 2:\n\nTwo."
    notice = "Starting in 1996, Alexa Internet gave its pages away."
    assert news(["One.", notice]) == news(["One.", "One."]) == ""
    assert news(["One.", long := notice + " More of it." * 50]) == f"Article 1:\n\nOne.\n\nArticle 2:\n\n{long}"
    assert parted("A: x \n\n B: y\n") == "A: x\n\nB: y"


@pytest.mark.parametrize(
    "page",
    [
        "Dow Jones Reprints: This copy is for your personal, non-commercial use only.",
        "× Close What is the Tomatometer®?\n\nThe Tomatometer score is a measurement.",
        "If you have applied for any cash help then you must be aware of the formalities." + " Apply today." * 300,
    ],
)
def test_pages_that_are_no_articles(page: str) -> None:
    assert news(["One.", page]) == ""
    assert news(["One.", page, "Two."]) == "Article 1:\n\nOne.\n\nArticle 2:\n\nTwo."
    assert page in news([f"One. {page}", "Two."])  # spoken of, not begun with


def test_an_article_from_an_archive_comes_without_the_archives_notice() -> None:
    notice = "Starting in 1996, Alexa Internet has been donating their crawl data to the Internet Archive. They are added after an embargo period."
    campaigns = "The dumbest campaigns ever." + " Vote." * 200
    article = f"{notice} NEWLINE_CHAR NEWLINE_CHAR {notice} NEWLINE_CHAR NEWLINE_CHAR {campaigns}"
    assert news(["One.", article]) == f"Article 1:\n\nOne.\n\nArticle 2:\n\n{campaigns}"
    assert news(["One.", f"{notice} NEWLINE_CHAR {notice}"]) == ""


# The mirror


@pytest.mark.real
@pytest.mark.parametrize(("suffix", "passages", "asked"), [("en", 512, 15), ("zh", 1_688, 173)])
def test_no_paragraph_of_the_mirror_has_glued_sentences(held, suffix, passages, asked):
    """15 of the 512 English paragraphs as released have some; as passages none has."""
    source, raw = held(f"longbench_paragraphs{'_zh' * (suffix == 'zh')}_mirror")
    found = {each.passage_id: each.text for batch in source.batches(raw) for each in source.passages(raw, batch)}
    questions = source.questions(raw, f"passage_retrieval_{suffix}", "test")
    assert (len(found), len(questions)) == (passages, asked)
    assert all(each.evidence[0].passage_id in found for each in questions)
    glued = re.compile(r"(?<=[a-z]{2})[.!?,;](?=[A-Z][a-z])")
    assert suffix == "zh" or sum(glued.search(each) is not None for each in found.values()) == 15
    assert not [each for each in map(clean, found.values()) if glued.search(each)]
