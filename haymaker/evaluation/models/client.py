"""Send one request to an OpenAI-compatible server, and handle errors and unusable replies.

The `openai` library sends and retries (Retry-After or exponential backoff). This module reads the responses. A retry for
an unusable response counts towards the same limit.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from haymaker.core.errors import EnvironmentProblem
from haymaker.core.files.json_lines import without_surrogates
from haymaker.core.rows.model_requests import Request, messages_of
from haymaker.evaluation.models.api_key import PLACEHOLDER, VARIABLE, read_api_key, redact_api_key
from haymaker.evaluation.models.journal import FINISHED, Reply
from haymaker.evaluation.models.options import RequestOptions

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncOpenAI

_MAX_ERROR_CHARACTERS = 200  # of a server's error message
_FIRST_WAIT_S, _LONGEST_WAIT_S = 0.5, 8.0  # same values as the openai library
_NEW_NAME = "max_completion_tokens"  # replaces max_tokens for newer models of one provider
_SERVERS_OWN = (408, 409, 429)  # and 500 upwards: not caused by the request
_ADVICE = {
    301: "give --endpoint the address that it moved to",
    401: f"check {VARIABLE}",
    402: "check what the account of the key may spend",
    403: f"check {VARIABLE}, and whether that key may use --model",
    404: "check --endpoint (as a rule it ends in /v1) and --model",
    405: "check --endpoint (as a rule it ends in /v1)",
}
_ADVICE |= dict.fromkeys((302, 303, 307, 308), _ADVICE[301])
_SETTINGS = {  # pattern in the message of status 400 or 422 -> advice
    r"\btemperature\b": "give another temperature, such as --temperature 1",
    r"\bmax_(completion_)?tokens\b": "change --max-tokens (ask) or --thinking-tokens (eval)",
    r"""['"`]stop['"`]""": "remove `stop` from the requests (ask), or use --prompting chat (eval)",
    r"""['"`]stream(_options)?['"`]""": "leave out --stream",
    r"\bsystem (role|message|prompt)": "leave out --system and `system` of the requests; rows of a release (eval) need it",
}
_REASONING = ("reasoning_content", "reasoning", "thinking")  # message keys, and types of message parts


class Failed(Exception):
    """A request has no reply after all retries.

    Args:
        reason: short text, the same for all failures of one kind.
        told: message of the server or the network, without the key.
        server: whether the state of the server may be the cause, instead of this request.
        elsewhere: whether the address does not seem to be an OpenAI-compatible server.
    """

    def __init__(self, reason: str, told: str = "", *, server: bool = False, elsewhere: bool = False) -> None:
        self.reason, self.told, self.server, self.elsewhere = reason, told, server, elsewhere
        super().__init__(reason)


class Client:
    """Send requests to a model. Use it inside one event loop: `async with Client(options) as client`.

    Args:
        options: server, model and settings of the requests.
    """

    def __init__(self, options: RequestOptions) -> None:
        self._options = options
        self._clients: dict[int, AsyncOpenAI] = {}  # by number of remaining retries
        self._limit = "max_tokens"
        self._answered = False

    async def __aenter__(self) -> Client:
        import httpx2
        from openai import AsyncOpenAI, DefaultAsyncHttpxClient

        options, most = self._options, self._options.concurrency
        # No redirects: the key must only reach the server that the user named.
        http = DefaultAsyncHttpxClient(
            limits=httpx2.Limits(max_connections=most, max_keepalive_connections=most), follow_redirects=False
        )
        self._clients[options.retries] = AsyncOpenAI(
            api_key=read_api_key(),
            base_url=options.endpoint,
            timeout=options.timeout_s,
            max_retries=options.retries,
            http_client=http,
        )
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._clients[self._options.retries].close()

    async def ask(self, request: Request) -> Reply:
        """Return the model's reply.

        Raises:
            Failed: there is no reply after all retries.
            EnvironmentProblem: the server rejects every request: the key, address, model or a setting is wrong.
        """
        options, left, wait = self._options, self._options.retries, _FIRST_WAIT_S
        while True:
            raw = await self._sent(request, left)
            try:
                reply = _read(await _streamed(raw, options) if options.stream else _whole(raw), options)
            except Failed:
                left -= raw.retries_taken + 1
                if left < 0:
                    raise
            else:
                self._answered = True
                return reply
            await asyncio.sleep(wait)
            wait = min(2 * wait, _LONGEST_WAIT_S)

    async def _sent(self, request: Request, left: int) -> Any:
        """Return the raw response of the server (status 200)."""
        import openai

        limit = self._limit
        try:
            return await self._create(request, left, limit)
        except openai.APITimeoutError:
            raise Failed("time-out", f"after {self._options.timeout_s:g} s", server=True) from None
        except openai.APIConnectionError as error:
            raise Failed("no connection", _error_text(error.__cause__ or error), server=True) from None
        except openai.APIStatusError as error:
            if limit == _NEW_NAME or error.status_code != HTTPStatus.BAD_REQUEST or _NEW_NAME not in str(error):
                raise self._refused(error) from None
        except openai.OpenAIError as error:
            raise Failed(type(error).__name__, _error_text(error)) from None
        self._limit = _NEW_NAME
        return await self._sent(request, left)

    async def _create(self, request: Request, left: int, limit: str) -> Any:
        options = self._options
        if left not in self._clients:
            self._clients[left] = self._clients[options.retries].with_options(max_retries=left)
        body: dict[str, Any] = {
            "model": options.model,
            "temperature": options.temperature,
            limit: options.most(request),
        }
        if request.stop:
            body["stop"] = list(request.stop)
        if options.stream:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        client = self._clients[left]
        if options.base:
            return await client.completions.with_raw_response.create(prompt=request.prompt, **body)
        messages = messages_of(request.prompt, options.system_of(request))
        return await client.chat.completions.with_raw_response.create(messages=messages, **body)

    def _refused(self, error: APIStatusError) -> Exception:
        """Return the error for another status than 200: `Failed` for one request, `EnvironmentProblem` for all."""
        status, message = error.status_code, _error_text(error)
        reason = f"{status} {HTTPStatus(status).phrase if status in iter(HTTPStatus) else ''}".strip()
        if fix := _ADVICE.get(status) or ("" if self._answered else _setting_advice(error)):
            what = f"the server says {reason} ({message})"
            if status == HTTPStatus.UNAUTHORIZED and read_api_key() == PLACEHOLDER:
                what, fix = f"{what}, and {VARIABLE} is not set", f"export {VARIABLE}=..., the key for that server"
            return EnvironmentProblem(what, where=self._options.endpoint, fix=fix)
        return Failed(reason, message, server=status >= 500 or status in _SERVERS_OWN)


