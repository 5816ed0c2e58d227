"""Forms of answers: aliases of TriviaQA that a passage supports, csv quotes of its questions, and bare answers in Chinese sentences."""

from __future__ import annotations

import pytest

from corpora.sources.longbench_items import bare
from corpora.sources.triviaqa_reading import answering, fault, without_unit


@pytest.mark.parametrize(
    ("passage", "accepted", "kept"),
    [
        (
            "Octopussy is a film, and its song is sung by Rita Coolidge.",
            ["General Orlov", "Octopussy", "Magda (James Bond)", "Octopussy (film)"],
            ("Octopussy", "Octopussy (film)"),
        ),
        ("The liver makes bile.", ["Glisson's sheath", "Liver", "Human livers"], ("Liver",)),
        ("He was held in Khartoum.", ["Capital of Sudan", "Kartoum", "Khartoum"], ("Khartoum", "Kartoum")),
        ("It is in the United Kingdom.", ["UK", "United Kingdom", "Britain"], ("United Kingdom", "UK")),
        ("1600 is the White House.", ["20500", "1600 House", "White House"], ("White House", "1600 House")),
        ("I can't drive 55.", ["fifty-five", "55"], ("55", "fifty-five")),
        ("Nothing of it is said.", ["Rum", "Gin"], ("Rum", "Gin")),
    ],
)
def test_an_alias_is_a_form_of_what_the_passage_says(passage: str, accepted: list[str], kept: tuple[str, ...]) -> None:
    assert answering(accepted, passage) == kept


@pytest.mark.parametrize(
    ("question", "accepted", "numbers"),
    [
        ("In shillings, what was the value of a crown?", ["5 shillings", "Five bob"], ("5", "five")),
        ("In pence, what was the value of a crown?", ["5 shillings"], ()),
        ("What was the value of a crown?", ["5 shillings"], ()),
        ("In years, how old is it?", ["nine years", "1,200 Years"], ("1,200",)),
    ],
)
def test_a_number_answers_where_the_question_names_its_unit(
    question: str, accepted: list[str], numbers: tuple[str, ...]
) -> None:
    assert without_unit(question, accepted) == numbers


def test_an_example_that_readers_found_wrong_is_known_by_its_question() -> None:
    assert fault("how many moons does the planet  Mars have") and not fault(
        "How many moons does the planet Venus have?"
    )


@pytest.mark.parametrize(
    ("question", "answer", "wanted"),
    [
        ("在2012年，甲市的收入增长了多少？", "2012年，甲市的收入增长了25.89%。", "25.89%"),
        ("甲拒绝了谁的建议？", "甲拒绝了乙王的建议。", "乙王"),
        ("事故的日期是什么时候？", "事故的日期是2012年6月2日。", "2012年6月2日"),
        ("《甲》的第一季有多少集？", "动画的第一季共有40集。", "40集"),
        ("《甲999》是谁创作的作品？", "《甲999》是由乙创作的作品。", "乙"),
        ("法院认定了谁对事故负有责任？", "根据判决书，法院认定了甲和乙对事故负有同等责任。", "甲和乙"),
        ("面积是多少？", "30万亩。", ""),  # bare as it stands
        ("为什么甲会往返？", "甲是一员，他利用公厕作为交易场所。", ""),
        ("甲哪一年在哪个典礼上获奖？", "甲于2012年在乙典礼上获奖。", ""),  # asks for two things
    ],
)
def test_what_a_sentence_says_beyond_its_question(question: str, answer: str, wanted: str) -> None:
    assert bare(question, answer) == wanted
