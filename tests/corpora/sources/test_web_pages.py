"""Web pages of a search: what their sites add to titles and paragraphs is left out and counted; what they say stays."""

from __future__ import annotations

from collections import Counter

import pytest

from corpora.sources.formats.web_pages import no_prose, page_lines, page_title


@pytest.mark.parametrize(
    ("title", "plain"),
    [
        ("大便常规能检查出什么_百度拇指医生", "大便常规能检查出什么"),
        ("连接池的作用 - 小忒的学习与生活 - 博客频道 - CSDN.NET", "连接池的作用"),
        ("TP-LINK宽带路由器中的WAN口和LAN口有何不同?", "TP-LINK宽带路由器中的WAN口和LAN口有何不同?"),
        ("数据|2017年1~5月中国净水器市场解析", "数据|2017年1~5月中国净水器市场解析"),
        ("file_get_contents怎么用_百度知道", "file_get_contents怎么用"),
    ],
)
def test_a_title_has_no_names_of_sites(title, plain):
    assert page_title(title) == plain


@pytest.mark.parametrize(
    ("given", "kept", "reason"),
    [
        ("1 点击设置。 步骤阅读 2 点击通用。 步骤阅读 END", "1 点击设置。 2 点击通用。", "marks"),
        ("多喝水。以上是对“脸肿”这个问题的建议,希望对您有帮助,祝您健康!", "多喝水。", "marks"),
        ("看病 男科 妇科 癫痫 性病 养生 新闻 白癫风 牛皮癣", "", "menus"),
        ("当前位置:首页 > 游戏攻略 > 王者荣耀", "", "menus"),
        ("经验内容仅供参考,如果您需解决具体问题,建议您详细咨询相关领域专业人士。", "", "notices"),
        ("吃药就好。扫一扫关注我的热心医生 快速免费咨询医生", "吃药就好。", "advertising"),
        ("可以直接下载，需要的联系QQ77408026", "", "advertising"),
        (f"{'很长的一句话，' * 20}加微信413217408，就这样", f"{'很长的一句话，' * 20}就这样", "advertising"),
        ("价钱谈妥后,按照她留下的qq(876250852)联系。点击确定。", "点击确定。", "advertising"),
        ("职业:骗子 居住地:陕西省 渭南市 大荔县二巷12号电话17802935902快递单照片。再次告诫各位。", "", "paragraphs with personal data"),
        ("订单号是920170519000111,请保存。", "订单号是920170519000111,请保存。", ""),
        ("点击“插入”>“符号”>“其他符号”", "点击“插入”>“符号”>“其他符号”", ""),
    ],
)  # fmt: skip
def test_what_the_site_added_is_left_out_and_counted(given, kept, reason):
    removed = Counter[str]()
    assert list(page_lines([given], removed)) == [kept] * bool(kept)
    assert set(+removed) == ({reason} if reason else set())


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("凤山县财政局 凤山县城管局 凤山县城规划局 凤山县畜牧水产局 凤山县地税局 凤山县地震局 凤山县发改委 凤山县法制办 凤山县扶贫办", "lists and menus"),
        ("第 1 章 绪论" + "." * 80 + "第 2 章 研究方法" + "." * 80, "lists and menus"),
        ("卍怎么分辨商业牌卍(www.example.org)为什么他们的这套方法每次都能得手，又不被人发现？被抓后在审讯室里，他交代了“秘诀”。原来，他们早有分工。", "advertising texts"),
        ("<em id='27R3UbDxM'><legend id='27R3UbDxM'></legend></em>九月，学校开学了，学生们都很高兴。老师说，今年的课程比去年多，也更有意思。", "texts with markup"),
        ("兹公布，考试的报名表可在网站（http://www.example.org/forms/2017/list.html）下载，也可以在办公时间到本局领取；逾期的申请，本局不再受理。", ""),
    ],
)  # fmt: skip
def test_a_text_that_is_no_prose_is_recognized(text, reason):
    assert no_prose(text) == reason
