"""haymaker report: a self-contained HTML page about a release and any number of models (docs/reference/report.md)."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from haymaker.core.choices import MISSING, check_choice
from haymaker.core.errors import ParamsError, ReleaseError
from haymaker.core.files.disk import written
from haymaker.core.files.output_files import check_replaceable, starts_with
from haymaker.core.progress import say
from haymaker.core.text.strings import visible
from haymaker.evaluation.report import costs, model_scores, release_facts, row_stats, score_tables, viewer
from haymaker.evaluation.report.caveats import caveats
from haymaker.evaluation.report.error_reasons import REASONS
from haymaker.evaluation.report.overview import overview
from haymaker.evaluation.score.needle_table import given_needles, grids
from haymaker.evaluation.score.row_scores import natural_order
from haymaker.releases.folder import manifest

if TYPE_CHECKING:
    from jinja2 import Environment

MOST_BYTES = 4_900_000
"""Maximum page size, small enough for e-mail and review systems."""
_BEGINS = b"<!doctype html>\n<!-- haymaker report -->\n"
_ESCAPES = {
    ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"
}  # prevents row texts from closing the script element
_ROWS_PLACEHOLDER = "@@rows@@"
_STYLES = 6  # distinct colours and marks of models; then they repeat
_PLAIN = model_scores.Options()


def write_report(
    release: Path,
    outputs: Sequence[Path],
    to: Path,
    *,
    max_rows: int,
    share: float,
    options: model_scores.Options = _PLAIN,
) -> None:
    """Write the page, and print a summary of its content.

    Args:
        release: release folder.
        outputs: files of outputs, or of scores (`haymaker score --row-scores`); empty: a page about the release.
        to: file to write; only an earlier report is replaced.
        max_rows: maximum number of rows to show.
        share: effective-length threshold, as a fraction of the score at the shortest length, 0 to 1.
        options: scoring options, prices and selection.

    Raises:
        ParamsError: invalid options.
        ReleaseError: same as `haymaker score`, or the file to write has other content.
    """
    _check(to, options.missing, share)
    models = model_scores.read_models(release, options.entries(outputs))
    seen = [] if models else row_stats.read_rows(release, options.selection)
    rows = row_stats.rows_with_outputs(models) if models else {row.id: row.table for row in seen}
    if not rows:
        what = "contains no row of the selected tasks and lengths" if models else "has no test rows"
        raise ReleaseError(
            what, where=str(outputs[0] if models else release), fix="choose other files, tasks or lengths"
        )
    wrong = row_stats.imperfect_ids(models)
    chosen = row_stats.chosen(rows, wrong, max_rows)
    read = viewer.read_viewer_rows(release, models, set(chosen), wrong)
    page = _page(release, models, read.reasons, seen, len(rows), share, options)
    shown = _fit(page, chosen, read.shown, list(rows))
    start, _, end = page.rpartition(_ROWS_PLACEHOLDER)  # names and outputs before it may contain the same text
    text = f"{start}[{','.join(shown)}]{end}"
    with written(to) as temporary:
        temporary.write_bytes(text.encode())
    counts = (
        f"{len(models)} model{'' if len(models) == 1 else 's'}, {len(shown):,} of {len(rows):,} rows in the row list"
    )
    say(f"{to}: {counts}, {len(text.encode()) / 1e6:.1f} MB")


def _check(to: Path, missing: str, share: float) -> None:
    check_choice(missing, MISSING, "policy", "--missing")
    if not 0 < share <= 1:
        raise ParamsError(f"must be above 0 and at most 1 (given: {share})", where="--share", fix="--share 0.85")
    check_replaceable(to, "--out", "page of haymaker report", starts_with(_BEGINS))


def _fit(page: str, chosen: Sequence[str], shown: Mapping[str, Sequence[str]], order: Sequence[str]) -> list[str]:
    """Return rows as JSON in release order: at the largest width at which all fit, else as many rows as fit."""
    available = MOST_BYTES - len(page.encode())
    if available < 0:
        what = f"the tables of all models take {len(page.encode()) / 1e6:.1f} MB"
        raise ParamsError(what, where="haymaker report", fix="give fewer files of outputs")
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
    release: Path,
    models: Sequence[model_scores.Model],
    reasons: Mapping[tuple[int, str, str], Mapping[str, int]],
    seen: Sequence[row_stats.RowStats],
    rows: int,
    share: float,
    options: model_scores.Options,
) -> str:
    """Render the page with a placeholder for the rows."""
    facts, views = manifest(release), [overview(model) for model in models]
    names, script = [model.name for model in models], _text("page.js")
    data = {"models": names, "reasons": REASONS, "fifths": row_stats.FIFTHS}
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            begins=_BEGINS.decode(),
            css=_text("page.css"),
            script=script,
            script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
            data=f'{{"is":{json.dumps(data, ensure_ascii=False).translate(_ESCAPES)},"rows":{_ROWS_PLACEHOLDER}}}',
            name=str(facts.get("name") or release.name),
            facts=facts,
            rows=rows,
            selection=str(options.selection).replace("--split test", "").strip(),
            models=models,
            names=names,
            views=views,
            caveats=caveats(facts, models, views, options) if models else [],
            named={str(model.given.path): model.name for model in models},
            figures=score_tables.score_tables(models, share) if models else None,
            costs=costs.costs(models),
            needles=[list(grids(given_needles(release, each.outputs, options.selection))) for each in models],
            share=share,
            reasons=_reasons(reasons, len(models)),
            titles=REASONS,
            about=_about(facts, release, seen),
        )
    )


def _environment() -> Environment:
    """Return the template environment: every value is escaped, and its control characters are shown."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=True,
        loader=FunctionLoader(_text),
        finalize=lambda value: value if hasattr(value, "__html__") else visible(str(value)),
    )
    environment.filters |= {"percent": _percent, "number": "{:,}".format}
    environment.globals |= {
        "by_suite": score_tables.by_suite,
        "lengths_of": score_tables.lengths_of,
        "money": costs.money,
        "styles": _STYLES,
    }
    return environment


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
        what = f"lacks fields that releases of this version have ({type(error).__name__}: {error})"
        fix = "build it again with haymaker run, or pull a newer version"
        raise ReleaseError(what, where=str(release / "manifest.json"), fix=fix) from None
