"""The models that a page is about: their scores, and their outputs where these were given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, TypeVar

from haymaker.core.errors import ParamsError
from haymaker.core.files.json_lines import json_lines
from haymaker.core.text.strings import visible
from haymaker.evaluation.compare.compare import same_release
from haymaker.evaluation.predictions import read_outputs
from haymaker.evaluation.score.files import ModelScores, holds_scores, read_scores
from haymaker.evaluation.score.options import ScoringOptions
from haymaker.evaluation.score.row_scores import RowScore, apply_missing_policy, release_identity
from haymaker.evaluation.score.run import scored

NONE = Path("-")
"""Among `--replies`: this model has none."""
_NAME = 40  # characters of a model's name
_TOKENS = ("prompt_tokens", "reply_tokens")
_Value = TypeVar("_Value")


class Entry(NamedTuple):
    """A file that is to be a model on the page.

    Attributes:
        path: of outputs, as `haymaker score` reads them, or of scores, written by its --rows.
        wish: how outputs are scored.
        prices: per million tokens of prompts and of replies; None: not told.
    """

    path: Path
    wish: ScoringOptions
    prices: tuple[float | None, float | None] = (None, None)


@dataclass(frozen=True, slots=True)
class Options:
    """How models are scored and what they cost, as the command line has it: each once for all of them or, in their order, once for each.

    Attributes:
        missing: whether rows without an output are left out of means ("exclude") or count as 0 ("zero").
        entailment: what decides whether a passage entails a claim; None: the stand-in.
        replies: files of a judge's replies, one for each model; NONE: it has none.
        prompting: "chat" or "base".
        price_in, price_out: per million tokens of prompts and of replies.
    """

    missing: str = "exclude"
    entailment: str | None = None
    replies: Sequence[Path] = ()
    prompting: Sequence[str] = ()
    price_in: Sequence[float] = ()
    price_out: Sequence[float] = ()

    def entries(self, files: Sequence[Path]) -> list[Entry]:
        """What each file is to be.

        Raises:
            ParamsError: an option that stands neither once nor once for each.
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
                ScoringOptions(missing=self.missing, entailment=self.entailment, replies=said, prompting=way),
                price,
            )
            for path, said, way, price in zip(files, replies, ways, prices, strict=True)
        ]


def _each(name: str, given: Sequence[_Value], many: int, *, alike: bool = True) -> Sequence[_Value | None]:
    """A value for each model: what is given once is of all of them, unless each needs its own; none given: None."""
    if not given:
        return [None] * many
    if len(given) == 1 and alike:
        return [*given] * many
    if len(given) != many:
        what = f"stands {len(given)} times, and there are {many} files of outputs"
        fix = f"name it {'once for all, or ' * alike}once for each --outputs, in their order{'' if alike else '; - where a model has none'}"
        raise ParamsError(what, where=name, fix=fix)
    return given


@dataclass(frozen=True, slots=True)
class Model:
    """One model.

    Attributes:
        name: of its file, without the ending; the whole path where two have the same.
        given: every score of every row.
        outputs: by row id; empty where scores alone were given.
        finish: why the model ended, by row id, where the file says it.
        tokens: of the prompt and of the reply, by row id, as the server counted them; a request that two rows share counts once.
        prices: per million of either; None: not told.
    """

    name: str
    given: ModelScores
    outputs: Mapping[str, str] = field(default_factory=dict)
    finish: Mapping[str, str] = field(default_factory=dict)
    tokens: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    prices: tuple[float | None, float | None] = (None, None)

    @property
    def first(self) -> list[RowScore]:
        """Scores under each row's first metric."""
        return [row for row in self.given.rows if row.primary]


def read_models(release: Path, entries: Sequence[Entry]) -> list[Model]:
    """Score files of outputs, read files of scores.

    Args:
        release: its folder.
        entries: the files, and how they are scored.

    Raises:
        ParamsError: a file stands twice, or a judge's replies beside scores.
        ReleaseError: as `haymaker score`, or scores of another release.
    """
    files = [entry.path for entry in entries]
    if len({path.resolve() for path in files}) < len(files):
        raise ParamsError("a file stands twice", where="--outputs", fix="name each once")
    this = ModelScores(release, release_identity(release), [])
    stems = [path.stem for path in files]
    names = [path.stem if stems.count(path.stem) == 1 else str(path) for path in files]
    return [_model(release, entry, this, _shown(name)) for entry, name in zip(entries, names, strict=True)]


def _shown(name: str) -> str:
    """A name as the page has room for it: the end of a path tells more than its beginning."""
    told = visible(name)
    return told if len(told) <= _NAME else f"…{told[-_NAME + 1 :]}"


def _model(release: Path, entry: Entry, this: ModelScores, name: str) -> Model:
    path = entry.path
    if holds_scores(path):
        if entry.wish.replies:
            raise ParamsError(
                "holds scores already", where=str(path), fix=f"--replies {NONE} for it, or name its outputs"
            )
        given = read_scores(path)
        same_release(this, given)
        return Model(
            name, given._replace(rows=apply_missing_policy(given.rows, entry.wish.missing)), prices=entry.prices
        )
    ends, tokens = _as_the_server_says(path)
    return Model(name, scored(release, path, entry.wish), read_outputs(path), ends, tokens, entry.prices)


def _as_the_server_says(path: Path) -> tuple[dict[str, str], dict[str, tuple[int, int]]]:
    """Why outputs ended, and their tokens, by row id."""
    ends, tokens, met = dict[str, str](), dict[str, tuple[int, int]](), set[object]()
    for _, record in json_lines(path):
        if isinstance(record.get("finish"), str):
            ends[record["id"]] = record["finish"]
        read_in, wrote = (record[key] if isinstance(record.get(key), int) else 0 for key in _TOKENS)
        if (read_in or wrote) and record.get("request", record["id"]) not in met:
            met.add(record.get("request", record["id"]))
            tokens[record["id"]] = read_in, wrote
    return ends, tokens
