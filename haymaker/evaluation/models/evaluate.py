"""`haymaker eval`: the rows of a release go to a model as `haymaker ask` sends requests; `haymaker score` reads the replies."""

from __future__ import annotations

from collections.abc import Iterable

from haymaker.core.files.disk import disk_errors
from haymaker.core.files.output_files import check_output_path
from haymaker.core.rows.model_requests import Request, write_requests
from haymaker.evaluation.models import ask, plan
from haymaker.evaluation.models.budget import Budget
from haymaker.evaluation.models.journal import Journal, ReplyCache
from haymaker.evaluation.models.options import RequestOptions, check_endpoint


def run(wish: RequestOptions, requests: Iterable[Request], *, only_plan: bool) -> None:
    """Say what rows cost, then ask what there is no reply to.

    Args:
        wish: what is asked; its file of requests lies there while this runs.
        requests: of the rows.
        only_plan: nothing is sent.

    Raises:
        ParamsError, EnvironmentProblem, ReleaseError: as `ask.run`.
    """
    check_output_path(wish.out, "--out")
    Budget(wish)  # refuses before gigabytes are written
    if not only_plan:
        check_endpoint(wish.endpoint)
    ReplyCache(wish.out)  # refuses a file that holds no replies
    with Journal(wish.out):  # no other run reads the file of requests
        write_requests(wish.requests, requests)
    try:
        plan.show(wish)
        if not only_plan:
            ask.run(wish)
    finally:
        with disk_errors(wish.requests):
            wish.requests.unlink(missing_ok=True)
