"""Rows of source code: which line is asked for, every check of validate on files that are hard to handle, every damage found."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from hashlib import blake2b
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from corpora.code.project import Project
from corpora.sources.base import FetchContext
from generators.code.lines import FAR, FEWEST_LINES, Line, cross_file, in_file
from generators.inputs import Inputs
from generators.longbench.code import TASKS
from generators.spec import Row
from generators.suite import ReleaseSuite, Suite
from haymaker.core.errors import BuildError
from haymaker.core.params import Params
from haymaker.core.rng import Stream
from tests.generators.kit import findings_of, finished, rows_of
from tests.pipelines import tiny

SCALES = "LIMIT_OF_ALL = 7\n\n\ndef weighed(things, with_care):\n    return things\n\n\nclass Scale:\n    def weigh(self, thing):\n        return thing\n\n\nscale = Scale()\n"
HEAD = "from tools import LIMIT_OF_ALL, Scale, scale, weighed\n\ncrates, care = [], 1\n"


def asked(line: str, more: str = "") -> Line | str:
    return cross_file(Project({"tools.py": SCALES, "main.py": f"{HEAD}{more}{line}\n"}), "main.py")


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
    above = Project({"tools.py": SCALES, "main.py": f"{text}{line}\n"})
    assert cross_file(above, "main.py") == "the line is a near-copy of one above it"
    copied = Project({"tools.py": f"{SCALES}'''\n{copy.format(line)}\n'''\n", "main.py": f"{HEAD}{line}\n"})
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


TOOLS = "RATE = 2\n\n\nclass Till:\n    def pay_in(self, amount_paid, note_of={n}):\n        self.paid = amount_paid\n\n\ndef priced_{n}(things, at_rate=RATE):\n    return [at_rate * each for each in things]\n"
USER = "from shop.tools_{n} import Till, priced_{n}\n\n\ndef run_{n}(things, till):\n    found = things + things\n    sums = priced_{n}(found, at_rate=till)\n    return sums\n"
LONG = (
    "def first_{n}(value):\n    return value + {n}\n\n\nstart_of_{n} = 3\n"
    + "# a line\n" * 70
    + "kept = 1\nall_of = first_{n}(start_of_{n} + kept)\n"
)
TEXTS = {"tools": TOOLS, "user": USER, "long": LONG}
NASTY: dict[str, str | bytes] = {
    "shop/bom.py": b"\xef\xbb\xbfMARK_OF_IT = 1\r\n",
    "shop/tabs.py": b"from shop.bom import MARK_OF_IT\r\n\f\r\ndef f(a):\r\n\tif a:\r\n\t\tb = a + MARK_OF_IT + MARK_OF_IT\r\n\treturn a\r\n",
    "shop/long.py": b"NUMBERS = [" + b"1, " * 4000 + b"]",
    "shop/latin.py": b"# \xe9\n",
    "shop/odd.py": "S = 'a\x0bb\x1cc\u2028d <|endoftext|> é 漢'\n\n\n\n".encode(),
    "shop/old.py": b"print 'no python'\n",
}


def suite(
    root: Path, tasks: dict[str, Any], tokenizers: tuple[str, ...] = ("tekken", "gpt2"), **source: Any
) -> ReleaseSuite:
    params = Params.model_validate({
        **{key: tiny.PARAMS[key] for key in ("release", "parquet", "validation", "corpora")},
        **{key: {} for key in ("passages", "indexes", "classification_sets", "documents", "retrieval_sets")},
        "sources": {**tiny.PARAMS["sources"], "code": {"kind": "code_folder", **source}},
        "tokenizer": {"release": tokenizers[0], "also": list(tokenizers[1:])},
        "suites": {"longbench": {"tasks": {name: {"code": "code", **task} for name, task in tasks.items()}}},
    })  # fmt: skip
    inputs = Inputs(params, root / "data")
    inputs.source("code").fetch(inputs.raw("code"), FetchContext(None, root / "work", root / "sources.lock.json"))
    return ReleaseSuite(Suite("longbench", "", "", TASKS), params.suites["longbench"], inputs)


def written(root: Path, files: Mapping[str, str | bytes]) -> str:
    for name, data in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data if isinstance(data, bytes) else data.encode())
    return str(root)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    names = [f"n{blake2b(bytes([n]), digest_size=12).hexdigest()}" for n in range(40)]  # unlike each other
    made = {f"shop/{name}_{n}.py": text.replace("{n}", n) for n in names for name, text in TEXTS.items()}
    return written(tmp_path_factory.mktemp("code"), NASTY | made)


@pytest.fixture(scope="module")
def made(folder: str, tmp_path_factory: pytest.TempPathFactory) -> ReleaseSuite:
    tasks = {name: {"lengths": {"natural": 8, "4k": 4, "8k": 8}} for name in ("repobench_p", "lcc")}
    return suite(tmp_path_factory.mktemp("made"), tasks, folder=folder)


@pytest.fixture(scope="module")
def rows(made: ReleaseSuite) -> list[Row]:
    return rows_of(made)


def test_every_row_passes_every_check_of_validate(made: ReleaseSuite, rows: list[Row]) -> None:
    findings = findings_of(made, rows)
    assert findings.failures == []
    assert findings.checked["VERBATIM"] == findings.checked["recounted"] == findings.checked["CLEAN"] == len(rows) == 40
    assert findings.checked["NESTED"] > 0 and findings.checked["FILL"] == 24
    depths = [row["depth"] for row in rows if row["task"] == "repobench_p" and row["length"] == "8k"]
    assert min(depths) < 0.3 and max(depths) > 0.7


def test_files_that_are_hard_to_handle_stand_as_they_are(rows: list[Row]) -> None:
    shown = "\n".join(row["prompt"] for row in rows)
    odd = (
        "\f\ndef f(a):\n\tif a:",
        f"[{'1, ' * 4000}]",
        "S = 'a\x0bb\x1cc\u2028d <|endoftext|> é 漢'",
        "print 'no python'",
    )
    assert all(text in shown for text in odd)
    assert "\r" not in shown and "\ufeff" not in shown
    for row in (row for row in rows if row["task"] == "repobench_p" and "user" in row["group_id"]):
        n = row["group_id"].partition("user_")[2].partition(".")[0]
        assert row["answers"] == [f"    sums = priced_{n}(found, at_rate=till)"]
        assert json.loads(row["metadata"])["told"] == ["at_rate"]
        assert row["prompt"].endswith("    found = things + things\nNext line of code:\n")
        assert [span["ref"] for span in row["spans"] if span["kind"] == "gold"] == [f"shop/tools_{n}.py"]


def test_a_line_is_asked_once_whatever_files_have_it(tmp_path: Path) -> None:
    """As `logger = logging.get_logger(__name__)` of 29 files of one package."""
    user = "from shop.tools import priced\n\n\ndef run_{n}(things, till):\n    found = things + things\n    sums = priced(found, at_rate=till)\n"
    files = {f"shop/user_{n}.py": user.replace("{n}", str(n)) for n in range(3)}
    files["shop/user_3.py"] = user.replace("{n}", "3").replace("at_rate=till", "at_rate=till + 1")
    files["shop/tools.py"] = TOOLS.replace("_{n}", "")
    folder = written(tmp_path / "files", files)
    made = suite(tmp_path, {"repobench_p": {"lengths": {"natural": 2}}}, folder=folder)
    assert sorted(row["answers"][0] for row in rows_of(made)) == [
        "    sums = priced(found, at_rate=till + 1)",
        "    sums = priced(found, at_rate=till)",
    ]
    assert made.task("repobench_p").pool("test").left_out["another file's line is the same"] == 2


def test_a_file_with_a_near_copy_of_the_line_is_in_no_row(tmp_path: Path) -> None:
    """As the formatters of one package: `result = dump_json(found, indent=till)` in one file, `dump_toml` in the next."""
    texts = {"tools": TOOLS, "user": USER}
    files = {f"shop/{name}_{n}.py": text.replace("{n}", n) for n in ("json", "toml") for name, text in texts.items()}
    folder = written(tmp_path / "files", files | {"shop/a.py": "A = 1\n", "shop/b.py": "B = 2\n"})
    found = rows_of(suite(tmp_path, {"repobench_p": {"lengths": {"natural": 2}}}, folder=folder))
    always = {"shop/a.py", "shop/b.py", "shop/tools_json.py", "shop/tools_toml.py"}
    assert all(set(row["doc_ids"]) == always | {json.loads(row["metadata"])["file"]} for row in found)
    assert {row["answers"][0].split("(")[0].strip() for row in found} == {"sums = priced_json", "sums = priced_toml"}


def test_rows_are_the_same_whoever_makes_them(made: ReleaseSuite, rows: list[Row]) -> None:
    """The last row of each table, by a suite that has made no others."""
    params = made.inputs.params
    fresh = ReleaseSuite(made.suite, params.suites["longbench"], Inputs(params, made.inputs.data))
    again = [row for table in fresh.tables()[::-1] for row in finished(fresh.build(table, table.rows - 1, table.rows))]
    assert all(row in rows for row in again) and len(again) == 6


def _set(**columns: Any) -> Callable[[Row], Row]:
    return lambda row: {**row, **columns}


def _prompt(old: str, new: str) -> Callable[[Row], Row]:
    return lambda row: {**row, "prompt": row["prompt"].replace(old, new)}


def _extra(**values: Any) -> Callable[[Row], Row]:
    return lambda row: {**row, "metadata": json.dumps({**json.loads(row["metadata"]), **values})}


DAMAGES: dict[str, Callable[[Row], Row]] = {
    "is not the complete file of the source": _prompt("    return [at_rate * each", "    return [at_rate + each"),
    "is not the answer": _set(answers=["    sums = priced_0(found)"]),
    "is not the beginning of": _prompt("    found = things + things\n", "    found = things - things\n"),
    "the number of lines above the line is wrong": _extra(line=5),
    "its imports do not lead to": _extra(uses=[{"name": "Till", "path": "shop/tools_{n}.py", "via": []}]),
    "is not defined in the shown": _extra(uses=[{"name": "gone", "path": "shop/tools_{n}.py", "via": []}]),
    "are not those that the line uses": _extra(uses=[{"name": "Till", "path": "shop/bom.py", "via": []}]),
    "no span covers the definition": lambda row: (
        row | {"spans": [each | {"end": each["end"] - (each["kind"] == "needle")} for each in row["spans"]]}
    ),
    "], the row has": lambda row: {**row, "depth": 1 - row["depth"] + 0.01},
    "different ones; the row has": _set(num_segments=99),
    "the cue is wrong": _set(answer_prefix_start=0),
    "the context is not its units": _prompt("\n\nFile shop/", "\n\nfile shop/"),
    "has a near-copy of the line: return [at_rate * each": _set(
        answers=["    return [at_rate * each for all in things]"]
    ),
    "has a near-copy of the line: found = things + things": _set(answers=["    found = things + thing"]),
}


@pytest.mark.parametrize("said", sorted(DAMAGES))
def test_a_damaged_row_is_found(said: str, made: ReleaseSuite, rows: list[Row]) -> None:
    row = next(row for row in rows if row["task"] == "repobench_p" and "user" in row["group_id"])
    damaged = DAMAGES[said](row)
    n = row["group_id"].partition("user_")[2].partition(".")[0]
    damaged["metadata"] = damaged["metadata"].replace("{n}", n)
    task = made.task("repobench_p")
    assert [*task.problems(row), *task.answer_leaks(row)] == []
    assert any(said in problem for problem in (*task.problems(damaged), *task.answer_leaks(damaged)))


def test_training_rows_are_of_split_train(folder: str, tmp_path: Path) -> None:
    tasks = {"lcc": {"lengths": {"natural": {"test": 4, "train": 4}}}}
    made = suite(tmp_path, tasks, folder=folder, splits={"test": 1, "train": 1})
    assert findings_of(made, rows_of(made)).failures == []
    assert len({made.draw("lcc", "natural", 5, number, number).group_id for number in range(6)}) == 6


def test_a_length_beyond_the_files_is_refused(folder: str, tmp_path: Path) -> None:
    made = suite(tmp_path, {"repobench_p": {"lengths": {"1M": 1}}}, folder=folder)
    line = r"the files of split test in 'code' end at about [\d,]+ tokens.*use 32k or shorter, or use a larger folder"
    with pytest.raises(BuildError, match=line):
        rows_of(made)


@pytest.mark.slow
def test_a_real_package(tmp_path: Path) -> None:
    """An installed one: many lines, one use through a file between among them, every check, and no copy comes near."""
    tasks = {"repobench_p": {"lengths": {"natural": 60, "64k": 5}}, "lcc": {"lengths": {"natural": 40, "64k": 5}}}
    made = suite(tmp_path, tasks, package=f"dvc=={metadata.version('dvc')}", languages=["python"])
    found = rows_of(made)
    findings = findings_of(made, found)
    assert findings.failures == [] and findings.checked["VERBATIM"] == findings.checked["CLEAN"] == 110
    assert any(
        use["via"] for row in found if row["task"] == "repobench_p" for use in json.loads(row["metadata"])["uses"]
    )
