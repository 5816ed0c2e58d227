"""Facts about a release for the page, from its manifest (worded like the dataset card) and its rows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from haymaker.evaluation.report.row_stats import FIFTHS, RowStats, depths, labels
from haymaker.releases.display.facts import allowed, baseline_table, plain, shortcut_tables, verification
from haymaker.releases.display.simulated_tasks import simulated_note

_ESCAPED = re.compile(r"\\([\\|<>\[\]*`])")


def release_facts(manifest: Mapping[str, Any], rows: Sequence[RowStats]) -> dict[str, Any]:
    """Return all facts about a release that the template shows.

    Args:
        manifest: manifest of the release; empty if it has none.
        rows: test rows.
    """
    counted = {
        "rows": len(rows),
        "tokens": sum(row.tokens for row in rows),
        "tasks": len({(row.suite, row.task) for row in rows}),
        "fifths": FIFTHS,
        "depths": depths(rows),
        "labels": list(labels(rows)),
    }
    return counted | (_verified(manifest) if "verification" in manifest else {"checks": [], "notes": []})


def _verified(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return checks, measurements and sources in the wording of the card, without Markdown."""
    found = verification(manifest)
    suites = [(plain(facts["title"]), facts) for facts in manifest["suites"].values() if facts["tasks"]]
    scored = {(name, task["name"]) for name, facts in manifest["suites"].items() for task in facts["tasks"]}
    return {
        **found,
        "skips": [tuple(map(_plain, line)) for line in found["skips"]],
        "shortcuts": [(title, table) for title, facts in suites for table in shortcut_tables(facts)],
        "allowed": [tuple(map(_plain, line)) for _, facts in suites for line in allowed(facts)],
        "baselines": [(title, table) for title, facts in suites if (table := baseline_table(facts))],
        "sources": [_source(name, facts) for name, facts in manifest["sources"].items()],
        "tokenizer": manifest["tokenizers"][0]["fingerprint"],
        "seed": manifest["seed"],
        "canary": manifest["canary"],
        "notes": list(simulated_note(manifest, scored)),
    }


def _source(name: str, facts: Mapping[str, Any]) -> tuple[str, str, str, str]:
    """Return name, title, licence and revision of a source."""
    return name, str(facts.get("title", "")), str(facts.get("licence", "")), str(facts.get("revision") or "")


def _plain(text: object) -> str:
    return _ESCAPED.sub(r"\1", str(text)).replace("`", "")
