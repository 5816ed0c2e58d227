"""Look a key up in a long JSON object: JSON-KV as in HELMET, and InfiniteBench's kv_retrieval (spec/synthetic.md C, D; spec/helmet.md 10)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import Field

from corpora.records import Part
from generators.pieces import Filling, Strip
from generators.rows import Frame
from generators.synthetic import ranked
from generators.synthetic.family import Family, Kind
from generators.synthetic.oracles import pairs as oracle
from generators.synthetic.pairs_stock import (
    CLOSE,
    NEXT,
    OPEN,
    KeyKind,
    Material,
    key_texts,
    material,
    stock,
    value_texts,
)
from generators.synthetic.vocabulary import POOL, compounds, uuids
from generators.task import Table
from haymaker.errors import BuildError
from haymaker.params import Section
from haymaker.sample import Sample, Span

if TYPE_CHECKING:
    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]

_ABSENT = " If the object does not have the key, write: none"
_FLOAT32 = 1e-6  # what is lost by storing a depth as float32
_SAMPLE = 256  # pairs that the size of all is judged by


@dataclass(frozen=True, slots=True)
class Wording:
    """The texts of a task.

    Attributes:
        instruction: before the object.
        key: line that names a key.
        cue: what a base model continues.
    """

    instruction: str
    key: str
    cue: str


WORDINGS = {
    "json_kv": Wording(
        "Below is a JSON object. Look up the key that is named last and write down its value, character for character as it "
        "stands in the object, without quotation marks and with nothing before or after it.",
        "Key: {key}",
        "Value:",
    ),
    "kv_retrieval": Wording(
        "The JSON object below has many keys, each with a value. After it, one key is named. Find exactly this key in the "
        "object and answer with its value alone, without quotation marks.",
        'Key: "{key}"',
        "The value of this key is:",
    ),
}


class PairsParams(Section):
    """Knobs of the tasks over pairs.

    Attributes:
        keys: UUIDs, or words (adjective-noun); values are UUIDs.
        depths: rows per group, the asked pair at as many evenly spaced depths; 1: one row, its depth in the group's bin.
        bins: of equal width, for depths: 1.
        shots: solved demos from the same object, never with the asked key.
        distractors: pairs whose keys nearly equal the asked one: two other digits; for words, another adjective or noun.
        absent: one more row per group, without the asked pair; the right answer is `none`, and every prompt says so.
    """

    keys: KeyKind = "uuid"
    depths: Annotated[int, Field(strict=True, ge=1, le=41)] = 1
    bins: Annotated[int, Field(strict=True, ge=1, le=100)] = 10
    shots: Annotated[int, Field(strict=True, ge=0, le=8)] = 0
    distractors: Annotated[int, Field(strict=True, ge=0, le=500)] = 0
    absent: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """What a group asks, the same at every length.

    Attributes:
        pairs: of its object.
        frame: the words around the object.
        demos: where they stand in the words behind the object.
        depths: (depth_index, depth) of the asked pair, per row.
    """

    pairs: Material
    frame: Frame
    demos: list[tuple[int, int]]
    depths: list[tuple[int, float]]


@dataclass(frozen=True, slots=True)
class Made:
    """A finished context.

    Attributes:
        places: its pairs.
        filling: its text.
        counts: of the whole prompt, per tokenizer.
        at: rank to place, for the fixed pairs, in order of place.
    """

    places: ranked.Places
    filling: Filling
    counts: list[int]
    at: dict[int, int]


class Pairs(Family):
    """One JSON object per group; its rows differ in where the asked pair stands."""

    settings_type = PairsParams
    paired = frozenset({"depths", "bins", "shots", "distractors", "absent"})

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._asked = lru_cache(maxsize=1)(self._draw)  # the rows of a group stand side by side
        self._contexts = lru_cache(maxsize=1)(self._fill)

    @classmethod
    def points(cls, settings: PairsParams) -> int:
        """Depths, and the row without the asked pair."""
        return settings.depths + settings.absent

    @classmethod
    def solve(cls, prompt: str) -> list[str]:
        """Parses the object."""
        return oracle.solve(prompt)

    def limit(self) -> int:
        """Tokens of all pairs that there are, by a sample."""
        make = uuids if self.settings.keys == "uuid" else compounds
        texts = [*key_texts(make(_SAMPLE, "limit")), *value_texts(uuids(_SAMPLE, "limit"))]
        return sum(self.tools.tokenizers[0].count_units(texts)) * (POOL - POOL // 50) // _SAMPLE

    def _draw(self, part: Part, group: int) -> Asked:
        settings, tokenizers, words = self.settings, self.tools.tokenizers, WORDINGS[self.plan.of]
        have = stock(self.tools.release.seed, part, settings.keys, tuple(tokenizers))
        draws = {purpose: self.stream(part, group, purpose) for purpose in ("keys", "values", "near")}
        pairs = material(have, settings.shots, settings.distractors, draws, tokenizers)
        tail, demos = "\n</json>\n\n", []
        for key, value in map(pairs.pair, range(1, 1 + settings.shots)):
            shown = f"{words.key.format(key=key)}\n{words.cue} {value}"
            demos.append((len(tail), len(tail) + len(shown)))
            tail += f"{shown}\n\n"
        tail += f"{words.key.format(key=pairs.pair(0)[0])}\n{words.cue}"
        instruction = words.instruction + (_ABSENT if settings.absent else "")
        spans = [Span(0, len(instruction), "instruction", token_start=0)]
        head = f"{instruction}\n\n<json>\n{OPEN}"
        frame = self.tools.writer.frame(head, tail, cue=words.cue, opener=OPEN, spans=spans)
        return Asked(pairs, frame, demos, self._depths(part, group))

    def _depths(self, part: str, group: int) -> list[tuple[int, float]]:
        last = self.settings.depths - 1
        if last:
            return [(point, point / last) for point in range(last + 1)]
        return [ranked.binned(group, self.settings.bins, self.stream(part, group, "depth"))]

    def _fill(self, table: Table, group: int, absent: bool) -> list[Made]:
        """The contexts of a group's rows: the same pairs in each, the asked one at each depth; or one without it.

        Raises:
            BuildError: no room, or not enough pairs.
        """
        asked = self._asked(table.part, group)
        pairs, frame = asked.pairs, asked.frame
        placed: list[tuple[list[int], list[float]]] = [([], [])] if absent else [([0], [d]) for _, d in asked.depths]
        room = self.tools.writer.room(table)
        fixed = int(pairs.strip(0).tokens[0][int(absent) :].sum())
        budget = room - frame.heads[0].tokens - frame.tails[0].tokens - fixed
        while budget > 0:
            chosen = ranked.filling_ranks(pairs.sizes, pairs.most, budget, table)
            if not chosen:
                break
            strip = pairs.strip(chosen[-1] + 1)
            ranks = [*range(1, pairs.fixed), *(pairs.fixed + rank for rank in chosen)]
            order = ranked.in_drawn_order(ranks, self.stream(table.part, group, "places"))
            contexts = [self._context(asked, strip, ranked.inserted(order, *where)) for where in placed]
            used = max(context.counts[0] for context in contexts)
            if used <= room:
                return contexts
            budget -= used - room
        raise BuildError("instruction and demos leave no room", where=table.config, fix="drop the bucket")

    def _context(self, asked: Asked, strip: Strip, order: Ints) -> Made:
        units, frame = strip.ordered(order), asked.frame
        filling = ranked.ended(units, NEXT, CLOSE, self.tools.tokenizers)
        places = ranked.Places(units, frame.start, frame.tokens_before, NEXT)
        at = {int(order[i]): int(i) for i in np.flatnonzero(order < asked.pairs.fixed)}
        return Made(places, filling, self.tools.writer.count(frame, filling), at)

    def row(self, table: Table, group: int, point: int) -> Sample:
        """The row of a depth, or (the last point, where asked for) the row without the asked pair.

        Raises:
            BuildError: the bucket is too short, or longer than all pairs.
        """
        asked, absent = self._asked(table.part, group), point == self.settings.depths
        made = self._contexts(table, group, absent)[0 if absent else point]
        ranked.demand_full(self.tools.writer, table, made.counts)
        (key, value), units, place = asked.pairs.pair(0), len(made.places.strip), made.at.get(0)
        named = "absent" if absent else f"d{point}" if self.settings.depths > 1 else ""
        end = asked.frame.start + made.filling.characters
        demos = (Span(end + first, end + last, "demo", f"demo:{i}") for i, (first, last) in enumerate(asked.demos))
        return self.tools.writer.sample(
            table, self.group_id(table.part, group), asked.frame, made.filling, made.counts,
            point=named, question=key, answers=["none" if absent else value], variant="absent" if absent else None,
            depth=None if place is None else place / (units - 1),
            depth_index=None if absent else asked.depths[point][0],
            n_units=units, n_unique_units=units, n_distractors=len(asked.pairs.near),
            spans=[*self._spans(made, asked.pairs), *demos],
            stop=["\n"], extra={"keys": self.settings.keys, "shots": self.settings.shots},
        )  # fmt: skip

    def _spans(self, made: Made, pairs: Material) -> Iterator[Span]:
        """Asked pair and near ones, in order."""
        for rank, at in made.at.items():
            if rank == 0:
                yield made.places.span(at, "gold", "pair")
            elif rank > pairs.shots:
                yield made.places.span(at, "distractor", f"near:{rank - pairs.shots - 1}")

    def background(self, row: dict[str, Any]) -> list[tuple[str, int, int]]:
        """All pairs but the asked one."""
        lines = row["prompt"][row["context_start"] : row["context_end"] - len(CLOSE)].split("\n")
        pairs = [line.lstrip("{, ") for line in lines]
        return [(pair, 0, 1) for pair in pairs if not pair.startswith(f'"{row["question"]}"')]

    def problems(self, row: dict[str, Any]) -> Iterator[str]:
        """What the oracle cannot see: the object's shape, the answer in one place alone, spans, depth, demos."""
        context = row["prompt"][row["context_start"] : row["context_end"]]
        found: list[tuple[str, str]] = json.loads(context, object_pairs_hook=list)
        keys, values = [key for key, _ in found], [value for _, value in found]
        if not len(found) == row["n_units"] == row["n_unique_units"] == len(set(keys)) == len(set(values)):
            yield "a key or a value comes twice, or n_units is not their number"
        if context != OPEN + NEXT.join(f' "{key}": "{value}"' for key, value in found) + CLOSE:
            yield "the object is not one pair a line"
        for demo in _marked(row, "demo"):
            key, value = demo.split("\n")[0].removeprefix("Key: ").strip('"'), demo.split(" ")[-1]
            if key == row["question"] or (key, value) not in found:
                yield f"demo {key} is not another pair of the object"
        if row["variant"] == "absent":
            if _marked(row, "gold") or row["question"] in keys or row["answers"] != ["none"]:
                yield "the key asked for is in the object, or its answer is not none"
        else:
            yield from _answered(row, keys)


