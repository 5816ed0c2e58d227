"""`haymaker score` on a small release written here: tables, splits, published tables, a judge's replies, and what is left out."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from rich.console import Console

from haymaker.core.errors import HaymakerError, ParamsError, ReleaseError
from haymaker.core.rows.schema import Sample, to_table
from haymaker.evaluation.score import judge_prompts, published_table, run, table
from haymaker.evaluation.score.options import ScoringOptions
from haymaker.evaluation.score.run import score

KV = ("kv@strict", "kv@official")
VALUE = "11112222-3333-4444-8555-666677778888"


def sample(task: str, length: str, group: int, metrics: tuple[str, ...], answers: list[str], **more: Any) -> Sample:
    """A row with what scores need."""
    variant, depth = more.get("variant"), more.get("depth_index")
    return Sample(
        id=f"{task}-{length}-{group}-{variant or 'plain'}-{depth or 0}{more.get('split', '')}",
        group_id=f"{task}-{group}",
        **{"suite": "synthetic", "split": "test"} | more,  # type: ignore[arg-type]
        task=task, task_version=1, category="x", language="en", length=length, prompt=b"Which?",
        context_start=0, context_end=0, answer_prefix_start=6, question="Which?", prompt_tokens=2, reserved_output_tokens=0,
        reserved_template_tokens=0, answers=answers, metrics=list(metrics), max_new_tokens=8, seed=1,
    )  # fmt: skip


class Release:
    """A folder with a release, and outputs for it."""

    def __init__(self, root: Path, samples: Iterable[Sample]) -> None:
        self.folder, self.samples = root / "data/releases/tiny", list(samples)
        files: dict[tuple[str, str, str], list[Sample]] = {}
        for row in self.samples:
            files.setdefault((row.suite, row.task, row.length), []).append(row)
        for (suite, task, length), rows in files.items():
            path = self.folder / "data" / suite / task / length / "test-00000-of-00001.parquet"
            path.parent.mkdir(parents=True)
            pq.write_table(to_table(rows), path)
        self.file = root / "outputs.jsonl"

    def manifest(self, version: str = "1.2.3", **sources: dict[str, str]) -> None:
        """What the release says of itself."""
        facts = {"name": "small", "version": version, "edition": "simulated", "sources": sources}
        (self.folder / "manifest.json").write_text(json.dumps(facts))

    def outputs(self, printed: dict[str, str]) -> Path:
        """The file of outputs."""
        self.file.write_text("\n".join(json.dumps({"id": i, "output": o}) for i, o in printed.items()))
        return self.file

    def show(self, printed: dict[str, str], **options: Any) -> None:
        """Print the scores of these outputs."""
        run.show(self.folder, self.outputs(printed), ScoringOptions(**options))

    def right(self, *tasks: str) -> dict[str, str]:
        """The stored answer of every row (of some tasks)."""
        return {row.id: row.answers[0] for row in self.samples if not tasks or row.task in tasks}


class Printed:
    """What was printed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._out, self.said = io.StringIO(), list[str]()
        for module in (table, published_table, run):
            monkeypatch.setattr(module, "out", Console(file=self._out, width=200, highlight=False, soft_wrap=True))
        for module in (run, judge_prompts):
            monkeypatch.setattr(module, "say", self.said.append)

    @property
    def lines(self) -> list[str]:
        """Lines of standard output, white space folded, without intervals."""
        return [re.sub(r" \[\d+-\d+\]", "", line) for line in self.whole]

    @property
    def tasks(self) -> list[str]:
        """Lines of the last table of tasks by length."""
        lines = self.lines
        return lines[max(at for at, line in enumerate(lines) if line.startswith("task metric ")) :]

    @property
    def whole(self) -> list[str]:
        """Lines of standard output, white space folded."""
        return [" ".join(line.split()) for line in self._out.getvalue().splitlines()]


@pytest.fixture
def printed(monkeypatch: pytest.MonkeyPatch) -> Printed:
    return Printed(monkeypatch)


