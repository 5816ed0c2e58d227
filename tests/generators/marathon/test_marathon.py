"""Marathon's questions with four options: whole at natural length, among others at any number of tokens, in four orders.

Held against the made texts themselves, which the rows' builder does not see; what the prompt alone says is read again.
Defects of the reference: docs/defects/marathon.md D3, D4, D9.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generators.documents.prompts import listed
from generators.marathon.choices import TASKS as SPECS
from generators.marathon.letters import evenly
from generators.spec import Table
from generators.suite import ReleaseSuite
from haymaker.core.errors import BuildError, ParamsError
from haymaker.core.files.yaml_file import read_yaml
from haymaker.core.rows.parquet import write_rows
from haymaker.scoring.metrics import get
from tests.generators.kit import Row, by_table, context, findings_of, finished, metadata, refused, said
from tests.generators.marathon import small

LADDER = {"natural": 16, "4k": 12, "16k": 24, "64k": 8}
TASKS: dict[str, Any] = {
    "comprehension_and_reasoning": {"documents": "books", "lengths": LADDER},
    "computation": {"documents": "books", "lengths": {"natural": {"test": 28, "train": 4}, "64k": 8}},
    "shortdep_qa": {"documents": "books", "lengths": {"natural": 4, "4k": 8, "16k": 8}},
    "every_sort": {
        "base": "shortdep_qa", "documents": "books", "sorts": list(small.SORTS), "rotations": 1,
        "lengths": {"natural": 15, "4k": 21, "16k": 14, "64k": 24},
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    written = tmp_path_factory.mktemp("marathon")
    small.write(written, *small.collection())
    return written


@pytest.fixture(scope="module")
def suite(folder: Path) -> ReleaseSuite:
    return small.suite(folder, TASKS)


@pytest.fixture(scope="module")
def built(suite: ReleaseSuite) -> dict[Table, list[Row]]:
    return by_table(suite)


def task_rows(built: dict[Table, list[Row]], task: str, *lengths: str) -> list[Row]:
    tables = (t for t in built if t.task == task and t.length in (lengths or (t.length,)) and t.split == "test")
    return [row for table in tables for row in built[table]]


def groups(rows: list[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row["group_id"], []).append(row)
    return found


def test_every_check_holds_and_every_prompt_is_counted_anew(suite: ReleaseSuite, built: dict[Table, list[Row]]) -> None:
    every = list(chain.from_iterable(built.values()))
    found = findings_of(suite, every)
    assert found.failures == []
    assert found.checked["recounted"] == len(every) == sum(table.rows for table in built)
    assert set(found.checked) == {*"BUDGET FILL VERBATIM STRICT UNIQUE APART NESTED recounted".split()}
    assert found.checked["NESTED"] > 40


def test_rows_are_the_same_for_any_order_of_work(folder: Path, built: dict[Table, list[Row]]) -> None:
    again = small.suite(folder, TASKS)
    for table, rows in reversed(built.items()):
        assert finished(again.build(table, table.rows - 1, table.rows)) == rows[-1:]


# ---------------------------------------------------------------------------------------------------------- what is shown


def test_a_natural_row_is_the_text_as_it_was_written_the_question_its_options_and_the_demand(
    built: dict[Table, list[Row]],
) -> None:
    """First and last row by heart; parts in the order of docs/spec/marathon.md 3.3."""
    documents, questions = small.collection()
    texts, asked = {each.doc_id: each.text for each in documents}, {each.question_id: each for each in questions}
    assert SPECS[0].prompts is not None
    texts_of = read_yaml(SPECS[0].prompts)["choice"]
    rows = [*task_rows(built, "comprehension_and_reasoning", "natural"), *task_rows(built, "computation", "natural")]
    for row in rows:
        question = asked[row["group_id"].removeprefix("books-")]
        options = "\n".join(f"{letter}. {choice}" for letter, choice in zip("ABCD", row["choices"], strict=True))
        assert row["prompt"] == (
            f"{texts_of['one']}\n\n<text>\n{texts[question.doc_id]}\n</text>\n\n"
            f"Question about the text above: {question.text}\n{options}\n\n{texts_of['demand']}\nAnswer:"
        )
        assert row["prompt"][row["answer_prefix_start"] :] == "Answer:"
        assert (row["variant"], row["length_tokens"], row["unused_tokens"]) == (None, None, None)
        assert sorted(row["choices"]) == sorted(question.choices)
    first, last = rows[0], rows[-1]
    assert first["id"] == f"marathon-comprehension_and_reasoning-natural-{first['group_id']}-r0"
    assert last["id"] == f"marathon-computation-natural-{last['group_id']}-r3"
    right = asked[last["group_id"].removeprefix("books-")].answers[0]
    letter = "ABCD"[last["choices"].index(right)]
    assert last["answers"] == [f'{{"option": "{letter}"}}', letter, f"{letter}. {right}"]
    assert (last["max_new_tokens"], last["stop"], last["metrics"][0]) == (32, None, "option@strict")


def test_the_example_of_the_demand_has_a_placeholder_and_no_letter(built: dict[Table, list[Row]]) -> None:
    """The reference's example is always A (docs/spec/marathon.md 3.3)."""
    for row in chain.from_iterable(built.values()):
        behind = row["prompt"][row["context_end"] :]
        demand = behind[behind.index("Reply with") :]
        assert '{"option": "<letter>"}' in demand
        assert not re.search(r"\b[B-Z]\b", demand.replace("JSON", "")), "no letter stands alone but the article"
        assert not re.search(r'"[A-Z]"|\bA\b(?! )', demand)
        assert get("option@strict").function('{"option": "<letter>"}', row) == 0.0


