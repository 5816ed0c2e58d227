"""docs/reference/sources.md says what the code says."""

from __future__ import annotations

import re
from pathlib import Path

from corpora.sources import create, info, kinds

PAGE = (Path(__file__).parents[3] / "docs/reference/sources.md").read_text(encoding="utf-8")
ROLES = {"articles", "passages", "questions", "labelled", "document_questions", "code"}
SETS = {"questions": "question_sets", "classification_set": "label_sets", "document_questions": "document_sets"}
USER_KINDS = {name: {"path": "x"} for name in ("articles_jsonl", "documents_jsonl", "questions_jsonl")} | {
    "code_folder": {"folder": "x"}
}


def rows() -> dict[str, list[str]]:
    found = re.findall(r"^\| `(\w+)` \|(.*)\|$", PAGE.split("### How they are fetched")[0], re.MULTILINE)
    return {kind: [cell.strip() for cell in cells.split("|")] for kind, cells in found}


def test_every_real_source_of_passages_and_questions_has_a_row():
    wanted = {kind for kind in kinds() if info(kind).edition == "real" and ROLES & set(info(kind).roles)}
    assert set(rows()) == wanted


def test_rows_name_roles_sets_and_licence():
    for kind, (_, roles, _, licence) in rows().items():
        assert licence == info(kind).licence, kind
        listed = {role: sets.split(", ") for role, _, sets in (split.partition(": ") for split in roles.split(" + "))}
        assert set(listed) == set(info(kind).roles), kind
        source = create(kind, kind, USER_KINDS.get(kind, {}), where="w")
        for role in listed.keys() & SETS.keys():
            assert tuple(listed[role]) == getattr(source, SETS[role])(), kind


def test_kinds_that_may_not_be_published_say_so():
    barred = {kind for kind in kinds() if info(kind).redistribution is False and ROLES & set(info(kind).roles)}
    assert barred == {
        "msmarco_passages",
        "trec_dl",
        "msmarco_mirror",
        "qampari_mirror",
        "trec",
        "trec_mirror",
        "multi_lexsum",
        "multi_news",
        "helmet_retrieved",
        "samsum",
        "samsum_mirror",
        *USER_KINDS,
    }
