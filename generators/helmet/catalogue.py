"""HELMET's nine tasks over passages: what each asks for, how its passages are placed, what an answer may cost (spec/helmet.md 1, 5-7, 12)."""

from __future__ import annotations

from generators.passages.kinds import Kind

_SUBEM = ("subem@strict", "subem@official", "subem_tokens@strict")
_NDCG = ("ndcg10@strict", "ndcg10@official")
_STR_EM = ("str_em@strict", "str_em@official")
_QAMPARI = tuple(
    f"qampari_{name}@{rule}" for rule in ("strict", "official") for name in ("rec_top5", "precision", "recall", "f1")
)
_CITED = tuple(f"citation_{name}@{rule}" for rule in ("strict", "official") for name in ("recall", "precision"))


def _rag(title: str) -> Kind:
    return Kind(title, "rag", "rag", "rag", _SUBEM, 20, True, 6, "retrieval", 2, 3, ("\n",))


def _cite(title: str, prompt: str, metrics: tuple[str, ...]) -> Kind:
    return Kind(title, "cite", "cite", prompt, (*metrics, *_CITED), 300, False, 1, "shuffled", 2, 5)


def _uncited(title: str, prompt: str, metrics: tuple[str, ...]) -> Kind:
    return Kind(title, "cite", "cite", prompt, metrics, 600, False, 1, "shuffled", 0, 5, (), "nocite")


KINDS = {
    "kilt_nq": _rag("Natural Questions: a short answer in one of many passages"),
    "kilt_triviaqa": _rag("TriviaQA: a trivia answer with many names in one of many passages"),
    "kilt_popqa": _rag("PopQA: a fact about something little known in one of many passages"),
    "kilt_hotpotqa": Kind(
        "HotpotQA: an answer that takes two of many passages",
        "rag", "rag", "rag", _SUBEM, 20, False, 3, "shuffled", 2, 3, ("\n",),
    ),
    "msmarco_rerank": Kind(
        "MS MARCO, TREC-DL: rank passages by relevance to a query",
        "rerank", "rerank", "rerank", _NDCG, 200, False, 3, "shuffled", 2, 10, ("\n",),
    ),
    "alce_asqa": _cite("ASQA: a long answer to an ambiguous question, with citations", "asqa", _STR_EM),
    "alce_qampari": _cite("QAMPARI: a list of answers, with citations", "qampari", _QAMPARI),
    "alce_asqa_nocite": _uncited("ASQA without citations", "asqa_nocite", _STR_EM),
    "alce_qampari_nocite": _uncited("QAMPARI without citations", "qampari_nocite", _QAMPARI),
}  # fmt: skip
