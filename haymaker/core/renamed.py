"""Old names of keys, columns, kinds, values, commands and flags, so that an error about one gives the new name."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from types import MappingProxyType

_NAMES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        # parameter keys
        "absent": ("unanswerable",),
        "agreed": ("require_annotator_agreement",),
        "around": ("distractor_sets",),
        "as_ruler": ("ruler_prompt",),
        "buckets": ("lengths",),
        "closeness": ("distractor_similarity",),
        "controls": ("fix_encoding",),
        "depth": ("top_k",),
        "drop_lookalikes": ("decontaminate",),
        "embedded": ("distractor_documents",),
        "fuzzy": ("fuzzy_match_threshold",),
        "keep": ("num_negatives",),
        "keep_train": ("num_negatives_train",),
        "labelled": ("classification_sets", "classification_set"),
        "left_out": ("exclude_ids",),
        "mined": ("retrieval_sets", "retrieval_set"),
        "of": ("base",),
        "part": ("split",),
        "parts": ("splits",),
        "recount_all_up_to": ("full_recount_max_length",),
        "recount_rows_above": ("recount_sample_per_file",),
        "shown": ("include_released_passages",),
        "surface": ("normalize",),
        "wording": ("paraphrase",),
        # columns
        "bucket": ("length",),
        "bucket_of": ("length_of",),
        "bucket_tokens": ("length_tokens",),
        "chat": ("use_chat_template",),
        "checks": ("output_constraints",),
        "cue_start": ("answer_prefix_start",),
        "demo_ids": ("fewshot_ids",),
        "density": ("evidence_density",),
        "extra": ("metadata",),
        "gold_by": ("gold_source",),
        "haystack": ("background_corpus",),
        "n_distractors": ("num_distractors",),
        "n_unique_units": ("num_unique_segments",),
        "n_units": ("num_segments",),
        "overlap": ("question_gold_overlap",),
        "permutation": ("order_index",),
        "slack_tokens": ("unused_tokens",),
        "verified": ("options_reviewed_by",),
        # kinds of sources, values
        "world": ("simulated",),
        **{
            f"world_{what}": (f"simulated_{what}",)
            for what in ("babi", "documents", "encyclopaedia", "novels", "programs", "utterances")
        },
        # entries of the named releases
        "niah_absent": ("niah_unanswerable",),
        "niah_other_words": ("niah_paraphrase",),
        # commands
        "bench": ("dev bench",),
        "options": ("dev options",),
        "quality": ("dev quality",),
        "stage": ("dev stage",),
        # topics of haymaker dev bench
        "proof": ("validate",),
        # flags
        "--anew": ("--restart",),
        "-b": ("-l",),
        "--beside": ("--compare-with",),
        "--bucket": ("--length",),
        "--price": ("--price-in",),
        "--release": ("NAME", "--params"),
        "--task": ("--tasks",),
        "-r": ("NAME", "--params"),
        "--buckets": ("--lengths",),
        "--into": ("--local-dir",),
        "--part": ("--split",),
        "--permissive": ("--exclude-restricted",),
        "--plan": ("--dry-run",),
        "--outputs": ("OUTPUTS",),
        "--rows": ("--row-scores", "--max-rows"),
    }
)
"""Old name -> new names; an error gives the first one that is valid where the old name was written."""
_PARTS = ((re.compile(r"_world(?=_|$)"), "_sim"), (re.compile(r"_embedded(?=_|$)"), "_distractors"))
"""Old and new parts of names of sources, tasks and configs."""


def new_name(old: str, known: Collection[str]) -> str:
    """Return the new name of something renamed, or an empty string.

    Args:
        old: name that is not valid here.
        known: valid names.
    """
    whole = old
    for part, new in _PARTS:
        whole = part.sub(new, whole)
    names = (*_NAMES.get(old, ()), whole)
    return next((name for name in names if name != old and name in known), "")


def rename_fix(old: str, known: Collection[str]) -> str:
    """Return the next step after the use of an old name, or an empty string if the name was not renamed."""
    new = new_name(old, known)
    return new and f"write {new!r} ({old!r} was renamed)"
