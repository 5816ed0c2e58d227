"""Solver of MRCR: reads the conversation of the prompt, counts the requests that equal the asked one, and copies the reply."""

from __future__ import annotations

import re
from typing import NamedTuple

_MARKS = (
    ("User: ", "\n\nAssistant: ", "\n\n"),
    ("<|im_start|>user\n", "<|im_end|>\n<|im_start|>assistant\n", "<|im_end|>\n"),
)
_QUESTION = re.compile(
    r"Write the (?P<number>\d+)(?:st|nd|rd|th) (?P<form>.+?) about (?P<topic>.+?) from this conversation again, word for word\. "
    r"Begin with (?P<string>\w+), "
)


class Conversation(NamedTuple):
    """Contents of a prompt.

    Attributes:
        turns: request and reply of each turn, in order.
        asked: request in the question.
        number: number of the requested reply, from 1.
        string: text that begins the answer.
    """

    turns: list[tuple[str, str]]
    asked: str
    number: int
    string: str

    @property
    def replies(self) -> list[str]:
        """The replies to the asked request."""
        return [reply for request, reply in self.turns if request == self.asked]


def read(prompt: str) -> Conversation:
    """Read the turns and the question; the turns are the whole prompt, or are between tags.

    Raises:
        ValueError: no conversation, a request without a reply, or no question after it.
    """
    head, opened, body = prompt.partition("<conversation>\n")
    body, _, last = body.partition("\n</conversation>") if opened else (head, "", "")
    for user, assistant, end in _MARKS:
        if body.startswith(user):
            turns = body.removeprefix(user).split(end + user)
            last = last if opened else turns.pop()
            pairs = [turn.partition(assistant)[::2] for turn in turns]
            question = _QUESTION.search(last)
            if not question or not all(assistant in turn for turn in turns):
                raise ValueError("no question at the end, or a request without a reply")
            article = "an" if question["form"][0] in "aeiou" else "a"
            asked = f"Write {article} {question['form']} about {question['topic']}."
            return Conversation(pairs, asked, int(question["number"]), question["string"])
    raise ValueError("no conversation")


def counts(found: Conversation) -> dict[str, int]:
    """Return the number of turns, and of replies to the asked request."""
    return {"turns": len(found.turns), "needles": len(found.replies)}


def solve(prompt: str) -> list[str]:
    """Return the string and the requested reply, without a space between them.

    Raises:
        ValueError: see `read`, or too few replies.
    """
    found = read(prompt)
    if not 1 <= found.number <= len(found.replies):
        raise ValueError(f"reply {found.number} of {len(found.replies)} is requested")
    return [found.string + found.replies[found.number - 1]]
