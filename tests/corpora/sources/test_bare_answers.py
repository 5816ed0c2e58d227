"""What a Chinese sentence says beyond the question that it answers."""

from __future__ import annotations

import pytest

from corpora.sources.bare_answers import bare


@pytest.mark.parametrize(
    ("question", "answer", "wanted"),
    [
        ("在2012年，甲市的收入增长了多少？", "2012年，甲市的收入增长了25.89%。", "25.89%"),
        ("甲拒绝了谁的建议？", "甲拒绝了乙王的建议。", "乙王"),
        ("事故的日期是什么时候？", "事故的日期是2012年6月2日。", "2012年6月2日"),
        ("全市新增了多少个农产品？", "全市新增了3个农产品。", "3个"),
        ("甲公司成立多久了？", "甲公司成立了15年。", "15年"),
        ("《甲》的第一季有多少集？", "动画的第一季共有40集。", "40集"),
        ("《甲999》是谁创作的作品？", "《甲999》是由乙创作的作品。", "乙"),
        ("2007年的冬运会在哪个城市举行？", "在中国长春市举行。", "中国长春市"),
        ("法院认定了谁对事故负有责任？", "根据判决书，法院认定了甲和乙对事故负有同等责任。", "甲和乙"),
        ("面积是多少？", "30万亩。", ""),  # bare as it stands
        ("频次应为多久一次？", "至少每个季度1次。", ""),
        ("为什么甲会往返？", "甲是一员，他利用公厕作为交易场所。", ""),
        ("甲哪一年在哪个典礼上获奖？", "甲于2012年在乙典礼上获奖。", ""),  # asks for two things
        ("收入有多少增长？", "从2361.6亿元增长到3145.4亿元。", ""),
        ("工程进展如何？", "工程正在加快进行。", ""),
    ],
)
def test_what_a_sentence_says_beyond_its_question(question: str, answer: str, wanted: str) -> None:
    assert bare(question, answer) == wanted
