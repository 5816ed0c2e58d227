"""`haymaker eval`: send the rows of a release to a model, with `haymaker ask`; `haymaker score` reads the replies."""

from __future__ import annotations

from collections.abc import Iterable

from haymaker.core.files.disk import disk_errors
from haymaker.core.files.output_files import check_output_path
from haymaker.core.rows.model_requests import Request, write_requests
from haymaker.evaluation.models import ask, plan
from haymaker.evaluation.models.budget import Budget
from haymaker.evaluation.models.journal import Journal, ReplyCache
from haymaker.evaluation.models.options import RequestOptions, check_endpoint


def run(options: RequestOptions, requests: Iterable[Request], *, only_plan: bool) -> None:
    """Print the expected cost, then send the requests without a reply.

    Args:
        options: server, model and files; the file of requests is temporary.
        requests: one per row.
        only_plan: print the cost, send nothing.

    Raises:
        ParamsError, EnvironmentProblem, ReleaseError: same as `ask.run`.
    """
    check_output_path(options.out, "--out")
    Budget(options)  # check the options before gigabytes are written
    if not only_plan:
        check_endpoint(options.endpoint)
    ReplyCache(options.out)  # checks that an existing file contains replies
    with Journal(options.out):  # lock: no other run may read the file of requests
        write_requests(options.requests, requests)
    try:
        plan.show(options)
        if not only_plan:
            ask.run(options)
    finally:
        with disk_errors(options.requests):
            options.requests.unlink(missing_ok=True)
