"""Send one request to an OpenAI-compatible server, and handle errors and unusable replies.

The `openai` library sends, waits (Retry-After or exponential backoff) and retries. A response without a usable reply is
raised as a transport error inside the HTTP client, so that the library retries it too and counts all tries together.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, cast

import httpx2
import openai

from haymaker.core.errors import EnvironmentProblem
from haymaker.core.files.hub_client import client_errors
from haymaker.core.files.json_lines import without_surrogates
from haymaker.core.progress import say
from haymaker.core.rows.model_requests import Request
from haymaker.evaluation.models.journal import FINISHED, Reply
from haymaker.evaluation.models.options import KEY_VARIABLE, NO_KEY, RequestOptions, read_api_key, redact_api_key

_MAX_ERROR_CHARACTERS = 200  # of a server's error message
_PRINTED_WAITS_S = range(10, 121)  # the openai library waits without a message, and not longer than 120 s
_REPLY = "haymaker.reply"  # key of the parsed reply among the extensions of a response
_NEW_NAME = "max_completion_tokens"  # replaces max_tokens for newer models of one provider
_TEMPORARY = (408, 409, 429)  # and 500 upwards: not caused by the request
_ADVICE = {
    301: "give --endpoint the address that it moved to",
    401: f"check {KEY_VARIABLE}",
    402: "check what the account of the key may spend",
    403: f"check {KEY_VARIABLE}, and whether that key may use --model",
    404: "check --endpoint (it usually ends in /v1) and --model",
    405: "check --endpoint (it usually ends in /v1)",
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


@dataclass(eq=False)
class Failed(Exception):
    """A request has no reply after all retries."""

    reason: str  # short text, the same for all failures of one kind
    message: str = ""  # of the server or the network, without the key
    server: bool = False  # whether the state of the server may be the cause, instead of this request


class Client:
    """Send requests to a model, inside one event loop."""

    def __init__(self, options: RequestOptions) -> None:
        self._options, most = options, options.concurrency
        self._limit = "max_tokens"
        self._answered = self._wait_printed = False
        with client_errors():
            http = openai.DefaultAsyncHttpxClient(
                limits=httpx2.Limits(max_connections=most, max_keepalive_connections=most),
                follow_redirects=False,  # the key must only reach the server that the user named
                event_hooks={"response": [self._receive]},
            )
        self._client = openai.AsyncOpenAI(
            api_key=read_api_key(),
            base_url=options.endpoint,
            timeout=options.timeout_s,
            max_retries=options.retries,
            http_client=http,
        )

    async def aclose(self) -> None:
        """Close all connections."""
        await self._client.close()

    async def ask(self, request: Request) -> Reply:
        """Return the model's reply.

        Raises:
            Failed: there is no reply after all retries.
            EnvironmentProblem: the server rejects every request (the key, address, model or a setting is wrong).
        """
        limit = self._limit
        try:
            raw = await self._send(request, limit)
        except openai.APIStatusError as error:
            if limit == _NEW_NAME or error.status_code != HTTPStatus.BAD_REQUEST or _NEW_NAME not in str(error):
                raise self._refused(error) from None
        except openai.OpenAIError as error:
            cause = error.__cause__ or error
            if isinstance(cause.__cause__, Failed):
                raise cause.__cause__ from None
            if isinstance(error, openai.APITimeoutError):
                raise Failed("time-out", f"after {self._options.timeout_s:g} s", server=True) from None
            raise Failed("connection failed", _error_text(cause), server=True) from None
        else:
            self._answered = True
            return cast("Reply", raw.http_response.extensions[_REPLY])
        self._limit = _NEW_NAME
        return await self.ask(request)

    async def _send(self, request: Request, limit: str) -> Any:
        options, client = self._options, self._client
        body: dict[str, Any] = {"model": options.model, "temperature": options.temperature}
        body[limit] = options.most(request)
        if request.stop:
            body["stop"] = list(request.stop)
        if options.stream:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        if options.base:
            return await client.completions.with_raw_response.create(prompt=request.prompt, **body)
        messages: Any = request.chat(options.system_of(request))
        return await client.chat.completions.with_raw_response.create(messages=messages, **body)

    async def _receive(self, response: httpx2.Response) -> None:
        """Read the reply in a response; if there is none, raise an error that the openai library retries."""
        if not response.is_success:
            self._print_wait(response)
            return
        await response.aread()
        try:
            body = await _streamed_body(response, self._client) if self._options.stream else _json_body(response)
            response.extensions[_REPLY] = _read(body, self._options)
        except Failed as error:
            raise httpx2.RequestError(error.reason) from error

    def _print_wait(self, response: httpx2.Response) -> None:
        """Print the first long wait that the server requests."""
        wait = response.headers.get("retry-after", "")
        if wait.isdecimal() and int(wait) in _PRINTED_WAITS_S and not self._wait_printed:
            self._wait_printed = True
            say(
                f"the server requests a wait of {wait} s ({_status(response.status_code)}); later waits are not printed"
            )

    def _refused(self, error: openai.APIStatusError) -> Exception:
        """Return the error for another status than 200: `Failed` for one request, `EnvironmentProblem` for all."""
        status, message = error.status_code, _error_text(error).removeprefix(f"Error code: {error.status_code} - ")
        if fix := _ADVICE.get(status) or ("" if self._answered else _setting_advice(error)):
            what = f"the server answers {_status(status)} ({message})"
            if status == HTTPStatus.UNAUTHORIZED and read_api_key() == NO_KEY:
                what += f", and {KEY_VARIABLE} is not set"
                fix = f"export {KEY_VARIABLE}=..., the key for that server"
            return EnvironmentProblem(what, where=self._options.endpoint, fix=fix)
        return Failed(_status(status), message, server=status >= 500 or status in _TEMPORARY)


def _status(status: int) -> str:
    return f"{status} {httpx2.codes.get_reason_phrase(status)}".strip()


def _setting_advice(error: openai.APIStatusError) -> str:
    """Return advice if the server rejects a setting that all requests share, or an empty string."""
    message = f"'{error.param}' {_error_text(error)}"
    if error.status_code not in (HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY) or "context" in message:
        return ""  # the prompt exceeds the context: shorter ones may fit
    return next((fix for pattern, fix in _SETTINGS.items() if re.search(pattern, message, re.IGNORECASE)), "")


def _json_body(response: httpx2.Response) -> Any:
    try:
        return response.json()
    except (ValueError, RecursionError):
        what = "an HTML page" if "html" in response.headers.get("content-type", "").lower() else "no JSON"
        raise Failed(f"the response is {what}", server=True) from None


async def _streamed_body(response: httpx2.Response, client: openai.AsyncOpenAI) -> dict[str, Any]:
    """Return a streamed response in the form of a complete one; it must end with a finish reason."""
    choice, message, parts, usage = dict[str, Any](), dict[str, Any](), list[Any](), None
    try:
        async for event in openai.AsyncStream(cast_to=object, response=response, client=client):
            usage = event.get("usage") or usage
            first = next(iter(event.get("choices") or ()), None) or {}
            delta = first.get("delta") or {}
            parts += _parts(first.get("text") or delta.get("content"))
            choice |= {name: value for name, value in first.items() if value}
            message |= {name: value for name, value in delta.items() if value}
    except (openai.OpenAIError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise Failed("the stream contains an error", _error_text(error), server=True) from None
    if not choice.get("finish_reason"):
        raise Failed("the stream ended before the reply did")
    return {"choices": [choice | {"text": parts, "message": message | {"content": parts}}], "usage": usage}


def _read(body: Any, options: RequestOptions) -> Reply:
    """Return the reply in a complete response; the finish reason may be missing if there is a text."""
    choice = _choice(body)
    found = choice.get("finish_reason")
    reason = redact_api_key(without_surrogates(found))[:40] if isinstance(found, str) else ""
    finish = FINISHED.get(reason.lower(), "")
    if reason and not finish:
        raise Failed(f"finish reason {reason}")
    message = choice if options.base else choice.get("message")
    message = message if isinstance(message, dict) else {}
    parts = _parts(message.get("text" if options.base else "content"))
    texts = [part.get("text") for part in parts if part.get("type", "text") == "text"]
    text = redact_api_key(without_surrogates("".join(text for text in texts if isinstance(text, str))))
    if not text.strip() and not (options.blank and finish and message and not message.get("tool_calls")):
        raise Failed(f"no text in the reply{f', finish reason {reason}' if reason else ''}")
    has_reasoning = any(map(message.get, _REASONING)) or any(part.get("type") in _REASONING for part in parts)
    usage = body.get("usage")
    counts = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
    return Reply(text, finish or None, *counts, (has_reasoning and not text.strip()) or None)


def _choice(body: Any) -> dict[str, Any]:
    """Return the first choice of a response without an error."""
    body = body if isinstance(body, dict) else {}
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    if error := body.get("error") or choice.get("error"):
        message = error.get("message") if isinstance(error, dict) else None
        raise Failed("the response contains an error", _error_text(message or error), server=True)
    if not choice:
        raise Failed("the response has no choices")
    return choice


def _parts(content: Any) -> list[dict[str, Any]]:
    """Return message content, a text or a list of texts and parts, as a list of parts."""
    parts = content if isinstance(content, list) else [content]
    return [part if isinstance(part, dict) else {"text": part} for part in parts]


def _count(usage: object, name: str) -> int | None:
    count = usage.get(name) if isinstance(usage, Mapping) else None
    return count if isinstance(count, int) and not isinstance(count, bool) else None


def _error_text(error: object) -> str:
    """Return the message of an error as one short line; the key is removed before the text is shortened."""
    text = " ".join(redact_api_key(str(error)).split()) or type(error).__name__
    return text if len(text) <= _MAX_ERROR_CHARACTERS else f"{text[:_MAX_ERROR_CHARACTERS]}..."