def read_letter(row: Row) -> str | None:
    """The letter that the prompt alone gives; None where its text does not say."""
    text, behind = re.fullmatch(r"(?s).*<text>\n(.*)\n</text>\n\n(.*)", row["prompt"]).groups()  # type: ignore[union-attr]
    if named := re.match(r'Question about the text "(.*?)" above: ', behind):
        text = re.split(r"\*\*\*\n\n\[.*?\]", text.split(f"***\n\n[{named[1]}]")[1])[0]
    thing = re.search(r"Who hid the (\w+)\?", behind)
    wanted = thing[1] if thing else re.search(r"The (\w+) had belonged to the miller\.", text)[1]  # type: ignore[index]
    found = set(re.findall(rf"It was (\w+ \w+) who hid the {wanted} that night\.", text))
    options = {choice: letter for letter, choice in re.findall(r"^([A-D])\. (.+)$", behind, re.MULTILINE)}
    return options[found.pop()] if len(found) == 1 else None


def test_the_prompt_alone_gives_the_letter_wherever_evidence_is_known(built: dict[Table, list[Row]]) -> None:
    known = [row for row in chain.from_iterable(built.values()) if metadata(row)["evidence"] != "unknown"]
    assert len(known) > 120
    for row in known:
        assert read_letter(row) == row["answers"][1]


def test_a_short_length_shows_a_window_around_evidence_and_nothing_that_nobody_knows(
    suite: ReleaseSuite, built: dict[Table, list[Row]]
) -> None:
    """Documents have 5,500 tokens and more: none is whole at 4k."""
    rows = [row for task in TASKS for row in task_rows(built, task, "4k")]
    shown = {(metadata(row)["cut"], metadata(row)["evidence"]) for row in rows}
    assert shown == {("window", "verified"), ("window", "aligned")}
    for row in rows:
        assert (golds := said(row, "gold")) and all(re.match("It was|The ", gold) for gold in golds)
    table = next(table for table in suite.tables() if (table.task, table.length) == ("every_sort", "4k"))
    reasons = Counter(suite.select(table).missing.values())
    unknown_place = "the document does not fit whole among others, and the place of its evidence is unknown"
    assert reasons == {unknown_place: 7, "no sentence end fills 99.5 %": 4}
    unknown = [row for row in task_rows(built, "every_sort", "64k") if metadata(row)["evidence"] == "unknown"]
    assert unknown and {(metadata(row)["cut"], row["depth"]) for row in unknown} == {("whole", None)}


