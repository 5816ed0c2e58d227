"""Row schema of all suites. A row is one finished prompt with its metadata.

`prompt` is the complete input of the model; offsets into it count Unicode code points. Unused fields are null.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cache
from itertools import accumulate, groupby, starmap
from operator import attrgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

_MANY = 256  # smallest number of spans that is converted as its own array
DEPTH_ERROR = 1e-6
"""Maximum rounding error of a depth stored as float32."""


@dataclass(frozen=True, slots=True)
class Span:
    """A marked piece of the prompt.

    Attributes:
        start: first character, from 0.
        end: one past the last character.
        token_start: number of prompt tokens before the span (by prefix sums); null if unknown.
        kind: instruction, fewshot, fact, support, needle, gold, passage, distractor, shot.
        ref: identifier within the row, such as "fact:3".
        title: title of a passage.
        rank: position in the retrieval list, from 0.
        score: retriever score.
        label: class of a shot, or grade of a passage.
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
    """Many spans as columns, which avoids one Python object per span in contexts of thousands of units.

    Attributes:
        kind: one kind for all spans, or one per span.
        start, end, token_start: as in Span; any sequence of integers that Arrow accepts.
        ref, label, title, rank, score: as in Span; None if no span has a value.
    """

    kind: str | Sequence[str]
    start: Sequence[int]
    end: Sequence[int]
    token_start: Sequence[int] | None = None
    ref: Sequence[str] | None = None
    label: Sequence[str] | None = None
    title: Sequence[str | None] | None = None
    rank: Sequence[int | None] | None = None
    score: Sequence[float | None] | None = None

    def __len__(self) -> int:
        return len(self.start)

    def column(self, name: str) -> list[Any]:
        """Return the values of a field for all spans."""
        given: Any = getattr(self, name)
        if given is None or isinstance(given, str):
            return [given] * len(self)
        return list(given.tolist() if hasattr(given, "tolist") else given)  # arrays become Python values

    def array(self, field: pa.Field) -> pa.Array:
        """Return the values of a field as an Arrow array."""
        import pyarrow as pa

        given: Any = getattr(self, field.name)
        if given is None:
            return pa.nulls(len(self), field.type)
        return pa.repeat(given, len(self)) if isinstance(given, str) else pa.array(given, type=field.type)

    def each(self) -> Iterator[Span]:
        """Iterate over the spans as Span objects."""
        return starmap(Span, zip(*map(self.column, Span.__slots__), strict=True))


@dataclass(frozen=True, slots=True)
class Demand:
    """Required content of an output and its place (column `output_constraints`).

    Attributes:
        kind: frequency: once, range (neighbouring entries), periodic.
        text: content required there.
        indices: numbers of the output's entries, from 1, in order.
    """

    kind: str
    text: str
    indices: Sequence[int]


@dataclass(slots=True)
class Sample:
    """One row of a release. `FIELD_NOTES` describes every field."""

    id: str
    group_id: str
    suite: str
    task: str
    task_version: int
    category: str
    language: str
    split: str
    length: str
    prompt: bytes
    context_start: int
    context_end: int
    answer_prefix_start: int
    question: str
    prompt_tokens: int
    reserved_output_tokens: int
    reserved_template_tokens: int
    answers: list[str]
    metrics: list[str]
    max_new_tokens: int
    seed: int
    variant: str | None = None
    length_tokens: int | None = None
    system: str | None = None
    unused_tokens: int | None = None
    token_counts: list[dict[str, Any]] = field(default_factory=list)
    answer_groups: list[list[str]] | None = None
    references: list[str] | None = None
    choices: list[str] | None = None
    answer_index: int | None = None
    stop: list[str] | None = None
    use_chat_template: bool = True
    depth: float | None = None
    depth_index: int | None = None
    order_index: int | None = None
    num_segments: int | None = None
    num_unique_segments: int | None = None
    num_distractors: int | None = None
    background_corpus: str | None = None
    question_gold_overlap: float | None = None
    evidence_density: float | None = None
    messages: list[dict[str, str]] | None = None
    spans: list[Span | Spans] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    doc_ids: list[str] = field(default_factory=list)
    fewshot_ids: list[str] = field(default_factory=list)
    length_of: str = "input"
    options_reviewed_by: str | None = None
    gold_source: str | None = None
    output_constraints: list[Demand] | None = None
    metadata: str | None = None

    @property
    def text(self) -> str:
        """Return the prompt as a string."""
        return self.prompt.decode()

    def each_span(self) -> Iterator[Span]:
        """Iterate over all spans as Span objects."""
        return (each for given in self.spans for each in (given.each() if isinstance(given, Spans) else [given]))


