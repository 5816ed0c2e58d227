"""`haymaker ask`: what there is no reply to is sent, every reply is kept as it comes, the file of replies is written at the end."""

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
    """What a file of requests asks for.

    Attributes:
        requests: in the file.
        asked: of these, those up to the limit.
        kept: of those, how many have a reply.
        pending: bytes at which the lines begin that must be sent, each of what is equal once, those that begin alike side by side.
        others: replies that are here and that no request of the file asks for.
    """

    requests: int
    asked: int
    kept: int
    pending: array[int]
    others: int


def run(wish: RequestOptions) -> None:
    """Ask what there is no reply to, and write the file of replies.

    Raises:
        ReleaseError: requests or replies that cannot be read.
        ParamsError, EnvironmentProblem: the server cannot be asked, stopped, or requests that have no reply after all tries.
    """
    check_files(wish)
    check_output_path(wish.out, "--out")
    with Journal(wish.out) as journal:
        kept = ReplyCache(wish.out)
        found = scan(wish, kept)
        _tell(wish, found)
        sender = _Sender(wish, kept, journal)
        if found.pending:
            check_endpoint(wish.endpoint)
            try:
                asyncio.run(sender.send(found.pending))
            except KeyboardInterrupt:
                raise EnvironmentProblem(
                    "stopped; finished replies are kept", where=str(wish.out), fix=_AGAIN
                ) from None
        if kept.unfinished or any(identity in kept for identity, _ in request_texts(wish)):
            if found.others and kept.out.exists():
                link_or_copy(kept.out, _before(kept.out))
            count = write_out(kept, request_texts(wish))
            journal.remove()
            say(_summary(wish, found, count, sender.count))
    sender.check_all()


def scan(wish: RequestOptions, kept: ReplyCache) -> RequestScan:
    """Read the whole file of requests, before anything is sent.

    Raises:
        ReleaseError: it cannot be read, a line is no request, or two ask the same of the same.
    """
    limit, have, pending = wish.limit, 0, array("q")
    seen: set[bytes] = set()
    alike = PrefixOrder()
    number = count = 0
    for number, (at, identity, request) in enumerate(_requests(wish), 1):
        inside = limit is None or number <= limit
        count += inside
        have += inside and identity in kept
        if inside and identity not in kept and identity not in seen:
            pending.append(at)
            alike.add(request.prompt)
        seen.add(identity)
    others = sum(identity not in seen for identity in kept) + kept.nameless
    return RequestScan(number, count, have, array("q", (pending[place] for place in alike.order())), others)


def request_texts(wish: RequestOptions) -> Iterator[tuple[bytes, Request]]:
    """Every request with its identity, in the order of the file."""
    return ((identity, request) for _, identity, request in _requests(wish))


def _requests(wish: RequestOptions) -> Iterator[tuple[int, bytes, Request]]:
    met: set[int] = set()  # hashes, not texts: there may be a million
    for at, where, record in json_lines_at(wish.requests):
        request = request_of(record, where)
        if (name := hash((request.id, request.call))) in met:
            raise ReleaseError(
                f"{request.call} of {request.id!r:.80} comes twice", where=where, fix="keep one of each call"
            )
        met.add(name)
        yield at, wish.identity(request), request


