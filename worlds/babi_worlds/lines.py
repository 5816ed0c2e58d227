"""Lines of a simulated bAbI story, and the rule that keeps the splits apart."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

from haymaker.core.rows.source_records import Split

_SPAN = 1 << 16
_TEST = _SPAN * 15 // 100
_DEV = _SPAN * 25 // 100


@dataclass(frozen=True, slots=True)
class Fact:
    """One sentence that tells something. `text` ends with a full stop and has no line number."""

    text: str


@dataclass(frozen=True, slots=True)
class Ask:
    """One question about the facts before it.

    Attributes:
        question: ends with a question mark; the file's trailing space is not part of it.
        answer: one word, or words joined by commas.
        supporting: 1-based line ids of the story in the file's order (docs/spec/babilong.md 5), not always ascending.
        evidence: ascending ids of fact lines that are sufficient for the answer; default: the supporting lines.
            Only the files' supports of qa3 are not enough (docs/defects/babilong.md 5.3).
    """

    question: str
    answer: str
    supporting: tuple[int, ...]
    evidence: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not self.evidence:
            object.__setattr__(self, "evidence", tuple(sorted(self.supporting)))


Line = Fact | Ask


@dataclass(frozen=True, slots=True)
class Story:
    """One story: facts and questions in file order; line i of the file is `lines[i - 1]`."""

    lines: tuple[Line, ...]


def split_of(*opening: str) -> Split:
    """The split that a story with this opening belongs to: test 15 %, dev 10 %, train 75 % of all openings.

    The order of its sentences does not matter: the same sentences always belong to the same split. Every sample of
    a story holds its opening, so samples of two splits can never be equal, whatever the seeds and however many are drawn.
    Differs from the real files, whose training split repeats test samples (docs/defects/babilong.md 2.6).
    """
    text = "\n".join(sorted(opening))
    at = int.from_bytes(blake2b(text.encode(), digest_size=2, person=b"world-babi part").digest())
    if at < _TEST:
        return "test"
    return "dev" if at < _DEV else "train"
