"""Chinese web pages as plain text: titles without names of sites, paragraphs without notices, advertising and menus; texts that are no prose."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

_CUT = re.compile(r"(?<![A-Za-z0-9])\s*_+|_+(?![A-Za-z0-9])|\s[-–|丨]+(?:\s|$)|--|\s*\|\s")
_TAIL = re.compile(r"(.*\S)\s*[-–|丨]\s*([^-–|丨]{1,12})$")
_LETTER = re.compile(r"[A-Za-z0-9]$")
_SITE = re.compile(
    r"(?:网|网站|论坛|吧|频道|社区|博客|知道|经验|百科|文库|问答|在线|之家|\.(?:com|cn|net))$", re.IGNORECASE
)
_SHORTEST = 4  # characters of a title before " - "
_MARK = re.compile(  # within sentences
    r"\s*步骤阅读(?:\s*END\b)?\s*|\s*以上是对“[^”]*”这个问题的建议[,，]?"
    r"|(?:希望对[您你]有所?帮助|祝[您你](?:早日)?(?:健康|康复)|[望求]采纳(?:为满意回答)?)[,，!！。~～]*"
)
_SENTENCE, _CLAUSE = re.compile(r"[^。！？!?]+[。！？!?]*"), re.compile(r"[^,，;；\s]+[,，;；\s]*")
_LONG = 120  # characters; of longer sentences only clauses are left out
_MENU = re.compile(  # whole paragraphs
    r"(?:[\u4e00-\u9fff]{1,6} ){7,}[\u4e00-\u9fff]{1,6}|(?:当前|[你您]的)位置\s*[:：].*|百度经验\s*>.*|百度经验:jingyan\S*"
    r"|.*(?:登录\s*\|\s*(?:立即)?注册|登录百度帐号|[上下]一篇(?:文章)?\s*[:：]).*"
    r"|(?:字体|背景|边距|还原|内容)[:：]|文章 阅读|表情|网友评论|最新活动 更多\+|相关阅读[:：]?"
)
_PERSONAL = re.compile(  # mobile numbers, and numbers after a name: the paragraph may have a name and an address too
    r"(?<![\d.])1[3-9]\d[- ]?\d{4}[- ]?\d{4}(?!\d)|[\u4e00-\u9fff](?:老师|先生|女士|小姐|经理)\s*[:：]?\s*\d{7,}"
)
_UNWANTED = {
    "notices": re.compile(
        r"经验内容仅供参考|详细咨询相关领域专业人士|可能存在外站链接|请注意识别|谨防上当受骗|贴吧页面意见反馈|贴吧违规信息"
        r"|确定举报此问题|举报理由|举报文档|不是个问题|需要\s*登录|不代表\S{2,6}(?:立场|观点)|代表(?:作者|译者)(?:本人|个人)?观点|观点仅代表"
        r"|未经(?:许可|授权|允许)|转载请|版权(?:所有(?!者)|及|声明|均属)|免责声明|郑重声明|特别声明[:：]|稿件来源|违者.{0,6}追究|入驻搜狐|为网友贡献"
        r"|抢沙发|马上呈现|加载更多|正在加载|猜你在找|相关(?:文章|阅读)推荐|来说两句吧|发表我?的?评论|活动截止[:：]|责任编辑|个性签名"
        r"|原创性及文中陈述|请网友自行核实|人阅读\||在线图书馆|更多精彩评论|词条统计|数据来自爱奇艺"
    ),
    "advertising": re.compile(
        r"下载(?:贴吧|知乎|手机)?(?:APP|客户端)[,，看\s]|专业资料[,，]|生活学习[,，]|网易商城|话费充值服务|免费快速问医生|快速免费咨询"
        r"|免费咨询|(?:主任|名医|医生|专家|医师)[^。]{0,6}在线|在线(?:答疑|坐诊)|扫一扫|扫描二维码|关注\S{0,6}公众号|公众号\S{0,8}回复|报修热线"
        r"|点击查看(?:更多|答案|全文)|展开全部|点击咨询|进入在线模考|(?:QQ|扣扣|微信)号?\s*(?:是|群)?\s*[:：(（]?\s*[A-Za-z]{0,6}\d{6,}"
        r"|群(?:号)?\d?\s*[:：(（]?\s*\d{6,}|(?:服务|咨询|报价|维修|报修|售后|报名)(?:电话|热线)\s*[:：;；]?\s*[〔(（]?\d",
        re.IGNORECASE,
    ),
}

_MARKUP = re.compile(r"mso-|<!|</?[a-z]+\d?(?:[ =][^<>]{0,80})?>|&lt;|\bhref=|\bdocurl=", re.IGNORECASE)
_SPAM = re.compile(  # names of gambling, amulets and pornography that no other text has
    r"真钱(?:下注|娱乐|平台|游戏)|百家乐(?:翻天|平台|官网|娱乐)|娱乐城|糖果派对|时时彩|彩票平台|安迪娱乐|bet365|亚博|yabo\d|beplay|佛牌|卍|国产亚洲"
    r"|欧美(?:日韩|视频)|色综合",
    re.IGNORECASE,
)
_PAUSE = re.compile(r"[。！？!?；;，,、…]|\.(?=\s|$)")
_FULL_STOP = re.compile(r"[。！？!?；;…]|\.(?=\s|$)")
_LEADERS = re.compile(r"[.…]{3,}")
_LEAST, _PAUSES = 60, 0.015  # characters of a text that is judged; punctuation of prose per character


def no_prose(text: str) -> str:
    """Return why a text is no prose (markup, advertising, lists and menus), or an empty string. Short texts are not judged."""
    size = len(text)
    if size < _LEAST:
        return ""
    if 500 * len(_MARKUP.findall(text)) >= size:
        return "texts with markup"
    if _SPAM.search(text):
        return "advertising texts"
    plain = _LEADERS.sub("", text)
    unended = size >= 2 * _LEAST and not _FULL_STOP.search(plain)
    return "lists and menus" if unended or len(_PAUSE.findall(plain)) < _PAUSES * size else ""


def page_title(title: str) -> str:
    """A title without the names of its site and section: "磨牙怎么办_有问必答_快速问医生" becomes 磨牙怎么办."""
    title = " ".join(title.split())
    for found in _CUT.finditer(title):
        if found.start() >= (2 if "_" in found[0] else _SHORTEST):
            title = title[: found.start()]
            break
    while (ends := _TAIL.match(title)) and len(ends[1]) >= _SHORTEST:
        if _LETTER.search(ends[1]) and not _SITE.search(ends[2]):
            break
        title = ends[1]
    return title.strip(" _-–|丨")


def page_lines(paragraphs: Iterable[str], removed: Counter[str]) -> Iterator[str]:
    """The paragraphs of a page, each on one line, without marks, menus, notices, advertising and paragraphs with personal data; counts these by reason."""
    for paragraph in paragraphs:
        line, marks = _MARK.subn(" ", " ".join(paragraph.split()))
        menu = _MENU.fullmatch(line.strip())
        personal = not menu and _PERSONAL.search(line) is not None
        removed.update({"marks": marks, "menus": menu is not None, "paragraphs with personal data": personal})
        if not menu and not personal and (kept := "".join(_wanted(line, removed)).strip()):
            yield kept


def _wanted(line: str, removed: Counter[str]) -> Iterator[str]:
    """The sentences of a line to keep; long sentences are split into clauses."""
    parts = ([each] if len(each) <= _LONG else _CLAUSE.findall(each) for each in _SENTENCE.findall(line) or [line])
    for piece in (part for each in parts for part in each):
        reason = next((reason for reason, pattern in _UNWANTED.items() if pattern.search(piece)), "")
        if reason:
            removed[reason] += 1
        else:
            yield piece