class _Sender:
    """Sends requests, so many at a time, and counts what came of them."""

    def __init__(self, wish: RequestOptions, kept: ReplyCache, journal: Journal) -> None:
        self._wish, self._kept, self._journal = wish, kept, journal
        self.count: Counter[str] = Counter()
        self._failed: Counter[str] = Counter()
        self._told: dict[str, str] = {}
        self._in_a_row = 0
        self._purse = Budget(wish)
        self._short: EnvironmentProblem | None = None

    async def send(self, pending: array[int]) -> None:
        """Ask for what begins at those bytes of the file of requests.

        Raises:
            EnvironmentProblem: the server answers nothing.
        """
        todo, wish = iter(pending), self._wish
        with Progress("asking", total=len(pending), shards=len(pending), unit="requests", parts="requests") as progress:
            async with Client(wish) as client:
                await self._work(client, islice(todo, 1), progress)  # alone: a refused setting costs one request
                many = min(wish.concurrency, len(pending) - 1)
                workers = [asyncio.create_task(self._work(client, todo, progress)) for _ in range(many)]
                try:
                    await asyncio.gather(*workers)
                finally:
                    for worker in workers:
                        worker.cancel()
                    await asyncio.gather(*workers, return_exceptions=True)

    async def _work(self, client: Client, todo: Iterator[int], progress: Progress) -> None:
        """One of those that ask at the same time: the next request whenever it has done with one."""
        with self._wish.requests.open("rb") as file:
            for at in todo:
                file.seek(at)
                where = f"{self._wish.requests}: byte {at}"
                request = request_of(json_object(file.readline(), where, first=not at), where)
                try:
                    held = self._purse.hold(request)
                except EnvironmentProblem as error:
                    self._short = error  # what is under way is paid for: its replies are waited for
                    return
                try:
                    reply = await client.ask(request)
                except Failed as error:
                    self._fail(error)
                else:
                    self._purse.pay(held, reply)
                    self._in_a_row = 0
                    identity = self._wish.identity(request)
                    self._kept.came(identity, self._journal.add(reply.record(self._wish.model, identity)))
                    self.count["replies"] += 1
                    self.count["prompt"] += reply.prompt_tokens or 0
                    self.count["reply"] += reply.reply_tokens or 0
                progress.advance(1)

    def _fail(self, error: Failed) -> None:
        self._failed[error.reason] += 1
        self._told.setdefault(error.reason, error.told)
        if not error.server:
            return
        self._in_a_row += 1
        if self._in_a_row >= max(_LEAST_IN_A_ROW, 2 * self._wish.concurrency):
            what = f"{self._in_a_row} requests in a row have no reply ({self._reasons()}); finished replies are kept"
            mend = "check --endpoint" if error.elsewhere else "wait, or ask less at once with --concurrency"
            raise EnvironmentProblem(what, where=self._wish.endpoint, fix=f"{mend}; {_AGAIN}")

    def check_all(self) -> None:
        """Every request was sent and has a reply.

        Raises:
            EnvironmentProblem: the budget did not last, or says how many have none, and why.
        """
        if self._short:
            raise self._short
        if missing := self._failed.total():
            many = "1 request has" if missing == 1 else f"{missing} requests have"
            raise EnvironmentProblem(f"{many} no reply: {self._reasons()}", where=str(self._wish.out), fix=_AGAIN)

    def _reasons(self) -> str:
        told = {reason: f" ({text})" if text else "" for reason, text in self._told.items()}
        return "; ".join(f"{count} x {reason}{told[reason]}" for reason, count in self._failed.most_common())


def _tell(wish: RequestOptions, found: RequestScan) -> None:
    """What becomes of replies that are here and that nothing asks for now, before it does."""
    if found.others:
        what = f"{wish.out}: {found.others} replies are to other prompts, settings or models"
        say(f"{what}; the file as it is becomes {_before(wish.out).name} when the new one is written")


def _before(out: Path) -> Path:
    """Where a file goes whose replies were paid for, and are not of the new one."""
    return out.with_name(f"{out.name}.before")


def _summary(wish: RequestOptions, found: RequestScan, count: Counter[str], now: Counter[str]) -> str:
    line = f"{count['replies']} of {found.requests} requests have a reply in {wish.out}, {found.kept} from before"
    line += "".join(f"; {kind}: {many}" for kind, many in sorted(count.items()) if kind != "replies")
    if now["replies"]:
        line += f"; now {now['prompt']:,} prompt tokens and {now['reply']:,} of replies"
        price = wish.price(now["prompt"], now["reply"])
        line += "" if price is None else f", cost {price:,.2f}"
    return line
