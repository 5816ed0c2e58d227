"""haymaker quality encyclopaedia: the simulated one beside the real slice, how hard its questions are to search for, and which
cheats work.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from corpora.retrieval.mining.locate import JUDGED
from corpora.stores.passages.store import Passages
from corpora.stores.sentences.split import splitter
from haymaker.errors import ParamsError
from haymaker.rng import Stream
from haymaker.text import padded
from pipelines.progress import say
from pipelines.project import Project
from pipelines.quality import hardness
from pipelines.quality.figures import COLOURS, DATA, Report, Row, at, figure, line, logarithmic, spread, table
from pipelines.quality.prose import Trigrams
from pipelines.quality.search import DISTRACTORS, KINDS, Asked, embedded, search, texts
from pipelines.quality.sides import PAIRS, Side, build

TABLES = ("encyclopaedia-gates", "encyclopaedia-search", "encyclopaedia-cheats", "encyclopaedia-passages")
WORDS = 300_000
"""Of a corpus whose passages are measured, and that a model of words learns from."""
_HELD_BY = 100  # questions of a set whose answers are looked for in the whole corpus
_FIRST = "gold in the first 1"  # which questions that need two passages never have
_LIKENESS = {"bm25": "BM25 score", "cosine": "MiniLM cosine"}


def report(project: Project, corpus: str | None, beside: str | None, words: int | None) -> Report:
    """Of each side passages, sets (set -> figures) and likeness (BM25 or cosine -> kind -> spread); gates of each pair of sets."""
    if corpus or beside:
        fix = "leave out --corpus, --beside"
        raise ParamsError("compares fixed sides", where="haymaker quality encyclopaedia", fix=fix)
    with tempfile.TemporaryDirectory() as folder:
        found = {side.name: _measured(side) for side in build(Path(folder))}
    if len(found) < 2:
        return {"sides": found}
    real, world = (side["sets"] for side in found.values())
    return {"sides": found, "gates": {f"{a} / {b}": gates(real[a], world[b]) for a, b in PAIRS}}


def _measured(side: Side) -> Report:
    say(f"  measuring {side.name}")
    asked = {name: list(search(side.pools[name], located)) for name, located in side.sets.items()}
    figures = {name: {**hardness.hardness(each), "lost": side.lost[name]} for name, each in asked.items()}
    answered = {name: each for name, each in asked.items()
                if not any(located.question.kind in JUDGED for located in side.sets[name])}  # fmt: skip
    model, corpus = _model(side, answered), [padded(text) for text in side.main.search_texts()]
    for name, each in answered.items():
        lines = [texts(side.main, [one.passages["gold"][0], *one.passages["mined"]]) for one in each
                 if len(one.passages["mined"]) == DISTRACTORS]  # fmt: skip
        figures[name] |= {
            "odd": hardness.odd_one_out(lines, model),
            "places": hardness.places(each),
            "guesses": hardness.guesses(each),
            "holders": hardness.holders(each[:_HELD_BY], corpus),
        }
    likeness = {"bm25": _by_kind([one.scores for each in answered.values() for one in each])}
    if found := embedded(side.main, answered):
        likeness["cosine"] = _by_kind(found[1])
        figures |= {name: {**figures[name], "dense": curve} for name, curve in found[0].items()}
    return {"passages": _passages(side.main), "sets": figures, "likeness": likeness}


def _by_kind(found: Sequence[Mapping[str, Sequence[float]]]) -> Report:
    return {kind: spread(score for each in found for score in each[kind]) for kind in KINDS}


def _model(side: Side, asked: Mapping[str, Sequence[Asked]]) -> Trigrams:
    """A model of words that has read a world of another seed, or articles of which no passage occurs in a line."""
    store, seen = side.other or side.main, set[str]()
    if side.other is None:
        lines = [one.passages[kind] for each in asked.values() for one in each for kind in ("gold", "mined")]
        seen = {title for title, _ in texts(store, sorted({int(i) for passages in lines for i in passages}))}
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
    """Gates (only where two sides were measured; what fails in bold), searches, cheats, passages."""
    sets = {name: figures for side in report["sides"].values() for name, figures in side["sets"].items()}
    answered = {name: figures for name, figures in sets.items() if "odd" in figures}
    passages = {name: side["passages"] for name, side in report["sides"].items()}
    columns = {"search": ("set", sets), "cheats": ("cheat", answered), "passages": ("", passages)}
    names = {name: f"encyclopaedia-{name}" for name in columns}
    found = {"encyclopaedia-gates": _gates(report["gates"])} if "gates" in report else {}
    return found | {names[name]: table(*columns[name], DATA[names[name]]) for name in columns}


def _gates(pairs: Mapping[str, Report]) -> list[Row]:
    """One row a gate, one column a pair, and how many fail."""
    limits = {name: gate["limit"] for found in pairs.values() for name, gate in found.items()}
    verdicts = [[gate["verdict"] for gate in found.values()] for found in pairs.values()]
    failed = [f"{each.count('harder')}, {each.count('easier')} of {len(each)}" for each in verdicts]
    lines = {f"{name} ({limit:g})": ["shown", name] for name, limit in limits.items()}
    return [*table("gate (limit): real / world", pairs, lines), ("failed: harder, easier", failed)]


def draw(report: Report, folder: Path) -> list[Path]:
    """Likeness to the question by kind of passage, and where the gold stands in a search; returns the files."""
    files = [folder / "encyclopaedia-hardness.svg", folder / "encyclopaedia-ranks.svg"]
    _likeness(report["sides"], files[0])
    _ranks(report["sides"], files[1])
    return files


def _likeness(sides: Mapping[str, Report], path: Path) -> None:
    """A panel per measure and side: median, quartiles (thick), 5th to 95th percentile (thin)."""
    panels = [(measure, name) for measure in _LIKENESS for name, side in sides.items() if measure in side["likeness"]]
    with figure(path, (9, 2.4), len(panels), sharey=True) as axes:
        for axis, (measure, name) in zip(axes, panels, strict=True):
            every = [each for side in sides.values() for each in side["likeness"].get(measure, {}).values()]
            least, most = min(0, *(each["q05"] for each in every)), max(each["q95"] for each in every)
            for y, (kind, colour) in enumerate(zip(reversed(KINDS), reversed(COLOURS), strict=True)):
                found = sides[name]["likeness"][measure][kind]
                axis.plot([found["q05"], found["q95"]], [y, y], color=colour, linewidth=1)
                axis.plot([found["q25"], found["q75"]], [y, y], color=colour, linewidth=5, alpha=0.5)
                axis.plot(found["q50"], y, "o", color=colour)
            axis.set(title=name, xlabel=_LIKENESS[measure], xlim=(1.1 * least, 1.05 * most))
            axis.set_yticks(range(len(KINDS)), list(reversed(KINDS)))


def _ranks(sides: Mapping[str, Report], path: Path) -> None:
    """A panel per pair of sets: share of questions whose gold is among the best n; BM25 solid, MiniLM dotted."""
    with figure(path, (9, 2.6), len(PAIRS), sharey=True) as axes:
        for axis, pair in zip(axes, PAIRS, strict=True):
            for i, side in enumerate(sides.values()):
                for name in set(pair) & set(side["sets"]):
                    for measure, style, label in (("bm25", "-", name), ("dense", ":", None)):
                        curve = side["sets"][name].get(measure, {})
                        line(axis, i, [*map(int, curve)], [*curve.values()], linestyle=style, label=label)
            axis.set(xlabel="among the best", ylim=(0, 1.02))
            logarithmic(axis, "x", [1, 5, 20, 100])
            axis.legend(loc="lower right")
        axes[0].set_ylabel("share of questions with their gold")