LEAN_COLUMNS = (
    "id",
    "prompt",
    "messages",
    "question",
    "answers",
    "choices",
    "answer_index",
    "task",
    "length",
    "split",
    "prompt_tokens",
    "spans",
    "metrics",
    "metadata",
)
"""Columns that the configs of a release read by default. They are also the first columns of every file."""

FIELD_NOTES = {
    "id": "unique name of the row; model outputs refer to it",
    "prompt": "complete input of the model, with nothing left to fill in",
    "messages": "the prompt as chat messages (role, content) in tasks that are conversations; otherwise null",
    "question": "the question without the context",
    "answers": "accepted answers; the first one is the canonical answer",
    "choices": "options or labels; the answer is one of them",
    "answer_index": "index of the answer in choices, from 0",
    "task": "task within the suite",
    "length": "length name: k = 1,024 and 1M = 1,000,000 tokens; 0k: no background text; natural or a word range: the text keeps its own length",
    "split": "test, dev or train",
    "prompt_tokens": "exact number of tokens in prompt by the release tokenizer, without special tokens",
    "spans": "marked pieces of prompt in order; kind: instruction, fewshot, fact, support, needle, gold, passage, distractor or shot; score: of the retriever",
    "metrics": "metrics, the primary one first; @strict is Haymaker's version, @official the published one including its quirks",
    "metadata": "JSON object with fields of this suite only",
    "group_id": "rows with the same group_id ask the same question at different lengths, depths, orders and variants",
    "suite": "benchmark that the task belongs to, such as babilong or helmet",
    "task_version": "version of the task; raised whenever its rows change",
    "category": "ability that the task measures",
    "language": "ISO 639-1 code of the context",
    "variant": "form of the task, such as nocite or extractive; null for the plain form",
    "length_tokens": "length in tokens; null for 0k and natural rows. If length_of is input: prompt_tokens + both reserves + unused_tokens; if output: limit of the answer",
    "system": "system message of tasks that have one",
    "context_start": "start of the long context in prompt; all positions count Unicode characters from 0",
    "context_end": "end of the long context: prompt[context_start:context_end]",
    "answer_prefix_start": "start of the answer prefix (such as Answer:) at the end of prompt; for a chat model, remove the prefix or prefill it",
    "reserved_output_tokens": "tokens of the length reserved for the answer",
    "reserved_template_tokens": "tokens of the length reserved for a chat template and special tokens",
    "unused_tokens": "tokens of the length that remain unused; null if length_tokens is null",
    "token_counts": "length of the same prompt by other tokenizers, in words and in characters",
    "answer_groups": "accepted forms of each item, for answers with several items",
    "references": "reference texts for overlap metrics such as ROUGE",
    "max_new_tokens": "output token budget of the answer, without reasoning",
    "stop": "strings that end the answer of a base model",
    "use_chat_template": "true: send prompt as one user message; false: continue prompt as it is, without a chat template",
    "depth": "position of the deciding segment in the context, from 0.0 (start) to 1.0 (end)",
    "depth_index": "index of the position from 0, for tasks with fixed positions (a grid or quarters)",
    "order_index": "index of the order from 0, for tasks that show the same passages or options in several orders",
    "num_segments": "number of segments in the context: sentences, passages or worked examples (shots)",
    "num_unique_segments": "number of different segments in the context",
    "num_distractors": "number of segments that look relevant but are not",
    "background_corpus": "corpus of the background text",
    "question_gold_overlap": "fraction of the question's words that also occur in the gold text",
    "evidence_density": "fraction of the context's tokens that are not background",
    "sources": "sources of the row; manifest.json has their licences",
    "doc_ids": "ids of the background documents or passages, in order of use",
    "fewshot_ids": "ids of the worked examples and shots in prompt",
    "seed": "seed of the release",
    "length_of": "what length measures: input (prompt + answer + chat template) or output (the answer only)",
    "options_reviewed_by": "reviewer of options written for this release: human, model (a language model), auto (filters only) or unverified; otherwise null",
    "gold_source": "how gold passages were identified: provenance (by the publisher), subject (verifier matched article and answer), judged (human grades), simulated",
    "output_constraints": "required content of a long output: kind (once, range, periodic), text, and numbers of its entries, from 1",
}


