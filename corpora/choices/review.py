"""The sheet on which people judge options: a CSV file that any spreadsheet program opens, and that is read back.

One line per question. People fill in `verdict`, and may write another text over an option. A line counts while the options are
those it was written for (column `state`); lines of other options are passed over and counted: judgement is not carried over to
what nobody has seen.

Cells that a spreadsheet program would take for a formula begin with an apostrophe, which is taken off again at reading.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from corpora.choices.filters import key
from corpora.choices.form import normal
from corpora.choices.options import Candidate
from haymaker.core.errors import SourceError
from haymaker.core.files.disk import written
from haymaker.core.rng import digest

VERDICTS = {
    "ok": "ok",
    "wrong option is true": "wrong_option_is_true",
    "right option is wrong": "right_option_is_wrong",
    "unclear": "unclear",
    "gives itself away": "gives_itself_away",
}
HUMAN = "human"
_FIXED = ("question_id", "document", "question", "right")
_LAST = ("verdict", "remark", "state")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_FIX = "mend that line of the sheet"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a sheet.

    Attributes:
        question_id: of the question.
        document: its id.
        question: what is asked.
        right: the right option.
        wrong: the others, with who wrote them.
        verdict: one of VERDICTS, or empty.
        remark: of the reader.
        state: of the options for which it was written.
    """

    question_id: str
    document: str
    question: str
    right: str
    wrong: tuple[Candidate, ...]
    verdict: str = ""
    remark: str = ""
    state: str = ""


@dataclass(frozen=True, slots=True)
class Judged:
    """What a sheet says of one question.

    Attributes:
        right: the right option, as people left it.
        wrong: the others.
        outcome: verdict, edited, of_other_options, or empty where nobody looked.
        human: people found it good.
        rejected: people found it bad.
    """

    right: str
    wrong: tuple[Candidate, ...]
    outcome: str = ""
    human: bool = False
    rejected: bool = False


class Review:
    """Verdicts by question.

    Args:
        lines: question id -> line.
    """

    def __init__(self, lines: Mapping[str, Line]) -> None:
        self._lines = dict(lines)

    def judge(self, question_id: str, question: str, right: str, wrong: tuple[Candidate, ...]) -> Judged:
        """What people say of a question with these options.

        Raises:
            SourceError: a text that was written over an option says the same as another option.
        """
        line = self._lines.get(question_id)
        if line is None or not line.verdict:
            return Judged(right, wrong)
        if line.state != state_of(question, right, [option.text for option in wrong]):
            return Judged(right, wrong, "of_other_options")
        if line.verdict != "ok":
            return Judged(right, wrong, VERDICTS[line.verdict], rejected=True)
        was = {option.text: option for option in wrong}  # the sheet has them in another order
        edited = tuple(was.get(now) or Candidate(now, HUMAN) for now in (normal(option.text) for option in line.wrong))
        texts = [normal(line.right), *(option.text for option in edited)]
        if len({key(text) for text in texts}) < len(texts) or not all(texts):
            raise SourceError(
                "two options say the same, or one is empty", where=f"review of {question_id!r:.80}", fix=_FIX
            )
        outcome = "ok" if (texts[0], set(edited)) == (right, set(wrong)) else "edited"
        return Judged(texts[0], edited, outcome, human=True)

    def unused(self, question_ids: Iterable[str]) -> int:
        """Lines with a verdict about questions that are not there."""
        known = set(question_ids)
        return sum(bool(line.verdict) and line.question_id not in known for line in self._lines.values())

    @property
    def judged(self) -> list[Line]:
        """Lines with a verdict."""
        return [line for line in self._lines.values() if line.verdict]


def state_of(question: str, right: str, wrong: Sequence[str]) -> str:
    """A name for a question with its options: changes with any of them."""
    return digest("options", question, right, *sorted(wrong), size=6).hex()


def write_sheet(path: Path, lines: Sequence[Line]) -> None:
    """Write a sheet: UTF-8 with a byte order mark, which spreadsheet programs need to see that it is."""
    most = max((len(line.wrong) for line in lines), default=0)
    columns = [*_FIXED, *(name for i in range(1, most + 1) for name in (f"wrong_{i}", f"origin_{i}")), *_LAST]
    with written(path) as temporary, temporary.open("w", encoding="utf-8-sig", newline="") as file:
        table = csv.writer(file)
        table.writerow(columns)
        for line in lines:
            options = [cell for option in line.wrong for cell in (option.text, option.origin)]
            options += [""] * (2 * (most - len(line.wrong)))
            cells = (line.question_id, line.document, line.question, line.right, *options)
            state = line.state or state_of(line.question, line.right, [option.text for option in line.wrong])
            table.writerow([*map(safe, cells), line.verdict, safe(line.remark), f"s{state}"])


def read_sheet(path: Path) -> Review:
    """Read a sheet; separated by commas, semicolons or tabs.

    Raises:
        SourceError: no such columns, another verdict than VERDICTS, or a question twice.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"cannot be read: {error}", where=path.name, fix="save the sheet as CSV in UTF-8") from None
    head = text.split("\n", 1)[0]
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=head.count))
    lacking = [name for name in (*_FIXED, *_LAST) if name not in (reader.fieldnames or ())]
    if lacking:
        raise SourceError(
            f"has no column {lacking[0]!r}", where=path.name, fix="haymaker options review writes a sheet"
        )
    lines: dict[str, Line] = {}
    for row in reader:
        line = _line({name: unsafe(value or "") for name, value in row.items() if isinstance(name, str)}, path.name)
        if line.question_id in lines:
            raise SourceError(f"question {line.question_id!r:.80} comes twice", where=path.name, fix=_FIX)
        lines[line.question_id] = line
    return Review(lines)


def _line(row: Mapping[str, str], name: str) -> Line:
    verdict = " ".join(row["verdict"].lower().split())
    if verdict and verdict not in VERDICTS:
        raise SourceError(
            f"verdict {verdict!r:.60} of question {row['question_id']!r:.80}", where=name,
            fix=f"write one of: {', '.join(VERDICTS)}; or nothing",
        )  # fmt: skip
    places = (i for i in range(1, len(row)) if row.get(f"origin_{i}"))
    wrong = tuple(Candidate(row[f"wrong_{i}"], row[f"origin_{i}"]) for i in places)
    state = row["state"].removeprefix("s")
    return Line(
        row["question_id"], row["document"], row["question"], row["right"], wrong, verdict, row["remark"], state
    )


def safe(cell: str) -> str:
    """A cell that no spreadsheet program takes for a formula."""
    return f"'{cell}" if cell.startswith((*_FORMULA, "'=", "'+", "'-", "'@", "'\t", "'\r", "''")) else cell


def unsafe(cell: str) -> str:
    """What `safe` was given."""
    return cell[1:] if cell.startswith("'") and cell[1:2] in (*_FORMULA, "'") and len(cell) > 1 else cell
