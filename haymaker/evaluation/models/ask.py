"""`haymaker ask`: send the requests without a reply, store each reply at once, write the file of replies at the end."""

from __future__ import annotations

import asyncio
from array import array
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from haymaker.core.errors import EnvironmentProblem, ReleaseError
from haymaker.core.files.disk import link_or_copy
from haymaker.core.files.json_lines import json_lines_at, json_object
from haymaker.core.files.output_files import check_output_path
from haymaker.core.progress import Progress, say
from haymaker.core.rows.model_requests import Request, request_of
from haymaker.evaluation.models.budget import Budget
from haymaker.evaluation.models.client import Client, Failed
from haymaker.evaluation.models.journal import Journal, ReplyCache, write_out
from haymaker.evaluation.models.options import RequestOptions, check_endpoint, check_files
from haymaker.evaluation.models.prefix_order import PrefixOrder

_AGAIN = "the same command goes on from there"
_LEAST_IN_A_ROW = 20


class RequestScan(NamedTuple):
    """Number of requests in a file, and the ones still to send.

    Attributes:
        requests: number of requests in the file.
        asked: number of requests up to the limit.
        kept: number of these that have a reply.
        pending: byte offsets of the lines to send, without duplicates; prompts with a common prefix are adjacent.
        others: number of stored replies that match no request of the file.
    """

    requests: int
    asked: int
    kept: int
    pending: array[int]
    others: int


def run(options: RequestOptions) -> None:
    """Send all requests without a reply, and write the file of replies.

    Raises:
        ReleaseError: the requests or replies cannot be read.
        ParamsError, EnvironmentProblem: the server cannot be used, the run was stopped, or requests have no reply.
    """
    check_files(options)
    check_output_path(options.out, "--out")
    with Journal(options.out) as journal:
        cache = ReplyCache(options.out)
        found = scan(options, cache)
        _report_other_replies(options, found)
        sender = _Sender(options, cache, journal)
        if found.pending:
            check_endpoint(options.endpoint)
            try:
                asyncio.run(sender.send(found.pending))
            except KeyboardInterrupt:
                raise EnvironmentProblem(
                    "stopped; finished replies are kept", where=str(options.out), fix=_AGAIN
                ) from None
        if cache.unfinished or any(identity in cache for identity, _ in request_texts(options)):
            if found.others and cache.out.exists():
                link_or_copy(cache.out, _backup_path(cache.out))
            count = write_out(cache, request_texts(options))
            journal.remove()
            say(_summary(options, found, count, sender.count))
    sender.check_all()


def scan(options: RequestOptions, cache: ReplyCache) -> RequestScan:
    """Read the whole file of requests before anything is sent.

    Raises:
        ReleaseError: the file cannot be read, a line is not a request, or two lines have the same id and call.
    """
    limit, have, pending = options.limit, 0, array("q")
    seen: set[bytes] = set()
    alike = PrefixOrder()
    number = count = 0
    for number, (at, identity, request) in enumerate(_requests(options), 1):
        inside = limit is None or number <= limit
        count += inside
        have += inside and identity in cache
        if inside and identity not in cache and identity not in seen:
            pending.append(at)
            alike.add(request.prompt)
        seen.add(identity)
    others = sum(identity not in seen for identity in cache) + cache.nameless
    return RequestScan(number, count, have, array("q", (pending[place] for place in alike.order())), others)


def request_texts(options: RequestOptions) -> Iterator[tuple[bytes, Request]]:
    """Yield every request with its identity, in file order."""
    return ((identity, request) for _, identity, request in _requests(options))


def _requests(options: RequestOptions) -> Iterator[tuple[int, bytes, Request]]:
    met: set[int] = set()  # hashes instead of texts, to save memory
    for at, where, record in json_lines_at(options.requests):
        request = request_of(record, where)
        if (name := hash((request.id, request.call))) in met:
            raise ReleaseError(
                f"{request.call} of {request.id!r:.80} comes twice", where=where, fix="keep one of each call"
            )
        met.add(name)
        yield at, options.identity(request), request


