"""Rows that are conversations on every way out of a release: requests, outputs, pages, checks; harnesses are in test_harness."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import haymaker
from haymaker.core.errors import ReleaseError
from haymaker.core.progress import SafeConsole
from haymaker.core.rows.chat_template import TEMPLATES, messages_in
from haymaker.core.rows.row_checks import Check
from haymaker.core.rows.schema import Sample, Span
from haymaker.evaluation.report.page import write_report
from haymaker.releases.display import show as shown
from pipelines.checks.row_checks import Findings, RowChecks
from tests.errors import refused
from tests.extras import needs
from tests.pipelines import tiny
from tests.pipelines.ask_server import ModelServer
from tests.pipelines.test_ask import ask, got, served, server
from tests.pipelines.test_eval import command
from tests.rows import conversation
from tests.scoring.test_scorecard import Release, sample

__all__ = ["served", "server"]
LAST = "Say the first number again."
"""The last message of every conversation: only earlier ones tell rows apart."""


def talk(number: int, **more: Any) -> Sample:
    """A row of five messages; the flat one beside it has one."""
    found = sample("talk", "4k", number, ("ruler_all@strict",), [str(number)], **more)
    return conversation(found, "Say a number.", f"It is {number}.", "Another?", f"Also {number + 50}.", LAST)


def rows() -> Iterator[Sample]:
    for number in range(3):
        row = talk(number, variant="messages")
        yield row
        yield replace(row, id=f"{row.id}-flat", variant="flat", messages=None, metadata=None)


@pytest.fixture
def release(tmp_path: Path) -> Release:
    made = Release(tmp_path, rows())
    made.manifest()
    return made


def as_row(sample: Sample, **changes: Any) -> dict[str, Any]:
    return asdict(sample) | {"prompt": sample.text} | changes


def test_messages_of_a_row() -> None:
    row = as_row(talk(7))
    assert haymaker.messages(row) == haymaker.messages(row, prefill=True) == row["messages"] != []
    del row["messages"]
    for metadata in (row["metadata"], json.loads(row["metadata"])):
        with refused(ReleaseError, "", "'messages'", fix="columns=[...]"):
            haymaker.messages(row | {"metadata": metadata})


# ------------------------------------------------------------------------------------------------- to a model and back


@needs("eval", "openai")
def test_a_chat_model_gets_every_message_in_order(tmp_path: Path, release: Release, server: ModelServer) -> None:
    done = tiny.called(tmp_path, *command(server, "--thinking-tokens", "5"))
    assert done.returncode == 0 and "requests 6: 0 have replies, 6 to send" in done.stdout, "none is taken for another"
    sent = {json.dumps(body["messages"]) for body in server.bodies}
    assert sent == {json.dumps(haymaker.messages(as_row(row))) for row in release.samples} and len(sent) == 6
    replies = {record["id"]: record["reply"] for record in got(tmp_path)}
    assert len(set(replies.values())) == 6, "the reply of the server depends on all messages"
    assert tiny.called(tmp_path, *command(server, "--thinking-tokens", "5")).returncode == 0
    assert len(server.bodies) == 6, "all replies are stored"
    wish = ("--model", "m", "--release", "tiny", "--thinking-tokens", "5")
    assert tiny.called(tmp_path, "export", "openai_jsonl", "--out", "batch.jsonl", *wish).returncode == 0
    lines = [json.loads(line) for line in (tmp_path / "batch.jsonl").read_text().splitlines()]
    assert {json.dumps(line["body"]["messages"]) for line in lines} == sent
    release.outputs({row.id: row.answers[0] for row in release.samples})
    scored = tiny.called(tmp_path, "score", "outputs.jsonl", "--release", "tiny")
    assert scored.returncode == 0 and "100.0" in scored.stdout


@needs("eval", "openai")
def test_a_base_model_continues_the_rendering(tmp_path: Path, release: Release, server: ModelServer) -> None:
    assert tiny.called(tmp_path, *command(server, "--prompting", "base")).returncode == 0
    assert {body["prompt"] for body in server.bodies} == {row.text for row in release.samples}
    assert all(body["prompt"].endswith("\n\nAssistant:") for body in server.bodies)


USER, REPLY, SYSTEM = ({"role": role, "content": role[:1]} for role in ("user", "assistant", "system"))


@needs("eval", "openai")
def test_request_files_may_have_messages(tmp_path: Path, server: ModelServer) -> None:
    chats = [[USER], [USER, REPLY, USER], [SYSTEM, USER], [USER, USER]]
    lines = [json.dumps({"id": str(at), "call": "qa", "messages": chat}) for at, chat in enumerate(chats)]
    (tmp_path / "asked.jsonl").write_text("\n".join(lines))
    assert ask(tmp_path, server, "--system", "Be short.").returncode == 0 and len(got(tmp_path)) == 4
    common = {"role": "system", "content": "Be short."}
    expected = [[common, *chat] if chat[0] != SYSTEM else chat for chat in chats]
    assert sorted(map(str, expected)) == sorted(str(body["messages"]) for body in server.bodies)


@needs("eval", "openai")
@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"messages": []}, "messages is [], not a list of messages"),
        ({"messages": [USER], "prompt": "x"}, "both prompt and messages"),
        ({"messages": ["x"]}, "messages[0] is 'x', not an object with role and content"),
        ({"messages": [USER | {"name": "x"}]}, "not an object with role and content"),
        ({"messages": [{"role": "tool", "content": "x"}]}, "role of messages[0] is 'tool'"),
        ({"messages": [USER, REPLY | {"content": None}, USER]}, "content of messages[1] is null, not text"),
        ({"messages": [USER, REPLY]}, "the last of the messages is not the user's"),
        ({"messages": [SYSTEM, USER], "system": "x"}, "has system, and messages begin with a system message"),
    ],
)
def test_messages_that_are_refused(tmp_path: Path, server: ModelServer, more: dict[str, Any], said: str) -> None:
    (tmp_path / "asked.jsonl").write_text(json.dumps({"id": "a", "call": "qa", **more}))
    tiny.one_line(ask(tmp_path, server), "asked.jsonl:1", said)
    assert not server.asked


# -------------------------------------------------------------------------------------------------- for people to read


def test_show_folds_a_long_conversation_and_keeps_its_roles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"Text {number}. " * 40 for number in range(40)]
    row = conversation(sample("talk", "4k", 0, ("ruler_all@strict",), ["0"]), *texts, LAST, template="chatml")
    at = row.text.index(texts[21])
    file = io.StringIO()
    monkeypatch.setattr(shown, "out", SafeConsole(file=file, width=200))
    release = Release(tmp_path, [replace(row, spans=[Span(at, at + len(texts[21]), "needle")])])
    release.manifest()
    shown.show(release.folder, "talk", None, 0, "test")
    said = file.getvalue()
    assert "user, assistant, user" in said and "(41 in all)" in said, "roles instead of texts"
    assert said.count("characters ...") == 2 and "Text 21." in said and "Text 10." not in said
    assert "<|im_start|>assistant\n[[needle: Text 21." in said and LAST in said


def test_the_report_shows_roles_and_the_last_message(tmp_path: Path, release: Release) -> None:
    outputs = release.outputs({row.id: "wrong" for row in release.samples})
    write_report(release.folder, [outputs], tmp_path / "page.html", max_rows=9, share=0.85)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.count(f"Also 52.\\n\\nUser: {LAST}\\n\\nAssistant:") == 2, "the conversation and the flat row of it"


# ------------------------------------------------------------------------------------------------ checks


def problems(row: dict[str, Any]) -> list[str]:
    """What `validate` finds in a row whose task checks its spans."""
    spec = SimpleNamespace(checks=frozenset([Check.VERBATIM]))
    suite: Any = SimpleNamespace(task=lambda name: SimpleNamespace(spec=spec, problems=lambda row: iter(())))
    findings = Findings()
    RowChecks(suite, [], lambda row, index: False).look(row | {"metrics": []}, 0, findings)
    return findings.failures


@pytest.mark.parametrize("template", ["none", "chatml"])
def test_validate_compares_the_prompt_with_the_messages(template: Any) -> None:
    row = as_row(conversation(talk(1), "One?", "1", "Two?", template=template))
    assert problems(row) == [] == problems(row | {"messages": None, "metadata": None})
    form = TEMPLATES[template]
    ambiguous = as_row(conversation(talk(1), "One?", f"1{form.end}{form.user}2", "Two?", template=template))
    start, (_, *later) = row["answer_prefix_start"], row["messages"]
    for wrong, said in (
        (row | {"metadata": None}, "the chat template of its messages is ''"),
        (row | {"metadata": '{"chat_template": "other"}'}, "is 'other', not one of none, chatml"),
        (row | {"messages": later}, "the prompt is not the text of its messages"),
        (row | {"messages": row["messages"][:-1]}, "the prompt is not the text of its messages"),
        (row | {"answer_prefix_start": start + 1}, f"starts at {start + 1}, but the reply opens at {start}"),
        (row | {"prompt": f"{row['prompt']} "}, "ValueError: not the text of a conversation"),
        (ambiguous, "ValueError: no reply follows '2'"),
    ):
        [found] = problems(wrong)
        assert said in found


def test_a_text_is_the_inverse_of_its_messages_at_the_edges() -> None:
    for form in TEMPLATES.values():
        for text in ("", f"{form.user}{form.end}", form.cue, f"{form.user}x{form.end}{form.cue} "):
            with pytest.raises(ValueError, match="not the text of a conversation"):
                messages_in(text, form)
