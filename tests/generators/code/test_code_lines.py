"""Which line of a file is asked for, and every reason why another is not."""

from __future__ import annotations

import pytest

from corpora.code.project import Project
from generators.code.lines import FAR, FEWEST_LINES, Line, cross_file, in_file
from haymaker.core.rng import Stream

TOOLS = "LIMIT_OF_ALL = 7\n\n\ndef weighed(things, with_care):\n    return things\n\n\nclass Scale:\n    def weigh(self, thing):\n        return thing\n\n\nscale = Scale()\n"
HEAD = "from tools import LIMIT_OF_ALL, Scale, scale, weighed\n\ncrates, care = [], 1\n"


def asked(line: str, more: str = "") -> Line | str:
    return cross_file(Project({"tools.py": TOOLS, "main.py": f"{HEAD}{more}{line}\n"}), "main.py")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("found = weighed(crates, with_care=care)", {"with_care"}),
        ("print(scale.weigh(crates), care)", {"weigh"}),
        ("for one in weighed(crates, with_care=care):\n    print(one)", {"with_care"}),
        ("crates = weighed(crates, with_care=2)", {"with_care"}),
    ],
)
def test_a_line_that_needs_its_definition(line: str, told: set[str]) -> None:
    found = asked(line)
    assert isinstance(found, Line) and set(found.told) == told
    assert (found.number, found.text, found.golds) == (3, line.split("\n")[0], ("tools.py",))


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("found = weighed(crates, care)", "every name of the line stands above it already"),
        ("found = weighed(boxes, with_care=care)", "that is not shown before"),
        ('found = weighed("boxes", with_care=care)', "that is not shown before"),
        ("found = weighed(crates, with_care=317)", "that is not shown before"),
        ("found = weighed(crates, with_care=care)  # all of them", "the line has a comment"),
        ("weighed(\n    crates, with_care=care)", "no whole statement on a line of its own"),
        ("def kept(crates=weighed(crates, with_care=care)): ...", "no whole statement"),
        ("scale.weigh(care)", ""),
        ("scale.weigh(1)", "the line has fewer than 16 characters"),
        ("found = crates", "it uses no other file"),
        ("found = (", "its parser refuses it"),
    ],
)
def test_a_line_that_does_not(line: str, why: str) -> None:
    found = asked(line)
    assert isinstance(found, Line) if not why else isinstance(found, str) and why in found


def test_the_next_first_use_is_asked_where_the_first_may_not_be() -> None:
    found = asked("found = weighed(crates, with_care=care)", "print(LIMIT_OF_ALL, care)\n")
    assert isinstance(found, Line) and found.number == 4


@pytest.mark.parametrize(
    "copy", ["{}", "  {}", "  {}, what_else = 2, 1", "found   =   weighed( crates,with_care=care )"]
)
def test_a_near_copy_of_a_line_above_or_in_the_needed_file_is_not_asked(copy: str) -> None:
    line = "found = weighed(crates, with_care=care)"
    text = f"{HEAD}if crates:\n    text = '''\n{copy.format(line)}\n'''\n"
    above = Project({"tools.py": TOOLS, "main.py": f"{text}{line}\n"})
    assert cross_file(above, "main.py") == "the line is a near-copy of one above it"
    copied = Project({"tools.py": f"{TOOLS}'''\n{copy.format(line)}\n'''\n", "main.py": f"{HEAD}{line}\n"})
    assert cross_file(copied, "main.py") == "the line is a near-copy of one in the file that it uses"


def long_file(line: str, between: int = FAR + 2, above: int = FEWEST_LINES - FAR) -> Line | str:
    text = "# first\n" * above + "far_away_name = 1\n" + "# between\n" * between + f"{line}\n"
    return in_file(Project({"m.py": text}), "m.py", Stream("x"))


def test_a_line_of_a_long_file_needs_what_stands_far_above() -> None:
    found = long_file("other = far_away_name + far_away_name")
    assert isinstance(found, Line) and found.number == FEWEST_LINES + 3
    assert long_file("other = far_away_name + far_away_name", FAR - 1) == f"the {FAR} lines above it show all its names"
    unknown = "the line has a name, or a word in quotes or a number, that is not shown before"
    assert long_file("other = far_away_name + unknown_name") == unknown
    assert long_file("x", between=0, above=3) == f"it has fewer than {FEWEST_LINES} lines"
    assert long_file("pass") == "no line of its second half may be asked for"