@cache
def arrow_schema() -> pa.Schema:
    """Return the Arrow schema of all release files (a looser schema breaks readers, docs/spec/measured.md 2)."""
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
        "messages": pa.list_(pa.struct([("role", text), ("content", text)])),
        "length_tokens": pa.int32(),
        "token_counts": pa.list_(pa.struct([("tokenizer", text), ("tokens", pa.int64())])),
        "answer_groups": pa.list_(texts),
        "use_chat_template": pa.bool_(),
        "depth": pa.float32(),
        "question_gold_overlap": pa.float32(),
        "evidence_density": pa.float32(),
        "spans": pa.list_(span),
        "output_constraints": pa.list_(pa.struct([("kind", text), ("text", text), ("indices", pa.list_(pa.int32()))])),
        "seed": pa.int64(),
    }
    types |= dict.fromkeys(_TEXT_LISTS, texts)
    types |= {name: pa.int64() for name in ("context_start", "context_end", "answer_prefix_start")}
    types |= {name: pa.int32() for name in _SMALL_INTS}
    names = dict.fromkeys([*LEAN_COLUMNS, *(f.name for f in fields(Sample))])
    return pa.schema([pa.field(name, types.get(name, text)) for name in names])


_TEXT_LISTS = ("answers", "references", "choices", "metrics", "stop", "sources", "doc_ids", "fewshot_ids")
_SMALL_INTS = (
    "task_version",
    "prompt_tokens",
    "reserved_output_tokens",
    "reserved_template_tokens",
    "unused_tokens",
    "answer_index",
    "max_new_tokens",
    "depth_index",
    "order_index",
    "num_segments",
    "num_unique_segments",
    "num_distractors",
)


def to_table(samples: list[Sample]) -> pa.Table:
    """Convert samples to one Arrow table; prompts are passed as UTF-8 bytes and never re-encoded."""
    import pyarrow as pa

    schema = arrow_schema()
    columns = []
    for name, arrow_type in zip(schema.names, schema.types, strict=True):
        values = [getattr(sample, name) for sample in samples]
        if name == "spans":
            columns.append(_spans(values, arrow_type))
        elif name == "output_constraints":
            columns.append(pa.array([_plain(demands) for demands in values], type=arrow_type))
        else:
            columns.append(_texts(values) if name == "prompt" else pa.array(values, type=arrow_type))
    return pa.Table.from_arrays(columns, schema=schema)


def _plain(demands: list[Demand] | None) -> list[dict[str, Any]] | None:
    return None if demands is None else [asdict(demand) for demand in demands]


def _texts(utf8: list[bytes]) -> pa.LargeStringArray:
    """Return an Arrow array of UTF-8 texts with a single copy and no validation."""
    import pyarrow as pa

    offsets = array("q", accumulate(map(len, utf8), initial=0))
    return pa.LargeStringArray.from_buffers(len(utf8), pa.py_buffer(offsets), pa.py_buffer(b"".join(utf8)))


def _spans(rows: list[list[Span | Spans]], list_type: pa.ListType) -> pa.ListArray:
    """Return the spans of all rows as one column, converted field by field."""
    import pyarrow as pa

    sizes = [sum(len(piece) if isinstance(piece, Spans) else 1 for piece in row) for row in rows]
    runs = [(kind, list(run)) for kind, run in groupby((piece for row in rows for piece in row), key=type)]
    fields = list(list_type.value_type)
    flat = pa.StructArray.from_arrays([_field(runs, each) for each in fields], fields=fields)
    return pa.ListArray.from_arrays(pa.array(accumulate(sizes, initial=0), type=pa.int32()), flat, type=list_type)


def _field(runs: list[tuple[type, list[Any]]], field: pa.Field) -> pa.Array:
    """Return one field of all spans as an Arrow array; small groups are collected before conversion.

    Args:
        runs: runs of consecutive items of one type, (Span or Spans, items).
        field: Arrow field of Span.
    """
    import pyarrow as pa

    parts, few = list[pa.Array](), list[Any]()
    name = field.name  # looked up once: Arrow creates a new string on every access
    for kind, run in runs:
        if kind is Span:
            few += map(attrgetter(name), run)
            continue
        for spans in run:
            if len(spans) < _MANY:
                few += spans.column(name)
            else:
                parts += [pa.array(few, type=field.type), spans.array(field)]
                few = []
    return pa.concat_arrays([*parts, pa.array(few, type=field.type)])
