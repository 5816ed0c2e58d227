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
        kind: instruction, demo, fact, support, needle, gold, passage, distractor, shot.
        ref: identifier within the row, such as "fact:3".
        title: title of a passage.
        rank: position in the mined list, from 0.
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


FIELD_NOTES = {
    "id": "unique name of the row; outputs are scored by it",
    "group_id": "rows of one group ask the same question, at every length, depth, order and variant",
    "suite": "benchmark that the task belongs to, such as babilong or helmet",
    "task": "task within the suite",
    "task_version": "raised whenever the rows of the task change",
    "category": "ability that the task asks for",
    "language": "ISO 639-1 code of the context",
    "split": "test, dev or train: the split",
    "variant": "how the row differs from the plain form of its task, such as nocite or extractive; null for the plain form",
    "length": "length by name: k = 1,024 tokens, 1M = 1,000,000, 0k = no background; natural, or a range of words: as long as the text is by itself",
    "length_tokens": "the length in tokens; prompt, both reserves and slack add up to it (length_of window), or the answer may take it (output); null for 0k and natural rows",
    "prompt": "exactly what a model reads, finished: nothing is left to fill in",
    "system": "system message, where a task has one",
    "context_start": "where the long context begins in prompt; all positions count Unicode characters from 0",
    "context_end": "where it ends: prompt[context_start:context_end]",
    "answer_prefix_start": "where the cue begins, the end of prompt that a base model continues, such as Answer:; with a chat model drop or prefill it",
    "question": "the question alone",
    "prompt_tokens": "exact tokens of prompt by the release's tokenizer, without special tokens",
    "reserved_output_tokens": "tokens of the length kept free for the answer",
    "reserved_template_tokens": "tokens of the length kept free for a chat template and special tokens",
    "unused_tokens": "tokens of the length left over; null where length_tokens is",
    "token_counts": "length of the same prompt by further tokenizers, in words and in characters",
    "answers": "accepted answers, the canonical one first",
    "answer_groups": "accepted forms of each item, where an answer has several items",
    "references": "texts that an output is compared with by overlap metrics such as ROUGE",
    "choices": "options or labels, one of which is the answer",
    "answer_index": "position of the answer in choices, from 0",
    "metrics": "how outputs are scored, the primary metric first: @strict is Haymaker's form, @official the published one with its quirks",
    "max_new_tokens": "tokens that the answer itself needs at most",
    "stop": "strings that end a base model's answer",
    "use_chat_template": "true: send prompt as one user message; false: let it be continued as it is, without a chat template",
    "depth": "where the piece that decides the answer stands among the pieces of the context, 0.0 start to 1.0 end",
    "depth_index": "number of that place, where places are set (a grid, quarters), from 0",
    "order_index": "number of the order, where the same pieces come in several orders, from 0",
    "num_segments": "pieces that fill the context: sentences, passages or worked examples (shots)",
    "num_unique_segments": "of which different",
    "num_distractors": "pieces made or chosen to look relevant without being so",
    "background_corpus": "name of the corpus that the background was taken from",
    "question_gold_overlap": "share of the question's words found in the gold, the piece that holds the answer",
    "evidence_density": "share of the context's tokens that are not background",
    "spans": "marked pieces of prompt in order of start; kind: instruction, demo, fact, support, needle, gold, passage, distractor, shot ...; rank and score: the retriever's",
    "sources": "what the row was made of, by the names in manifest.json, where the licences stand",
    "doc_ids": "background documents in order of use, or passages",
    "fewshot_ids": "worked examples and shots shown in prompt",
    "seed": "seed of the release",
    "length_of": "what length is the length of: window (prompt, answer and template together) or output (the answer alone)",
    "options_reviewed_by": "who looked at options that were written for this release: human, model (a language model), auto (filters alone) or unverified; null elsewhere",
    "gold_source": "who says that a passage is gold: provenance (the questions' publisher named it or its article), subject (a verifier: it is of the article on what is asked about and states the answer), judged (people graded it), simulated (what wrote it); null where the task asks no mined questions",
    "output_constraints": "what a long output must hold: kind (once, range, periodic), text, and in which of its entries, from 1",
    "metadata": "JSON with what this suite alone has",
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
    return pa.schema([pa.field(f.name, types.get(f.name, text)) for f in fields(Sample)])


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
