"""`haymaker ask` and `haymaker eval`: send the requests without a reply and store each reply at once."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import aclosing
from itertools import count as count_from
from itertools import islice
from pathlib import Path

from haymaker.core.errors import EnvironmentProblem
from haymaker.core.files.disk import disk_errors, link_or_copy
from haymaker.core.progress import Progress, say
from haymaker.core.rows.model_requests import Request, write_requests
from haymaker.evaluation.models import plan
from haymaker.evaluation.models.client import Client, Failed
from haymaker.evaluation.models.journal import Reply, ReplyStore, locked_replies
from haymaker.evaluation.models.options import RequestOptions, check_endpoint, check_options

_AGAIN = "run the same command again to continue (finished replies are kept)"
_MIN_FAILED_IN_A_ROW = 20
_MIN_BYTES_PER_TOKEN = 2.0  # low estimate for any vocabulary: it overestimates the tokens
_TEMPLATE_TOKENS = 16  # of the chat template per message


def run_rows(options: RequestOptions, requests: Iterable[Request], *, only_plan: bool) -> None:
    """Write rows of a release as requests to a temporary file, print the expected cost, and send them."""
    check_options(options)
    if not only_plan:
        check_endpoint(options.endpoint)
    with locked_replies(options.out) as replies:  # to the end: no other run may write or remove the file of requests
        write_requests(options.requests, requests)
        try:
            plan.show(options)
            if not only_plan:
                _send_all(options, replies)
        finally:
            with disk_errors(options.requests):
                options.requests.unlink(missing_ok=True)


def run(options: RequestOptions) -> None:
    """Send all requests without a reply, write the reply file, and report requests that still have none."""
    check_options(options)
    with locked_replies(options.out) as replies:
        _send_all(options, replies)


def _send_all(options: RequestOptions, replies: ReplyStore) -> None:
    found = plan.scan(options, replies)
    backup = _backup(replies.out)
    if found.others:
        what = f"{options.out}: {found.others} replies are to other prompts, settings or models"
        say(f"{what}; the current file is kept as {backup.name} when the new one is written")
    sender = _Sender(options, replies)
    if found.pending:
        check_endpoint(options.endpoint)
        try:
            asyncio.run(sender.send(found.pending))
        except KeyboardInterrupt:
            raise EnvironmentProblem("stopped", where=str(options.out), fix=_AGAIN) from None
    if found.kept or sender.count["replies"] or replies.unfinished:
        if found.others and replies.out.exists():
            link_or_copy(replies.out, backup)
        written = replies.write(plan.requests_in(options))
        say(_summary(options, found, written, sender.count))
    sender.check_all()


def _backup(out: Path) -> Path:
    """Return the first free name for the present reply file: NAME.before, NAME.before-2, and so on."""
    names = (f"{out.name}.before" + (f"-{number}" if number > 1 else "") for number in count_from(1))
    return next(path for name in names if not (path := out.with_name(name)).exists())


class _Sender:
    """Send requests concurrently within the budget, and count the results."""

    def __init__(self, options: RequestOptions, replies: ReplyStore) -> None:
        self._options, self._replies = options, replies
        self.count: Counter[str] = Counter()
        self._failed: Counter[str] = Counter()
        self._messages: dict[str, str] = {}
        self._failed_in_a_row = 0
        self._reserved = 0.0  # cost of the replies so far, and maximum cost of the requests in flight
        self._over_budget = False

    async def send(self, pending: list[int]) -> None:
        """Send the requests at these byte offsets of the file."""
        options, todo = self._options, plan.requests_at(self._options, pending)
        with Progress("asking", total=len(pending), shards=len(pending), unit="requests", parts="requests") as progress:
            async with aclosing(Client(options)) as client:
                await self._work(client, islice(todo, 1), progress)  # one first: a rejected setting fails only once
                try:
                    async with asyncio.TaskGroup() as group:
                        for _ in range(min(options.concurrency, len(pending) - 1)):
                            group.create_task(self._work(client, todo, progress))
                except ExceptionGroup as errors:
                    raise errors.exceptions[0] from None

    async def _work(self, client: Client, todo: Iterator[Request], progress: Progress) -> None:
        """Send requests one after another until none is left: one of several concurrent workers."""
        for request in todo:
            reserved, budget = self._max_cost(request), self._options.budget
            if budget is not None and self._reserved + reserved > budget:
                self._over_budget = True  # requests in flight are already paid for: wait for their replies
                return
            self._reserved += reserved
            try:
                reply = await client.ask(request)
            except Failed as error:
                self._fail(error)
            else:
                self._store(request, reply, reserved)
            progress.advance(1)

    def _max_cost(self, request: Request) -> float:
        options = self._options
        size = sum(len(text.encode()) for text in (*request.texts, options.system_of(request)))
        tokens = round(size / _MIN_BYTES_PER_TOKEN) + _TEMPLATE_TOKENS * len(request.texts)
        return options.price(tokens, options.most(request)) or 0.0

    def _store(self, request: Request, reply: Reply, reserved: float) -> None:
        """Store a reply; the reservation stays in full if the server does not count tokens or the request fails."""
        options = self._options
        self._failed_in_a_row = 0
        self._replies.add(reply.record(options.model, options.identity(request)))
        if reply.prompt_tokens is not None and reply.reply_tokens is not None:
            self._reserved += (options.price(reply.prompt_tokens, reply.reply_tokens) or 0.0) - reserved
        self.count.update(replies=1, prompt=reply.prompt_tokens or 0, reply=reply.reply_tokens or 0)

    def _fail(self, error: Failed) -> None:
        self._failed[error.reason] += 1
        self._messages.setdefault(error.reason, f" ({error.message})" if error.message else "")
        if not error.server:
            return
        self._failed_in_a_row += 1
        if self._failed_in_a_row >= max(_MIN_FAILED_IN_A_ROW, 2 * self._options.concurrency):
            what = f"{self._failed_in_a_row} requests in a row have no reply ({self._reasons()})"
            fix = f"check --endpoint, wait, or set a smaller --concurrency; {_AGAIN}"
            raise EnvironmentProblem(what, where=self._options.endpoint, fix=fix)

    def check_all(self) -> None:
        """Raise an error if the budget was used up, or requests have no reply (with their number and the reasons)."""
        if self._over_budget:
            what = f"the budget of {self._options.budget:g} may be too small for the next request"
            fix = "run the same command with a new budget to continue (finished replies are kept)"
            raise EnvironmentProblem(what, where="--budget", fix=fix)
        if missing := self._failed.total():
            many = "1 request has" if missing == 1 else f"{missing} requests have"
            raise EnvironmentProblem(f"{many} no reply: {self._reasons()}", where=str(self._options.out), fix=_AGAIN)

    def _reasons(self) -> str:
        return "; ".join(f"{count} x {reason}{self._messages[reason]}" for reason, count in self._failed.most_common())


def _summary(options: RequestOptions, found: plan.RequestScan, count: Counter[str], now: Counter[str]) -> str:
    line = f"{count['replies']} of {found.requests} requests have a reply in {options.out}, {found.kept} from before"
    line += "".join(f"; {kind}: {many}" for kind, many in sorted(count.items()) if kind != "replies")
    if now["replies"]:
        line += f"; now {now['prompt']:,} prompt tokens and {now['reply']:,} of replies"
        price = options.price(now["prompt"], now["reply"])
        line += "" if price is None else f", cost {price:,.2f}"
    return line
