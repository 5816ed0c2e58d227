"""haymaker report: a self-contained HTML page about a release and any number of models (docs/reference/report.md)."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from haymaker.core.choices import MISSING, check_choice
from haymaker.core.errors import ParamsError, ReleaseError
from haymaker.core.files.disk import written
from haymaker.core.files.output_files import check_replaceable, starts_with
from haymaker.core.progress import say
from haymaker.core.text.strings import visible
from haymaker.evaluation.report import costs, curve_svg, model_scores, release_facts, row_stats, score_tables, viewer
from haymaker.evaluation.report.error_reasons import REASONS
from haymaker.evaluation.score.row_scores import natural_order
from haymaker.releases.folder import manifest
from haymaker.scoring.judges.entailment import STAND_IN_SAYS

MOST_BYTES = 4_900_000
"""Maximum page size, small enough for e-mail and review systems."""
_BEGINS = b"<!doctype html>\n<!-- haymaker report -->\n"
_ESCAPES = {
    ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"
}  # prevents row texts from closing the script element
_ROWS_PLACEHOLDER = "@@rows@@"
_PLAIN = model_scores.Options()


def write_report(
    release: Path, outputs: Sequence[Path], to: Path, *, rows: int, share: float, options: model_scores.Options = _PLAIN
) -> None:
    """Write the page, and print a summary of its content.

    Args:
        release: release folder.
        outputs: files of outputs, or of scores (`haymaker score --rows`).
        to: file to write; only an earlier report is replaced.
        rows: maximum number of rows to show.
        share: effective-length threshold, as a fraction of the score at the shortest length, 0 to 1.
        options: scoring options and prices.

    Raises:
        ParamsError: invalid options.
        ReleaseError: same as `haymaker score`, or the file to write has other content.
    """
    _check(to, options.missing, share)
    models = model_scores.read_models(release, options.entries(outputs))
    facts, seen = manifest(release), row_stats.read_rows(release)
    if not seen:
        raise ReleaseError("has no test rows", where=str(release), fix="name another release")
    chosen = row_stats.chosen(seen, models, rows)
    read = viewer.read_viewer_rows(release, models, chosen, row_stats.imperfect_ids(models))
    page = _page(facts, release, seen, models, read.reasons, share)
    shown = _fit(page, chosen, read.shown, [row.id for row in seen])
    text = page.replace(_ROWS_PLACEHOLDER, f"[{','.join(shown)}]")
    with written(to) as temporary:
        temporary.write_bytes(text.encode())
    say(
        f"{to}: {len(models)} model{'s' if len(models) != 1 else ''}, {len(shown):,} of {len(seen):,} test rows to look at, {len(text.encode()) / 1e6:.1f} MB"
    )


def _check(to: Path, missing: str, share: float) -> None:
    check_choice(missing, MISSING, "policy", "--missing")
    if not 0 < share <= 1:
        raise ParamsError(f"{share} is no share above 0 and up to 1", where="--share", fix="--share 0.85")
    check_replaceable(to, "--out", "page of this program", starts_with(_BEGINS))


def _fit(page: str, chosen: Mapping[str, None], shown: Mapping[str, Sequence[str]], order: Sequence[str]) -> list[str]:
    """Return rows as JSON in release order: at the largest width at which all fit, else as many rows as fit."""
    available = MOST_BYTES - len(page.encode())
    if available < 0:
        what = f"so many tasks and models take {len(page.encode()) / 1e6:.1f} MB"
        raise ParamsError(what, where="haymaker report", fix="name fewer --outputs")
    for width in range(len(viewer.WIDTHS)):
        escaped = {name: shown[name][width].translate(_ESCAPES) for name in chosen}
        sizes = {name: len(text.encode()) + 1 for name, text in escaped.items()}
        if sum(sizes.values()) <= available:
            break
    taken = set[str]()
    for name, size in sizes.items():
        if (available := available - size) >= 0:
            taken.add(name)
    return [escaped[name] for name in order if name in taken]


def _page(
    facts: Mapping[str, Any],
    release: Path,
    seen: Sequence[row_stats.RowStats],
    models: Sequence[model_scores.Model],
    reasons: Mapping[tuple[int, str, str], Mapping[str, int]],
    share: float,
) -> str:
    """Render the page with a placeholder for the rows."""
    from jinja2 import Environment, StrictUndefined

    texts = {name: _text(name) for name in ("page.html.j2", "page.css", "page.js")}
    environment = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=True)
    environment.filters |= {"percent": _percent, "number": "{:,}".format, "visible": lambda text: visible(str(text))}
    names = [model.name for model in models]
    data = {"models": names, "reasons": REASONS, "fifths": row_stats.FIFTHS}
    return environment.from_string(texts["page.html.j2"]).render(
        begins=_BEGINS.decode(),
        css=texts["page.css"],
        script=texts["page.js"],
        script_hash=base64.b64encode(hashlib.sha256(texts["page.js"].encode()).digest()).decode(),
        data=f'{{"is":{json.dumps(data, ensure_ascii=False).translate(_ESCAPES)},"rows":{_ROWS_PLACEHOLDER}}}',
        name=str(facts.get("name") or release.name),
        facts=facts,
        models=models,
        names=names,
        stands_in=_stands_in(models),
        named={str(model.given.path): model.name for model in models},
        figures=score_tables.score_tables(models, share) if models else None,
        costs=costs.costs(models),
        money=costs.money,
        share=share,
        by_suite=score_tables.by_suite,
        lengths_of=score_tables.lengths_of,
        curve=curve_svg.draw_curve,
        styles=curve_svg.STYLES,
        reasons=_reasons(reasons, len(models)),
        titles=REASONS,
        about=_about(facts, release, seen),
    )


def _stands_in(models: Sequence[model_scores.Model]) -> str:
    """Return the stand-ins that judged instead of a model; "" if there are none."""
    judges = {row.judge for model in models for row in model.given.rows if row.judge.endswith(f"({STAND_IN_SAYS})")}
    return ", ".join(sorted(judges))


def _text(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def _percent(value: float | None) -> str:
    return "–" if value is None else re.sub(r"^-(0\.0)$", r"\1", f"{100 * value:.1f}")


def _reasons(found: Mapping[tuple[int, str, str], Mapping[str, int]], several: int) -> list[dict[str, Any]]:
    """Return per model the reasons that occur, in the order of REASONS, and their counts by task."""
    lines = []
    for number in range(several):
        of = {key[1:]: counts for key, counts in sorted(found.items(), key=_in_order) if key[0] == number}
        heads = [reason for reason in REASONS if any(counts.get(reason) for counts in of.values())]
        tasks = [(*key, [counts.get(reason, 0) for reason in heads]) for key, counts in of.items()]
        lines.append({"heads": heads, "tasks": tasks})
    return lines


def _in_order(each: tuple[tuple[int, str, str], Any]) -> tuple[Any, ...]:
    number, suite, task = each[0]
    return number, suite, natural_order(task)


def _about(facts: Mapping[str, Any], release: Path, seen: Sequence[row_stats.RowStats]) -> dict[str, Any]:
    try:
        return release_facts.release_facts(facts, seen)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        what = f"does not say what a release of this version says ({type(error).__name__}: {error})"
        fix = "haymaker run builds it again, or pull a newer version"
        raise ReleaseError(what, where=str(release / "manifest.json"), fix=fix) from None
