"""Chinese sources: LSHT's news and DuReader's pages from files of their layout, from the mirror by heart."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from corpora.sources.base import FetchContext, Source
from corpora.sources.dureader import TOLD
from corpora.stores.labelled import sifted
from haymaker.core.rows.source_records import Passage, Question
from haymaker.core.text.strings import told
from tests.corpora.sources.faults import zipped
from tests.corpora.sources.test_documents import fetched
from tests.corpora.sources.test_longbench import item

NEWS = "新闻内容：\n{}\n类别：{}"
LONG = "国务院办公厅昨天发布通知，要求各地加强高校毕业生就业工作，并公布了新的补贴标准。"


def archive(**sets: list[dict[str, Any]]) -> dict[str, object]:
    """LongBench's archive, with what is given instead of its Chinese sets."""
    known = {
        "multifieldqa_zh": [item("m1", "为什么？", "一篇文本。", "因为。")],
        "vcsum": [item("v1", "", "讲者1：你好。", "大家问好。")],
        "passage_retrieval_zh": [item("p1", "睡觉。", "段落1：一。\n\n段落2：二。", "段落2")],
        "lsht": [item("l1", NEWS.format("一场球赛\n两队打平。", ""), shown(), "体育")],
    }
    files = {f"data/{key}.jsonl": lines(rows) for key, rows in (known | sets).items()}
    return {"data.zip": zipped(files)}


