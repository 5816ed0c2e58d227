"""`haymaker ask` and servers that fail: what is tried again, what is given up, what stops all; and the key, which nobody gets to see."""

from __future__ import annotations

import re
import socket
from pathlib import Path
from typing import Any

import pytest

from haymaker.evaluation.models.options import NO_KEY
from tests.extras import needs
from tests.pipelines import tiny
from tests.pipelines.ask_server import MALFORMED, ModelServer
from tests.pipelines.test_ask import KEY, ask, folder, got, names, requests, served, server
from tests.scoring.test_scorecard import Release, judged_rows

__all__ = ["folder", "served", "server"]
pytestmark = needs("eval", "openai")


# ---------------------------------------------------------------- tried again


def test_temporary_failures_are_retried(folder: Path, server: ModelServer) -> None:
    prompts = [f"{word}*2 Which?" for word in ("429", "500", "503", "408", "409")]
    requests(folder, *prompts)
    assert ask(folder, server).returncode == 0
    assert server.asked == dict.fromkeys(prompts, 3)
    assert all(record["reply"].startswith("reply to") for record in got(folder))


@pytest.mark.parametrize("options", [(), ("--stream",)])
def test_an_answer_that_is_no_reply(folder: Path, server: ModelServer, options: tuple[str, ...]) -> None:
    """Asked again once: those that come once have a reply then, the others are given up; streams can also end early."""
    never = [f"{word} Where?" for word in (*MALFORMED, *(("breaks", "stops") if options else ()))]
    once = [f"{word}*1 Which?" for word in MALFORMED]
    requests(folder, *never, *once, "Whence?")
    done = ask(folder, server, "--retries", "1", "--concurrency", "40", *options)
    tiny.one_line(done, "got.jsonl", len(never), fix="same command")
    assert f"{len(once) + 1} of {len(never) + len(once) + 1} requests have a reply" in done.stderr
    assert [record["id"] for record in got(folder)] == [f"q{len(never) + i}" for i in range(len(once) + 1)]
    assert all(record["reply"].startswith("reply to ") for record in got(folder)), "never an empty one"
    assert {server.asked[prompt] for prompt in (*never, *once)} == {2}


def test_all_tries_count_together(folder: Path, server: ModelServer) -> None:
    """Refusals that the library tries again, and answers that are no replies, are not multiplied."""
    server.turns = ["503", "null", "503", "null", "503", "null"]
    requests(folder, "turns Which?")
    tiny.one_line(ask(folder, server, "--retries", "2"))
    assert server.asked == {"turns Which?": 3}


def test_nobody_there(folder: Path, server: ModelServer) -> None:
    with socket.socket() as held:  # a port where nobody listens
        held.bind(("127.0.0.1", 0))
        requests(folder, "Which?", "Where?")
        nobody = f"http://127.0.0.1:{held.getsockname()[1]}/v1"
        tiny.one_line(ask(folder, server, "--endpoint", nobody, "--retries", "0"), "got.jsonl", "2 x", "connection")
    assert names(folder) == ["asked.jsonl"], "no file of no replies"


# ---------------------------------------------------------------- given up, and all others go on


def test_the_line_says_how_many_and_why(folder: Path, server: ModelServer) -> None:
    requests(folder, "400 a", "Which?", "503 b", "422 c", "400 d", "Where?")
    done = ask(folder, server, "--retries", "0")
    tiny.one_line(done, "got.jsonl", 4, "2 x 400", "1 x 503", "1 x 422")
    assert server.asked["400 a"] == 1 and [record["id"] for record in got(folder)] == ["q1", "q5"]
    again = ask(folder, server, "--retries", "0")
    assert again.returncode == 2 and server.asked["Which?"] == 1 and server.asked["400 a"] == 2


@pytest.mark.parametrize(
    ("word", "why", "fix"),
    [("503", "503", "--concurrency"), ("error", "Upstream", "--concurrency"), ("html", "HTML", "--endpoint")],
)
def test_a_server_that_answers_nothing_of_use_is_left_alone(
    folder: Path, server: ModelServer, word: str, why: str, fix: str
) -> None:
    requests(folder, "echo Which?", *(f"{word} {i}" for i in range(60)))
    done = ask(folder, server, "--retries", "0", "--concurrency", "2")
    tiny.one_line(done, server.url, 20, "20 x", why, fix=fix)
    assert sum(server.asked.values()) <= 23
    journal = (folder / "got.jsonl.journal").read_bytes()
    assert b"Bearer [key] of" in journal and KEY.encode() not in journal, "what the server said back"


def test_no_key_is_named_where_a_server_wants_one(folder: Path, server: ModelServer) -> None:
    server.refusal = (401, {})
    requests(folder, "Which?")
    assert "export" not in tiny.one_line(ask(folder, server))
    tiny.one_line(ask(folder, server, HAYMAKER_API_KEY=None), server.url, fix="export HAYMAKER_API_KEY=")


# ---------------------------------------------------------------- what stops all


def test_what_holds_for_all_stops_at_once(folder: Path, server: ModelServer) -> None:
    requests(folder, *(f"Which {i}?" for i in range(50)))
    for status, fix in ((401, "HAYMAKER_API_KEY"), (402, ""), (403, ""), (404, "--model"), (307, "--endpoint")):
        server.refusal = (status, {"Location": "http://127.0.0.1:9/elsewhere"} if status == 307 else {})
        server.asked.clear()
        line = tiny.one_line(ask(folder, server, "--concurrency", "2"), server.url, status, fix=fix)
        assert "Next: " in line
        assert sum(server.asked.values()) == 1 and names(folder) == ["asked.jsonl"]


