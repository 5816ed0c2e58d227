"""A suite is data: entries become whole, tables come in order, candidates are chosen and drawn the same way for every task, fingerprints say what decides rows."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import fields, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from generators.fingerprint import ELSEWHERE, spec_fingerprint
from generators.inputs import KINDS, Corpus, Inputs, MinedSet, Use, uses_of
from generators.pool import Pool
from generators.spec import Candidate, Table, TaskSettings, TaskSpec
from generators.suite import SUITES, ReleaseSuite, Suite
from generators.suite import suite as registered
from generators.task import Task
from haymaker.core.errors import BuildError, ParamsError
from haymaker.core.params import SuiteParams
from haymaker.core.rows.row_checks import Check
from haymaker.core.rows.schema import Sample
from haymaker.core.rows.source_records import Split
from tests.generators.kit import refused
from tests.generators.passages import small


@pytest.fixture(autouse=True)
def _rows_as_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tasks of this file make tuples in place of samples: they have no answers."""
    monkeypatch.setattr("generators.suite._finished", lambda row: row)


class Knobs(TaskSettings):
    """Candidate i reaches `reach` thousand tokens, every third one twice as many; every fifth is odd."""

    corpus: Corpus = "novels"
    size: int = 1
    color: str = "red"
    turns: int = 1
    candidates: int | None = 20
    reach: int = 4
    shared_by = "turns"

    @property
    def variants(self) -> int:
        return self.turns


class Made(Task[Knobs]):
    """Rows that say what they are of."""

    settings_type = Knobs

    def pool(self, split: Split) -> Pool[int]:
        items = None if self.settings.candidates is None else range(self.settings.candidates)
        return Pool(split, items, lambda index: f"{split}-{index}", left_out=Counter({"double": 2}))

    def rejection_reason(self, candidate: Candidate) -> str:
        return "odd" if candidate.number % 5 == 4 else ""

    def rejection_reason_at(self, table: Table, candidate: Candidate) -> str:
        reach = self.settings.reach * 1024 * (1 if candidate.number % 3 else 2)
        return "ends early" if (table.tokens or 0) > reach else ""

    def limit(self, split: Split = "test") -> int:
        return 8 * 1024

    def row(self, table: Table, candidate: Candidate, variant: int) -> Sample:
        built: Any = (candidate.split, candidate.number, variant)
        return built  # type: ignore[no-any-return]


class Impatient(Made):
    """Tries few in vain."""

    patience = 3


class Unfit(Made):
    def rejection_reason(self, candidate: Candidate) -> str:
        return "odd"


class MinedKnobs(TaskSettings):
    retrieval_set: MinedSet
    weight: int = 0
    turns: int = 1

    @property
    def variants(self) -> int:
        return self.turns


class OverMined(Made):
    settings_type = MinedKnobs


def spec(name: str, task: type[Task[Any]] = Made, **defaults: Any) -> TaskSpec:
    skips = dict.fromkeys((Check.VERBATIM, Check.CLEAN, Check.ORACLE), "rows are made up")
    return TaskSpec(name, task, name.upper(), "c", ("m",), 1, defaults=defaults, skips=skips)


TASKS = (
    spec("a"), spec("b", color="blue", size=2), spec("endless", candidates=None),
    spec("impatient", Impatient, candidates=None), spec("unfit", Unfit, candidates=None), spec("x", OverMined),
)  # fmt: skip
ONE: dict[str, Any] = {"lengths": {"4k": 1}}


RELEASE = SimpleNamespace(seed=7, stream_key="both world 7", reserved_output_tokens=None, reserved_template_tokens=64)


def suite(tasks: dict[str, Any], **options: Any) -> ReleaseSuite:
    params: Any = SimpleNamespace(release=RELEASE, **{kind: {} for kind in KINDS})
    return ReleaseSuite(Suite("both", "Both", "", TASKS), SuiteParams(tasks=tasks, **options), Inputs(params, Path()))


def only(rows: int, length: str = "4k", task: str = "a", **entry: Any) -> tuple[ReleaseSuite, Table]:
    """A suite of one table, and the table."""
    built = suite({task: {"lengths": {length: rows}, **entry}})
    return built, built.tables()[0]


# ------------------------------------------------------------------------------------------------------------- entries


def test_tables_come_in_the_order_of_the_parameters_shortest_first() -> None:
    built = suite({"mine": {"base": "b"}, "a": None}, lengths={"16k": 1, "4k": {"train": 3, "test": 2}})
    assert [(t.task, t.length, t.split, t.rows) for t in built.tables()] == [
        (task, *rest) for task in ("mine", "a") for rest in (("4k", "train", 3), ("4k", "test", 2), ("16k", "test", 1))
    ]
    assert built.task("mine").spec is TASKS[1] and built.entries["mine"].where == "suites.both.tasks.mine"
    assert suite({}).tables() == []


