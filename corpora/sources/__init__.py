"""Raw sources by kind. A new one is one file with a Source class and one line here."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from corpora.sources.base import Source, SourceInfo
from haymaker.errors import ParamsError
from haymaker.params import nearest, parse

_KINDS = {
    "alce": "alce:Alce",
    "articles_jsonl": "user_questions:ArticlesJsonl",
    "babi": "babi:Babi",
    "babi_mirror": "babi:BabiMirror",
    "banking77": "banking77:Banking77",
    "banking77_mirror": "banking77:Banking77Mirror",
    "clinc150": "clinc150:Clinc150",
    "clinc150_mirror": "clinc150:Clinc150Mirror",
    "dpr_passages": "wikipedia:DprPassages",
    "hotpotqa_mirror": "hotpotqa:HotpotQaMirror",
    "hub": "user_texts:Hub",
    "infinitebench": "infinitebench:InfiniteBench",
    "jsonl": "user_texts:Jsonl",
    "kilt_passages": "wikipedia:KiltPassages",
    "kilt_tasks": "kilt_tasks:KiltTasks",
    "kilt_wikipedia": "kilt:KiltWikipedia",
    "loogle_mirror": "loogle:LoogleMirror",
    "msmarco_mirror": "msmarco:MsMarcoMirror",
    "msmarco_passages": "msmarco:MsMarcoPassages",
    "multi_lexsum": "multi_lexsum:MultiLexSum",
    "narrativeqa": "narrativeqa:NarrativeQa",
    "narrativeqa_mirror": "narrativeqa:NarrativeQaMirror",
    "nlu": "nlu:Nlu",
    "nlu_mirror": "nlu:NluMirror",
    "nq_mirror": "open_qa:NqMirror",
    "parquet": "user_texts:Parquet",
    "pg19": "pg19:Pg19",
    "pg19_folder": "pg19:Pg19Folder",
    "pg19_mirror": "pg19:Pg19Mirror",
    "popqa": "popqa:PopQa",
    "popqa_mirror": "popqa:PopQaMirror",
    "qampari_mirror": "alce:QampariMirror",
    "questions_jsonl": "user_questions:QuestionsJsonl",
    "squad": "squad:Squad",
    "squad_mirror": "squad:SquadMirror",
    "text_folder": "user_texts:TextFolder",
    "tokenizers": "tokenizers:Tokenizers",
    "tokenizers_mirror": "tokenizers:TokenizersMirror",
    "trec": "trec:Trec",
    "trec_dl": "msmarco:TrecDl",
    "trec_mirror": "trec:TrecMirror",
    "triviaqa_mirror": "open_qa:TriviaQaMirror",
    "wikipedia_mirror": "wikipedia:WikipediaMirror",
    "world_babi": "world:WorldBabi",
    "world_documents": "world_documents:WorldDocuments",
    "world_encyclopaedia": "world_encyclopaedia:WorldEncyclopaedia",
    "world_novels": "world:WorldNovels",
    "world_utterances": "world_utterances:WorldUtterances",
}


def kinds() -> list[str]:
    """All kinds of source, sorted."""
    return sorted(_KINDS)


def info(kind: str) -> SourceInfo:
    """Title, licence, size and so on of a kind.

    Raises:
        ParamsError: unknown kind.
    """
    return _source_class(kind, "kind").info


def create(name: str, kind: str, options: Mapping[str, Any], *, where: str) -> Source:
    """The source that a block of parameters describes.

    Args:
        name: the user's key under `sources`.
        kind: which source.
        options: the block's other keys.
        where: file and key path for error lines.

    Raises:
        ParamsError: unknown kind or option (naming the nearest known one), or a bad value.
    """
    return parse(_source_class(kind, where), options, where=where).named(name)


def _source_class(kind: str, where: str) -> type[Source]:
    if kind not in _KINDS:
        raise ParamsError(f"unknown kind of source {kind!r}", where=where, fix=nearest(kind, _KINDS))
    module, _, attribute = _KINDS[kind].partition(":")
    found: type[Source] = getattr(importlib.import_module(f"corpora.sources.{module}"), attribute)
    return found
