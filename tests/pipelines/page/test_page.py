"""The page of `haymaker report` without a browser: same bytes, its size, its figures, what it refuses, texts that would break it."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from haymaker.core.errors import ParamsError, ReleaseError
from haymaker.core.rows.schema import Span
from haymaker.evaluation.report import page as page_of
from haymaker.evaluation.report.model_scores import Options
from haymaker.evaluation.report.overview import depth_map
from haymaker.evaluation.report.page import write_report
from haymaker.evaluation.score import run
from haymaker.evaluation.score.files import read_scores
from haymaker.evaluation.score.options import ScoringOptions
from haymaker.evaluation.score.overall import summary
from haymaker.evaluation.score.row_scores import RowScore, row_score
from tests.pipelines import tiny
from tests.pipelines.page.faulty import HOSTILE
from tests.scoring.test_scorecard import KV, VALUE, Release, sample


def write(release: Path, *outputs: Path, to: Path, rows: int = 1000, **options: Any) -> str:
    write_report(release, outputs, to, max_rows=rows, share=0.85, options=Options(**options))
    return to.read_text(encoding="utf-8")


def data(page: str) -> dict[str, Any]:
    """What the script of the page reads."""
    found = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    return dict(json.loads(*found))


def section(page: str, name: str) -> str:
    """The part of a page with this id."""
    return page.partition(f'<section id="{name}"')[2].partition("</section>")[0]


def words(html: str) -> str:
    """The text of a part of a page."""
    return " ".join(re.sub("<[^>]*>", " ", html).split())


def cells(html: str) -> list[str]:
    """The text of every cell of the tables of a part of a page."""
    return [unescape(words(cell)) for cell in re.findall(r"<t[dh]\b[^>]*>(.*?)</t[dh]>", html, re.DOTALL)]


def test_the_same_inputs_make_the_same_bytes(release: Path, outputs: list[Path], page: Path, tmp_path: Path) -> None:
    assert write(release, *outputs, to=tmp_path / "other.html").encode() == page.read_bytes()


def test_its_figures_are_those_of_score(release: Path, outputs: list[Path], page: Path, tmp_path: Path) -> None:
    text = page.read_text(encoding="utf-8")
    shown, overview = set(cells(text)), words(section(text, "overview"))

    def bounds(low: float | None, high: float | None) -> str:
        return "" if low is None or high is None else f"{100 * low:.1f}–{100 * high:.1f}"

    for path in outputs:
        options = ScoringOptions(json_file=tmp_path / "scores.json", rows_file=tmp_path / "rows.jsonl")
        run.show(release, path, options)
        for cell in json.loads((tmp_path / "scores.json").read_text())["cells"]:
            between = bounds(cell["low"], cell["high"])
            said = f"{100 * cell['mean']:.1f} {between + ', ' if between else ''}n {cell['rows']}"
            assert not cell["primary"] or any(said in each for each in shown), said
        found = summary(row for row in read_scores(tmp_path / "rows.jsonl").rows if row.primary)
        assert found
        of = found.overall
        assert f"{path.stem} {100 * of.mean:.1f} {bounds(of.low, of.high)} {of.questions}" in overview
        for suite, mean in found.suites.items():
            assert f'title="{suite}: {100 * mean.mean:.1f}, {mean.rows} rows' in text


def test_every_character_of_a_prompt_is_there_or_counted(release: Path, page: Path) -> None:
    prompts = {row["id"]: row["prompt"] for row in page_of.viewer.rows_of(release, lambda _: ("prompt",))}
    rows = data(page.read_text(encoding="utf-8"))["rows"]
    assert len(rows) > 50
    for row in rows:
        at = 0
        for piece in row["p"]:
            text = piece[0] if isinstance(piece, list) else piece
            at += text if isinstance(text, int) else len(text)
            assert isinstance(text, int) or prompts[row["i"]][at - len(text) : at] == text
        assert at == len(prompts[row["i"]])


def large(root: Path, rows: int, outputs: int) -> tuple[Release, list[Path]]:
    """A release of prompts of 30,000 characters, and models whose every output is cut at any width."""
    spans = [Span(20_000, 20_040, "gold", "pair"), *(Span(800 * n, 800 * n + 30, "decoy") for n in range(1, 25))]
    samples = [sample("json_kv", "16k", n, KV, [VALUE], depth=0.5) for n in range(rows)]
    for row in samples:
        row.prompt, row.spans = ("<é>" * 10_000).encode(), spans
    release = Release(root, samples)
    files = [root / f"model-{n}.jsonl" for n in range(outputs)]
    for path in files:
        path.write_text("".join(json.dumps({"id": row.id, "output": "no\n" * 500}) + "\n" for row in samples))
    return release, files


def test_a_page_stays_below_its_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release, files = large(tmp_path, 60, 2)
    monkeypatch.setattr(page_of, "MOST_BYTES", 200_000)
    page = write(release.folder, *files, to=tmp_path / "page.html")
    assert len(page.encode()) <= 200_000 and 10 < len(data(page)["rows"]) < 60
    monkeypatch.setattr(page_of, "MOST_BYTES", 10_000)
    with pytest.raises(ParamsError, match=r"the tables of all models take .* Next: give fewer files of outputs"):
        write(release.folder, *files, to=tmp_path / "none.html")
    assert not (tmp_path / "none.html").exists()


def test_a_depth_map_gives_each_task_the_same_weight() -> None:
    metric = cast(Any, SimpleNamespace(id="m@strict", version=1, judged_by=""))
    row = {"suite": "s", "length": "4k", "split": "test", "variant": "", "metrics": ["m@strict"]}

    def score(task: str, number: int, depth: float, score: float) -> RowScore:
        named = {"id": f"{task}{number}", "group_id": str(number), "task": task, "depth": depth}
        return row_score(row | named, metric, score, "", "")

    many = [score("many", n, 0.1, 1.0) for n in range(9)]
    found = depth_map([*many, score("one", 0, 0.1, 0.0), score("one", 1, 0.9, 1.0)])
    assert found and (found.tasks, found.rows) == (2, 11)
    assert found.cells["0.0-0.2", "4k"].mean == 0.5 and found.cells["0.8-1.0", "4k"].mean == 1.0


def priced(page: str) -> list[list[str]]:
    """Lines of the tables of tokens and cost."""
    return [cells(line) for line in re.findall(r"<tr>(?!<th scope=\"col\").*?</tr>", section(page, "cost"), re.DOTALL)]


def test_the_cost_of_a_model_of_each_task_and_of_a_right_answer(tmp_path: Path) -> None:
    rows = [sample(task, "4k", n, KV, [VALUE]) for task in ("json_kv", "kv_far") for n in range(4)]
    release, files = Release(tmp_path, rows), []
    for name, right in (("small", 2), ("large", 4)):
        files.append(tmp_path / f"{name}.jsonl")
        with files[-1].open("w") as file:
            for row in rows:
                said = VALUE if row.task == "json_kv" and int(row.group_id.split("-")[1]) < right else "no"
                told = {"id": row.id, "call": "answer", "reply": said, "request": f"{name}{row.id}"}
                file.write(json.dumps(told | {"prompt_tokens": 500_000, "reply_tokens": 100_000}) + "\n")
    page = write(release.folder, *files, to=tmp_path / "page.html", price_in=[2.0], price_out=[0.0, 10.0])
    assert priced(page) == [
        ["all", "small", "8", "4,000,000", "800,000", "2", "8.00", "4.00"], ["large", "8", "4,000,000", "800,000", "4", "16.00", "4.00"],
        ["json_kv", "small", "4", "2,000,000", "400,000", "2", "4.00", "2.00"], ["large", "4", "2,000,000", "400,000", "4", "8.00", "2.00"],
        ["kv_far", "small", "4", "2,000,000", "400,000", "0", "4.00", "–"], ["large", "4", "2,000,000", "400,000", "0", "8.00", "–"],
    ]  # fmt: skip
    assert "reply tokens: small 2 and 0; large 2 and 10." in " ".join(page.split())


def judged(root: Path) -> tuple[Release, list[Path], list[Path]]:
    """A release whose first metric a judge decides, outputs of two models, and what the judge says of each."""
    rows = [sample("narrativeqa", "8k", n, ("judge_qa@strict",), ["Ada"], suite="helmet") for n in range(4)]
    files, replies = [root / "one.jsonl", root / "two.jsonl"], [root / "one-judged.jsonl", root / "two-judged.jsonl"]
    for path, said, points in zip(files, replies, (3, 0), strict=True):
        path.write_text("".join(json.dumps({"id": row.id, "output": "Ada"}) + "\n" for row in rows))
        reply = {"call": "qa", "judge": "model-x", "reply": json.dumps({"fluency": 1, "correctness": points})}
        said.write_text("".join(json.dumps({"id": row.id, **reply}) + "\n" for row in rows))
    return Release(root, rows), files, replies


def test_each_model_has_the_replies_that_are_about_its_outputs(tmp_path: Path) -> None:
    release, files, replies = judged(tmp_path)
    page = write(release.folder, *files, to=tmp_path / "page.html", replies=replies)
    shown = cells(section(page, "scores"))
    assert "narrativeqa judge_qa@strict by model-x" in shown
    assert [cell[:5] for cell in shown if cell.endswith("n 4")] == ["100.0", "0.0 0"]
    only = write(release.folder, *files, to=tmp_path / "page.html", replies=[replies[0], Path("-")])
    assert [cell[:8] for cell in cells(section(only, "scores"))[-3:]] == ["100.0 28", "two", "no score"]
    assert "two: 4 test rows have an output but no score" in words(section(only, "overview"))


def test_a_base_model_is_scored_with_the_cue(tmp_path: Path) -> None:
    row = sample("kilt_nq", "4k", 0, ("em@official",), ["Ada"], suite="helmet")
    row.prompt, row.answer_prefix_start = b"Which?\nAnswer:", 7
    release = Release(tmp_path, [row])
    outputs = release.outputs({row.id: " \nAda"})  # read with the cue, its first line says nothing
    for way, mean in (("chat", "100.0 n 1"), ("base", "0.0 n 1")):
        page = write(release.folder, outputs, to=tmp_path / "page.html", prompting=[way])
        assert mean in cells(page)


def test_hostile_texts_stay_text(tmp_path: Path) -> None:
    row = sample("json_kv", "4k", 0, KV, [HOSTILE])
    row.prompt, row.question = f"{HOSTILE} gold".encode(), HOSTILE
    row.spans = [Span(len(HOSTILE), len(HOSTILE) + 5, "gold", HOSTILE)]
    release = Release(tmp_path, [row, sample("</script>", "4k", 1, KV, [VALUE])])
    release.manifest()
    outputs = release.outputs({row.id: HOSTILE}).rename(tmp_path / "<img src=x>.jsonl")
    page = write(release.folder, outputs, to=tmp_path / "page.html")
    assert len(re.findall("</script", page, re.IGNORECASE)) == 2 and "<img" not in page and "{{" in page
    assert not re.search("[\x00-\x08\x0b-\x1f\u2028\u202e]", page)
    found = next(each for each in data(page)["rows"] if each["t"] == "json_kv")
    assert found["o"][0]["x"].startswith("</script><script>") and "<U+202E><U+0000>" in found["q"]


def test_the_page_may_fetch_nothing_and_run_only_its_script(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    policy = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)[0]
    assert "default-src 'none'" in policy and re.search(r"script-src 'sha256-[\w+/]{43}='", policy)
    assert re.findall(r'(?:src|href)="(?!#|data:,")[^"]*"', text) == [] and "@import" not in text and "url(" not in text


def test_what_cannot_be_is_said(release: Path, outputs: list[Path], tmp_path: Path) -> None:
    notes, to = tmp_path / "notes.html", tmp_path / "page.html"
    notes.write_text("my own notes")
    other = Release(tmp_path, [sample("json_kv", "4k", 0, KV, [VALUE])])
    run.show(other.folder, other.outputs(other.right()), ScoringOptions(rows_file=tmp_path / "rows.jsonl"))
    for files, place, share, options, says in (
        ([], to, 0.85, Options(missing="nought"), "'nought'"),
        ([tmp_path / "nothing.jsonl"], to, 0.85, Options(), "cannot be read"),
        ([tmp_path / "rows.jsonl"], to, 0.85, Options(), "the files belong to different releases"),
        ([], notes, 0.85, Options(), "is not a page of haymaker report and would be overwritten"),
    ):
        with pytest.raises((ParamsError, ReleaseError), match=says):
            write_report(release, files, place, max_rows=5, share=share, options=options)
    assert notes.read_text() == "my own notes" and not to.exists()


def test_the_command_writes_the_page_and_replaces_its_own(release: Path, outputs: list[Path], tmp_path: Path) -> None:
    for rows in ("5", "6"):
        options = ("-r", str(release), "--out", "page.html", "--max-rows", rows)
        done = tiny.called(tmp_path, "report", str(outputs[0]), *options)
        assert done.returncode == 0, done.stderr
        assert len(data((tmp_path / "page.html").read_text(encoding="utf-8"))["rows"]) == int(rows)
    assert tiny.leftovers(tmp_path) == []
    for old, new in (("--rows", "--max-rows"), ("--outputs", "report OUTPUTS")):
        assert new in tiny.one_line(tiny.called(tmp_path, "report", "a.jsonl", old, "5", "--out", "x.html"))
