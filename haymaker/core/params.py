"""Typed parameters; errors include the key and the nearest valid name."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar, get_args

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, WithJsonSchema

from haymaker.core.errors import ParamsError
from haymaker.core.files.yaml_file import mapping
from haymaker.core.lengths import is_natural, length_tokens
from haymaker.core.param_messages import in_words
from haymaker.core.renamed import rename_fix

_LEAST_BEGUN = 4  # shortest word that is matched as a prefix of a longer one


def omit_if_default(default: Any) -> Any:
    """Return a field that is omitted from output at its default, so that files of earlier releases stay identical."""
    return Field(default=default, exclude_if=lambda value: value == default)


class Section(BaseModel):
    """A block of parameters: unknown keys are errors, values are immutable."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=False)


def _checked_length(name: str) -> str:
    try:
        length_tokens(name)
    except ParamsError as error:
        raise ValueError(f"{error.what}; {error.fix}") from None
    return name


@dataclass(frozen=True, slots=True)
class RefersTo:
    """Mark a key whose value is the name of another parameter block: `Annotated[Name, RefersTo("corpora")]`.

    Attributes:
        kind: top-level key of that block.
        roles: accepted roles of a source; it must have at least one.
    """

    kind: str
    roles: tuple[str, ...] = ()


def names_read(section: BaseModel) -> Iterator[tuple[str, RefersTo, str]]:
    """Yield (key, mark, name) for each block name in a section; a key can contain several names."""
    for key, field in type(section).model_fields.items():
        value = getattr(section, key)
        for mark in _marks((*field.metadata, field.annotation)) if value is not None else ():
            yield from ((key, mark, name) for name in ((value,) if isinstance(value, str) else value))


def _marks(annotations: Iterable[Any]) -> Iterator[RefersTo]:
    """Yield the marks in an annotation, also inside `X | None` and tuple[X, ...]."""
    for each in annotations:
        yield from (each,) if isinstance(each, RefersTo) else _marks(get_args(each))


def _token_length(name: str) -> str:
    if is_natural(name):
        raise ValueError(f"{name} is not a number of tokens; write a whole number followed by k or M, such as 64k")
    return name


_LENGTH = {"type": "string", "pattern": r"^(0k|natural|0-4k|4-8k|8k\+|[1-9][0-9]{0,4}[kM])$"}
Length = Annotated[str, AfterValidator(_checked_length), WithJsonSchema(_LENGTH)]
TokenLength = Annotated[Length, AfterValidator(_token_length)]
"""A length name with a token count (0k is excluded)."""
Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
S = TypeVar("S", bound=Section)
OutputRoom = Annotated[int, Field(strict=True, ge=1, le=1_000_000)] | None
"""Tokens reserved for the answer and any reasoning before it; None: the needs of the answer."""


_EDITION_KEYS = {"real": "real", "simulated": "world"}
"""Names of the editions in random keys. `world` is an earlier name; changing a key would change every row."""


class ReleaseParams(Section):
    """Name and common settings of the release.

    Attributes:
        name: name of the release; its folder is data/releases/NAME.
        version: version of the release, three numbers.
        title: one line for the dataset card.
        seed: seed of all random choices.
        edition: "simulated" if all sources are simulated, otherwise "real".
        language: language of the rows (BCP 47).
        reserved_template_tokens: tokens of each length that are reserved for a chat template.
        reserved_output_tokens: output token budget of each row; null: the default of each task. Set several thousand for
            reasoning models (docs/reference/output-budget.md).
    """

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,59}$")]
    version: Annotated[str, Field(pattern=r"^\d+\.\d+\.\d+$")]
    title: str
    seed: Annotated[int, Field(strict=True, ge=0, lt=2**63)]
    edition: Annotated[str, Field(pattern=r"^(real|simulated)$")]
    language: str
    reserved_template_tokens: Annotated[int, Field(ge=0, le=4096)]
    reserved_output_tokens: OutputRoom

    @property
    def stream_key(self) -> str:
        """Return the first part of all random stream names, so that releases never share a stream."""
        return f"{self.name} {_EDITION_KEYS[self.edition]} {self.seed}"