def kv_rows() -> Iterable[Sample]:
    for length in ("4k", "8k"):
        for group in range(2):
            for depth in range(3):
                yield sample("json_kv", length, group, KV, [VALUE], depth_index=depth)
            yield sample("json_kv", length, group, KV, ["none"], variant="unanswerable")
    yield sample("niah_multikey_2", "4k", 0, ("ruler_all@strict", "ruler_all@official"), ["1234567"])


def test_a_line_per_task_and_a_column_per_length(tmp_path: Path, printed: Printed) -> None:
    release = Release(tmp_path, kv_rows())
    outputs = release.right()
    for depth in range(3):
        outputs[f"json_kv-8k-0-plain-{depth}"] = ""
    del outputs["json_kv-8k-1-unanswerable-0"]
    release.show(outputs | {"elsewhere": "x"})
    assert printed.tasks == [
        "task metric 4k 8k rows",
        "json_kv kv@strict 100.0 62.5 15",  # 8k: one question 1/4, the other 3/3
        "niah_multikey_2 ruler_all@strict 100.0 1",
    ]
    assert printed.said == [
        "1 output is for rows that are not in this release, e.g. elsewhere",
        "1 test row of these tasks has no output and is not counted",
    ]


def test_means_stand_with_their_intervals_as_the_file_has_them(tmp_path: Path, printed: Printed) -> None:
    release = Release(tmp_path, [sample("json_kv", "4k", group, KV, [VALUE]) for group in range(20)])
    outputs = release.right() | {f"json_kv-4k-{group}-plain-0": "" for group in range(5)}
    release.show(outputs)
    assert printed.whole == ["task metric 4k rows", "json_kv kv@strict 75.0 [51-90] 20"]
    release.show(outputs, json_file=tmp_path / "scores.json")
    low, high = (json.loads((tmp_path / "scores.json").read_text())["cells"][1][key] for key in ("low", "high"))
    assert f"{100 * low:.0f}-{100 * high:.0f}" == "51-90"


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        ("depth_index", ["- 0.0 1", "0 50.0 2", "1 75.0 4"]),
        ("variant", ["- 50.0 6", "unanswerable 100.0 1"]),
        ("depth", ["- 100.0 1", "0.0-0.2 50.0 2", "0.2-0.4 0.0 1", "0.4-0.6 100.0 1", "0.8-1.0 50.0 2"]),
        ("evidence", ["- 66.7 3", "aligned 0.0 1", "unknown 100.0 1", "verified 50.0 2"]),
        ("shown", ["- 66.7 3", "part 50.0 2", "whole 50.0 2"]),
    ],
)
def test_split_by_a_column(tmp_path: Path, printed: Printed, by: str, expected: list[str]) -> None:
    """One as it stands, the fifth of its depth, and what is known of the evidence; a list of evidence is BABILong's facts."""
    given: list[tuple[float | None, int | None, str | None, Any]] = [
        (0.0, 0, None, {"evidence": "verified", "cut": "whole"}),
        (0.1999, 0, None, {"evidence": "verified", "cut": "window"}),
        (0.2, 1, None, {"evidence": "aligned", "cut": "whole"}),
        (0.5, 1, None, {"evidence": "unknown", "cut": "beginning"}),
        (1.0, 1, None, None),
        (1.0, None, None, {"evidence": [1, 2]}),
        (None, 1, "unanswerable", None),
    ]
    rows = [
        sample(
            "vt", "4k", n, ("ruler_all@strict",), ["1234567"], depth=depth, depth_index=index, variant=variant,
            metadata=extra and json.dumps(extra),
        )
        for n, (depth, index, variant, extra) in enumerate(given)
    ]  # fmt: skip
    release = Release(tmp_path, rows)
    release.show(release.right() | {rows[n].id: "" for n in (1, 2, 5)}, by=by)
    assert printed.tasks[0] == f"task metric {by} 4k rows"
    assert sorted(" ".join(line.split()[2:]) for line in printed.tasks[1:]) == sorted(expected)


