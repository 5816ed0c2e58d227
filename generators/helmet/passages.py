"""HELMET's nine tasks over passages (docs/spec/helmet.md 1, 5, 6, 7, 12)."""

from __future__ import annotations

from functools import partial
from typing import Any

from generators.passages.cite import Cite
from generators.passages.kinds import Rerank, ShortAnswer, hops
from generators.passages.task import ENDS, SKIPS, TWO_NAMED, PassageTask
from generators.passages.variants import PlacedTask
from generators.spec import Allowed, TaskSpec
from haymaker.core.rows.row_checks import Check

_SUBEM = ("subem@strict", "subem@official")
_NDCG = ("ndcg10@strict", "ndcg10@official", "ndcg10_above_random@strict")
_STR_EM = ("str_f1@strict", "str_em@strict", "str_em@official")  # a list of every passage covers all readings
_QAMPARI = tuple(
    f"qampari_{name}@{rule}" for rule in ("strict", "official") for name in ("f1", "rec_top5", "precision", "recall")
)  # f1 first: the list of all titles has every wanted item
_CITED = tuple(f"citation_{name}@{rule}" for rule in ("strict", "official") for name in ("recall", "precision"))
_POLITICIANS = Allowed(25, "many of PopQA's questions ask for an occupation, and most often it is politician")
_ALLOWED = {
    "kilt_hotpotqa": TWO_NAMED,
    "kilt_popqa": {
        "gold_rank": Allowed(80, "each question names the article that answers, and few other passages say that name as often"),
        "majority": _POLITICIANS, "by_opening": _POLITICIANS, "question_alone": _POLITICIANS,
    },
}  # fmt: skip
_GRADED = {Check.CLEAN: "no accepted answers: passages are graded"}


def _rag(name: str, title: str, task: type[PassageTask[Any]] = PlacedTask, *, version: int = 5) -> TaskSpec:
    placed = task is PlacedTask
    return TaskSpec(
        name, task, title, "rag", _SUBEM, 20, version, ends=ENDS, wording="rag" if placed else "rag_comparing", stop=("\n",), skips=SKIPS,
        defaults={"order": "retrieval" if placed else "shuffled"}, imitates=title[: title.index(": ")],
        allows=_ALLOWED.get(name, {}), kind=ShortAnswer if placed else partial(ShortAnswer, notes=hops),
    )  # fmt: skip


def _cite(name: str, title: str, metrics: tuple[str, ...], *, version: int) -> TaskSpec:
    cited = not name.endswith("_nocite")
    return TaskSpec(
        name, PassageTask, title, "cite", (*metrics, *_CITED) if cited else metrics, 300 if cited else 600, version, ends=ENDS,
        wording=name.removeprefix("alce_"), variant=None if cited else "nocite", skips=SKIPS,
        defaults={"permutations": 1, "shots": 2 if cited else 0, "shot_passages": 5}, imitates=title.split(maxsplit=1)[0].rstrip(":"),
        kind=partial(Cite, cited=cited, as_list=metrics is _QAMPARI), repeats="" if cited else name.removesuffix("_nocite"),
    )  # fmt: skip


TASKS = (
    _rag("kilt_nq", "{questions:Natural Questions}: a short answer in one of many passages", version=6),
    _rag("kilt_triviaqa", "{questions:TriviaQA}: a trivia answer with many names in one of many passages"),
    _rag("kilt_popqa", "{questions:PopQA}: a fact about something little known in one of many passages"),
    _rag("kilt_hotpotqa", "{questions:HotpotQA}: an answer that takes two of many passages", PassageTask, version=7),
    TaskSpec(
        "msmarco_rerank", PassageTask, "MS MARCO, TREC-DL: the ten passages most relevant to a query, best first", "rerank", _NDCG, 200,
        version=6, ends=ENDS, wording="rerank", stop=("\n",), skips={**SKIPS, **_GRADED}, defaults={"shot_passages": 10},
        imitates="MS MARCO, TREC-DL", kind=Rerank,
    ),
    _cite("alce_asqa", "{questions:ASQA}: a long answer to an ambiguous question, with citations", _STR_EM, version=6),
    _cite("alce_qampari", "{questions:QAMPARI}: a list of answers, with citations", _QAMPARI, version=7),
    _cite("alce_asqa_nocite", "{questions:ASQA} without citations", _STR_EM, version=6),
    _cite("alce_qampari_nocite", "{questions:QAMPARI} without citations", _QAMPARI, version=7),
)  # fmt: skip
