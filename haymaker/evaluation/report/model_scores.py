"""The models of a page: their scores and, if available, their outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple, TypeVar

from haymaker.core.errors import ParamsError
from haymaker.core.files.json_lines import json_lines
from haymaker.core.text.strings import visible
from haymaker.evaluation.compare.compare import same_release
from haymaker.evaluation.predictions import read_outputs
from haymaker.evaluation.score.files import ModelScores, holds_scores, read_scores
from haymaker.evaluation.score.options import ScoringOptions
from haymaker.evaluation.score.row_scores import NO_OUTPUT, RowScore, release_identity
from haymaker.evaluation.score.run import scored
from haymaker.releases.selection import Selection

NONE = Path("-")
"""Value of `--replies` for a model without a judge's replies."""
_NAME = 40  # characters of a model's name
_TOKENS = ("prompt_tokens", "reply_tokens")
_ALL = Selection()
_Value = TypeVar("_Value")


class Entry(NamedTuple):
    """Input file of one model.

    Attributes:
        path: outputs for `haymaker score`, or scores written by its --row-scores.
        wish: scoring options for outputs.
        prices: per million prompt tokens and reply tokens; None: unknown.
    """

    path: Path
    wish: ScoringOptions
    prices: tuple[float | None, float | None] = (None, None)


@dataclass(frozen=True, slots=True)
class Options:
    """Scoring options and prices from the command line: one value for all models, or one per model in their order.

    Attributes:
        missing: policy for rows without an output: "exclude" them from means or score them "zero".
        entailment: entailment model; None: the offline stand-in.
        replies: files of a judge's replies, one per model; NONE for a model without replies.
        prompting: "chat" or "base".
        price_in, price_out: per million prompt tokens and reply tokens.
        selection: rows of the page.
    """

    missing: str = "exclude"
    entailment: str | None = None
    replies: Sequence[Path] = ()
    prompting: Sequence[str] = ()
    price_in: Sequence[float] = ()
    price_out: Sequence[float] = ()
    selection: Selection = _ALL

    def entries(self, files: Sequence[Path]) -> list[Entry]:
        """Return an entry with its options for each file.

        Raises:
            ParamsError: the number of values of an option is neither one nor the number of files.
        """
        many = len(files)
        replies = [
            None if path in (None, NONE) else path for path in _each("--replies", self.replies, many, alike=False)
        ]
        ways = [way or "chat" for way in _each("--prompting", self.prompting, many)]
        prices = zip(_each("--price-in", self.price_in, many), _each("--price-out", self.price_out, many), strict=True)
        return [
            Entry(
                path,
                ScoringOptions(
                    missing=self.missing,
                    entailment=self.entailment,
                    replies=answers,
                    prompting=way,
                    selection=self.selection,
                ),
                price,
            )
            for path, answers, way, price in zip(files, replies, ways, prices, strict=True)
        ]


def _each(name: str, given: Sequence[_Value], many: int, *, alike: bool = True) -> Sequence[_Value | None]:
    """Return a value per model (None without values); a single value applies to all models if `alike`."""
    if not given:
        return [None] * many
    if len(given) == 1 and alike:
        return [*given] * many
    if len(given) != many:
        what = f"is given {len(given)} times for {many} files of outputs"
        fix = f"give it {'once for all files, or ' * alike}once per file, in the order of the files{'' if alike else ' (- for none)'}"
        raise ParamsError(what, where=name, fix=fix)
    return given


@dataclass(frozen=True, slots=True)
class Model:
    """One model.

    Attributes:
        name: file name without extension; the whole path if two files have the same name.
        given: scores under all metrics of the rows that count: without an output only under the policy "zero".
        outputs: by row id; empty if only scores were given.
        finish: finish reasons by row id, if the file contains them.
        tokens: prompt and reply tokens by row id, counted by the server; a request shared by two rows counts once.
        prices: per million prompt tokens and reply tokens; None: unknown.
        missing: number of test rows without an output, in tasks and lengths with outputs.
    """

    name: str
    given: ModelScores
    outputs: Mapping[str, str] = field(default_factory=dict)
    finish: Mapping[str, str] = field(default_factory=dict)
    tokens: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    prices: tuple[float | None, float | None] = (None, None)
    missing: int = 0

    @property
    def first(self) -> list[RowScore]:
        """Scores under the primary metric of each row."""
        return [row for row in self.given.rows if row.primary]


def read_models(release: Path, entries: Sequence[Entry]) -> list[Model]:
    """Score files of outputs, and read files of scores.

    Args:
        release: release folder.
        entries: files with their scoring options.

    Raises:
        ParamsError: a repeated file, or a judge's replies for a file of scores.
        ReleaseError: same as `haymaker score`, or scores of another release.
    """
    files = [entry.path for entry in entries]
    if len({path.resolve() for path in files}) < len(files):
        raise ParamsError("a file is given twice", where="haymaker report", fix="give each file once")
    this = ModelScores(release, release_identity(release), [])
    stems = [path.stem for path in files]
    names = [path.stem if stems.count(path.stem) == 1 else str(path) for path in files]
    return [_model(release, entry, this, _shown(name)) for entry, name in zip(entries, names, strict=True)]


def _shown(name: str) -> str:
    """Shorten a name for the page, keeping the end of a path."""
    text = visible(name)
    return text if len(text) <= _NAME else f"…{text[-_NAME + 1 :]}"


def _model(release: Path, entry: Entry, this: ModelScores, name: str) -> Model:
    path = entry.path
    if holds_scores(path):
        if entry.wish.replies:
            fix = f"use --replies {NONE} for it, or give its outputs"
            raise ParamsError("already contains scores", where=str(path), fix=fix)
        given = read_scores(path)
        same_release(this, given)
        given = given.selected(entry.wish.selection, str(release), entry.wish.missing)
        return _counted(Model(name, given, prices=entry.prices))
    ends, tokens = _server_facts(path)
    return _counted(Model(name, scored(release, path, entry.wish), read_outputs(path), ends, tokens, entry.prices))


def _counted(model: Model) -> Model:
    """Count the rows without an output, and remove those without a score."""
    rows = model.given.rows
    tables = {row.table for row in rows if row.why != NO_OUTPUT}
    missing = {row.id for row in rows if row.why == NO_OUTPUT and (row.score is not None or row.table in tables)}
    left = [row for row in rows if row.why != NO_OUTPUT or row.score is not None]
    return replace(model, given=model.given._replace(rows=left), missing=len(missing))


def _server_facts(path: Path) -> tuple[dict[str, str], dict[str, tuple[int, int]]]:
    """Return finish reasons and token counts by row id."""
    ends, tokens, met = dict[str, str](), dict[str, tuple[int, int]](), set[object]()
    for _, record in json_lines(path):
        if isinstance(record.get("finish"), str):
            ends[record["id"]] = record["finish"]
        read_in, wrote = (record[key] if isinstance(record.get(key), int) else 0 for key in _TOKENS)
        if (read_in or wrote) and record.get("request", record["id"]) not in met:
            met.add(record.get("request", record["id"]))
            tokens[record["id"]] = read_in, wrote
    return ends, tokens