def test_a_metric_is_applied_to_rows_that_name_it_alone(tmp_path: Path, printed: Printed) -> None:
    asked = ("rouge_l@strict", "keypoints@strict")
    points = json.dumps({"key_points": [{"text": "Ada wins.", "terms": [["Ada"]]}]})
    rows = [
        *kv_rows(),
        sample("multi_lexsum", "4k", 0, asked[:1], ["Ada"], suite="helmet"),
        sample("multi_lexsum", "4k", 1, asked, ["Ada"], suite="helmet", metadata=points),
        sample("multi_lexsum", "4k", 2, asked, ["Ada"], suite="helmet", metadata=points),
    ]
    release = Release(tmp_path, rows)
    outputs = release.right()
    del outputs["multi_lexsum-4k-2-plain-0"]
    release.show(outputs, metric="keypoints@strict")
    assert printed.tasks[1:] == ["multi_lexsum keypoints@strict 100.0 1"]
    assert printed.said == [
        "18 outputs are for rows without the metric keypoints@strict and are not counted",
        "1 test row of these tasks has no output and is not counted",
    ]
    with pytest.raises(ReleaseError, match="no row has a score"):  # "1234567" is a label; no row asks for one
        release.show(outputs, metric="label@strict")
    assert printed.said[2:] == ["19 outputs are for rows without the metric label@strict and are not counted"]


def test_the_cue_is_read_before_what_a_base_model_says(tmp_path: Path, printed: Printed) -> None:
    """Ours 17.12: HELMET's official rules read "Answer:" and what a model without a chat template goes on with."""
    prompt = "Which?\nAnswer:"
    rows = [sample("kilt_nq", "4k", 0, ("em@strict", "em@official"), ["Ada"], suite="helmet")]
    rows[0].prompt, rows[0].answer_prefix_start = prompt.encode(), prompt.index("Answer:")
    release = Release(tmp_path, rows)
    outputs = release.outputs({rows[0].id: " \nAda"})
    found = {
        (metric, how): run.score(outputs, release.folder, metric=metric, prompting=how).figures[0].mean
        for metric in ("em@strict", "em@official")
        for how in ("chat", "base")
    }
    assert {wish for wish, mean in found.items() if mean != 100} == {("em@official", "base")}
    assert found["em@official", "base"] == 0
    with pytest.raises(ParamsError, match=r"--prompting: .*'bass'.*did you mean 'base'"):
        run.score(outputs, release.folder, prompting="bass")


def test_a_row_that_cannot_be_scored_is_in_no_mean(tmp_path: Path) -> None:
    """Ours 17.13."""
    release = Release(
        tmp_path,
        [sample("math_find", "4k", at, ("math_find@strict",), [gold]) for at, gold in enumerate(("5", "five"))],
    )
    scores = score(release.outputs(dict.fromkeys((row.id for row in release.samples), "5")), release.folder)
    assert [(figure.mean, figure.rows) for figure in scores.figures] == [(100, 1)]
    assert "math_find@strict: 1 of 2 rows (50.0%) have no score: its answer is no number" in scores.notes


def test_only_test_rows_share_a_cell(tmp_path: Path, printed: Printed) -> None:
    splits = [
        sample("kv", "4k", group, KV, [VALUE], split=split) for split in ("test", "train", "dev") for group in range(2)
    ]
    release = Release(tmp_path, splits)
    outputs = {row.id: VALUE if row.split == "test" else "" for row in splits}
    for wish in (ScoringOptions(), ScoringOptions(metric="kv@official"), ScoringOptions(by="depth_index")):
        run.show(release.folder, release.outputs(outputs), wish)
        assert printed.lines[-1].split()[-2:] == ["100.0", "2"], wish
        assert (
            printed.said.pop()
            == "4 outputs are for rows of other splits than test (use --by split) and are not counted"
        )
        assert not printed.said
    release.show(outputs, by="split")
    assert printed.lines[-3:] == ["kv kv@strict dev 0.0 2", "kv kv@strict test 100.0 2", "kv kv@strict train 0.0 2"]
    assert not printed.said
    for row in splits[:2]:
        del outputs[row.id]
    with pytest.raises(ReleaseError, match="no row has a score"):
        release.show(outputs)


