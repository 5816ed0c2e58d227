"""Python files as tasks read them: what imports lead to, which lines may be asked for, and text that no parser expects."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.code.model import Use
from corpora.code.project import Project

TEXTS = {
    "src/shop/__init__.py": "from .prices import total as sum_of\n",
    "src/shop/prices.py": "RATE = 2\n\n\ndef total(items, rate=RATE):\n    return rate * len(items)\n",
    "src/shop/till.py": "class Till:\n    def add(self, item):\n        self.item = item\n",
}


def uses(text: str, path: str = "src/shop/main.py", **more: str) -> list[Use]:
    reading = Project({**TEXTS, path: text, **more}).reading(path)
    assert reading is not None
    return list(reading.uses)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("from shop.prices import total\nx = total([])\n", [(1, "src/shop/prices.py", "total", ())]),
        ("from . import prices\nx = prices.RATE\ny = prices.total(x)\n", [(1, "src/shop/prices.py", "RATE", ()), (2, "src/shop/prices.py", "total", ())]),
        ("from shop import sum_of\nx = sum_of([])\n", [(1, "src/shop/prices.py", "total", ("src/shop/__init__.py",))]),
        ("def f():\n    from .till import Till\n    return Till()\n", [(2, "src/shop/till.py", "Till", ())]),
        ("def f():\n    from .till import Till\n\nx = Till()\n", []),  # bound in the function alone
        ("from .till import Till\ndef f(Till):\n    return Till\n", []),  # a parameter of that name
        ("from .till import *\nx = Till()\n", []),
    ],
)  # fmt: skip
def test_imports_lead_to_definitions(text: str, found: list[tuple[int, str, str, tuple[str, ...]]]) -> None:
    assert uses(text) == [Use(*each) for each in found]


def test_a_module_that_two_files_could_be_leads_nowhere_and_files_that_name_one_another_end() -> None:
    text = "from shop.prices import total\nx = total([])\n"
    assert uses(text, "main.py") != [] == uses(text, "main.py", **{"old/shop/prices.py": "def total(): ...\n"})
    others = {"a.py": "from b import x\n", "b.py": "from a import x\n"}
    assert uses("from a import x\nx()\n", "c.py", **others) == []


def test_lines_that_may_be_asked_for() -> None:
    text = (
        "import os\n"
        "def f(a):\n"
        '    """A docstring with a name."""\n'
        "    if a and os:\n"
        "        return os.path.join(a,\n"
        "                            a)\n"
        "    x = 1; y = a\n"
        "    try:\n"
        "        pass\n"
        "    finally:\n"
        "        total = max(a, len('said word'))\n"
    )
    reading = Project({"m.py": text}).reading("m.py")
    assert reading is not None
    asked = {each.line: each for each in reading.asked}
    assert sorted(asked) == [3, 10]  # head of a block; a whole statement; no line of two, no part of one
    assert (asked[10].names, asked[10].new, asked[10].quoted) == (
        {"total", "max", "a", "len"},
        {"total"},
        {"said", "word"},
    )


@pytest.mark.parametrize(
    "text",
    [
        "def f(:\n",
        "a\0b\n",
        "(" * 5000,
        "if a:\n  pass\n" + "elif a:\n  pass\n" * 1000,
        "\tx = 1\n  y = 2\n",
    ],
)
def test_what_is_no_python_is_refused(text: str) -> None:
    assert Project({"m.py": text}).reading("m.py") is None


NASTY = [
    "\f\nclass A:\n\tdef f(self):\n\t\treturn self.value_of_it\n",  # form feed, tabs
    "x = 1\n" + "y = [" + "1, " * 4000 + "]\nlong_name_of_it = y + [x]",  # 12,000 characters, no end
    "s = '''a\x0bb\x1cc\u2028d'''\nresult_of_it = s.strip()\n",  # what splitlines would break at
    "é = 1\nvalue_of_it = é + é\n",
    "a = 1\nsum_of_it = " + " + ".join(["a"] * 2000) + "\n",  # an expression two thousand deep
    "if a:\n  pass\n" + "elif a:\n  pass\n" * 300 + "value_of_it = a\n",  # blocks three hundred deep
]


@pytest.mark.parametrize("text", NASTY)
def test_lines_are_those_between_line_feeds(text: str) -> None:
    """A line that is asked for is, to the character, what stands between two line feeds: the parser counts no other breaks."""
    reading = Project({"m.py": text}).reading("m.py")
    assert reading is not None and reading.asked
    assert all(text.split("\n")[each.line] == each.text for each in reading.asked)


@given(st.text(st.sampled_from("ab_ \t\f.()=:\n\r\x0b\u2028'\"#é"), max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    reading = Project({"m.py": text.replace("\r", "\n")}).reading("m.py")
    lines = text.replace("\r", "\n").split("\n")
    assert reading is None or all(lines[each.line] == each.text for each in reading.asked)


def test_what_a_definition_tells() -> None:
    """Its parameters, methods and attributes; of an object those of its class; objects that name one another end."""
    text = (
        "A = [lambda: B]\nB = [lambda: A]\n\nclass Till:\n    def pay(self, amount):\n        self.paid = amount\n\n"
        "till = Till()\n\n@print\ndef other(x, y=1):\n    z = x\n"
    )
    project = Project({"m.py": text, "old.py": "print 'x'\n"})
    told = {name: project.told_by(Use(0, "m.py", name)) for name in ("A", "Till", "till", "other", "none")}
    assert told == {
        "A": {"A", "B"}, "Till": {"Till", "pay", "self", "amount", "paid"}, "till": {"till", "Till", "pay", "self", "amount", "paid"},
        "other": {"other", "x", "y", "z"}, "none": set(),
    }  # fmt: skip
    assert project.told_by(Use(0, "old.py", "x")) == set()
