"""MRCR: copy one of several replies to the same request from a long conversation (docs/suites/frontier.md)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from difflib import SequenceMatcher
from functools import lru_cache, partial
from typing import Annotated, Literal

from pydantic import Field

from generators.context import ranked
from generators.context.checks import at_depth, counts, texts_at
from generators.context.prompt import Part, framed
from generators.context.writer import Frame
from generators.frontier import floors
from generators.frontier.oracles import mrcr as oracle
from generators.frontier.turns import BLOCKS, FIRST_WORD, Block, Turns, block
from generators.generated.base import GENERATED_SKIPS, GeneratedSettings, GeneratedTask
from generators.generated.listed import fitted
from generators.inputs import Inputs
from generators.spec import BackgroundUnits, Candidate, Entry, Row, Table, TaskSpec
from haymaker.core.rng import Stream
from haymaker.core.rows.chat_template import TEMPLATES, Template, messages_in
from haymaker.core.rows.schema import Sample
from haymaker.core.rows.source_records import Split
from haymaker.core.text.english_grammar import number_words, short_ordinal
from worlds.replies.shape import misshapen

Form = Literal["messages", "flat"]
MOST_ALIKE = 0.3  # difflib ratio of two replies to the asked request
_STRING = 12  # characters that begin the answer
_SYMBOLS = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
_INSTRUCTION = "Below is a conversation between a user and an assistant. Read it; a request about it follows."
_QUESTION = "Write the {ordinal} {form} about {topic} from this conversation again, word for word. Begin with {string}, directly followed by the text, and write nothing else."
_CUE = "Reply:"


class ConversationSettings(GeneratedSettings):
    """Settings of `mrcr`.

    Attributes:
        needles: number of different replies to the asked request.
        near_misses: number of other turns with the format or the topic of the asked request.
        forms: rows per group: messages (a list of chat messages) and flat (the conversation as text in one message).
        chat_template: text around the messages in `prompt`, which counts as tokens: none (User: and Assistant:) or chatml.
        bins: number of depth bins of equal width.
    """

    needles: Annotated[int, Field(strict=True, ge=1, le=32)] = 2
    near_misses: Annotated[int, Field(strict=True, ge=0, le=40)] = 4
    forms: Annotated[tuple[Form, ...], Field(min_length=1, max_length=2)] = ("messages", "flat")
    chat_template: Template = "none"
    bins: Annotated[int, Field(strict=True, ge=1, le=100)] = 10

    @property
    def variants(self) -> int:
        return len(self.forms)

    def title_words(self) -> Mapping[str, object]:
        return {"needles": number_words(self.needles)}


class Conversations(GeneratedTask[ConversationSettings]):
    """One conversation per group, as chat messages and as text; both ask for the same reply at the same depth."""

    settings_type = ConversationSettings
    paired = frozenset({"forms", "chat_template", "bins"})

    def __init__(self, entry: Entry[ConversationSettings], inputs: Inputs) -> None:
        super().__init__(entry, inputs)
        self._turns = lru_cache(maxsize=1)(self._group_turns)  # the forms of a group follow one another

    def limit(self, split: Split = "test") -> int:
        have = self._blocks(split, self.settings.chat_template)(0)
        return BLOCKS * int(have.pieces.tokens(range(len(have.turns))).sum()) * 49 // 50

    def _blocks(self, split: Split, template: Template) -> Callable[[int], Block]:
        return partial(block, self.release.stream_key, split, template, tuple(self.inputs.tokenizers))

    def _group_turns(self, candidate: Candidate) -> Turns:
        settings, draws = self.settings, partial(self.draws, candidate.split, candidate.number)
        return Turns(candidate.split, settings.needles, settings.near_misses, draws)

    def row(self, table: Table, candidate: Candidate, variant: int) -> Sample:
        settings, turns, form = self.settings, self._turns(candidate), self.settings.forms[variant]
        template: Template = settings.chat_template if form == "messages" else "none"
        tokenizers, draws = tuple(self.inputs.tokenizers), partial(self.draws, candidate.split, candidate.number)
        number, depth_index, depths = self._places(candidate.number, draws("depths"))
        symbols, wanted = draws("string"), turns.needles[number]
        string = "".join(symbols.choice(_SYMBOLS) for _ in range(_STRING))
        question = _QUESTION.format(
            ordinal=short_ordinal(number + 1), form=wanted.form, topic=wanted.topic, string=string
        )
        frame = self._flat(question) if form == "flat" else self._chat(question, template)
        answer = string + wanted.text
        room = self.spec.max_new_tokens + 12 * tokenizers[0].count_part(answer) // 10
        units = turns.units(self._blocks(candidate.split, template), number, template, tokenizers)
        [columns] = fitted(self, table, candidate, frame, units, [depths], room)
        facts = {"needles": settings.needles, "turns": columns["num_segments"], "asked": number + 1, "string": string}
        chat = {"chat_template": template} if form == "messages" else {}
        sample = self.writer.sample(
            table, candidate.key, **columns, point=form, question=question, answers=[answer], variant=form,
            references=[needle.text for needle in turns.needles], max_new_tokens=room, depth_index=depth_index,
            num_distractors=len(turns.near), metadata=facts | chat,
        )  # fmt: skip
        sample.messages = messages_in(sample.text, TEMPLATES[template]) if form == "messages" else None
        return sample

    def _places(self, group: int, draws: Stream) -> tuple[int, int, list[float]]:
        """Return the number of the requested needle, its depth bin, and the depths of all needles: each number with each bin, in turn."""
        needles = self.settings.needles
        number = group % needles
        index, depth = ranked.binned(group, self.settings.bins, draws, needles)
        before = sorted(depth * draws.unit() for _ in range(number))
        after = sorted(depth + (1 - depth) * draws.unit() for _ in range(needles - number - 1))
        return number, index, [*before, depth, *after]

    def _chat(self, question: str, template: Template) -> Frame:
        around = TEMPLATES[template]
        tail = f"{around.end}{around.user}{question}{around.end}{around.cue}"
        return self.writer.frame(around.user + FIRST_WORD, tail, cue=around.cue, opener=FIRST_WORD)

    def _flat(self, question: str) -> Frame:
        opening = f"<conversation>\n{TEMPLATES['none'].user}{FIRST_WORD}"
        parts = [Part(_INSTRUCTION, "instruction", token_start=0), Part(opening, gap="")]
        tail = f"\n</conversation>\n\n{question}\n{_CUE}"
        return framed(self.writer, parts, tail, cue=_CUE, opener=FIRST_WORD)

    def background(self, row: Row) -> BackgroundUnits:
        found = oracle.read(row["prompt"])
        return [f"{request} {reply}" for request, reply in found.turns if request != found.asked]

    def problems(self, row: Row) -> Iterator[str]:
        yield from super().problems(row)
        found, claims = oracle.read(row["prompt"]), json.loads(row["metadata"])
        yield from counts(row, [f"{request} {reply}" for request, reply in found.turns])
        claimed = {name: claims[name] for name in ("turns", "needles")}
        if oracle.counts(found) != claimed or (found.number, found.string) != (claims["asked"], claims["string"]):
            yield f"the prompt has {oracle.counts(found)}, the row claims {claims}"
        if found.replies != row["references"]:
            yield "the references are not the replies to the asked request in order"
            return
        (gold,) = texts_at(row, "gold")
        if not gold.endswith(found.replies[found.number - 1]) or len(texts_at(row, "gold", "needle")) != len(
            found.replies
        ):
            yield "the replies to the asked request are not at their spans"
        asked = [place for place, (request, _) in enumerate(found.turns) if request == found.asked]
        yield from at_depth(row, asked[found.number - 1 : found.number], len(found.turns))
        yield from _texts(found)


def _texts(found: oracle.Conversation) -> Iterator[str]:
    """Every reply has the form of its format, and no other reply to the asked request is like the right one."""
    for request, reply in found.turns:
        form = request.partition(" about ")[0].removeprefix(FIRST_WORD).split(maxsplit=1)[1]
        if why := misshapen(form, reply):
            yield f"the reply to {request!r} {why}"
            break
    right = found.replies[found.number - 1]
    others = [reply for number, reply in enumerate(found.replies, 1) if number != found.number]
    if alike := [ratio for other in others if (ratio := SequenceMatcher(None, other, right).ratio()) > MOST_ALIKE]:
        yield f"another reply to the asked request is like the right one (ratio {max(alike):.2f})"


TASKS = (
    TaskSpec(
        "mrcr", Conversations, "MRCR: copy one of {needles} replies to the same request from a long conversation", "retrieval",
        ("mrcr@strict", "mrcr@official", "which_needle@strict"), 32, ends="9,072 turns of a release: about 1.5M tokens",
        solver=oracle.solve, skips=GENERATED_SKIPS, floors=floors.MRCR,
    ),
)  # fmt: skip