def test_the_same_questions_at_every_length(built: dict[Table, list[Row]]) -> None:
    """What is asked first at 16k is asked first at 64k."""
    first = [[row["group_id"] for row in task_rows(built, "shortdep_qa", length)] for length in ("4k", "16k")]
    assert first[0] == first[1]
    by_group = groups(task_rows(built, "comprehension_and_reasoning"))
    for rows in by_group.values():
        letters = {(row["order_index"], row["answer_index"]) for row in rows}
        assert len(letters) == 4, "an order has its letter at every length"


# ---------------------------------------------------------------------------------------------------------- orders, letters


def test_four_orders_of_a_question_are_rotations_over_one_text(built: dict[Table, list[Row]]) -> None:
    for table, found in built.items():
        if table.task == "every_sort":
            continue
        assert len(found) == table.rows == 4 * len(groups(found))
        for group, rows in groups(found).items():
            name = f"marathon-{table.task}-{table.length}-{group}"
            assert [row["id"] for row in rows] == [f"{name}-r{n}" for n in range(4)]
            assert [row["order_index"] for row in rows] == [0, 1, 2, 3]
            assert len({context(row) for row in rows}) == 1
            assert sorted(row["answers"][1] for row in rows) == list("ABCD")
            for number, row in enumerate(rows):
                back = [*row["choices"][number:], *row["choices"][:number]]
                assert back == rows[0]["choices"]
                assert row["choices"][row["answer_index"]] == rows[0]["choices"][rows[0]["answer_index"]]
            if table.tokens:
                fullest = min(row["unused_tokens"] for row in rows)
                assert fullest >= 0 and max(row["unused_tokens"] for row in rows) - fullest < 8


def test_each_letter_is_right_equally_often_in_every_table(built: dict[Table, list[Row]]) -> None:
    """Four orders: exactly, and to one at the first order; one order: to one."""
    for table, found in built.items():
        letters = Counter(row["answer_index"] for row in found)
        counts = [letters[place] for place in range(4)]
        if table.task == "every_sort":
            assert max(counts) - min(counts) <= 1, (table, counts)
        else:
            assert len(set(counts)) == 1
            first = Counter(row["answer_index"] for row in found if row["order_index"] == 0)
            assert max(first.values()) - min(first[place] for place in range(4)) <= 1
    rows = task_rows(built, "every_sort", "64k")
    rounds = {tuple(row["answer_index"] for row in rows[at : at + 4]) for at in range(0, len(rows), 4)}
    assert len(rounds) > 3, "letters have no pattern in the order of rows"


@given(st.lists(st.tuples(st.integers(0, 3), st.booleans()), max_size=60))
def test_any_first_ones_have_even_letters_and_no_candidate_is_lost(drawn: list[tuple[int, bool]]) -> None:
    order = list(evenly(range(len(drawn)), lambda at: drawn[at][0], lambda at: drawn[at][1]))
    assert sorted(at for at, _ in order) == list(range(len(drawn)))
    counts = [0, 0, 0, 0]
    for at, is_over in order:
        if drawn[at][1] and not is_over:
            counts[drawn[at][0]] += 1
            assert max(counts) - min(counts) <= 1
    over = Counter(drawn[at][0] for at, is_over in order if is_over)
    fitting = Counter(letter for letter, fits in drawn if fits)
    assert all(fitting[letter] - over[letter] == counts[letter] for letter in range(4))
    assert max(counts) <= min(fitting[letter] for letter in range(4)) + 1


# ---------------------------------------------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(("key", "value"), [("shots", 1), ("rotations", 2), ("sorts", [])])
def test_settings_that_cannot_be(folder: Path, key: str, value: Any) -> None:
    with pytest.raises(ParamsError, match=f"suites.marathon.tasks.computation: {key}"):
        small.suite(folder, {"computation": {"documents": "books", "lengths": {"16k": 4}, key: value}})