@pytest.mark.parametrize(
    ("error", "helps"),
    [
        ({"message": "Unsupported value: only 1 is supported.", "param": "temperature"}, "--temperature 1"),
        ({"message": "max_tokens is too large: 512. This model supports at most 256 completion tokens"}, "--max-tokens"),
        ({"message": "Unsupported parameter: 'stop' is not supported with this model."}, "`stop`"),
    ],
)  # fmt: skip
def test_a_refused_setting_stops_at_the_first_request(
    folder: Path, server: ModelServer, error: dict[str, Any], helps: str
) -> None:
    server.wrong = error
    requests(folder, *(f"Which {i}?" for i in range(6)))
    tiny.one_line(ask(folder, server, "--concurrency", "2"), server.url, 400, error["message"], fix=helps)
    assert names(folder) == ["asked.jsonl"] and sum(server.asked.values()) == 1
    assert ask(folder, server, "--temperature", "1").returncode == 0 and len(got(folder)) == 6


def test_bad_requests_and_prompts_that_are_too_long_stop_nothing(folder: Path, server: ModelServer) -> None:
    requests(folder, *(f"400 {i}" for i in range(50)), "Which?")
    tiny.one_line(ask(folder, server, "--concurrency", "2"), "got.jsonl", 50)
    assert [record["id"] for record in got(folder)] == ["q50"]
    (folder / "got.jsonl").unlink()
    server.wrong = {"message": "'max_tokens' is too large: 512. This model's maximum context length is 4096 tokens"}
    requests(folder, *(f"Which {i}?" for i in range(5)))
    tiny.one_line(ask(folder, server), "got.jsonl", 5, "5 x 400")


# ---------------------------------------------------------------- the key


def bytes_below(root: Path) -> bytes:
    """All that stands below a folder, names too."""
    files = [path for path in root.rglob("*") if path.is_file()]
    return b"\n".join(str(path).encode() + path.read_bytes() for path in files)


def test_the_key_is_nowhere(folder: Path, server: ModelServer) -> None:
    """In a process of its own, since the library reads OPENAI_LOG when it is imported."""
    requests(folder, "echo Which?", "400 x", "503 y", "null z")
    command = ("ask", "asked.jsonl", "--out", "got.jsonl", "--model", "m", "--retries", "0")
    done = tiny.haymaker(
        folder, *command, HAYMAKER_ENDPOINT=server.url, HAYMAKER_API_KEY=KEY, OPENAI_LOG="debug", HOME=str(folder),
        PYTHONDEVMODE="1",
    )  # fmt: skip
    assert KEY not in done.stdout + done.stderr and "Traceback" not in done.stderr
    assert server.keys == {KEY} and KEY.encode() not in bytes_below(folder)
    assert "Bearer [key] of" in done.stderr and "Bearer [key] of" in got(folder)[0]["reply"], "the server said it back"


def test_a_key_at_the_seam_is_not_cut_in_half(folder: Path, server: ModelServer) -> None:
    """What a server says is shortened; the key is taken out before, or half of it would be shown."""
    server.refusal = (401, {})
    requests(folder, "Which?")
    for length in range(70, 190, 20):
        server.noise = "x" * length
        line = tiny.one_line(ask(folder, server))
        assert KEY[:4] not in line and "xxxx" in line


def test_a_key_that_is_none_is_not_shown(folder: Path, server: ModelServer) -> None:
    requests(folder, "Which?")
    for value in ("sk-\u00e9-0123456789", "sk 0123456789", 'sk-"0123456789', "sk\\0123456789", "sk-012\n3456789"):
        line = tiny.one_line(ask(folder, server, HAYMAKER_API_KEY=value), "HAYMAKER_API_KEY")
        assert not server.asked and value.split()[0] not in line and not re.search(r"0123|\d{4}", line)


def test_servers_of_ones_own_need_none(folder: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "other-0123456789")  # of another provider
    requests(folder, "Which?")
    assert ask(folder, server, HAYMAKER_API_KEY=None).returncode == 0
    assert server.keys == {NO_KEY}


# ---------------------------------------------------------------- a judge, from prompts to scores


def test_a_judge_from_prompts_to_scores_without_a_network(folder: Path, server: ModelServer) -> None:
    release = Release(folder, judged_rows())
    said = ["Ada", "Ada, I think", "Ben", "Ben, I think"]
    outputs = release.outputs({row.id: text for row, text in zip(release.samples, said, strict=True)})
    server.judge = lambda prompt: f'So: {{"fluency": 1, "correctness": {0 if "Ben" in prompt else 3}}}'
    told = tiny.called(folder, "score", str(outputs), "--release", "tiny", "--judge-prompts", "asked.jsonl")
    assert told.returncode == 0 and "haymaker ask asked.jsonl --out REPLIES --model NAME" in told.stderr
    assert ask(folder, server).returncode == 0 and len(server.bodies) == 4
    scores = ("score", str(outputs), "--release", "tiny", "--metric", "judge_qa@strict", "--replies", "got.jsonl")
    first, second = (tiny.called(folder, *scores) for _ in range(2))
    assert first.returncode == 0 and first.stdout == second.stdout
    assert "judge_qa@strict by m1" in first.stdout and "50.0" in first.stdout
    assert len(server.bodies) == 4, "scores ask nobody"
