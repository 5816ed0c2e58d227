"""Spending limit: reserve the maximum cost before each request, and release the unused part after its reply."""

from __future__ import annotations

from haymaker.core.errors import EnvironmentProblem, ParamsError
from haymaker.core.rows.model_requests import Request
from haymaker.evaluation.models.journal import Reply
from haymaker.evaluation.models.options import RequestOptions

_LEAST_BYTES = 2.0  # low estimate of bytes per token, for any vocabulary: it overestimates the tokens
_AROUND = 16  # tokens of the chat template


class Budget:
    """The spending limit of one run.

    Raises:
        ParamsError: a budget is set, but not both prices.
    """

    def __init__(self, options: RequestOptions) -> None:
        self._options = options
        self._held = 0.0
        if options.budget is not None and (options.price_in is None or options.price_out is None):
            raise ParamsError("a budget goes by prices", where="--budget", fix="give --price-in and --price-out")

    def hold(self, request: Request) -> float:
        """Reserve the maximum cost of a request, and return it.

        Raises:
            EnvironmentProblem: the remaining budget may be too small for the request.
        """
        options = self._options
        size = len((request.prompt + options.system_of(request)).encode())
        most = options.price(round(size / _LEAST_BYTES) + _AROUND, options.most(request)) or 0.0
        if options.budget is not None and self._held + most > options.budget:
            what = f"the budget of {options.budget:g} may not last for the next request; finished replies are kept"
            raise EnvironmentProblem(
                what, where="--budget", fix="the same command with a new budget goes on from there"
            )
        self._held += most
        return most

    def pay(self, held: float, reply: Reply) -> None:
        """Release the unused part; reservations of failed requests, or without token counts, stay in full."""
        if reply.prompt_tokens is not None and reply.reply_tokens is not None:
            self._held += (self._options.price(reply.prompt_tokens, reply.reply_tokens) or 0.0) - held