def test_a_collection_without_the_type_of_its_questions_is_refused_in_one_line(tmp_path: Path, folder: Path) -> None:
    """The Hub's newest LooGLE has lost it (docs/spec/marathon.md 2)."""
    documents, questions = small.collection([6], [])
    small.write(tmp_path / "none", documents, [replace(each, sort="") for each in questions])
    small.write(tmp_path / "qa", documents, [replace(each, kind="qa", choices=()) for each in questions])
    for data, more, line in (
        (tmp_path / "none", {}, r"no question of sort computation in split test \(there are: none 6\)\. Next: use"),
        (tmp_path / "qa", {}, r"there are: no choices at all\)\. Next: .*`choices`.*`replies`"),
        (folder, {"sorts": ["comptation"]}, r"no question of sort comptation .* did you mean 'computation'\?"),
    ):
        suite = small.suite(data, {"computation": {"documents": "books", "lengths": {"natural": 4}, **more}})
        assert re.search(line, refused(BuildError, suite.select, suite.tables()[0]))


def test_a_part_that_says_the_right_option_alone_is_left_out(tmp_path: Path) -> None:
    """Whoever looks for the options in it would have the answer: 91 % of the short questions on real articles cut to 4k."""
    built = [small.document("test", number) for number in range(3)]
    bare = [replace(made, text=re.sub(r" Zq\w+ Xy\w+ slept\.", "", made.text)) for made, _ in built]
    small.write(tmp_path, bare, [question for _, asked in built for question in asked])
    entry = {"documents": "books", "sorts": list(small.SORTS), "base": "shortdep_qa"}
    lengths = ({"4k": 4}, {"natural": 16})
    suite = small.suite(tmp_path, {f"task_{n}": entry | {"lengths": each} for n, each in enumerate(lengths)})
    short, natural = suite.tables()
    with pytest.raises(BuildError, match="the part that fits says the right option and none of the others: 15"):
        suite.select(short)
    assert len(suite.select(natural).candidates) == 4


def test_options_that_cannot_be_told_apart_are_left_out_and_counted(tmp_path: Path) -> None:
    documents, questions = small.collection([3, 4, 5, 6], [])
    for at, changed in enumerate((lambda c: c[:3], lambda c: (*c[:3], c[0].upper()), lambda c: (*c[:3], "two\nlines"))):
        own = questions[6 * at]
        choices = changed(own.choices)
        questions[6 * at] = replace(own, choices=choices, origins=own.origins[: len(choices)])
    questions[18] = replace(questions[18], text="Who hid the lantern?\nA. Ann\nB. Bob")
    small.write(tmp_path, documents, questions)
    entry = {"documents": "books", "lengths": {"natural": 4}}
    suite = small.suite(tmp_path, {"comprehension_and_reasoning": entry})
    table = suite.tables()[0]
    assert suite.select(replace(table, rows=16)).candidates
    reasons = "an option takes several lines, or the question lists options of its own: 2, it has not 4 different .*: 2"
    with pytest.raises(BuildError, match=rf"5 questions are required, but only 4 reach the length \({reasons}\)"):
        suite.select(replace(table, rows=20))


# --------------------------------------------------------------------------------------------------- what a verification finds


def problems(suite: ReleaseSuite, row: Row, **changed: Any) -> list[str]:
    noted = changed.pop("metadata", {})
    wrong = row | changed | {"metadata": json.dumps(metadata(row) | noted)}
    return list(suite.task(row["task"]).problems(wrong))


@pytest.fixture(scope="module")
def row(built: dict[Table, list[Row]]) -> Row:
    return task_rows(built, "comprehension_and_reasoning", "16k")[1]