def _answered(row: dict[str, Any], keys: list[str]) -> Iterator[str]:
    (answer,), asked = row["answers"], row["question"]
    if _marked(row, "gold") != [f'"{asked}": "{answer}"'] or row["prompt"].count(answer) != 1:
        yield "the asked pair is not at its span, or its value stands elsewhere too"
    elif abs(keys.index(asked) / (len(keys) - 1) - row["depth"]) > _FLOAT32:
        yield "depth is not where the asked pair stands"


def _marked(row: dict[str, Any], kind: str) -> list[str]:
    return [row["prompt"][span["start"] : span["end"]] for span in row["spans"] if span["kind"] == kind]


_ENDS = "65,536 keys of a release: about 4M tokens"

KINDS: dict[str, Kind] = {
    "json_kv": Kind(
        "JSON-KV (HELMET): the value of a key in a long JSON object, the pair at six depths",
        Pairs, "recall", ("kv@strict", "kv@official", "subem@strict"), 64, _ENDS, {"depths": 6, "shots": 2},
    ),
    "kv_retrieval": Kind(
        "Key-value retrieval (InfiniteBench): the value of a key in a long JSON object, depths in turn",
        Pairs, "retrieval", ("infbench_kv@strict", "infbench_kv@official"), 64, _ENDS,
    ),
}  # fmt: skip