def test_a_published_table_names_what_is_missing(tmp_path: Path, printed: Printed) -> None:
    release = Release(
        tmp_path, [*kv_rows(), sample("kilt_nq", "4k", 0, ("subem@strict", "subem@official"), ["Ada"], suite="helmet")]
    )
    outputs = release.right("json_kv", "niah_multikey_2") | {"json_kv-4k-0-unanswerable-0": "made up"}
    outputs["niah_multikey_2-4k-0-plain-0"] = ""
    release.show(outputs, aggregate="helmet")
    assert printed.lines[:9] == [
        "HELMET @strict of 4k 8k",
        "Recall 4 50.0 (2/4) 100.0 (1/4)",  # json_kv's rows without its key are no part of it
        "RAG 4 - -",
        "Re-rank 1 - -",
        "Cite 6 - -",
        "LongQA 3 - -",
        "Summ 2 - -",
        "ICL 5 - -",
        "overall 25 50.0 (2/25) 100.0 (1/25)",
    ]
    assert printed.lines[9] == "a release without a manifest"
    missing = printed.lines[10:]
    assert "missing at 4k: kilt_nq subem@strict (no outputs)" in missing
    assert "missing at 8k: kilt_nq subem@strict (not in this release)" in missing
    assert "missing at 4k, 8k: alce_asqa citation_recall@strict (not in this release)" in missing
    assert len(missing) == len(set(missing)) == 25  # 23 at both, of them kilt_nq for two reasons; one at 8k alone
    assert printed.said == [
        "4 outputs are for tasks, splits or variants that are not in this table and are not counted"
    ]


def test_a_metric_that_cannot_be_had_here_is_missing_with_its_reason(tmp_path: Path, printed: Printed) -> None:
    metrics = tuple(f"{m}@official" for m in ("str_em", "citation_recall", "citation_precision"))
    row = sample("alce_asqa", "8k", 0, metrics, ["Ada"], suite="helmet", answer_groups=[["Ada"]])
    release = Release(tmp_path, [row])
    wish = ScoringOptions(aggregate="helmet", edition="official")
    run.show(release.folder, release.outputs({row.id: "Ada [1]."}), wish)
    assert "Cite 6 100.0 (1/6)" in printed.lines
    reason = "needs the entailment model; lexical@1 only stands in for it"
    assert f"missing at 8k: alce_asqa citation_recall@official ({reason})" in printed.lines
    with pytest.raises(HaymakerError, match="needs the entailment model"):
        run.show(release.folder, release.file, ScoringOptions(metric="citation_recall@official"))


def ruler_rows(lengths: Iterable[str]) -> Iterable[Sample]:
    from haymaker.scoring.published_tables import table

    for length in lengths:
        for dataset in table("ruler").datasets:
            metrics = tuple(f"{metric}@strict" for metric in dataset.metrics)
            yield sample(dataset.task, length, 0, metrics, ["1234567"])


def test_rulers_summary(tmp_path: Path, printed: Printed) -> None:
    lengths = ("4k", "8k", "16k", "32k", "64k", "128k")
    release = Release(tmp_path, ruler_rows(lengths))
    outputs = release.right() | {row.id: "" for row in release.samples if row.length == "128k"}
    outputs["vt-64k-0-plain-0"] = "7"
    release.show(outputs, aggregate="ruler")
    assert "overall 13 100.0 100.0 100.0 100.0 92.3 0.0" in printed.lines
    assert f"effective length (at least 85.6): 64k; complete lengths: {', '.join(lengths)}" in printed.lines
    rising, falling = (10 * 100 + 5 * 1200 / 13) / 21, (18 * 100 + 2 * 1200 / 13) / 21
    assert f"weighted means of {', '.join(lengths)}: rising {rising:.1f}, falling {falling:.1f}" in printed.lines


