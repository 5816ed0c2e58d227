"""haymaker quality encyclopaedia: the simulated one beside the real slice, how hard its questions are to search for, and which
cheats work.
"""

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
"""Of a corpus whose passages are measured, and that a model of words learns from."""
_FIRST = "gold in the first 1"  # which questions that need two passages never have


def report(project: Project) -> Report:
    """Of each side passages and sets (set -> figures); gates of each pair of sets."""
    with tempfile.TemporaryDirectory() as folder:
        found = {side.name: _measured(side) for side in build(Path(folder))}
    if len(found) < 2:
        return {"sides": found}
    real, world = (side["sets"] for side in found.values())
    return {"sides": found, "gates": {f"{a} / {b}": gates(real[a], world[b]) for a, b in PAIRS}}


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
    """A model of words that has read a world of another seed, or articles of which no passage occurs in a line."""
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
    """Articles in keyed order; those of a source that has passages alone are known by their titles."""
    columns = store.take(range(len(store)), ["article_id", "title", "text"]).to_pydict()
    articles: dict[str, list[str]] = {}
    for article, title, text in zip(*columns.values(), strict=True):
        articles.setdefault(article or title, []).append(text)
    names = Stream("quality", "passages").shuffled(sorted(articles))
    found = hardness.passages([articles[name] for name in names], splitter("punkt"), WORDS)
    return {"corpus": len(store), "articles": len(articles), **found}


def gates(real: Report, world: Report) -> Report:
    """The gates of a pair of sets: name -> real, world, limit, excess, verdict, and how a table shows it; what one side lacks, and
    what both never have (two passages cannot both be first), is left out.
    """
    found = {}
    for name, (kind, path, limit) in DATA["gates"].items():
        here, there = at(real, path), at(world, path)
        if here is not None and there is not None and not (name.endswith(_FIRST) and here == there == 0):
            shown, judged = f"{here:.2f} / {there:.2f}", judge(kind, here, there, limit)
            if judged["excess"]:
                shown = f"**{shown}** {judged['verdict']} by {max(judged['excess'], 0.01):.2f}"
            found[name] = {"real": here, "world": there, "limit": limit, "shown": shown, **judged}
    return found


def judge(kind: str, real: float, world: float, limit: float) -> Report:
    """How far the world is beyond the limit (excess; 0 where the gate is passed), and whether that makes it easier or harder."""
    apart = world - real
    excess = max(0.0, round((apart if kind == "cheat" else abs(apart)) - limit, 9))
    verdict = "harder" if (apart > 0) == (kind == "hardens") else "easier"
    return {"excess": excess, "verdict": verdict if excess else ""}


def tables(report: Report) -> dict[str, list[Row]]:
    """Passages; gates, what fails in bold, or, of one side alone, the figures that they judge."""
    sides = report["sides"]
    passages = {name: side["passages"] for name, side in sides.items()}
    found = {"encyclopaedia-passages": table("", passages, DATA["encyclopaedia-passages"])}
    if "gates" in report:
        return found | {"encyclopaedia-gates": _gates(report["gates"])}
    lines = {name: ["number", path] for name, (_, path, _) in DATA["gates"].items()}
    return found | {"encyclopaedia": table("set", sides["world"]["sets"], lines)}


def _gates(pairs: Mapping[str, Report]) -> list[Row]:
    """One row a gate, one column a pair, and how many fail."""
    limits = {name: gate["limit"] for found in pairs.values() for name, gate in found.items()}
    verdicts = [[gate["verdict"] for gate in found.values()] for found in pairs.values()]
    failed = [f"{each.count('harder')}, {each.count('easier')} of {len(each)}" for each in verdicts]
    lines = {f"{name} ({limit:g})": ["shown", name] for name, limit in limits.items()}
    return [*table("gate (limit): real / world", pairs, lines), ("failed: harder, easier", failed)]