def _setting_advice(error: APIStatusError) -> str:
    """Return advice if the server rejects a setting that all requests share, or an empty string."""
    message = f"'{error.param}' {_error_text(error)}"
    if error.status_code not in (HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY) or "context" in message:
        return ""  # the prompt exceeds the context: shorter ones may fit
    return next((fix for pattern, fix in _SETTINGS.items() if re.search(pattern, message, re.IGNORECASE)), "")


def _no_reply(why: str, told: str = "", *, server: bool = False, elsewhere: bool = False) -> Failed:
    return Failed(f"no reply in the answer: {why}", told, server=server, elsewhere=elsewhere)


def _whole(raw: Any) -> Any:
    """Return the JSON body of a response."""
    try:
        return raw.http_response.json()
    except (ValueError, RecursionError):
        is_page = "html" in str(raw.http_response.headers.get("content-type", "")).lower()
        why = "it is a page of HTML" if is_page else "it is no JSON"
        raise _no_reply(why, server=True, elsewhere=True) from None


async def _streamed(raw: Any, options: RequestOptions) -> dict[str, Any]:
    """Return the body of a streamed response in the form of a complete one; it must end with a finish reason."""
    import httpx2
    import openai

    choice, message, parts, usage = dict[str, Any](), dict[str, Any](), list[Any](), None
    try:
        async for piece in raw.parse():
            event = piece.model_dump(warnings=False)
            usage = event.get("usage") or usage
            first = next(iter(event.get("choices") or ()), None) or {}
            delta = first.get("delta") or {}
            parts += _parts(first.get("text") if options.base else delta.get("content"))
            choice |= {name: value for name, value in first.items() if value}
            message |= {name: value for name, value in delta.items() if value}
    except (httpx2.HTTPError, openai.OpenAIError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise _no_reply("the stream broke off", _error_text(error)) from None
    finally:
        await raw.http_response.aclose()
    if not choice.get("finish_reason"):
        raise _no_reply("the stream ended before the reply did")
    return {"choices": [choice | {"text": parts, "message": message | {"content": parts}}], "usage": usage}


def _read(body: Any, options: RequestOptions) -> Reply:
    """Return the reply in a complete response; the finish reason may be missing if there is a text."""
    choice = _choice(body)
    reason = choice.get("finish_reason")
    reason = redact_api_key(without_surrogates(reason))[:40] if isinstance(reason, str) else ""
    finish = FINISHED.get(reason.lower(), "")
    if reason and not finish:
        raise _no_reply(f"finish reason {reason}")
    message = choice if options.base else choice.get("message")
    message = message if isinstance(message, dict) else {}
    parts = _parts(message.get("text" if options.base else "content"))
    texts = (
        part.get("text") if isinstance(part, dict) and part.get("type", "text") == "text" else part for part in parts
    )
    text = "".join(text for text in texts if isinstance(text, str))
    may_be_empty = options.blank and finish and message and not message.get("tool_calls")
    if not text.strip() and not may_be_empty:
        raise _no_reply(f"no text{f', finish reason {reason}' if reason else ''}")
    usage = body.get("usage")
    counts = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
    return Reply(
        redact_api_key(without_surrogates(text)), finish, *counts, not text.strip() and _reasons(message, parts)
    )


def _choice(body: Any) -> dict[str, Any]:
    """Return the first choice of a response without an error."""
    body = body if isinstance(body, dict) else {}
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    if error := body.get("error") or choice.get("error"):
        message = error.get("message") if isinstance(error, dict) else None
        raise _no_reply("an error", _error_text(message or error), server=True)
    if not choice:
        raise _no_reply("no choices")
    return choice


def _parts(content: Any) -> list[Any]:
    """Return message content as a list of parts."""
    return content if isinstance(content, list) else [content]


def _reasons(message: Mapping[str, Any], parts: list[Any]) -> bool:
    """Check whether a message contains reasoning, as a separate key or as a part."""
    return any(map(message.get, _REASONING)) or any(
        isinstance(part, dict) and part.get("type") in _REASONING for part in parts
    )


def _count(usage: object, name: str) -> int | None:
    count = usage.get(name) if isinstance(usage, Mapping) else None
    return count if isinstance(count, int) and not isinstance(count, bool) else None


def _error_text(error: object) -> str:
    """Return the message of an error as one short line; the key is removed before the text is shortened."""
    text = " ".join(redact_api_key(str(error)).split()) or type(error).__name__
    return text if len(text) <= _MAX_ERROR_CHARACTERS else f"{text[:_MAX_ERROR_CHARACTERS]}..."
