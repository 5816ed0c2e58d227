"""haymaker dev quality encyclopaedia: compare simulated and real passages, search difficulty and cheats."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from corpora.stores.passages.store import Passages
from corpora.stores.sentences.split import splitter
from devtools.quality import hardness
from devtools.quality.figures import DATA, Report, Row, at, table
from devtools.quality.prose import Trigrams
from devtools.quality.search import DISTRACTORS, Asked, embedded, search, texts
from devtools.quality.sides import PAIRS, Side, build
from haymaker.core.progress import say
from haymaker.core.rng import Stream
from pipelines.project import Project

WORDS = 300_000
"""Words of a corpus used to measure passages, and to train the trigram model."""
_FIRST = "gold in the first 1"  # always 0 for questions that need two passages


def report(project: Project) -> Report:
    """Return passages and sets (set -> figures) of each side, and the gates of each pair of sets."""
    with tempfile.TemporaryDirectory() as folder:
        found = {side.name: _measured(side) for side in build(Path(folder))}
    if len(found) < 2:
        return {"sides": found}
    real, simulated = (side["sets"] for side in found.values())
    return {"sides": found, "gates": {f"{a} / {b}": gates(real[a], simulated[b]) for a, b in PAIRS}}


def _measured(side: Side) -> Report:
    say(f"  measuring {side.name}")
    asked = {name: list(search(side.pools[name], located)) for name, located in side.sets.items()}
    figures = {name: hardness.hardness(each) for name, each in asked.items()}
    answered = {name: each for name, each in asked.items() if all(one.answers for one in each)}
    model = _model(side, answered)
    for name, each in answered.items():
        full = (one for one in each if len(one.mined_at) == DISTRACTORS)
        lines = [texts(side.main, [one.gold_at[0], *one.mined_at]) for one in full]
        figures[name] |= {
            "odd": hardness.odd_one_out(lines, model),
            "fullest_tenth": hardness.fullest_tenth(each),
            "guesses": hardness.guesses(each),
        }
    for name, ranked in embedded(side.main, answered).items():
        figures[name]["dense"] = ranked
    return {"passages": _passages(side.main), "sets": figures}


def _model(side: Side, asked: Mapping[str, Sequence[Asked]]) -> Trigrams:
    """Return a trigram model trained on another simulated encyclopaedia, or on articles that are not in the lines."""
    store, seen = side.other or side.main, set[str]()
    if side.other is None:
        lines = {i for each in asked.values() for one in each for i in (*one.gold_at, *one.mined_at)}
        seen = {title for title, _ in texts(store, sorted(lines))}
    read, words = [], 0
    for i in Stream("quality", "model").walk(len(store)):
        passage = store.passage(i)
        if passage.title not in seen:
            read.append(passage.text)
            words += len(passage.text.split())
        if words >= WORDS:
            break
    return Trigrams(read)


def _passages(store: Passages) -> Report:
    """Measure the passages of articles in keyed order; in sources without articles, passages are grouped by title."""
    columns = store.take(range(len(store)), ["article_id", "title", "text"]).to_pydict()
    articles: dict[str, list[str]] = {}
    for article, title, text in zip(*columns.values(), strict=True):
        articles.setdefault(article or title, []).append(text)
    names = Stream("quality", "passages").shuffled(sorted(articles))
    found = hardness.passages([articles[name] for name in names], splitter("punkt"), WORDS)
    return {"corpus": len(store), "articles": len(articles), **found}


def gates(real: Report, simulated: Report) -> Report:
    """Return the gates of a pair of sets: name -> real, simulated, limit, excess, verdict, and table text. Figures that one
    side lacks are left out, and so is _FIRST if it is 0 on both sides.
    """
    found = {}
    for name, (kind, path, limit) in DATA["gates"].items():
        here, there = at(real, path), at(simulated, path)
        if here is not None and there is not None and not (name.endswith(_FIRST) and here == there == 0):
            shown, judged = f"{here:.2f} / {there:.2f}", judge(kind, here, there, limit)
            if judged["excess"]:
                shown = f"**{shown}** {judged['verdict']} by {max(judged['excess'], 0.01):.2f}"
            found[name] = {"real": here, "simulated": there, "limit": limit, "shown": shown, **judged}
    return found


def judge(kind: str, real: float, simulated: float, limit: float) -> Report:
    """Return the excess over the limit (0 if the gate is passed), and whether the simulated set is easier or harder."""
    apart = simulated - real
    excess = max(0.0, round((apart if kind == "cheat" else abs(apart)) - limit, 9))
    verdict = "harder" if (apart > 0) == (kind == "hardens") else "easier"
    return {"excess": excess, "verdict": verdict if excess else ""}


def tables(report: Report) -> dict[str, list[Row]]:
    """Return tables of passages, and of gates (failures in bold) or, with a single side, of its figures."""
    sides = report["sides"]
    passages = {name: side["passages"] for name, side in sides.items()}
    found = {"encyclopaedia-passages": table("", passages, DATA["encyclopaedia-passages"])}
    if "gates" in report:
        return found | {"encyclopaedia-gates": _gates(report["gates"])}
    lines = {name: ["number", path] for name, (_, path, _) in DATA["gates"].items()}
    return found | {"encyclopaedia": table("set", sides["simulated"]["sets"], lines)}


def _gates(pairs: Mapping[str, Report]) -> list[Row]:
    """Return one line per gate with one column per pair, and a line with the number of failures."""
    limits = {name: gate["limit"] for found in pairs.values() for name, gate in found.items()}
    verdicts = [[gate["verdict"] for gate in found.values()] for found in pairs.values()]
    failed = [f"{each.count('harder')}, {each.count('easier')} of {len(each)}" for each in verdicts]
    lines = {f"{name} ({limit:g})": ["shown", name] for name, limit in limits.items()}
    return [*table("gate (limit): real / simulated", pairs, lines), ("failed: harder, easier", failed)]
