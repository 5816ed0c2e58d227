"""Java and C# files as tasks read them: what imports and namespaces lead to, which lines may be asked for, and broken text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.code.model import Use
from corpora.code.project import Project

JAVA = {
    "src/shop/Till.java": (
        "package shop;\n\n/** A till; { not a bracket. */\npublic class Till {\n"
        '    private int paid = 0; // "\n\n    public int payIn(int amount, String note) {\n        this.paid += amount;\n        return paid;\n    }\n}\n'
    ),
    "src/shop/main/Main.java": (
        "package shop.main;\n\nimport shop.Till;\nimport java.util.List;\n\npublic class Main {\n    private Till kept;\n\n"
        "    int run(List<Integer> sums, Till till) {\n        int all = 0;\n        for (int sum : sums) {\n"
        '            all = all + till.payIn(sum, "sums");\n        }\n        if (all > 0) {\n            Till other = new Till();\n'
        "            all += other.payIn(all,\n                sums.toString());\n        }\n        return all;\n    }\n}\n"
    ),
}  # fmt: skip
SHARP = {
    "Shop/Till.cs": 'namespace Shop\n{\n    public class Till\n    {\n        public int PayIn(int amount)\n        {\n            return amount;\n        }\n    }\n}\n',
    "Shop/Main.cs": (
        "using System;\nusing Shop;\n\n#region {\nnamespace Front.Desk\n{\n    class Main\n    {\n        int Run(int sum)\n        {\n"
        '            var note = @"a ""{"" b";\n            if (sum > 0)\n            {\n                return new Till().PayIn(sum);\n            }\n            return sum + note.Length;\n        }\n    }\n}\n#endregion\n'
    ),
}  # fmt: skip


def asked(texts: dict[str, str], path: str) -> list[str]:
    reading = Project(texts).reading(path)
    assert reading is not None
    assert all(texts[path].split("\n")[each.line] == each.text for each in reading.asked)
    return [each.text.strip() for each in reading.asked]


def test_java() -> None:
    reading = Project(JAVA).reading("src/shop/main/Main.java")
    assert reading is not None and reading.uses == (Use(6, "src/shop/Till.java", "Till"),)
    assert Project(JAVA).reading("src/shop/Till.java").defined == {"Till": (3, 11)}  # type: ignore[union-attr]
    assert asked(JAVA, "src/shop/main/Main.java") == [
        "int all = 0;", "for (int sum : sums) {", 'all = all + till.payIn(sum, "sums");', "if (all > 0) {", "Till other = new Till();", "return all;",
    ]  # fmt: skip
    lines = {each.text.strip(): each for each in reading.asked}
    assert (lines['all = all + till.payIn(sum, "sums");'].names, lines["Till other = new Till();"].new) == (
        {"all", "till", "payIn", "sum"},
        {"other"},
    )
    assert lines['all = all + till.payIn(sum, "sums");'].quoted == {"sums"} and lines["for (int sum : sums) {"].new == {
        "sum"
    }


def test_csharp() -> None:
    reading = Project(SHARP).reading("Shop/Main.cs")
    assert reading is not None and reading.uses == (Use(13, "Shop/Till.cs", "Till"),)
    assert reading.defined == {"Main": (6, 18)}
    assert asked(SHARP, "Shop/Main.cs") == [
        'var note = @"a ""{"" b";',
        "if (sum > 0)",
        "return new Till().PayIn(sum);",
        "return sum + note.Length;",
    ]


@pytest.mark.parametrize(
    ("old", "new", "is_found"),
    [
        ("import shop.Till;", "import shop.*;", True),
        ("import shop.Till;", "", False),
        ("import shop.Till;", "import static shop.Till;", False),
        ("package shop.main;", "package shop;", True),
        ("import shop.Till;", "import shop.Till; import other.Till;", True),
        ("import shop.Till;", "// import shop.Till;", False),
    ],
)
def test_types_are_those_that_a_file_sees(old: str, new: str, is_found: bool) -> None:
    path = "src/shop/main/Main.java"
    reading = Project({**JAVA, path: JAVA[path].replace(old, new)}).reading(path)
    assert reading is not None and bool(reading.uses) is is_found


def test_a_type_that_two_files_declare_is_followed_nowhere() -> None:
    reading = Project({**SHARP, "Shop/More.cs": SHARP["Shop/Till.cs"]}).reading("Shop/Main.cs")
    assert reading is not None and reading.uses == ()


@pytest.mark.parametrize(
    "text", ["class A {", "class A { void f() { } } }", "f(;", "class A { int x = (1; }", ") class A {}"]
)
def test_brackets_that_do_not_close_are_refused(text: str) -> None:
    assert Project({"A.java": text}).reading("A.java") is None


@given(st.text(st.sampled_from("aB;{}()[]\"'\\/*@$#= \t\n\f\u2028é."), max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    for path in ("A.java", "A.cs"):
        reading = Project({path: text}).reading(path)
        assert reading is None or all(text.split("\n")[each.line] == each.text for each in reading.asked)
