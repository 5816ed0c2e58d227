"""Chinese numbers: numerals and myriads in digits, and texts that are one number with its unit."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NamedTuple

_DIGITS = dict(zip("〇零○一二两兩三四五六七八九", (0, 0, 0, 1, 2, 2, 2, 3, 4, 5, 6, 7, 8, 9), strict=True))
_TENS = {"十": 10, "百": 100, "千": 1000}
_MYRIADS = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
_HAN, _ALL = "".join(_DIGITS), "".join((*_DIGITS, *_TENS, *_MYRIADS))
_NAMES = {  # unit -> its first name
    name: names.split()[0]
    for names in (
        "个月 個月", "个百分点 百分点", "小时 个小时 钟头 个钟头 h", "星期 个星期 礼拜 个礼拜 周", "世纪 个世纪 世紀", "个 個", "项 項", "种 種", "条 條",
        "人 名 位 口", "户 戶", "次 回", "场 場", "届 屆", "辆 輛", "张 張", "只 隻", "间 間", "处 處", "门 門", "块 塊", "页 頁", "组 組", "类 類",
        "层 層", "岁 歲", "畝 亩", "时 時", "号 號", "美元", "欧元", "英镑", "港元 港币", "日元", "元 圆 圓", "平方公里 平方千米 km2", "平方米 平米 m2",
        "立方米 m3", "公里 千米 km", "公斤 千克 kg", "公顷", "厘米 cm", "毫米 mm", "米 m", "毫克 mg", "克 g", "吨 t", "兆瓦 MW", "千瓦 kW", "兆赫 MHz",
        "℃ °C 摄氏度 度", "季度", "分钟 min", "秒", "天", "年", "月", "日", "件", "家", "期", "步", "座", "台", "部", "本", "头", "匹", "所", "栋", "套",
        "集", "章", "份", "批", "级", "倍", "角", "支", "首", "片", "篇", "架", "艘", "颗", "段", "遍", "趟", "例", "枚", "% ％", "‰",
    )
    for name in names.split()
}  # fmt: skip
_COUNTED = frozenset(
    "项种条人户次场届辆张只间处门块组类件家期步座台部本头所栋套集章份批支首片篇架艘颗段例枚"
)  # 个 counts these too
_UNIT = "|".join(map(re.escape, sorted(_NAMES, key=len, reverse=True)))
_FIGURES = r"\d+(?:\.\d+)?"
_NUMERAL = rf"[{_HAN}十][{_ALL}]*(?:[点點][{_HAN}]+)?"
_MYRIAD = rf"(?:{_FIGURES}\s*[十百千万萬亿億]+)+(?:\d+(?![.\d]))?"
_WRITTEN = re.compile(
    rf"百分之(?P<percent>{_FIGURES}|{_NUMERAL})|(?<![\d.]){_MYRIAD}(?=\W|{_UNIT}|$)|(?<=第){_NUMERAL}"
    rf"|(?<![{_ALL}])(?:{_NUMERAL}(?=\s?(?:{_UNIT}))(?!分之)|[{_HAN}十][{_ALL}]+(?=\W|$))"
)
_PARTS = re.compile(rf"{_FIGURES}|[{_ALL}]")
_ENDS = " \n\t。.，,！!“”\"'"
_BEFORE = r"(?:人民币|大约|大概|约|将近|近|共计|总计|合计|总共|一共|共有|共|达到|达|为|是|有|第|增长了?|增加了?|提高了?|[¥$])*"
_QUANTITY = re.compile(
    rf"{_BEFORE}\s*(?P<number>{_FIGURES}|{_NUMERAL})\s*(?P<unit>(?:{_UNIT})?)(?P<things>[^\W\d_]{{0,6}}?)(?:左右|上下|整|许)?"
)

_DATE = re.compile(r"(?:\d+\s*[年月日号號时時点點分]\s*){2,}许?|\d{4}([-/.])\d{1,2}\1\d{1,2}")


class Quantity(NamedTuple):
    """A number, and its unit (empty: none)."""

    number: str
    unit: str


def in_digits(text: str) -> str:
    """Write numerals before a unit, and all myriads, in digits: 七场 is 7场, 三月 is 3月, 1.5亿 is 150000000, 百分之三十 is 30%."""
    return _WRITTEN.sub(
        lambda found: f"{_figures(found['percent'])}%" if found["percent"] else _figures(found[0]), text
    )


def quantity(text: str) -> Quantity | None:
    """Return the number and unit of a text that is only that, as "约7 场。"; None for all others.

    Bounds ("超过40年"), ranges, dates, and numbers with leading zeros are not quantities.
    """
    found = _QUANTITY.fullmatch(in_digits(text.strip(_ENDS)))
    if not found or re.match(r"0\d", found["number"]) or (found["things"] and not found["unit"]):
        return None
    if re.match("[多余餘几以前后後内內底初末中]", found["things"]):
        return None
    return Quantity(_figures(found["number"]), _NAMES.get(found["unit"], ""))


def numbers_in(text: str) -> set[str]:
    """Return all numbers of a text in digits."""
    return {_figures(each) for each in re.findall(_FIGURES, in_digits(text))}


def is_date(text: str) -> bool:
    """Check whether a text is only a date, with or without year and time of day."""
    return _DATE.fullmatch(in_digits(text.strip(_ENDS))) is not None


def same_quantity(said: Quantity, right: Quantity) -> bool:
    """Return whether two quantities have equal numbers, and no units that exclude each other: 7 and 7场 are 7个, 7天 is not."""
    units = {said.unit, right.unit}
    counted = "个" in units and units & _COUNTED
    return said.number == right.number and (len(units) == 1 or "" in units or bool(counted))


def _figures(written: str) -> str:
    """Return a number in digits, without trailing zeros of a decimal."""
    whole, _, rest = written.replace("點", "点").partition("点")
    value = _value(_PARTS.findall(whole))
    if rest:
        value += Decimal("0." + "".join(str(_DIGITS[each]) for each in rest))
    return f"{value.normalize():f}"


def _value(parts: list[str]) -> Decimal:
    if all(part in _DIGITS for part in parts):  # 二〇〇九
        return Decimal("".join(str(_DIGITS[part]) for part in parts))
    total = section = last = Decimal(0)
    for part in parts:
        if part in _TENS:
            section, last = section + (last or 1) * _TENS[part], Decimal(0)
        elif part in _MYRIADS:
            total = (total + section + last) * 10**8 if part in "亿億" else total + (section + last) * 10**4
            section = last = Decimal(0)
        else:
            last = Decimal(_DIGITS.get(part, part))
    return total + section + last