def test_rulers_summary_is_of_complete_lengths_alone(tmp_path: Path, printed: Printed) -> None:
    release = Release(tmp_path, [row for row in ruler_rows(("4k", "8k")) if (row.task, row.length) != ("vt", "8k")])
    release.show(release.right(), aggregate="ruler")
    assert "overall 13 100.0 100.0 (12/13)" in printed.lines
    assert "effective length (at least 85.6): 4k; complete lengths: 4k" in printed.lines
    assert "no weighted means: not complete at 8k, 16k, 32k, 64k, 128k" in printed.lines
    assert printed.lines[-1] == "missing at 8k: vt ruler_all@strict (not in this release)"


def test_a_document_among_others_is_how_longbench_reaches_a_length(tmp_path: Path, printed: Printed) -> None:
    metrics = ("longbench_f1@strict", "longbench_f1@official")
    rows = [
        sample("qasper", "natural", 0, metrics, ["yes"], suite="longbench"),
        sample("qasper", "32k", 0, metrics, ["yes"], suite="longbench", variant="distractor_documents"),
        sample("hotpotqa", "32k", 0, metrics, ["Rome"], suite="longbench", variant="other"),
        sample("musique", "32k", 0, metrics, ["Rome"], suite="longbench", variant="other", split="train"),
    ]
    release = Release(tmp_path, rows)
    release.manifest()
    facts = json.loads((release.folder / "manifest.json").read_text())
    facts["unavailable"] = {"longbench": {"samsum": "source samsum: HTTP 403"}}
    (release.folder / "manifest.json").write_text(json.dumps(facts))
    release.show(release.right(), aggregate="longbench")
    assert printed.lines[1:3] == ["Single-document QA 4 100.0 (1/4) 100.0 (1/4)", "Multi-document QA 4 - -"]
    assert "missing at 32k: hotpotqa longbench_f1@strict (only as variant other)" in printed.lines
    assert "missing at natural: hotpotqa longbench_f1@strict (not in this release)" in printed.lines
    assert "missing at natural, 32k: musique longbench_f1@strict (not in this release)" in printed.lines
    assert "missing at natural, 32k: samsum longbench_rouge_l@strict (source samsum: HTTP 403)" in printed.lines


def test_a_published_table_names_the_release_and_what_is_not_the_published_data(
    tmp_path: Path, printed: Printed
) -> None:
    asked, label = ("subem@strict", "subem@official"), ("label@strict", "label@official")
    rows = [
        sample("kilt_nq", "4k", 0, asked, ["Ada"], suite="helmet", sources=["wiki", "kilt"]),
        sample("kilt_hotpotqa", "4k", 0, asked, ["Ada"], suite="helmet", sources=["made", "kilt"]),
        sample("icl_nlu", "4k", 0, label, ["5"], suite="helmet", sources=["said"]),
        sample("icl_nlu", "4k", 1, label, ["5"], suite="helmet", sources=["made"], split="train"),
        sample("icl_banking77", "4k", 1, label, ["5"], suite="helmet", sources=["made"]),
        sample("json_kv", "4k", 0, KV, [VALUE]),
    ]
    release = Release(tmp_path, rows)
    release.manifest(
        wiki={"source": "kilt_wikipedia", "title": "KILT"},
        kilt={"source": "kilt_tasks", "title": "KILT's tasks"},
        made={"source": "simulated_encyclopaedia", "title": "Encyclopaedia, simulated"},
        said={"source": "nlu_mirror", "title": "NLU, a fold of it"},
    )
    release.show(release.right(), aggregate="helmet")
    where = printed.lines.index("release small 1.2.3, simulated edition")
    assert printed.lines[where - 1].startswith("overall 25 ")
    assert printed.lines[where + 1 : where + 3] == [
        "not HELMET's data but made (Encyclopaedia, simulated): kilt_hotpotqa, icl_banking77",
        "not HELMET's data but said (NLU, a fold of it): icl_nlu",
    ]
    assert printed.lines[where + 3].startswith("missing at 4k: ")