def test_a_wrong_row_is_found(suite: ReleaseSuite, row: Row) -> None:
    assert problems(suite, row) == []
    first, second, *rest = row["choices"]
    wrong: list[tuple[str, dict[str, Any]]] = [
        ("the choices are not shown in order, each after its letter", {"choices": [second, first, *rest]}),
        ("not 4 different options", {"choices": [first, first.upper(), *rest]}),
        ("the letter is not that of the right answer", {"answer_index": (row["answer_index"] + 1) % 4}),
        ("the answers are not the letter at answer_index, by itself and with its text", {"answers": row["answers"][1:]}),
        ("the order of the options has another number than the row", {"order_index": 2}),
        ("the options are human, the row has auto", {"options_reviewed_by": "auto"}),
        ("the origins of the options differ from the collection", {"metadata": {"origins": []}}),
        ("the question is of sort comprehension_and_reasoning, the row has computation", {"metadata": {"sort": "computation"}}),
    ]  # fmt: skip
    for message, changed in wrong:
        assert message in problems(suite, row, **changed)
    prompt = row["prompt"].replace('"<letter>"', '"A"')
    assert any(each.startswith("not found after the context: 'Reply") for each in problems(suite, row, prompt=prompt))


def test_options_that_are_not_the_rotation_of_the_first_row_are_found(suite: ReleaseSuite, row: Row) -> None:
    """Two wrong options change places, in the prompt and in the row alike: each row by itself is in order."""
    right, choices = row["answer_index"], list(row["choices"])
    one, other = (place for place in range(4) if place not in (right, (right + 1) % 4))
    choices[one], choices[other] = choices[other], choices[one]
    prompt = row["prompt"].replace("\n".join(listed(row["choices"])), "\n".join(listed(choices)))
    origins = dict(zip(row["choices"], metadata(row)["origins"], strict=True))
    noted = {"origins": [origins[each] for each in choices]}
    found = problems(suite, row, prompt=prompt, choices=choices, metadata=noted)
    assert found == ["the options are not the options of the question's first row rotated by 1"]


def test_rows_say_who_wrote_and_who_looked(built: dict[Table, list[Row]]) -> None:
    asked = {question.question_id: question for question in small.collection()[1]}
    for row in chain.from_iterable(built.values()):
        source = asked[row["group_id"].removeprefix("books-")]
        assert row["options_reviewed_by"] == source.verified and metadata(row)["sort"] == source.sort
        assert [source.choices[small.WRITERS.index(origin)] for origin in metadata(row)["origins"]] == row["choices"]


def test_a_selection_changes_no_training_row(
    folder: Path, suite: ReleaseSuite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Questions that a table leaves out because of their letter are drawn for training all the same, in whatever order things happen."""
    chosen = small.suite(folder, TASKS)
    monkeypatch.setattr(chosen.task("every_sort"), "_letter", lambda split, number: 0)
    with pytest.raises(BuildError, match="its letter would be right more often than others"):
        chosen.select(Table("marathon", "every_sort", "4k", "train", 18))
    for number in range(18):
        drawn, again = (each.draw("every_sort", "4k", 5, number, number) for each in (suite, chosen))
        assert drawn.id == again.id and drawn.split == "train"


def test_four_orders_of_a_text_cost_a_file_less_than_two(folder: Path, tmp_path: Path) -> None:
    """Rows of a question stand side by side, and a file is compressed over them (docs/defects/marathon.md D10)."""
    sizes = []
    for rotations, rows in ((1, 14), (4, 56)):
        entry = {"documents": "books", "rotations": rotations, "lengths": {"natural": rows}}
        suite = small.suite(folder, {"comprehension_and_reasoning": entry})
        table = suite.tables()[0]
        file = tmp_path / f"{rotations}.parquet"
        counts = write_rows(suite.build(table, 0, rows // 2), file, suite.inputs.params.parquet)
        sizes.append((counts["text_bytes"], file.stat().st_size))
    assert sizes[1][0] > 3.9 * sizes[0][0] and sizes[1][1] < 2 * sizes[0][1]