class TokenizerParams(Section):
    """Tokenizers of a release.

    Attributes:
        release: tokenizer that defines the lengths.
        also: further tokenizers whose counts are stored in each row.
    """

    release: str
    also: tuple[str, ...] = ()


class ParquetParams(Section):
    """Parquet options. Any change alters the bytes of the release.

    Attributes:
        zstd_level: compression level.
        row_group_mb: target size of a row group in MB, before compression.
        shard_mb: target size of a file in MB.
    """

    zstd_level: Annotated[int, Field(ge=1, le=22)] = 9
    row_group_mb: Annotated[int, Field(ge=1, le=512)] = 16
    shard_mb: Annotated[int, Field(ge=1, le=4096)] = 64


class ValidateParams(Section):
    """Number of rows whose tokens `validate` counts again.

    Attributes:
        full_recount_max_length: recount all rows up to this length, and all natural rows.
        recount_sample_per_file: number of rows to recount in each file of longer rows.
    """

    full_recount_max_length: TokenLength = "64k"
    recount_sample_per_file: Annotated[int, Field(ge=1)] = 3


class KindParams(BaseModel):
    """Parameter block of a plug-in; the plug-in checks the remaining keys.

    Attributes:
        kind: kind of source; `haymaker sources list` prints all kinds.
        optional: if the files are unavailable, build the release without the tasks that need them.
    """

    model_config = ConfigDict(extra="allow", frozen=True)
    kind: str
    optional: Annotated[bool, Field(strict=True)] = omit_if_default(False)

    @property
    def options(self) -> dict[str, Any]:
        """Return the keys of the plug-in."""
        return dict(self.model_extra or {})


class SuiteParams(BaseModel):
    """One suite. Keys next to `tasks` are defaults of all its tasks.

    Attributes:
        tasks: name -> settings of each task to build.
    """

    model_config = ConfigDict(extra="allow", frozen=True)
    tasks: Annotated[
        dict[Name, Any],
        BeforeValidator(lambda tasks: {} if tasks == [] else tasks, json_schema_input_type=dict[Name, Any]),
    ] = Field(default_factory=dict)

    @property
    def options(self) -> dict[str, Any]:
        """Return all keys except `tasks`."""
        return dict(self.model_extra or {})


class Params(Section):
    """A complete parameter file (params/<release>.yaml). Inputs and suites that it omits are off.

    Attributes:
        extends: name of a file in params/ whose values apply where this file gives none.
        release: name and common settings of the release.
        tokenizer: tokenizers of the release.
        mirror: folder with an offline copy of the real source files; the variable HAYMAKER_MIRROR takes precedence.
        parquet: options of the Parquet files.
        validation: number of rows whose tokens are counted again.
        sources: name -> raw source: what to download or simulate.
        corpora: name -> background corpus, split into sentences.
        passages: name -> corpus of passages.
        indexes: name of a corpus of passages -> search indexes of it.
        retrieval_sets: name -> questions with gold passages and distractors.
        classification_sets: name -> labelled texts.
        documents: name -> documents with questions.
        suites: name of a suite -> its settings and tasks.
    """

    extends: Annotated[None, WithJsonSchema({"type": "string"})] = omit_if_default(None)  # expanded before (extends.py)
    release: ReleaseParams
    tokenizer: TokenizerParams
    mirror: str | None = None
    parquet: ParquetParams  # keys watched by dvc.yaml have no defaults: DVC reads the file itself
    validation: ValidateParams
    sources: dict[Name, KindParams] = Field(default_factory=dict)
    corpora: dict[Name, Any] = Field(default_factory=dict)
    passages: dict[Name, Any] = Field(default_factory=dict)
    indexes: dict[Name, Any] = Field(default_factory=dict)
    retrieval_sets: dict[Name, Any] = Field(default_factory=dict)
    classification_sets: dict[Name, Any] = Field(default_factory=dict)
    documents: dict[Name, Any] = Field(default_factory=dict)
    suites: dict[Name, SuiteParams] = Field(default_factory=dict)