@pytest.mark.parametrize("tasks", [{"y": ONE}, {"mine": ONE | {"base": "y"}}, {"a": ONE | {"base": ["y"]}}])
def test_a_task_that_nobody_knows(tasks: dict[str, Any]) -> None:
    with pytest.raises(ParamsError, match=r"unknown task .*y.*known: a, b, endless, impatient, unfit, x"):
        suite(tasks)


@pytest.mark.parametrize(
    ("tasks", "options", "said"),
    [
        ({"a": ONE | {"sise": 3}}, {}, "suites.both.tasks.a: sise: unknown key 'sise'. Next: did you mean 'size'?"),
        ({"a": ONE}, {"sise": 3}, "suites.both: sise: unknown key 'sise'. Next: did you mean 'size'?"),
        ({"a": ONE}, {"base": "b"}, "unknown key 'base'"),
        ({"a": ONE}, {"size": "big"}, "suites.both: size: must be a whole number"),
        ({"a": 3}, {}, "suites.both.tasks.a: needs keys and values, not 3"),
        ({"a": {}}, {}, "suites.both.tasks.a: has no lengths. Next: give lengths here or in suites.both.lengths"),
        ({"a": {"lengths": {"0k": 1}}}, {}, "suites.both.tasks.a.lengths.0k: this task has no rows without a context"),
        ({"x": ONE}, {}, "key 'retrieval_set' is missing"),
    ],
)
def test_mistakes(tasks: dict[str, Any], options: dict[str, Any], said: str) -> None:
    assert said in refused(ParamsError, suite, tasks, **options)


def test_an_entry_goes_before_the_suite_before_the_task_before_the_class() -> None:
    built = suite({"a": ONE, "b": ONE, "mine": ONE | {"base": "b", "color": "green"}}, reach=8)
    settings = {name: built.entries[name].settings for name in built.entries}
    assert {name: (s.size, s.color, s.reach) for name, s in settings.items()} == {
        "a": (1, "red", 8),
        "b": (2, "blue", 8),
        "mine": (2, "green", 8),
    }
    assert suite({"b": ONE}, color="grey").entries["b"].settings.color == "grey"
    built = suite({"a": None, "x": {"retrieval_set": "nq"}}, corpus="news", weight=3, **ONE)
    assert built.entries["a"].settings.corpus == "news" and built.entries["x"].settings.weight == 3
    assert built.uses() == (Use("corpora", "news"), Use("retrieval_sets", "nq"))


def test_what_any_entry_reads_is_named_once() -> None:
    built = suite({"a": ONE, "mine": ONE | {"base": "b"}, "other": ONE | {"base": "a", "corpus": "news"}})
    assert built.uses() == (Use("corpora", "novels"), Use("corpora", "news"))
    assert suite({}).uses() == ()


def test_a_task_that_is_not_listed_can_be_trained_on() -> None:
    built = suite({"a": ONE}, reach=16)
    assert built.task("b").settings.color == "blue" and built.task("b").settings.reach == 16
    assert built.task("b").entry.rows == () and [t.task for t in built.tables()] == ["a"]
    with pytest.raises(ParamsError, match="unknown task 'bb'"):
        built.task("bb")
    with pytest.raises(ParamsError, match=r"suites.both.tasks.x: retrieval_set: key 'retrieval_set' is missing"):
        built.task("x")


def test_nobody_says_how_long_rows_get_before_the_inputs_are_here() -> None:
    assert suite({"a": ONE}).limit("a") is None
    assert suite({"a": ONE}).task("a").limit() == 8192


# ----------------------------------------------------------------------------------------------------------- selection


def test_what_makes_no_row_gives_way_to_the_next_and_is_told() -> None:
    built, table = only(5, length="8k")
    selection = built.select(table)
    assert [c.number for c in selection.candidates] == [0, 3, 6, 12, 15]
    assert selection.dropped == {"double": 2, "odd": 3}  # 4, 9 and 14; what comes later was not looked at
    assert set(selection.missing.values()) == {"ends early"} and "test-1" in selection.missing
    assert built.select(table) is selection
    assert selection.selection() == {"dropped": selection.dropped, "missing": selection.missing}