def lines(rows: Iterable[dict[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def shown(*more: tuple[str, str]) -> str:
    given = (("学校开学", "教育"), ("新队员到了", "体育"), *more)
    return "\n".join(NEWS.format(text, label) for text, label in given)


def news(tmp_path: Path, context: FetchContext, asked: str, *more: tuple[str, str]) -> tuple[Source, Path]:
    rows = [item("l1", NEWS.format(asked, ""), shown(*more), "体育")]
    return fetched(tmp_path, context, "lsht", archive(lsht=rows))


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("（体育）男篮夺冠\n（体育）男篮夺冠\n\u3000\u3000新华社电\u3000男篮夺冠。", "男篮夺冠 新华社电 男篮夺冠。"),
        ("（经济）（快讯）油价.txt\n（经济）油价\n    涨了。", "油价 涨了。"),
        ("[国际]访问\n[国际]访问\n\u3000\u3000今天到\n达。\n\u3000\u3000明天走。", "访问 今天到达。 明天走。"),
        ("（体育）香港回归十年仪\n（体育）香港回归十年仪\n式", "香港回归十年仪 式"),
        ("收看电视节目\n视节目\n\u3000\u3000新华社电", "收看电视节目 新华社电"),
        ("（完）", "（完）"),
        ("飞船完成科学研\n究任务\n（科技）飞船完成科学研究任务\n\u3000\u3000新华社电", "飞船完成科学研究任务 新华社电"),
        ("飞船完成任务\n\u3000\u3000中国（北京）航天局", "飞船完成任务 中国（北京）航天局"),
    ],
)  # fmt: skip
def test_a_news_text_is_one_line_without_the_column_that_names_its_class(tmp_path, context, body, line):
    source, raw = news(tmp_path, context, body)
    assert [text.text for text in source.labelled(raw, "lsht", "test")] == [line]
    shot = source.labelled(raw, "lsht", "train")[0]
    assert (shot.split, shot.text, shot.label) == ("train", "学校开学", "教育")


def test_what_a_shot_tells_in_the_same_words_is_not_asked(tmp_path, context):
    both = shown((f"通知\n本报讯 {LONG}", "社会、劳动"))
    texts = (f"就业\n{LONG}", "球赛\n平局。")
    rows = [item(f"l{n}", NEWS.format(text, ""), both, "体育") for n, text in enumerate(texts)]
    source, raw = fetched(tmp_path, context, "lsht", archive(lsht=rows))
    assert [text.text for text in source.labelled(raw, "lsht", "test")] == ["球赛 平局。"]
    record = json.loads((raw / "SOURCE.json").read_text(encoding="utf-8"))
    assert record["left_out"] == {"lsht test (a text that is shown says the same)": 1}


def test_a_sentence_to_be_completed_without_its_blanks_is_not_asked(tmp_path, context):
    records = [asked(number, "是指 之比", "@content1@ə。", pages=PAGES) for number in (181624, 181625)]
    source, raw = fetched(tmp_path, context, "dureader", dureader(*records), asked=20)
    found = {each.question_id for each in source.questions(raw, "dureader", "test")}
    assert found == {"search.dev-181625", "zhidao.dev-181624", "zhidao.dev-181625"}


def test_a_paragraph_of_lost_characters_is_left_out_with_its_question(tmp_path, context):
    """ "以马克思" came as "?#26376;?#20811;思": the entities took halves of two characters, and say 月克思."""
    context_of_both = "段落1：以?#26376;?#20811;思主义为指导。\n\n段落2：问题?#1；"
    rows = [item("p1", "指导思想。", context_of_both, "段落1"), item("p2", "问题。", context_of_both, "段落2")]
    source, raw = fetched(tmp_path, context, "longbench_paragraphs_zh", archive(passage_retrieval_zh=rows))
    kept = [passage.text for batch in source.batches(raw) for passage in source.passages(raw, batch)]
    assert kept == ["问题?#1；"]
    assert [each.question_id for each in source.questions(raw, "passage_retrieval_zh", "test")] == ["p2"]


def test_a_document_of_advertising_is_no_background_and_is_not_asked_about(tmp_path, context):
    spam = "糖果派对单机游戏，您的当前位置。" * 8
    rows = [item("m1", "为什么？", spam, "因为。"), item("m2", "为什么？", f'"<h2>报告</h2><p>{LONG}</p>"', "因为。")]
    source, raw = fetched(tmp_path, context, "longbench_zh", archive(multifieldqa_zh=rows))
    texts = [document.text for document in source.documents(raw)]
    assert not any("糖果" in text or "<" in text for text in texts) and f"报告\n\n{LONG}" in texts
    assert [each.question_id for each in source.document_questions(raw, "multifieldqa_zh")] == ["m2"]
    record = json.loads((raw / "SOURCE.json").read_text(encoding="utf-8"))
    assert record["left_out"] == {"multifieldqa_zh (advertising, lists and menus)": 1}


def page(title: str, *paragraphs: str, used: bool = False) -> dict[str, Any]:
    return {"title": title, "paragraphs": list(paragraphs), "is_selected": used}


def asked(number: int, text: str, *answers: str, pages: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    kinds = {"question_type": "DESCRIPTION", "fact_or_opinion": "FACT"}
    return {"question_id": number, "question": text, "answers": list(answers), "documents": pages, **kinds, **more}


PAGES = [
    page("怎么读_知道", "怎么读_知道", "读作 &#601;。", "读作 &#601;。", used=True),
    page("【别的】书_知道", "不知道。"),
    page("空", " "),
]


def dureader(*records: dict[str, Any]) -> dict[str, object]:
    """The publisher's archive."""
    names = ("search.dev", "zhidao.dev", "search.train")
    files = {f"raw/{name.partition('.')[2]}set/{name}.json": lines(records) for name in names}
    return {"dureader_raw.zip": zipped(files)}


def pages_of(source: Source, raw: Path) -> list[Passage]:
    return [each for batch in source.batches(raw) for each in source.passages(raw, batch)]


def test_a_page_is_its_title_and_each_paragraph_once(tmp_path, context):
    source, raw = fetched(tmp_path, context, "dureader", dureader(asked(7, "怎么读", "@content1@ə。", pages=PAGES)))
    found = pages_of(source, raw)
    assert [each.text for each in found] == ["【怎么读】\n读作 ə。", "【[别的]书】\n不知道。"]
    first, second = source.questions(raw, "dureader", "test")
    assert (first.question_id, second.question_id) == ("search.dev-7", "zhidao.dev-7")
    assert (first.text, first.kind, first.answers) == ("怎么读", "fact", ("ə。",))
    assert [each.passage_id for each in (*first.evidence, *first.shown)] == [each.passage_id for each in found]
    assert source.questions(raw, "dureader", "train") == []
    assert not [path for path in (raw / "unpacked").rglob("*") if path.is_file()]


YES_NO = {"question_type": "YES_NO"}
OPINION = {"fact_or_opinion": "OPINION"}
SETTLED = [
    ({"answers": []}, "unanswered"),
    (OPINION, "opinion"),
    (OPINION | {"answers": ["原型是长平公主。", "长平公主。"]}, "fact"),
    (OPINION | {"answers": ["用玻璃的。", "塑料最好。"]}, "opinion"),
    (YES_NO | {"yesno_answers": ["Yes"]}, "fact"),
    (YES_NO | {"yesno_answers": ["Yes", "No"]}, "yes_no"),
    (YES_NO | OPINION | {"yesno_answers": ["No"]}, "yes_no"),
    (YES_NO | OPINION | {"yesno_answers": ["No", "No"]}, "fact"),
]


def test_what_answers_settle(tmp_path, context):
    records = [asked(n, f"问{n}", "答", pages=PAGES) | given for n, (given, _) in enumerate(SETTLED)]
    source, raw = fetched(tmp_path, context, "dureader", dureader(*records))
    kinds = {each.question_id: each.kind for each in source.questions(raw, "dureader", "test")}
    assert [kinds[f"search.dev-{n}"] for n in range(len(SETTLED))] == [kind for _, kind in SETTLED]


# ---------------------------------------------------------------------------------------------------------- the mirror


@pytest.mark.real
def test_news_of_the_mirror(held):
    source, raw = held("lsht_mirror")
    kept, dropped = sifted({split: source.labelled(raw, "lsht", split) for split in ("train", "test", "dev")})
    assert {split: len(texts) for split, texts in kept.items()} == {"train": 177, "test": 36, "dev": 0}
    assert dropped["train"] == Counter({"repeated": 1}) and not dropped["test"]
    assert len({text.label for text in kept["train"]}) == 24
    assert Counter(text.label for text in kept["test"]).most_common(1) == [("教育", 4)]
    lines = [text.text for texts in kept.values() for text in texts]
    assert not any(line.startswith(("（", "[")) or "\n" in line for line in lines)
    classes = {name for texts in kept.values() for text in texts for name in text.label.split("、")}
    assert not any(f"（{name}）" in line for line in lines for name in (*classes, "科技", "港澳台"))


@pytest.mark.slow
@pytest.mark.real
def test_pages_of_the_mirror(held):
    source, raw = held("dureader_mirror")
    found = {each.passage_id: each.text for each in pages_of(source, raw)}
    questions: list[Question] = source.questions(raw, "dureader", "test")
    assert (len(found), len(questions)) == (1_489, 140)
    assert Counter(each.kind for each in questions) == {"fact": 50, "opinion": 72, "yes_no": 13, "unanswered": 5}
    assert all(each.passage_id in found for q in questions for each in (*q.evidence, *q.shown))
    assert not [each for each in found.values() if re.search(r"(?<![\d.])1[3-9]\d{9}(?!\d)", each)]
    items = [each for each in questions if each.question_id.startswith("mini")]
    for q in items:
        assert all(any(told(a, found[each.passage_id]) >= TOLD for a in q.answers) for each in q.evidence)
    texts = [*found.values(), *(answer for each in questions for answer in each.answers)]
    added = "拇指医生】|步骤阅读|经验内容仅供|扫一扫关注|下载(?:贴吧)?APP[,看]|个性签名"
    assert not [each for each in texts if re.search(added, each)]


def test_questions_for_yes_or_no_are_left_out_and_counted(tmp_path, context):
    asked_ = [("为什么？", "因为。"), ("药品是否适用于儿童？", "药品不适用于儿童。"), ("请求成功了吗？", "没有成功。")]
    asked_ += [("甲胜诉还是乙胜诉？", "甲胜诉。"), ("怎么样？", "是的。")]
    rows = [item(f"m{n}", question, "一篇文本。", answer) for n, (question, answer) in enumerate(asked_, 1)]
    source, raw = fetched(tmp_path, context, "longbench_zh", archive(multifieldqa_zh=rows))
    assert [each.question_id for each in source.document_questions(raw, "multifieldqa_zh")] == ["m1", "m4"]
    left_out = json.loads((raw / "SOURCE.json").read_text(encoding="utf-8"))["left_out"]
    assert left_out == {"multifieldqa_zh (answer yes or no)": 3}