def parse(section: type[S], values: Mapping[str, Any], *, where: str) -> S:
    """Check `values` against a section.

    Args:
        section: class that declares the keys.
        values: values from the file.
        where: file and key path for errors.

    Raises:
        ParamsError: the first problem, as one line.
    """
    if not isinstance(values, Mapping):
        raise ParamsError(f"needs keys and values, not {values!r}", where=where)
    try:
        return section.model_validate(dict(values))
    except ValidationError as error:
        raise _explain(error, section, where) from None


def load(raw: bytes, *, name: str) -> Params:
    """Parse a parameter file, except the plug-ins' own keys (pipelines/project.py checks those).

    Args:
        raw: bytes of the file.
        name: name of the file in error messages.

    Raises:
        ParamsError: the first problem.
    """
    return parse(Params, mapping(raw, name=name), where=name)


def nearest(word: str, known: Iterable[str], *, order: Callable[[str], Any] | None = None) -> str:
    """Return the new name of a renamed word, "did you mean X?" or, without a close match, the list of known words.

    Args:
        word: word that is not known.
        known: known words; duplicates are listed once.
        order: sort key of the list; None: by text.
    """
    known = sorted(set(known), key=order)
    if fix := rename_fix(word, known):
        return fix
    begun = [name for name in known if len(word) >= _LEAST_BEGUN and name.startswith(word)]
    close = begun if len(begun) == 1 else difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    return f"did you mean {close[0]!r}?" if close else f"known: {', '.join(known) or 'none'}"


def _explain(error: ValidationError, section: type[BaseModel], where: str) -> ParamsError:
    every = error.errors(include_url=False)
    # A misspelt key also makes the right key missing: report the misspelling.
    first = next((each for each in every if each["type"] == "extra_forbidden"), every[0])
    path = [str(part) for part in first["loc"] if part != "[key]"]
    is_key = "[key]" in first["loc"]
    place = f"{where}: {'.'.join(path)}" if path else where
    if first["type"] == "extra_forbidden":
        return ParamsError(
            f"unknown key {path[-1]!r}", where=place, fix=nearest(path[-1], _keys_at(section, path[:-1]))
        )
    if first["type"] == "missing" and isinstance(first["loc"][-1], int):
        place = f"{where}: {'.'.join(path[:-1])}"
        return ParamsError(
            f"has only {first['loc'][-1]} of the required values", where=place, fix="add the missing values"
        )
    if first["type"] == "missing":
        return ParamsError(f"key {path[-1]!r} is missing", where=place, fix=_missing_fix(section, path, where))
    message, fix = in_words(first, is_key=is_key)
    return ParamsError(f"{message} (given: {first.get('input')!r:.80})", where=place, fix=fix)


def _missing_fix(section: type[BaseModel], path: list[str], where: str) -> str:
    """Return the next step for a missing key: what to copy, or which block to name."""
    if section is Params and len(path) == 1:
        return f"copy the block `{path[0]}` from params/demo.yaml, or begin {where} with `extends: demo`"
    field = section.model_fields.get(path[-1]) if len(path) == 1 else None
    mark = next(_marks((*field.metadata, field.annotation)), None) if field else None
    return f"add it to {where}" + (f", with the name of a block in `{mark.kind}`" if mark else "")


def _keys_at(section: type[BaseModel], path: list[str]) -> list[str]:
    """Return the key names of the section at `path`; falls back to the last section found."""
    at: Any = section
    beside = list(getattr(section, "beside", ())) if not path else []
    for part in path:
        field = getattr(at, "model_fields", {}).get(part)
        inner = getattr(field, "annotation", None)
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            at = inner
    return [*beside, *(field.alias or name for name, field in at.model_fields.items())]