def test_rows_of_a_candidate_stand_side_by_side_in_any_slice() -> None:
    built, table = only(6, turns=3)
    every = [("test", number, turn) for number in (0, 1) for turn in range(3)]
    assert list(built.build(table, 0, 6)) == every
    assert [list(built.build(table, first, first + 2)) for first in (0, 2, 4)] == [every[0:2], every[2:4], every[4:6]]
    assert [c.number for c in built.candidates(table, 2, 4)] == [0, 1]
    worker, _ = only(6, turns=3)
    assert list(worker.rows(table, built.candidates(table, 2, 4), 2, 4)) == every[2:4]


def test_too_few_names_the_longest_length_that_enough_reach() -> None:
    built, table = only(14, length="8k", turns=2)
    assert refused(BuildError, built.select, table) == (
        "both_a_8k test: 7 questions are required, but only 6 reach the length (double: 2, ends early: 10, odd: 4); the longest length "
        "that 7 reach is 4k. Next: request 12 rows or fewer, or use 4k, or prepare more (corpora.novels)"
    )
    built, table = only(17)
    with pytest.raises(BuildError, match=r"no shorter length has 17. Next: request 16 rows or fewer, or prepare more"):
        built.select(table)


def test_endless_candidates_are_given_up_after_as_many_in_vain() -> None:
    built, table = only(40, task="endless")
    assert [c.number for c in built.select(table).candidates][-3:] == [46, 47, 48]
    for task, length, why in (
        ("impatient", "16k", r"double: 2, ends early: 3\).* is 8k"),
        ("unfit", "4k", r"double: 2, odd: 64\)"),
    ):
        built, table = only(1, length=length, task=task)
        with pytest.raises(BuildError, match=rf"1 questions are required, but only 0 reach the length \({why}"):
            built.select(table)


# ------------------------------------------------------------------------------------------------------------ training


def stream_rows(built: ReleaseSuite, task: str, seed: int, turns: range, length: str = "4k") -> list[Any]:
    return [built.draw(task, length, seed, 3 * turn, turn) for turn in turns]


def test_questions_are_drawn_in_rounds_each_with_its_next_variant() -> None:
    built, _ = only(3, turns=3, candidates=4)
    rounds = [stream_rows(built, "a", 1, range(4 * i, 4 * i + 4)) for i in range(4)]
    assert all(sorted(number for _, number, _ in each) == [0, 1, 2, 3] for each in rounds)
    turns = [{number: turn for _, number, turn in each} for each in rounds]
    assert all((turns[i + 1][n] - turns[i][n]) % 3 == 1 for i in range(3) for n in range(4))
    assert len({tuple(number for _, number, _ in each) for each in rounds}) > 1
    assert all(split == "train" for each in rounds for split, _, _ in each)
    assert stream_rows(suite({}), "a", 1, range(4)) != stream_rows(suite({}), "a", 2, range(4))
    fresh, _ = only(3, turns=3, candidates=4)
    assert stream_rows(fresh, "a", 1, range(9, 11)) == rounds[2][1:3]


def test_endless_questions_are_drawn_with_all_their_variants() -> None:
    built, _ = only(2, task="endless", turns=2)
    rows = stream_rows(built, "endless", 1, range(6))
    assert [turn for _, _, turn in rows] == [0, 1] * 3
    assert all(a[1] == b[1] for a, b in zip(rows[::2], rows[1::2], strict=True))
    assert not {number for _, number, _ in rows} & {
        number for _, number, _ in stream_rows(built, "endless", 2, range(6))
    }


def test_what_fits_no_length_is_not_drawn_for_ever() -> None:
    built, _ = only(1, candidates=6)
    assert {number for _, number, _ in stream_rows(built, "a", 1, range(6), "8k")} == {0, 3}
    with pytest.raises(BuildError, match=r"both_a_16k train: no question fits \(.+: \d"):
        built.draw("a", "16k", 1, 0, 0)
    none, _ = only(1, candidates=0)
    with pytest.raises(BuildError, match=r"both_a_4k train: no question fits \(there are none\)"):
        none.draw("a", "4k", 1, 0, 0)


# --------------------------------------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("check", "method"), [(Check.VERBATIM, "problems"), (Check.CLEAN, "answer_leaks"), (Check.ORACLE, "solve")]
)
def test_a_rule_is_checked_or_skipped_with_a_reason(check: Check, method: str) -> None:
    skips = dict.fromkeys({Check.VERBATIM, Check.CLEAN, Check.ORACLE} - {check}, "rows are made up")
    bare = Suite("both", "Both", "", (TaskSpec("a", Made, "A", "c", ("m",), 1, skips=skips),))
    params: Any = SimpleNamespace(release=RELEASE, **{kind: {} for kind in KINDS})
    with pytest.raises(ParamsError, match=f"Made has no `{method}`, which the rule {check.name} needs"):
        ReleaseSuite(bare, SuiteParams(tasks={"a": ONE}), Inputs(params, Path()))


