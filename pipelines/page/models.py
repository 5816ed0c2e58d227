"""The models that a page is about: their scores, and their outputs where these were given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from haymaker.errors import ParamsError
from haymaker.json_lines import json_lines
from haymaker.text import visible
from pipelines.release import read_outputs
from pipelines.reports.compare import same_release
from pipelines.reports.scorecard import scored
from pipelines.reports.scored import Scored, known_as, settled
from pipelines.reports.scoredread import Given, holds_scores, read_scores

_NAME = 40  # characters of a model's name


class Model(NamedTuple):
    """One model.

    Attributes:
        name: of its file, without the ending; the whole path where two have the same.
        given: every score of every row.
        outputs: by row id; empty where scores alone were given.
        finish: why the model ended, by row id, where the file says it.
        tokens: of prompts and of replies, as the server counted them; 0 where the file does not say.
    """

    name: str
    given: Given
    outputs: Mapping[str, str]
    finish: Mapping[str, str]
    tokens: tuple[int, int] = (0, 0)

    @property
    def first(self) -> list[Scored]:
        """Scores under each row's first metric."""
        return [row for row in self.given.rows if row.primary]


def read(release: Path, files: Sequence[Path], missing: str) -> list[Model]:
    """Score files of outputs, read files of scores.

    Args:
        release: its folder.
        files: as `haymaker score` reads them, or written by its --rows.
        missing: whether rows without an output are left out or count as 0.

    Raises:
        ParamsError: a file stands twice.
        ReleaseError: as `haymaker score`, or scores of another release.
    """
    if len({path.resolve() for path in files}) < len(files):
        raise ParamsError("a file stands twice", where="--outputs", fix="name each once")
    this = Given(release, known_as(release), [])
    stems = [path.stem for path in files]
    return [
        _model(release, path, this, missing, path.stem if stems.count(path.stem) == 1 else str(path)) for path in files
    ]


def _model(release: Path, path: Path, this: Given, missing: str, name: str) -> Model:
    shown = visible(name)[-_NAME:]
    if holds_scores(path):
        given = read_scores(path)
        same_release(this, given)
        return Model(shown, given._replace(rows=settled(given.rows, missing)), {}, {})
    given = scored(release, path, None, missing)
    ends, tokens = {}, [0, 0]
    for _, record in json_lines(path):
        if isinstance(record.get("finish"), str):
            ends[record["id"]] = record["finish"]
        for place, key in enumerate(("prompt_tokens", "reply_tokens")):
            tokens[place] += record[key] if isinstance(record.get(key), int) else 0
    return Model(shown, given, read_outputs(path), ends, (tokens[0], tokens[1]))
