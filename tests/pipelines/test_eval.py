"""`haymaker eval` against a real server on the loopback: rows of a release, from the command to a score."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import JSONResponse, Response

from haymaker.core.rows.schema import Sample
from haymaker.evaluation.models import plan
from haymaker.evaluation.models.options import RequestOptions
from tests.extras import needs
from tests.pipelines import tiny
from tests.pipelines.ask_server import UNFINISHED, WAIT_MS, ModelServer, _cut_body, completion
from tests.pipelines.test_ask import got, lines_of, served, server, until
from tests.scoring.test_scorecard import Release, sample

__all__ = ["served", "server"]
pytestmark = needs("eval", "openai")
ANSWER = "\nAnswer:"


def row(number: int, length: str = "4k", **more: Any) -> Sample:
    text = f"Story of house {number % 3}. " * 60 + f"Which of {number}?"
    found = sample("niah_single_1", length, number, ("ruler_all@strict",), [str(number)], **more)
    return replace(
        found, prompt=(text + ANSWER).encode(), answer_prefix_start=len(text), system="Be brief.", stop=["\n"]
    )


@pytest.fixture
def release(tmp_path: Path) -> Release:
    return Release(tmp_path, (row(number) for number in range(24)))


def command(server: ModelServer, *options: str) -> tuple[str, ...]:
    return ("eval", "--release", "tiny", "--out", "got.jsonl", "--model", "m", "--endpoint", server.url, *options)


def answer(prompt: str) -> str:
    return prompt.rpartition("Which of ")[2].partition("?")[0]


def test_from_rows_to_a_score(tmp_path: Path, release: Release, server: ModelServer) -> None:
    server.judge = answer
    done = tiny.called(tmp_path, *command(server, "--thinking-tokens", "100", "--price-in", "1", "--price-out", "2"))
    assert done.returncode == 0 and "cost: about 0.0" in done.stdout, "said before it is spent"
    assert [record["id"] for record in got(tmp_path)] == [row.id for row in release.samples]
    body = server.bodies[0]
    assert body["messages"][0] == {"role": "system", "content": "Be brief."} and body["max_tokens"] == 108
    assert body["messages"][1]["content"].endswith("?") and "stop" not in body, "a chat model gets no cue"
    scored = tiny.called(tmp_path, "score", "got.jsonl", "--release", "tiny")
    assert scored.returncode == 0 and "100.0" in scored.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "got.jsonl"]


def test_a_base_model_continues_the_whole_prompt(tmp_path: Path, release: Release, server: ModelServer) -> None:
    assert tiny.called(tmp_path, *command(server, "--prompting", "base")).returncode == 0
    whole = (tmp_path / "got.jsonl").read_bytes()
    (tmp_path / "got.jsonl").unlink()
    assert tiny.called(tmp_path, *command(server, "--prompting", "base", "--stream")).returncode == 0
    assert (tmp_path / "got.jsonl").read_bytes() == whole and server.bodies[-1]["stream"] is True
    assert all(body["prompt"].endswith(ANSWER) and body["stop"] == ["\n"] for body in server.bodies)
    assert len(got(tmp_path)) == 24 and "messages" not in server.bodies[0]


def test_every_row_is_answered_once_by_a_bad_server(tmp_path: Path, release: Release, server: ModelServer) -> None:
    tries: Counter[str] = Counter()

    async def misfortune(prompt: str) -> Response | None:
        tries[prompt] += 1
        kind, first = int(answer(prompt)) % 4, tries[prompt] == 1
        if kind == 3 and first:
            await asyncio.sleep(5)  # longer than the time-out
        if kind == 0 and first:
            return _cut_body()
        return JSONResponse({}, (429, 500)[kind - 1], WAIT_MS) if kind in (1, 2) and first else None

    server.misfortune, server.judge = misfortune, answer
    done = tiny.called(tmp_path, *command(server, "--timeout", "0.5", "--concurrency", "24"))
    assert done.returncode == 0 and set(tries.values()) == {2}
    assert [record["reply"] for record in got(tmp_path)] == [str(number) for number in range(24)]


def test_killed_and_resumed(tmp_path: Path, release: Release, server: ModelServer) -> None:
    asked: Counter[str] = Counter()
    free = asyncio.Event()

    async def misfortune(prompt: str) -> Response | None:
        if len(asked) >= 9:
            await free.wait()
        asked[prompt] += 1
        return None

    server.misfortune, server.judge = misfortune, answer
    program = [sys.executable, "-m", "haymaker.cli.main", *command(server, "--concurrency", "2")]
    process = subprocess.Popen(program, cwd=tmp_path, env=tiny.environment(), stdout=subprocess.DEVNULL)
    journal = tmp_path / "got.jsonl.journal"
    until(lambda: lines_of(journal) == 9)
    process.send_signal(signal.SIGKILL)
    process.wait()
    with journal.open("ab") as file:  # as if the kill had come in the middle of a line
        file.write(b'{"reply": "half of a re')
    first = set(asked)
    server.misfortune = None
    before = Counter(server.asked)
    assert tiny.called(tmp_path, *command(server)).returncode == 0
    assert len(got(tmp_path)) == 24 and len(first) == 9
    assert all(server.asked[prompt] == before[prompt] for prompt in first), "what was answered is not asked again"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "got.jsonl"]
    resumed = (tmp_path / "got.jsonl").read_bytes()
    (tmp_path / "got.jsonl").unlink()
    assert tiny.called(tmp_path, *command(server)).returncode == 0
    assert (tmp_path / "got.jsonl").read_bytes() == resumed, "the bytes of a run that nobody stopped"


def test_a_budget_stops_it(tmp_path: Path, release: Release, server: ModelServer) -> None:
    server.judge = answer
    prices = ("--price-in", "1000", "--price-out", "1000", "--concurrency", "3")  # a thousandth a token
    line = tiny.called(tmp_path, *command(server, *prices, "--budget", "3"))
    assert line.returncode == 2 and "--budget: the budget of 3" in line.stderr
    asked = sum(server.asked.values())
    assert 0 < asked < 24 and len(got(tmp_path)) == asked, "what was under way is kept"
    assert tiny.called(tmp_path, *command(server)).returncode == 0
    assert sum(server.asked.values()) == 24 and len(got(tmp_path)) == 24


@pytest.mark.parametrize("stream", [(), ("--stream",)])
def test_an_output_that_the_server_did_not_finish_is_none(
    tmp_path: Path, release: Release, server: ModelServer, stream: tuple[str, ...]
) -> None:
    bodies = list(UNFINISHED.values())

    async def dropped(prompt: str) -> Response:
        return JSONResponse(bodies[int(answer(prompt))])

    server.misfortune = dropped
    options = (*stream, "--limit", str(len(bodies)), "--retries", "1", "--concurrency", "8")
    tiny.one_line(tiny.called(tmp_path, *command(server, *options)), "got.jsonl", len(bodies))
    assert set(server.asked.values()) == {2} and not (tmp_path / "got.jsonl").exists()
    server.misfortune, server.judge = None, answer
    assert tiny.called(tmp_path, *command(server, *options)).returncode == 0
    assert [record["reply"] for record in got(tmp_path)] == [str(number) for number in range(len(bodies))]


def test_the_summary_counts_outputs_that_are_not_whole_answers(
    tmp_path: Path, release: Release, server: ModelServer
) -> None:
    said = [
        completion("0", "stop"),
        completion("", "stop"),
        completion("2", "length"),
        completion("<think>Is it 3?", "length"),
        completion("<think>Is it 4?</think>\n", "stop"),
        completion(None, "length", reasoning_content="Is it 5?"),
        completion(None, "stop", reasoning="Is it 6?"),
        completion([{"type": "thinking", "thinking": "Is it 7?"}], "stop"),
        completion("8 of", "content_filter"),
        completion("9", "stop", reasoning="It is 9."),
        completion("", "length"),
    ]

    async def one_of_them(prompt: str) -> Response:
        return JSONResponse(said[int(answer(prompt))])

    server.misfortune = one_of_them
    counts = "; content filter: 1; cut at max_tokens: 4; empty: 2; reasoning only: 5"
    done = tiny.called(tmp_path, *command(server, "--limit", "11"))
    assert done.returncode == 0 and f"got.jsonl, 0 from before{counts}; now " in done.stderr
    whole = (tmp_path / "got.jsonl").read_bytes()
    assert [record.get("reasoning_only", False) for record in got(tmp_path)] == [
        number in (5, 6, 7) for number in range(11)
    ]
    assert f"11 from before{counts}\n" in tiny.called(tmp_path, *command(server, "--limit", "11")).stderr
    (tmp_path / "got.jsonl").unlink()
    assert tiny.called(tmp_path, *command(server, "--limit", "11", "--stream")).returncode == 0
    assert (tmp_path / "got.jsonl").read_bytes() == whole


def test_batch_requests_are_what_eval_sends(tmp_path: Path, release: Release, server: ModelServer) -> None:
    server.judge = answer
    for prompting in ("chat", "base"):
        wish = ("--model", "m", "--release", "tiny", "--prompting", prompting)
        done = tiny.called(tmp_path, "export", "openai_jsonl", "--out", "batch.jsonl", *wish)
        assert done.returncode == 0 and "24 requests in batch.jsonl" in done.stderr
        lines = [json.loads(line) for line in (tmp_path / "batch.jsonl").read_text().splitlines()]
        assert [line["custom_id"] for line in lines] == [row.id for row in release.samples]
        server.bodies.clear()
        assert tiny.called(tmp_path, *command(server, "--prompting", prompting, "--concurrency", "1")).returncode == 0
        key = json.dumps
        assert sorted(key(line["body"], sort_keys=True) for line in lines) == sorted(
            key(body | {"temperature": 0}, sort_keys=True) for body in server.bodies
        )


def test_a_second_run_touches_nothing_of_the_first(
    tmp_path: Path, release: Release, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before, a run that began while the first one printed its plan replaced the requests of the first one."""
    show, others = plan.show, []

    def meanwhile(options: RequestOptions) -> None:
        show(options)
        others.append(tiny.called(tmp_path, *command(server, "--limit", "1", "--prompting", "base")))

    monkeypatch.setattr(plan, "show", meanwhile)
    assert tiny.called(tmp_path, *command(server)).returncode == 0
    tiny.one_line(others[0], "got.jsonl.journal", "another haymaker ask or eval")
    assert [record["id"] for record in got(tmp_path)] == [row.id for row in release.samples]
    assert all("messages" in body for body in server.bodies)
