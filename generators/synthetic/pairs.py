"""Look a key up in a long JSON object: JSON-KV as in HELMET, and InfiniteBench's kv_retrieval (docs/spec/synthetic.md C, D;
docs/spec/helmet.md 10). TaskSpec.kind is a Wording.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from typing import Annotated, Any, NamedTuple

from pydantic import Field

from generators.context import ranked
from generators.context.checks import at_depth, context_of, counts, is_context, texts_at
from generators.generated.base import GENERATED_SKIPS, GeneratedSettings, GeneratedTask
from generators.generated.listed import fitted
from generators.generated.rows import framed
from generators.inputs import Inputs
from generators.spec import Allowed, BackgroundUnits, Candidate, Entry, Row, Table, TaskSpec
from generators.synthetic.oracles import pairs as oracle
from generators.synthetic.pairs_stock import CLOSE, NEXT, OPEN, KeyKind, PairUnits, limit, stock
from haymaker.core.rows.schema import Sample, Span
from haymaker.core.rows.source_records import Split
from haymaker.core.text.english_grammar import number_words

_ABSENT = " If the object does not have that key, answer with the word none."


class Wording(NamedTuple):
    """Prompt texts of a task: instruction, the line that names a key, and the cue."""

    instruction: str
    key: str
    cue: str

    def request(self, key: str) -> str:
        """Return the lines that ask for a key."""
        return f"{self.key.format(key=key)}\n{self.cue}"


class PairSettings(GeneratedSettings):
    """Settings of the tasks over pairs.

    Attributes:
        keys: form of the keys: UUIDs, or words (adjective-noun). Values are UUIDs.
        depths: rows per group, with the requested pair at as many evenly spaced depths; 1: one row, its depth in the group's bin.
        bins: number of depth bins of equal width, for depths: 1.
        shots: number of worked examples from the same object, never with the requested key.
        distractors: number of pairs whose keys nearly equal the requested one: two other digits; for words, another adjective or noun.
        unanswerable: one more row per group, without the requested pair; the right answer is `none`, and every prompt says so.
    """

    keys: KeyKind = "uuid"
    depths: Annotated[int, Field(strict=True, ge=1, le=41)] = 1
    bins: Annotated[int, Field(strict=True, ge=1, le=100)] = 10
    shots: Annotated[int, Field(strict=True, ge=0, le=8)] = 0
    distractors: Annotated[int, Field(strict=True, ge=0, le=500)] = 0
    unanswerable: bool = False

    def title_words(self) -> Mapping[str, object]:
        which = "a key" if self.keys == "uuid" else "a word"
        how = f", the pair at {number_words(self.depths)} depths" if self.depths > 1 else ", depths in turn"
        how += f", {number_words(self.distractors)} keys nearly like it" if self.distractors else ""
        how += f", not there in one row of {number_words(self.depths + 1)}" if self.unanswerable else ""
        return {"which": which, "how": how}

    @property
    def variants(self) -> int:
        return self.depths + self.unanswerable


class Pairs(GeneratedTask[PairSettings]):
    """One JSON object per group; its rows differ in the place of the requested pair."""

    settings_type = PairSettings
    paired = frozenset({"depths", "bins", "shots", "distractors", "unanswerable"})

    def __init__(self, entry: Entry[PairSettings], inputs: Inputs) -> None:
        super().__init__(entry, inputs)
        self._rows = lru_cache(maxsize=1)(self._group_rows)  # the rows of a group follow one another

    def limit(self, split: Split = "test") -> int:
        return limit(self.settings.keys, self.inputs.tokenizers[0])

    def row(self, table: Table, candidate: Candidate, variant: int) -> Sample:
        """The last variant, if requested, is the row without the pair."""
        depths, unanswerable = self._depths(candidate), variant == self.settings.depths
        (key, value), rows = self._rows(table, candidate, unanswerable)
        point = "unanswerable" if unanswerable else f"d{variant}" if self.settings.depths > 1 else ""
        return self.writer.sample(
            table, candidate.key, **rows[0 if unanswerable else variant], point=point, question=key,
            answers=["none" if unanswerable else value], variant="unanswerable" if unanswerable else None,
            depth_index=None if unanswerable else depths[variant][0], num_distractors=self.settings.distractors,
            metadata={"keys": self.settings.keys, "shots": self.settings.shots},
        )  # fmt: skip

    def _depths(self, group: Candidate) -> list[tuple[int, float]]:
        """Return depth_index and depth of the requested pair, per row."""
        last = self.settings.depths - 1
        if last:
            return [(depth, depth / last) for depth in range(last + 1)]
        return [ranked.binned(group.number, self.settings.bins, self.draws(group.split, group.number, "depth"))]

    def _group_rows(
        self, table: Table, group: Candidate, unanswerable: bool
    ) -> tuple[tuple[str, str], list[dict[str, Any]]]:
        """Return the requested pair of a group, and columns of its rows: the same pairs in each, examples after the object."""
        settings, words, draws = self.settings, self.spec.kind, partial(self.draws, group.split, group.number)
        have = stock(self.release.stream_key, group.split, settings.keys, tuple(self.inputs.tokenizers))
        pairs = PairUnits(have, settings.shots, settings.distractors, draws)
        gold, *shown = map(pairs.pair, range(1 + settings.shots))
        examples = [f"{words.request(key)} {value}" for key, value in shown]
        tail = "\n\n".join(("\n</json>", *examples, words.request(gold[0])))
        instruction = words.instruction + (_ABSENT if settings.unanswerable else "")
        frame = framed(self.writer, instruction, f"<json>\n{OPEN}", tail, cue=words.cue, opener=OPEN)
        placings = [[]] if unanswerable else [[depth] for _, depth in self._depths(group)]
        rows = fitted(self, table, group, frame, pairs.units(), placings)
        for row in rows:
            end = frame.start + row["context"].characters
            for i, example in enumerate(examples):
                start = end + tail.index(example)
                row["spans"].append(Span(start, start + len(example), "fewshot", f"fewshot:{i}"))
        return gold, rows

    def background(self, row: Row) -> BackgroundUnits:
        pairs = [line.lstrip("{, ") for line in context_of(row)[: -len(CLOSE)].split("\n")]
        return [pair for pair in pairs if not pair.startswith(f'"{row["question"]}"')]

    def problems(self, row: Row) -> Iterator[str]:
        yield from super().problems(row)
        found: list[tuple[str, str]] = json.loads(context_of(row), object_pairs_hook=list)
        keys = [key for key, _ in found]
        yield from counts(row, keys)
        if len({value for _, value in found}) != len(found):
            yield "a value appears twice"
        yield from is_context(row, OPEN + NEXT.join(f' "{key}": "{value}"' for key, value in found) + CLOSE)
        for example in texts_at(row, "fewshot"):
            key, value = example.split("\n")[0].removeprefix("Key: ").strip('"'), example.split(" ")[-1]
            if key == row["question"] or (key, value) not in found:
                yield f"worked example {key} is not another pair of the object"
        answers, key, gold = row["answers"], row["question"], texts_at(row, "gold")
        if row["variant"] == "unanswerable":
            if gold or key in keys or answers != ["none"]:
                yield "the requested key is in the object, or its answer is not none"
        elif gold != [f'"{key}": "{answer}"' for answer in answers] or row["prompt"].count(answers[0]) != 1:
            yield "the requested pair is not at its span, or its value also appears elsewhere"
        else:
            yield from at_depth(row, [keys.index(key)], len(keys))


_ENDS = "65,536 keys of a release: about 4M tokens"
_WHY = "The question names the key: whoever searches for it finds the pair, as in the references."
_NAMED = {"bm25_top1": Allowed(100, _WHY)}
_JSON_KV = Wording(
    "Below is a JSON object. Look up the key that is given at the very end and reply with its value exactly as written in the "
    "object, without quotation marks and with nothing before or after it.",
    "Key: {key}",
    "Value:",
)
_RETRIEVAL = Wording(
    "The JSON object below has many keys, each with a value. One key is given after the object. Find exactly that key in "
    "the object and reply with its value only, without quotation marks.",
    'Key: "{key}"',
    "The value of this key is:",
)

TASKS = (
    TaskSpec(
        "json_kv", Pairs, "JSON-KV (HELMET): the value of {which} in a long JSON object{how}", "recall",
        ("kv@strict", "kv@official", "subem@strict"), 64, version=3, ends=_ENDS, solver=oracle.solve, stop=("\n",),
        defaults={"depths": 6, "shots": 2}, skips=GENERATED_SKIPS, allows=_NAMED, kind=_JSON_KV,
    ),
    TaskSpec(
        "kv_retrieval", Pairs, "Key-value retrieval (InfiniteBench): the value of {which} in a long JSON object{how}",
        "retrieval", ("infbench_kv@strict", "infbench_kv@official"), 64, version=3, ends=_ENDS, solver=oracle.solve, stop=("\n",),
        skips=GENERATED_SKIPS, allows=_NAMED, kind=_RETRIEVAL,
    ),
)  # fmt: skip
