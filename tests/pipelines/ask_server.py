"""A small OpenAI-compatible server on the loopback, which counts what it is asked and misbehaves as it is told.

A prompt says what is to become of it: "503*2 Which?" is refused twice and then answered, "null Which?" is always answered without text.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

WAIT_MS = {"Retry-After-Ms": "1"}  # what the library waits, so that tests do not


class ModelServer:
    """What it did is in its attributes; `url` is set while it is served."""

    def __init__(self) -> None:
        self.url = ""
        self.asked: Counter[str] = Counter()  # by prompt: how often it came
        self.bodies: list[dict[str, Any]] = []
        self.keys: set[str] = set()
        self.now: set[Request] = set()  # requests that have no answer yet
        self.most_at_once = 0
        self.delay_s = 0.0
        self.held = threading.Event()  # while it is clear, prompts that begin with "held" wait
        self.held.set()
        self.newer = False  # wants max_completion_tokens
        self.refusal: tuple[int, dict[str, str]] | None = None  # of everything
        self.wrong: dict[str, Any] | None = None  # the error of every request whose temperature is not 1
        self.finish: str | None = "stop"  # why replies end
        self.judge: Callable[[str], str] | None = None  # what it replies to a prompt, instead of anything else
        self.misfortune: Callable[[str], Awaitable[Response | None]] | None = None  # what comes instead of any answer
        self.noise = ""  # before what it says of a refusal
        self.turns: list[str] = []  # what becomes of a prompt that begins with "turns", try by try

    @property
    def at_once(self) -> int:
        """Requests that have no answer yet."""
        return len(self.now)

    def begin_anew(self) -> None:
        """As if nobody had ever asked; the address stays."""
        vars(self).update(vars(ModelServer()) | {"url": self.url})

    @contextmanager
    def serving(self) -> Iterator[ModelServer]:
        """Answer on a free port until the block ends."""
        paths = ("/v1/chat/completions", "/v1/completions")
        app = Starlette(routes=[Route(path, self._chat, methods=["POST"]) for path in paths])
        config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="critical", lifespan="off", http="h11",
                                timeout_graceful_shutdown=1)  # fmt: skip
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        self.url = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/v1"
        try:
            yield self
        finally:
            self.held.set()
            server.should_exit = True
            thread.join(10)

    async def _chat(self, request: Request) -> Response:
        body = json.loads(await request.body())
        prompt = body["prompt"] if "prompt" in body else body["messages"][-1]["content"]
        self.asked[prompt] += 1
        self.bodies.append(body)
        self.keys.add(request.headers["authorization"].removeprefix("Bearer "))
        now = self.now
        now.add(request)
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            if self.delay_s:
                await asyncio.sleep(self.delay_s * (1 + len(prompt) % 3))
            while prompt.startswith("held") and not self.held.is_set():
                await asyncio.sleep(0.01)
            return in_pieces(await self._answer(request, prompt, body), body)
        finally:
            now.discard(request)

    async def _answer(self, request: Request, prompt: str, body: dict[str, Any]) -> Response:
        if "prompt" in body:
            choice = {"index": 0, "text": reply_to(prompt, body), "finish_reason": "stop"}
            return JSONResponse(completion("", "stop", prompt) | {"choices": [choice]})
        if self.wrong and body["temperature"] != 1:
            return JSONResponse({"error": self.wrong}, 400)
        if self.misfortune and (spoiled := await self.misfortune(prompt)):
            return spoiled
        if self.judge:
            return JSONResponse(completion(self.judge(prompt), "stop", prompt))
        word, _, times = prompt.split(" ", 1)[0].partition("*")
        if word == "turns":
            word = self.turns[self.asked[prompt] - 1]
        if self.newer and "max_tokens" in body:
            said = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
            return JSONResponse({"error": {"message": said, "param": "max_tokens"}}, 400)
        if self.refusal:
            status, headers = self.refusal
            return JSONResponse({"error": {"message": self.noise + said_back(request)}}, status, headers)
        if not times or self.asked[prompt] <= int(times):
            if word.isdecimal():
                return JSONResponse({"error": {"message": said_back(request)}}, int(word), WAIT_MS)
            if word in _SPOILED:
                return _SPOILED[word]()
        text = reply_to(prompt, body)
        if word == "echo":
            text = said_back(request)
        return JSONResponse(completion(text, "length" if word == "long" else self.finish, prompt))


def said_back(request: Request) -> str:
    """What a careless server writes into its errors and logs."""
    return f"bad header Authorization: {request.headers['authorization']} of {request.url}"


def reply_to(prompt: str, body: dict[str, Any]) -> str:
    """The reply, which depends on all that was asked and nothing else."""
    asked = json.dumps([body.get("messages", prompt), body["model"], body["temperature"]])
    return f"reply to {prompt[:20]!r}: {hashlib.sha256(asked.encode()).hexdigest()[:12]} \u00e9\u2028 {{}}"


def completion(content: Any, finish: str | None, prompt: str = "", error: Any = None, **message: Any) -> dict[str, Any]:
    """The body of an answer."""
    message = {"role": "assistant", "content": content, **message}
    choice = {"index": 0, "message": message, "finish_reason": finish, **({"error": error} if error else {})}
    usage = {"prompt_tokens": len(prompt.split()), "completion_tokens": 7, "total_tokens": 7}
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "served",
        "choices": [choice],
        "usage": usage,
    }


def in_pieces(answer: Response, body: dict[str, Any]) -> Response:
    """An answer as a stream of three words a piece, where that is asked for; what is no completion stays as it is."""
    if not body.get("stream") or answer.status_code != 200 or not isinstance(answer, JSONResponse):
        return answer
    told = json.loads(bytes(answer.body))
    choice = told["choices"][0] if isinstance(told, dict) and told.get("choices") else None
    message = choice.get("message", choice) if isinstance(choice, dict) else {}
    content = message.get("text", message.get("content"))
    if not isinstance(content, str | list) and len(message) < 3:
        return answer
    return StreamingResponse(_events(content or "", choice, told, body), media_type="text/event-stream")


async def _events(
    content: Any, choice: dict[str, Any], told: dict[str, Any], body: dict[str, Any]
) -> AsyncIterator[bytes]:
    """Server-sent events; those of a prompt of "stops" or "breaks" end in the middle."""
    asked = body.get("prompt") or body["messages"][-1]["content"]
    kind = asked.split(" ", 1)[0]
    step = 9 if isinstance(content, str) else 1
    for place in range(0, len(content), step):
        piece = content[place : place + step]
        said = {"text": piece} if "prompt" in body else {"delta": {"content": piece}}
        yield _event({"choices": [{"index": 0, "finish_reason": None, **said}]})
        if kind == "stops":
            return
        if kind == "breaks":
            raise ConnectionError
    delta = {name: value for name, value in choice.get("message", {}).items() if name not in ("role", "content")}
    yield _event({"choices": [{"index": 0, "finish_reason": None, "delta": delta, "text": ""}]})
    ended = {name: choice[name] for name in ("index", "finish_reason", "error") if name in choice}
    yield _event({"choices": [{**ended, "delta": {}, "text": ""}], "error": told.get("error")})
    if body.get("stream_options", {}).get("include_usage"):
        yield _event({"choices": [], "usage": told["usage"]})
    yield b"data: [DONE]\n\n"


def _event(told: dict[str, Any]) -> bytes:
    return (
        b"data: "
        + json.dumps({"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m", **told}).encode()
        + b"\n\n"
    )


async def _cut() -> AsyncIterator[bytes]:
    yield b'{"choices": [{"message": {"con'
    raise ConnectionError


def _cut_body() -> Response:
    """The connection ends before the body does."""
    return StreamingResponse(_cut(), headers={"Content-Length": "5000", "Content-Type": "application/json"})


_UPSTREAM = {"code": 502, "message": "Upstream provider dropped the stream"}
_SPOILED = {
    "null": lambda: JSONResponse(completion(None, "stop")),
    "empty": lambda: JSONResponse(completion(" \n", "length")),
    "thoughts": lambda: JSONResponse(completion([{"type": "thinking", "thinking": "x"}], "stop")),
    "half": lambda: JSONResponse(completion("half a te", "error")),
    "odd": lambda: JSONResponse(completion("x", "no_such_reason")),
    "broken": lambda: JSONResponse(completion("x", "stop", error=_UPSTREAM)),
    "error": lambda: JSONResponse({"error": _UPSTREAM}),
    "both": lambda: JSONResponse(completion("x", "stop") | {"error": _UPSTREAM}),
    "nochoice": lambda: JSONResponse({"choices": []}),
    "nochoices": lambda: JSONResponse({"object": "x"}),
    "list": lambda: JSONResponse([1]),
    "oddchoice": lambda: JSONResponse({"choices": ["x"], "usage": "y"}),
    "html": lambda: Response("<html>busy</html>", media_type="text/html"),
    "halfjson": lambda: Response('{"choices": [', media_type="application/json"),
    "latin": lambda: Response(b'{"a": "\xe9"}', media_type="application/json"),
    "deep": lambda: Response("[" * 100_000, media_type="application/json"),
    "cut": _cut_body,
}
MALFORMED = sorted(_SPOILED)
UNFINISHED = {  # no output of a model either
    "error": completion("", "error", error=_UPSTREAM),
    "half": completion("1", "error"),
    "abort": completion("", "abort"),
    "cancelled": completion(None, "cancelled", reasoning="hm"),
    "tools": completion(None, "tool_calls", tool_calls=[{"index": 0, "id": "x", "type": "function"}]),
    "stopped tools": completion(None, "stop", tool_calls=[{"index": 0, "id": "x", "type": "function"}]),
    "no reason": completion(None, None, reasoning="hm"),
}
