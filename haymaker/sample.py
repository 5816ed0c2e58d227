"""The sample: one schema for every suite, one finished text per row.

`prompt` is exactly what a model reads. Everything else points into it (Unicode code points) or says where it came from.
Fields that a suite does not use are null.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cache
from itertools import accumulate, groupby
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

DEPTH_ERROR = 1e-6
"""What a depth loses at most by being stored as float32."""


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of the prompt that somebody may want to find again.

    Attributes:
        start: first character, from 0.
        end: one past the last character.
        token_start: tokens of the prompt before it (counted by prefix sums; null where not known).
        kind: instruction, demo, fact, support, needle, gold, passage, distractor, shot.
        ref: what it is in the row's own terms, e.g. "fact:3".
        title: of a passage.
        rank: position in the list it was mined from, from 0.
        score: the retriever's score.
        label: class of a shot, grade of a passage.
    """

    start: int
    end: int
    kind: str
    ref: str | None = None
    token_start: int | None = None
    title: str | None = None
    rank: int | None = None
    score: float | None = None
    label: str | None = None


@dataclass(frozen=True, slots=True)
class Spans:
    """Many spans of one kind, as columns: a context of thousands of units costs no Python object per unit.

    Attributes:
        kind: of all of them.
        start, end, token_start: as in Span; anything that Arrow takes for a column of integers.
        ref, label: as in Span; None where no span has one.
    """

    kind: str
    start: Sequence[int]
    end: Sequence[int]
    token_start: Sequence[int] | None = None
    ref: Sequence[str] | None = None
    label: Sequence[str] | None = None

    def __len__(self) -> int:
        return len(self.start)

    def each(self) -> Iterator[Span]:
        """One by one."""
        none = [None] * len(self)
        columns = (
            self.start,
            self.end,
            *(none if given is None else given for given in (self.token_start, self.ref, self.label)),
        )
        for start, end, token_start, ref, label in zip(*map(list, columns), strict=True):
            yield Span(
                int(start), int(end), self.kind, ref, None if token_start is None else int(token_start), label=label
            )


@dataclass(frozen=True, slots=True)
class Demand:
    """Something that an output must hold, and where (column `checks`).

    Attributes:
        kind: how often: once, range (neighbouring entries), periodic.
        text: what must be told there.
        indices: entries of the output, from 1, in order.
    """

    kind: str
    text: str
    indices: Sequence[int]


@dataclass(slots=True)
class Sample:
    """One row of a release. Every field has a note in `FIELD_NOTES`."""

    id: str
    group_id: str
    suite: str
    task: str
    task_version: int
    category: str
    language: str
    part: str
    bucket: str
    prompt: bytes
    context_start: int
    context_end: int
    cue_start: int
    question: str
    prompt_tokens: int
    reserved_output_tokens: int
    reserved_template_tokens: int
    answers: list[str]
    metrics: list[str]
    max_new_tokens: int
    seed: int
    variant: str | None = None
    bucket_tokens: int | None = None
    system: str | None = None
    slack_tokens: int | None = None
    token_counts: list[dict[str, Any]] = field(default_factory=list)
    answer_groups: list[list[str]] | None = None
    references: list[str] | None = None
    choices: list[str] | None = None
    answer_index: int | None = None
    stop: list[str] | None = None
    chat: bool = True
    depth: float | None = None
    depth_index: int | None = None
    permutation: int | None = None
    n_units: int | None = None
    n_unique_units: int | None = None
    n_distractors: int | None = None
    haystack: str | None = None
    overlap: float | None = None
    density: float | None = None
    spans: list[Span | Spans] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    doc_ids: list[str] = field(default_factory=list)
    demo_ids: list[str] = field(default_factory=list)
    bucket_of: str = "window"
    verified: str | None = None
    checks: list[Demand] | None = None
    extra: str | None = None

    @property
    def text(self) -> str:
        """The prompt as a string."""
        return self.prompt.decode()


