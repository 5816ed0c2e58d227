"""`haymaker ask` against a real server on the loopback: what is sent, what is kept, what is written."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.responses import JSONResponse, Response

from haymaker.core.rows.model_requests import Request, read_replies
from haymaker.evaluation.models.journal import Reply, journal_of, locked_replies
from haymaker.evaluation.models.options import RequestOptions
from tests.errors import refused_line
from tests.extras import needs
from tests.pipelines import tiny
from tests.pipelines.ask_server import ModelServer, completion

KEY = "sk-loopback-0123456789"
pytestmark = needs("eval", "openai")


@pytest.fixture(scope="module")
def served() -> Iterator[ModelServer]:
    with ModelServer().serving() as server:
        yield server


@pytest.fixture
def server(served: ModelServer) -> ModelServer:
    """A server without earlier requests."""
    served.begin_anew()
    return served


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def requests(folder: Path, *prompts: str, **more: Any) -> None:
    """One request per prompt, ids q0, q1, ..."""
    lines = [{"id": f"q{i}", "call": "qa", "prompt": prompt, **more} for i, prompt in enumerate(prompts)]
    (folder / "asked.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def ask(folder: Path, server: ModelServer, *options: str, **more: str | None) -> subprocess.CompletedProcess[str]:
    """The command, in this process."""
    command = ("ask", "asked.jsonl", "--out", "got.jsonl", "--model", "m1", "--retries", "2", *options)
    return tiny.called(folder, *command, **{"HAYMAKER_ENDPOINT": server.url, "HAYMAKER_API_KEY": KEY} | more)


def got(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "got.jsonl").read_text().split("\n") if line]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def until(what: Callable[[], bool]) -> None:
    for _ in range(2000):
        if what():
            return
        time.sleep(0.01)
    raise AssertionError("never came")


def lines_of(file: Path) -> int:
    return file.read_bytes().count(b"\n") if file.exists() else 0


# ---------------------------------------------------------------- what is sent and written


def test_a_reply_for_every_request(folder: Path, server: ModelServer) -> None:
    requests(folder, "Which?", "long Which?", "Where?")
    done = ask(folder, server, "--system", "Be short.")
    assert (done.returncode, done.stdout) == (0, "")
    assert "3 of 3 requests have a reply in got.jsonl, 0 from before; cut at max_tokens: 1; now 4 prompt" in done.stderr
    assert "asking: 3 of 3 requests in " in done.stderr
    first, second, third = got(folder)
    assert list(first) == ["id", "call", "reply", "judge", "request", "finish", "prompt_tokens", "reply_tokens"]
    assert (first["id"], first["call"], first["judge"], first["finish"]) == ("q0", "qa", "m1", "stop")
    assert (first["prompt_tokens"], second["prompt_tokens"], third["reply_tokens"]) == (1, 2, 7)
    assert second["finish"] == "length" and first["reply"].endswith("\u00e9\u2028 {}")
    assert len({line["request"] for line in got(folder)}) == 3
    body = next(body for body in server.bodies if body["messages"][1]["content"] == "Which?")
    assert body == {
        "model": "m1",
        "messages": [{"role": "system", "content": "Be short."}, {"role": "user", "content": "Which?"}],
        "temperature": 0.0,
        "max_tokens": 512,
    }
    assert server.keys == {KEY} and names(folder) == ["asked.jsonl", "got.jsonl"]


def test_max_tokens_of_the_request_under_its_newer_name(folder: Path, server: ModelServer) -> None:
    server.newer = True
    requests(folder, *(f"Which {i}?" for i in range(20)), max_tokens=9)
    assert ask(folder, server, "--concurrency", "8").returncode == 0
    assert len(got(folder)) == 20 and set(server.asked.values()) <= {1, 2}
    assert 1 <= sum(server.asked.values()) - 20 <= 8, "those of the first round alone were asked again"
    assert server.bodies[-1]["max_completion_tokens"] == 9


@pytest.mark.parametrize("options", [[], ["--stream"]])
def test_finish_reasons_and_texts_of_several_servers(folder: Path, server: ModelServer, options: list[str]) -> None:
    kept = {
        "stop": "stop", "eos_token": "stop", "END_TURN": "stop", "max_tokens": "length", "model_length": "length",
        "content_filter": "content_filter",
    }  # fmt: skip

    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "The kitchen?"}]}
    parts = [thinking, {"type": "text", "text": "The "}, "garden", {"type": "reasoning", "text": "Yes."}, {"text": "."}]

    async def in_parts(prompt: str) -> Response:
        return JSONResponse(completion(parts, prompt, prompt))

    server.misfortune = in_parts
    requests(folder, *kept)
    done = ask(folder, server, *options)
    assert done.returncode == 0
    assert [(record["reply"], record["finish"]) for record in got(folder)] == [
        ("The garden.", finish) for finish in kept.values()
    ]
    assert "0 from before; content filter: 1; cut at max_tokens: 2; now " in done.stderr


def test_a_whole_reply_may_come_without_a_finish_reason(folder: Path, server: ModelServer) -> None:
    server.finish = None
    requests(folder, "Where?")
    refused = ask(folder, server, "--stream", "--retries", "0")
    assert "the stream ended before the reply did" in tiny.one_line(refused)
    assert ask(folder, server).returncode == 0
    assert got(folder)[0]["reply"].startswith("reply to") and "finish" not in got(folder)[0]


def test_the_same_bytes_whatever_came_first(folder: Path, server: ModelServer) -> None:
    """One request at a time and several: as many as the option says and no more; equal prompts are sent once."""
    server.delay_s = 0.01
    prompts = [f"{'x' * (i % 17 * 7 % 11)} Which {i % 17}?" for i in range(40)]
    requests(folder, *prompts)
    written = []
    for concurrency in (1, 5):
        server.asked.clear()
        assert ask(folder, server, "--concurrency", str(concurrency)).returncode == 0
        assert server.most_at_once == concurrency and set(server.asked.values()) == {1}
        assert [line["id"] for line in got(folder)] == [f"q{i}" for i in range(40)]
        written.append((folder / "got.jsonl").read_bytes())
        (folder / "got.jsonl").unlink()
    assert written[0] == written[1] and len(server.asked) == len(set(prompts)) < 40


# ---------------------------------------------------------------- what is not asked again


def test_what_has_a_reply_is_not_asked_again(folder: Path, server: ModelServer) -> None:
    requests(folder, "Which?", "Where?", "Which?")
    assert ask(folder, server, "--limit", "1").returncode == 0
    assert [line["id"] for line in got(folder)] == ["q0", "q2"] and server.asked == {"Which?": 1}
    assert ask(folder, server).returncode == 0
    before = (folder / "got.jsonl").read_bytes()
    assert got(folder)[0]["reply"] == got(folder)[2]["reply"] and server.asked == {"Which?": 1, "Where?": 1}
    done = ask(folder, server, HAYMAKER_ENDPOINT="http://127.0.0.1:9/v1")
    assert done.returncode == 0 and "3 of 3 requests have a reply in got.jsonl, 3 from before\n" in done.stderr
    assert ask(folder, server, "--limit", "1").returncode == 0
    assert (folder / "got.jsonl").read_bytes() == before and sum(server.asked.values()) == 2
    requests(folder, "Which?", "Whence?")
    assert ask(folder, server).returncode == 0
    assert server.asked == {"Which?": 1, "Where?": 1, "Whence?": 1}
    assert [line["id"] for line in got(folder)] == ["q0", "q1"]
    assert (folder / "got.jsonl.before").read_bytes() == before, "nothing that was paid for is lost"


def test_another_question_is_asked_anew_and_earlier_replies_are_kept(folder: Path, server: ModelServer) -> None:
    """Also those that do not say what they reply to."""
    requests(folder, "Which?")
    (folder / "got.jsonl").write_text('{"id": "q0", "call": "qa", "reply": "mine"}\n')
    kept = []
    for options in ([], ["--model", "m2"], ["--system", "Be."], ["--max-tokens", "9"], ["--temperature", "1"]):
        kept.append((folder / "got.jsonl").read_bytes())
        done = ask(folder, server, *options)
        assert "1 replies are to other prompts" in done.stderr and "got.jsonl.before" in done.stderr
    assert server.asked == {"Which?": 5} and (folder / "got.jsonl").read_bytes() not in kept
    assert [(body["max_tokens"], body["temperature"]) for body in server.bodies[-2:]] == [(9, 0.0), (512, 1.0)]
    files = ["got.jsonl.before", *(f"got.jsonl.before-{number}" for number in (2, 3, 4, 5))]
    assert [(folder / name).read_bytes() for name in files] == kept and len(set(kept)) == 5


def test_ctrl_c_keeps_what_is_finished(folder: Path, server: ModelServer) -> None:
    """Until it is stopped, a second one on the same file is refused."""
    requests(folder, "Which?", "held 1", "Where?", "held 2")
    server.held.clear()
    program = [sys.executable, "-m", "haymaker.cli.main", "ask", "asked.jsonl", "--out", "got.jsonl", "--model", "m1"]
    environment = tiny.environment(HAYMAKER_ENDPOINT=server.url, HAYMAKER_API_KEY=KEY)
    going = subprocess.Popen(
        [*program, "--concurrency", "3"], cwd=folder, env=environment, stderr=subprocess.PIPE, text=True
    )
    until(lambda: lines_of(folder / "got.jsonl.journal") == 2 and server.at_once == 2)
    tiny.one_line(ask(folder, server), "got.jsonl.journal", fix="stop it")
    going.send_signal(signal.SIGINT)
    _, printed = going.communicate(timeout=60)
    assert going.returncode == 128 + signal.SIGINT and printed.count("\n") == 1
    refused_line(printed, "got.jsonl", "stopped", fix="same command")
    server.held.set()
    assert ask(folder, server).returncode == 0 and len(got(folder)) == 4
    assert server.asked == {"Which?": 1, "Where?": 1, "held 1": 2, "held 2": 2}


def test_replies_after_spoiled_and_cut_lines_survive_the_next_kill(folder: Path) -> None:
    out, identities = folder / "got.jsonl", [f"{number:032x}" for number in range(3)]
    journal_of(out).write_bytes(b'{"request": 7}\n\xff\xfe\n[]\n{"reply": "x", "request": "zz"}\n{"re')
    for identity in identities:
        with locked_replies(out) as replies:
            replies.add(Reply("yes").record("m", identity))
        with journal_of(out).open("ab") as file:  # killed in the middle of the next
            file.write(b'{"reply": "half of')
    with locked_replies(out) as replies:
        replies.write((0, identity, Request(identity, "qa", "")) for identity in identities)
    assert [(record["request"], record["reply"]) for record in got(folder)] == [(name, "yes") for name in identities]


# ---------------------------------------------------------------- what is refused


def test_files_that_are_refused_before_anything_is_sent(folder: Path, server: ModelServer) -> None:
    good = '{"id": "a", "call": "qa", "prompt": "x"}\n'
    for text, where, value in [
        ("", "asked.jsonl", "empty"),
        (good + "{\n", "asked.jsonl:2", "JSON"),
        (good + '{"id": "b", "call": "qa", "prompt": null}\n', "asked.jsonl:2", "prompt is null"),
        (good.replace("}", ', "max_tokens": 0}'), "asked.jsonl:1", "max_tokens is 0"),
    ]:
        (folder / "asked.jsonl").write_text(text)
        tiny.one_line(ask(folder, server), where, value)
    (folder / "asked.jsonl").unlink()
    tiny.one_line(ask(folder, server), "asked.jsonl", "No such file")
    (folder / "asked.jsonl").write_text(good)
    for foreign, where in [("a letter to a friend\n", "got.jsonl:1"), ('{"id": "a", "output": "b"}\n', "got.jsonl:1")]:
        (folder / "got.jsonl").write_text(foreign)
        tiny.one_line(ask(folder, server), where)
        assert (folder / "got.jsonl").read_text() == foreign, "files of others are not replaced"
    tiny.one_line(ask(folder, server, "--out", "asked.jsonl"), "--out")
    assert not server.asked and names(folder) == ["asked.jsonl", "got.jsonl"]


# ---------------------------------------------------------------- the plan


def test_a_plan_sends_nothing(folder: Path, server: ModelServer) -> None:
    requests(folder, "Which?", "Where?", "Which?")
    ask(folder, server, "--limit", "1")
    requests(folder, "Which?", "Where?", "Which?", "Where?", "Whence? " * 44, max_tokens=512)
    done = ask(folder, server, "--dry-run", "--price-in", "1000000", "--price-out", "0")
    assert done.returncode == 0 and sum(server.asked.values()) == 1
    first, equal, tokens, most, cost, _ = done.stdout.splitlines()
    assert first.rstrip() == "requests 5: 2 have replies, 2 to send to m1" and equal.rstrip().endswith(": 1")
    count = int(re.findall(r"about ([\d,]+) ", tokens)[0].replace(",", ""))
    assert 80 < count < 250 and most.rstrip() == "reply tokens: at most 1,024"
    assert cost.startswith(f"cost: about {count:,}.00")
    assert names(folder) == ["asked.jsonl", "got.jsonl"], "nor does it write"


# ---------------------------------------------------------------- identity


@given(st.text(), st.text(), st.integers(1, 9), st.text(), st.text(), st.integers(1, 9))
def test_identities_are_equal_where_all_that_is_sent_is(p1: str, s1: str, n1: int, p2: str, s2: str, n2: int) -> None:
    here = Path("x")
    one, other = (RequestOptions(here, here, "", "m", system=system) for system in (s1, s2))
    first, second = Request("a", "b", p1, n1), Request("c", "d", p2, n2)
    equal = one.identity(first) == other.identity(second)
    assert equal == ((p1, s1, n1) == (p2, s2, n2))
    assert one.identity(first) == one.identity(first._replace(id="z", call="y")), "who asks does not matter"


def test_half_a_pair_is_a_question_mark_on_both_ways(folder: Path, server: ModelServer) -> None:
    (folder / "asked.jsonl").write_text('{"id": "a", "call": "qa", "prompt": "Which \\ud83d?"}\n')
    assert ask(folder, server).returncode == 0
    assert server.asked == {"Which ??": 1} and read_replies(folder / "got.jsonl").name == "m1"