# ---------------------------------------------------------------- a judge


def judged_rows() -> Iterable[Sample]:
    for group in range(4):
        metrics = ("f1@strict", "judge_qa@strict", "judge_qa@official")
        yield sample("narrativeqa", "8k", group, metrics, ["Ada"], suite="helmet")


def test_prompts_go_out_and_replies_come_in(tmp_path: Path, printed: Printed) -> None:
    release = Release(tmp_path, [*judged_rows(), *kv_rows()])
    outputs, asked = release.outputs(release.right()), tmp_path / "asked.jsonl"
    judge_prompts.write_judge_prompts(release.folder, outputs, asked)
    calls = [json.loads(line) for line in asked.read_text().splitlines()]
    assert [(call["id"], call["call"]) for call in calls] == [(row.id, "qa") for row in judged_rows()]
    assert all("- Ada\n" in call["prompt"] for call in calls)
    assert printed.said.pop().startswith(f"4 calls in {asked}. ")
    replies = tmp_path / "replies.jsonl"
    told_by = ['{"fluency": 1, "correctness": 3}', '{"fluency": 1, "correctness": 0}', "It is fine."]
    with replies.open("w") as file:
        for call, reply in zip(calls, told_by, strict=False):
            file.write(json.dumps({"id": call["id"], "call": call["call"], "reply": reply, "judge": "model-x"}) + "\n")
    wish = ScoringOptions(metric="judge_qa@strict", replies=replies)
    run.show(release.folder, release.outputs(release.right("narrativeqa")), wish)
    assert printed.lines[-1] == "narrativeqa judge_qa@strict by model-x 50.0 2"
    assert printed.said == [
        "judge_qa@strict: 1 of 4 rows (25.0%) have no score: a judge's reply that cannot be read",
        "judge_qa@strict: 1 of 4 rows (25.0%) have no score: no reply of a judge",
    ]


def test_tables_and_files_say_who_judged(tmp_path: Path, printed: Printed) -> None:
    """The table that stands beside files is made of the same rows: it used to name the stand-in whoever judged."""
    release, replies = Release(tmp_path, [*judged_rows(), *kv_rows()]), tmp_path / "replies.jsonl"
    outputs = tmp_path / "outputs.jsonl"
    release.outputs({row.id: "Ada" for row in judged_rows()})
    with replies.open("w") as file:
        for row in judged_rows():
            told = {"id": row.id, "call": "qa", "reply": '{"fluency": 1, "correctness": 3}', "judge": "model-x"}
            file.write(json.dumps(told) + "\n")
    files = {"json_file": tmp_path / "scores.json", "rows_file": tmp_path / "rows.jsonl"}
    run.show(release.folder, outputs, ScoringOptions(metric="judge_qa@strict", replies=replies, **files))
    assert "narrativeqa judge_qa@strict by model-x 100.0 4" in printed.lines
    for told in (json.loads(files["json_file"].read_text())["cells"], map(json.loads, files["rows_file"].open())):
        assert {each["judge"] for each in told if each["metric"].startswith("judge")} == {"model-x"}
    rows = list(map(json.loads, files["rows_file"].open()))
    assert {each["judge"] for each in rows if each["metric"] == "f1@strict"} <= {""}


# ---------------------------------------------------------------- Marathon


LETTERS = ("option@strict", "option@official", "option_json@strict")
OPTIONS = ["Ann", "Bo", "Cy", "Di"]


def marathon_rows(lengths: Iterable[str], tasks: Iterable[str], orders: int = 4) -> Iterable[Sample]:
    """Two questions a task and length, with their options in so many orders."""
    for length in lengths:
        for task in tasks:
            for group in range(2):
                for turn in range(orders):
                    choices = [*OPTIONS[-turn:], *OPTIONS[:-turn]] if turn else OPTIONS
                    letter = "ABCD"[choices.index("Bo")]
                    answers = [f'{{"option": "{letter}"}}', letter, f"{letter}. Bo"]
                    yield sample(
                        task, length, group, LETTERS, answers, suite="marathon", choices=choices, depth_index=turn,
                        variant=None if length == "natural" else "distractor_documents",
                    )  # fmt: skip


