"""A budget: before a request is sent, the most that it can cost is set aside; what is left over comes back with its reply."""

from __future__ import annotations

from haymaker.core.errors import EnvironmentProblem, ParamsError
from haymaker.core.rows.model_requests import Request
from haymaker.evaluation.models.journal import Reply
from haymaker.evaluation.models.options import RequestOptions

_LEAST_BYTES = 2.0  # a token has, whatever the vocabulary, on average: rather too few than too many
_AROUND = 16  # tokens around the messages


class Budget:
    """What may be spent.

    Raises:
        ParamsError: a budget without both prices.
    """

    def __init__(self, wish: RequestOptions) -> None:
        self._wish = wish
        self._held = 0.0
        if wish.budget is not None and (wish.price_in is None or wish.price_out is None):
            raise ParamsError("a budget goes by prices", where="--budget", fix="give --price-in and --price-out")

    def hold(self, request: Request) -> float:
        """Set aside the most that a request can cost, and say how much that is.

        Raises:
            EnvironmentProblem: the budget may not last for it.
        """
        wish = self._wish
        size = len((request.prompt + wish.system_of(request)).encode())
        most = wish.price(round(size / _LEAST_BYTES) + _AROUND, wish.most(request)) or 0.0
        if wish.budget is not None and self._held + most > wish.budget:
            what = f"the budget of {wish.budget:g} may not last for the next request; finished replies are kept"
            raise EnvironmentProblem(
                what, where="--budget", fix="the same command with a new budget goes on from there"
            )
        self._held += most
        return most

    def pay(self, held: float, reply: Reply) -> None:
        """Give back what a reply did not need; without the server's count nothing comes back, nor of one that failed."""
        if reply.prompt_tokens is not None and reply.reply_tokens is not None:
            self._held += (self._wish.price(reply.prompt_tokens, reply.reply_tokens) or 0.0) - held
