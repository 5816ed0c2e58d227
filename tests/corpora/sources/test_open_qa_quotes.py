"""Questions of TriviaQA went through csv once or twice; quotation marks that belong to them stay."""

from __future__ import annotations

import pytest

from corpora.sources.kilt_tasks import unquoted


@pytest.mark.parametrize(
    ("cell", "question"),
    [
        ("Who wrote it?", "Who wrote it?"),
        ('"Who played ""Socks""?"', 'Who played "Socks"?'),
        ('"""What poet wrote """"Auld Lang Syne""""?"""', 'What poet wrote "Auld Lang Syne"?'),
        ('"""Who said, """"How can you rule?"""', 'Who said, "How can you rule?'),
        ('"To be" and "not to be"', '"To be" and "not to be"'),
        ('"', '"'),
        ("", ""),
    ],
)
def test_csv_quotes_go(cell: str, question: str) -> None:
    assert unquoted(cell) == question