def test_means_questions_right_in_every_order_and_forms(tmp_path: Path, printed: Printed) -> None:
    release = Release(tmp_path, marathon_rows(["16k", "natural"], ["computation", "shortdep_qa"]))
    said = release.right()
    first = [row.id for row in release.samples if row.task == "computation" and row.length == "natural"]
    said[first[0]] = "no idea"  # one of eight rows: one of two questions is not right in all of its orders
    said[first[4]] = "B"  # of the second question, right at the first order
    said[first[5]] = '```json\n{"option": "C"}\n```'
    release.show(said, aggregate="marathon")
    lines = [line for line in printed.lines if line]
    assert lines[:8] == [
        "Marathon @strict of natural 16k",
        "Comprehension and reasoning 1 - -",
        "Multiple information retrieval 1 - -",
        "Timeline reorder 1 - -",
        "Computation 1 87.5 100.0",
        "Passage retrieval 1 - -",
        "Short-dependency QA 1 100.0 100.0",
        "overall 6 93.8 (2/6) 100.0 (2/6)",
    ]
    beside = lines.index("all rows of a question right of natural 16k")
    assert lines[beside : beside + 8] == [
        "all rows of a question right of natural 16k",
        "Comprehension and reasoning 1 - -",
        "Multiple information retrieval 1 - -",
        "Timeline reorder 1 - -",
        "Computation 1 50.0 100.0",
        "Passage retrieval 1 - -",
        "Short-dependency QA 1 100.0 100.0",
        "overall 6 75.0 (2/6) 100.0 (2/6)",
    ]
    assert lines[beside + 8 :] == [
        "percent of outputs natural 16k",
        "exactly the JSON object 81.2 100.0",
        "a JSON object tried 6.2 0.0",
        "plain text 12.5 0.0",
        "outputs 16 16",
    ]
    assert "missing at natural, 16k: passage_retrieval option@strict (not in this release)" in lines


# ---------------------------------------------------------------- mistakes


def test_wishes_that_cannot_be(tmp_path: Path) -> None:
    for wish, words in (
        (ScoringOptions(edition="oficial"), "--edition: unknown edition 'oficial'"),
        (ScoringOptions(by="depht"), "--by: unknown column 'depht'"),
        (ScoringOptions(metric="kv@strikt"), "unknown metric 'kv@strikt'. Next: did you mean 'kv@strict'?"),
        (ScoringOptions(aggregate="helmet", metric="f1@strict"), "--aggregate: a published table uses its own metrics"),
        (ScoringOptions(aggregate="ruller"), "did you mean 'ruler'?"),
    ):
        with pytest.raises(HaymakerError, match=re.escape(words)):
            run.show(tmp_path, tmp_path / "none", wish)


def test_scores_as_data_are_those_of_the_table(tmp_path: Path) -> None:
    release = Release(tmp_path, kv_rows())
    right = release.right()
    scores = score(release.outputs(right), str(release.folder), by="variant")
    assert scores == score(right, release.folder, by="variant") and not scores.notes
    assert [(f.task, f.metric, f.by, f.length, f.mean) for f in scores.figures if f.length == "8k"] == [
        ("json_kv", KV[0], "", "8k", 100.0), ("json_kv", KV[0], "unanswerable", "8k", 100.0),
    ]  # fmt: skip
    assert sum(figure.rows for figure in scores.figures) == len(right)
    first = next(iter(right))
    scores = score({first: "wrong", "elsewhere": "x"}, release.folder)
    assert [(figure.mean, figure.groups, figure.rows, figure.error) for figure in scores.figures] == [(0.0, 1, 1, None)]
    assert [note.partition(" ")[0] for note in scores.notes] == ["1", "15"]


# ---------------------------------------------------------------- the command