@pytest.mark.parametrize("where", ["generators.babilong.suite:SUITES", "generators.helmet.suite:SUITE"])
def test_a_registration_that_leads_nowhere_is_one_line(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SUITES, "babilong", where)
    with pytest.raises(ParamsError, match=r"suites.babilong: is registered as .*, which is not a suite of that name"):
        registered("babilong")


class Several(TaskSettings):
    """Inputs that may be missing, or several."""

    maybe: Corpus | None = None
    sets: tuple[MinedSet, ...] = ()


def test_inputs_inside_of_other_types_are_read_too() -> None:
    assert uses_of(Several()) == ()
    found = uses_of(Several(maybe="novels", sets=("nq", "popqa")))
    assert found == (Use("corpora", "novels"), Use("retrieval_sets", "nq"), Use("retrieval_sets", "popqa"))


def test_words_are_those_of_the_spec_or_of_the_class_and_missing_ones_are_named_at_once(tmp_path: Path) -> None:
    for name, said in (("shared", "of the kind"), ("own", "of the suite")):
        (tmp_path / f"{name}.yaml").write_text(f"ask: {{told: {said}}}\n", encoding="utf-8")

    class Worded(Made):
        prompts = tmp_path / "shared.yaml"

    def built(wording: str, own: Path | None = None) -> ReleaseSuite:
        params: Any = SimpleNamespace(release=RELEASE, **{kind: {} for kind in KINDS})
        worded = replace(spec("a", Worded), wording=wording, prompts=own)
        return ReleaseSuite(Suite("both", "Both", "", (worded,)), SuiteParams(tasks={"a": ONE}), Inputs(params, Path()))

    assert built("ask").task("a").words == {"told": "of the kind"}
    assert built("ask", tmp_path / "own.yaml").task("a").words == {"told": "of the suite"}
    with pytest.raises(
        BuildError, match=r"suites\.both\.tasks\.a: has no prompt texts 'asks'\. Next: did you mean 'ask'"
    ):
        built("asks")


def test_only_tasks_of_long_outputs_may_be_filled_less(pytestconfig: pytest.Config) -> None:
    """The exceptions that the README names: another task that skips FILL must be named there too."""
    specs = [spec for name in SUITES for spec in registered(name).tasks]
    assert {spec.task.of_output for spec in specs if Check.FILL in spec.skips} == {True}
    readme = (pytestconfig.rootpath / "README.md").read_text(encoding="utf-8")
    assert "Each prompt fills at least 99.5% of its target length" in readme
    assert "a length in LongGenBench is a length of the output" in readme


PLAIN = TaskSpec("a", object, "A", "recall", ("em@strict",), 8)
OTHER: dict[str, Any] = {
    "name": "b", "category": "qa", "metrics": ("f1@strict",), "max_new_tokens": 9, "version": 2, "wording": "other",
    "stop": ("\n",), "use_chat_template": False, "variant": "hard", "language": "zh", "skips": {Check.FILL: "short"},
}  # fmt: skip
"""Another value of each field that decides rows. A new field of TaskSpec belongs here or, with a reason, in ELSEWHERE."""


def test_a_change_of_any_field_changes_it_unless_the_field_is_left_out_for_a_reason() -> None:
    names = {each.name for each in fields(TaskSpec)}
    assert names == OTHER.keys() | ELSEWHERE.keys() and not OTHER.keys() & ELSEWHERE.keys()
    assert all(ELSEWHERE.values())
    changed = [spec_fingerprint(replace(PLAIN, **{name: value})) for name, value in OTHER.items()]
    assert spec_fingerprint(PLAIN) not in changed
    one, other = (replace(PLAIN, skips={Check.FILL: why}) for why in ("short", "too short"))
    assert spec_fingerprint(one) == spec_fingerprint(other)
    for spec in (spec for name in SUITES for spec in registered(name).tasks):
        assert json.loads(json.dumps(spec_fingerprint(spec)))["version"] == spec.version


def test_tables_have_it(tmp_path: Path) -> None:
    small.write(tmp_path, "few", [small.question("test", 0, 8)])
    built = small.suite(tmp_path, {"kilt_nq": {"retrieval_set": "few", "lengths": {"4k": 6}, "shots": 0}})
    table, task = built.tables()[0], built.task("kilt_nq")
    before = built.fingerprint(table)
    task.spec = replace(task.spec, language="zh")
    assert built.fingerprint(table) != before