FIELD_NOTES = {
    "id": "unique row: task, part, group, bucket, variant",
    "group_id": "same question across buckets, depths, permutations and variants",
    "suite": "published system the row belongs to",
    "task": "task within the suite",
    "task_version": "raised whenever the bytes of the task's rows change",
    "category": "what ability the task asks for",
    "language": "ISO 639-1 code of the context",
    "part": "test, dev or train",
    "variant": "how the row differs from its group's plain form; null for the plain form",
    "bucket": "length name: k = 1,024, 1M = 1,000,000, 0k = no background; of what, says bucket_of",
    "bucket_tokens": "length in tokens; prompt + reserved + slack add up to it (bucket_of window), or the answer may take it (output); null for 0k",
    "prompt": "finished text: exactly what a model reads, no template left to render",
    "system": "system message, where a task has one",
    "context_start": "first character of the context in prompt",
    "context_end": "one past the last character of the context in prompt",
    "cue_start": "where the cue begins that a base model continues; a chat client drops or prefills it",
    "question": "the question alone",
    "prompt_tokens": "exact tokens of prompt under the release tokenizer, no special tokens",
    "reserved_output_tokens": "room kept for the answer",
    "reserved_template_tokens": "room kept for a chat template and special tokens",
    "slack_tokens": "tokens of the bucket left unused",
    "token_counts": "the same prompt under further tokenizers, in words and in characters",
    "answers": "accepted answers, the canonical one first",
    "answer_groups": "aliases per item, where an answer has several items",
    "references": "reference texts for overlap metrics",
    "choices": "closed set of labels",
    "answer_index": "position of the answer in choices",
    "metrics": "metric ids, the primary one first",
    "max_new_tokens": "tokens to generate",
    "stop": "strings that end a base model's answer",
    "chat": "whether the prompt may be sent as one user message",
    "depth": "unit index of the gold that decides, 0.0 start to 1.0 end of the context",
    "depth_index": "position in the depth grid or quarter, from 0",
    "permutation": "which order of the same units, from 0",
    "n_units": "background sentences, passages or shots in the context",
    "n_unique_units": "of which different",
    "n_distractors": "units made to look relevant",
    "haystack": "name of the background corpus",
    "overlap": "share of question words found in the gold",
    "density": "share of context tokens that are not background",
    "spans": "pieces of prompt with kind and reference, in order of start",
    "sources": "names of the sources used, as in manifest.json",
    "doc_ids": "background documents in order of use, or passages",
    "demo_ids": "worked examples and shots shown",
    "seed": "release seed",
    "bucket_of": "what bucket_tokens is the length of: window (prompt, answer and template together) or output (the answer alone)",
    "verified": "of choices that were written here, who looked at them: unverified, auto (filters) or human; null elsewhere",
    "checks": "what the output must hold: kind (once, range, periodic), text, indices of its entries from 1",
    "extra": "JSON with what this suite alone has",
}


@cache
def arrow_schema() -> pa.Schema:
    """The one Arrow schema of every file of every release (anything looser breaks readers, docs/spec/measured.md 2)."""
    import pyarrow as pa

    text, texts = pa.string(), pa.list_(pa.string())
    span = pa.struct(
        [
            ("start", pa.int64()),
            ("end", pa.int64()),
            ("token_start", pa.int64()),
            ("kind", text),
            ("ref", text),
            ("title", text),
            ("rank", pa.int32()),
            ("score", pa.float32()),
            ("label", text),
        ]
    )
    types: dict[str, Any] = {
        "prompt": pa.large_string(),
        "bucket_tokens": pa.int32(),
        "token_counts": pa.list_(pa.struct([("tokenizer", text), ("tokens", pa.int64())])),
        "answer_groups": pa.list_(texts),
        "chat": pa.bool_(),
        "depth": pa.float32(),
        "overlap": pa.float32(),
        "density": pa.float32(),
        "spans": pa.list_(span),
        "checks": pa.list_(pa.struct([("kind", text), ("text", text), ("indices", pa.list_(pa.int32()))])),
        "seed": pa.int64(),
    }
    types |= dict.fromkeys(_TEXT_LISTS, texts)
    types |= {name: pa.int64() for name in ("context_start", "context_end", "cue_start")}
    types |= {name: pa.int32() for name in _SMALL_INTS}
    return pa.schema([pa.field(f.name, types.get(f.name, text)) for f in fields(Sample)])