class _Sender:
    """Send requests concurrently and count the results."""

    def __init__(self, options: RequestOptions, cache: ReplyCache, journal: Journal) -> None:
        self._options, self._cache, self._journal = options, cache, journal
        self.count: Counter[str] = Counter()
        self._failed: Counter[str] = Counter()
        self._details: dict[str, str] = {}
        self._in_a_row = 0
        self._budget = Budget(options)
        self._short: EnvironmentProblem | None = None

    async def send(self, pending: array[int]) -> None:
        """Send the requests at these byte offsets of the file.

        Raises:
            EnvironmentProblem: many requests in a row have no reply.
        """
        todo, options = iter(pending), self._options
        with Progress("asking", total=len(pending), shards=len(pending), unit="requests", parts="requests") as progress:
            async with Client(options) as client:
                await self._work(client, islice(todo, 1), progress)  # one first: a rejected setting fails only once
                many = min(options.concurrency, len(pending) - 1)
                workers = [asyncio.create_task(self._work(client, todo, progress)) for _ in range(many)]
                try:
                    await asyncio.gather(*workers)
                finally:
                    for worker in workers:
                        worker.cancel()
                    await asyncio.gather(*workers, return_exceptions=True)

    async def _work(self, client: Client, todo: Iterator[int], progress: Progress) -> None:
        """Send requests one after another until none is left: one of several concurrent workers."""
        with self._options.requests.open("rb") as file:
            for at in todo:
                file.seek(at)
                where = f"{self._options.requests}: byte {at}"
                request = request_of(json_object(file.readline(), where, first=not at), where)
                try:
                    held = self._budget.hold(request)
                except EnvironmentProblem as error:
                    self._short = error  # requests in flight are already paid for: wait for their replies
                    return
                try:
                    reply = await client.ask(request)
                except Failed as error:
                    self._fail(error)
                else:
                    self._budget.pay(held, reply)
                    self._in_a_row = 0
                    identity = self._options.identity(request)
                    self._cache.came(identity, self._journal.add(reply.record(self._options.model, identity)))
                    self.count["replies"] += 1
                    self.count["prompt"] += reply.prompt_tokens or 0
                    self.count["reply"] += reply.reply_tokens or 0
                progress.advance(1)

    def _fail(self, error: Failed) -> None:
        self._failed[error.reason] += 1
        self._details.setdefault(error.reason, error.told)
        if not error.server:
            return
        self._in_a_row += 1
        if self._in_a_row >= max(_LEAST_IN_A_ROW, 2 * self._options.concurrency):
            what = f"{self._in_a_row} requests in a row have no reply ({self._reasons()}); finished replies are kept"
            advice = "check --endpoint" if error.elsewhere else "wait, or ask less at once with --concurrency"
            raise EnvironmentProblem(what, where=self._options.endpoint, fix=f"{advice}; {_AGAIN}")

    def check_all(self) -> None:
        """Check that every request was sent and has a reply.

        Raises:
            EnvironmentProblem: the budget was used up, or requests have no reply (with their number and the reasons).
        """
        if self._short:
            raise self._short
        if missing := self._failed.total():
            many = "1 request has" if missing == 1 else f"{missing} requests have"
            raise EnvironmentProblem(f"{many} no reply: {self._reasons()}", where=str(self._options.out), fix=_AGAIN)

    def _reasons(self) -> str:
        details = {reason: f" ({text})" if text else "" for reason, text in self._details.items()}
        return "; ".join(f"{count} x {reason}{details[reason]}" for reason, count in self._failed.most_common())


def _report_other_replies(options: RequestOptions, found: RequestScan) -> None:
    """Print that stored replies match no request, and where the current file will be moved."""
    if found.others:
        what = f"{options.out}: {found.others} replies are to other prompts, settings or models"
        say(f"{what}; the file as it is becomes {_backup_path(options.out).name} when the new one is written")


def _backup_path(out: Path) -> Path:
    """Return the backup path for a file with paid replies that the new file does not contain."""
    return out.with_name(f"{out.name}.before")


def _summary(options: RequestOptions, found: RequestScan, count: Counter[str], now: Counter[str]) -> str:
    line = f"{count['replies']} of {found.requests} requests have a reply in {options.out}, {found.kept} from before"
    line += "".join(f"; {kind}: {many}" for kind, many in sorted(count.items()) if kind != "replies")
    if now["replies"]:
        line += f"; now {now['prompt']:,} prompt tokens and {now['reply']:,} of replies"
        price = options.price(now["prompt"], now["reply"])
        line += "" if price is None else f", cost {price:,.2f}"
    return line
