"""What a page says of a release alone: from its manifest, as the card has it, and from its rows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pipelines.card import readme, sections
from pipelines.page.survey import FIFTHS, Seen, depths, labels
from pipelines.reports.simulated import simulated

_ESCAPED = re.compile(r"\\([\\|<>\[\]*`])")


def about(manifest: Mapping[str, Any], rows: Sequence[Seen]) -> dict[str, Any]:
    """Everything that the template shows of a release.

    Args:
        manifest: of the release; empty where it has none.
        rows: its test rows.
    """
    counted = {
        "rows": len(rows),
        "tokens": sum(row.tokens for row in rows),
        "tasks": len({(row.suite, row.task) for row in rows}),
        "fifths": FIFTHS,
        "depths": depths(rows),
        "labels": list(labels(rows)),
    }
    return counted | (_proved(manifest) if "proof" in manifest else {"checks": [], "notes": []})


def _proved(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Proofs, measures and sources in the words of the card, without the marks of Markdown."""
    found = readme.proved(manifest)
    suites = {facts["title"]: facts for facts in manifest["suites"].values() if facts["tasks"]}
    measured = [(title, sections.measures(facts)) for title, facts in suites.items()]
    return {
        **{key: found[key] for key in ("checks", "fills", "limits", "left_out", "over_limit", "judged")},
        "skips": [tuple(map(_plain, line)) for line in found["skips"]],
        "shortcuts": [(title, table) for title, told in measured for table in told["shortcuts"]],
        "allowed": [tuple(map(_plain, line)) for _, told in measured for line in told["allowed"]],
        "baselines": [(title, told["baselines"]) for title, told in measured if told["baselines"]],
        "sources": [_source(name, facts) for name, facts in manifest["sources"].items()],
        "tokenizer": manifest["tokenizers"][0]["fingerprint"],
        "seed": manifest["seed"],
        "canary": manifest["canary"],
        "notes": list(
            simulated(manifest, {(s, t["name"]) for s, of in manifest["suites"].items() for t in of["tasks"]})
        ),
    }


def _source(name: str, facts: Mapping[str, Any]) -> tuple[str, str, str, str]:
    """Name, title, licence and revision of a source."""
    return name, str(facts.get("title", "")), str(facts.get("licence", "")), str(facts.get("revision") or "")


def _plain(text: object) -> str:
    return _ESCAPED.sub(r"\1", str(text)).replace("`", "")