_TEXT_LISTS = ("answers", "references", "choices", "metrics", "stop", "sources", "doc_ids", "demo_ids")
_SMALL_INTS = (
    "task_version",
    "prompt_tokens",
    "reserved_output_tokens",
    "reserved_template_tokens",
    "slack_tokens",
    "answer_index",
    "max_new_tokens",
    "depth_index",
    "permutation",
    "n_units",
    "n_unique_units",
    "n_distractors",
)


def to_table(samples: list[Sample]) -> pa.Table:
    """Samples as one Arrow table; prompts are passed as UTF-8 bytes, so a long text is copied, never re-encoded."""
    import pyarrow as pa

    schema = arrow_schema()
    columns = []
    for name, arrow_type in zip(schema.names, schema.types, strict=True):
        values = [getattr(sample, name) for sample in samples]
        if name == "spans":
            columns.append(_spans(values, arrow_type))
        elif name == "checks":
            columns.append(pa.array([_plain(demands) for demands in values], type=arrow_type))
        else:
            columns.append(_texts(values) if name == "prompt" else pa.array(values, type=arrow_type))
    return pa.Table.from_arrays(columns, schema=schema)


def _plain(demands: list[Demand] | None) -> list[dict[str, Any]] | None:
    return None if demands is None else [asdict(demand) for demand in demands]


def _texts(utf8: list[bytes]) -> pa.LargeStringArray:
    """Finished texts as they are: one copy, where a general conversion would check every character again."""
    import pyarrow as pa

    offsets = array("q", accumulate(map(len, utf8), initial=0))
    return pa.LargeStringArray.from_buffers(len(utf8), pa.py_buffer(offsets), pa.py_buffer(b"".join(utf8)))


def _spans(rows: list[list[Span | Spans]], list_type: pa.ListType) -> pa.ListArray:
    """The spans of each row as one column: neighbours are converted field by field, never span by span."""
    import pyarrow as pa

    struct, parts = list_type.value_type, []
    sizes = [sum(len(piece) if isinstance(piece, Spans) else 1 for piece in row) for row in rows]
    for many, group in groupby((p for row in rows for p in row), key=lambda piece: isinstance(piece, Spans)):
        pieces = list(group)
        parts += [_columns(piece, struct) for piece in pieces] if many else [_singles(pieces, struct)]
    flat = pa.concat_arrays(parts) if parts else pa.array([], type=struct)
    offsets = pa.array(accumulate(sizes, initial=0), type=pa.int32())
    return pa.ListArray.from_arrays(offsets, flat, type=list_type)


def _singles(spans: list[Any], struct: pa.StructType) -> pa.StructArray:
    import pyarrow as pa

    columns = [pa.array([getattr(span, f.name) for span in spans], type=f.type) for f in struct]
    return pa.StructArray.from_arrays(columns, fields=list(struct))


def _columns(spans: Any, struct: pa.StructType) -> pa.StructArray:
    import pyarrow as pa

    given = {name: getattr(spans, name) for name in ("start", "end", "token_start", "ref", "label")}
    given["kind"] = pa.repeat(spans.kind, len(spans))
    columns = [
        pa.nulls(len(spans), f.type) if given.get(f.name) is None else pa.array(given[f.name], type=f.type)
        for f in struct
    ]
    return pa.StructArray.from_arrays(columns, fields=list(struct))
