"""The report of `haymaker quality encyclopaedia` as tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pipelines.quality.figures.comparison import Row
from pipelines.quality.figures.gates import at

Report = Mapping[str, Any]
_NONE = "-"


def tables(report: Report) -> dict[str, list[Row]]:
    """Name -> head and rows; gates only where two sides were measured."""
    found = {"encyclopaedia-gates": _gates(report["gates"])} if "gates" in report else {}
    return found | {
        "encyclopaedia-search": _search(report["sides"]),
        "encyclopaedia-cheats": _cheats(report["sides"]),
        "encyclopaedia-passages": _passages(report["sides"]),
    }


def _gates(pairs: Mapping[str, list[Report]]) -> list[Row]:
    """One row a gate, one column a pair: real / world, and, in bold, what fails: which way, and how far beyond the limit."""
    cells = {pair: {gate["name"]: gate for gate in gates} for pair, gates in pairs.items()}
    gates = {name: gate for found in cells.values() for name, gate in found.items()}
    body = [
        (f"{name} ({gate['limit']:g})", [_gate(cells[pair].get(name)) for pair in cells])
        for name, gate in gates.items()
    ]
    verdicts = [[gate["verdict"] for gate in found.values()] for found in cells.values()]
    counts = [f"{each.count('harder')}, {each.count('easier')} of {len(each)}" for each in verdicts]
    return [("gate (limit): real / world", list(cells)), *body, ("failed: harder, easier", counts)]


def _gate(gate: Report | None) -> str:
    if gate is None:
        return _NONE
    shown = f"{gate['real']:.2f} / {gate['world']:.2f}"
    return f"**{shown}** {gate['verdict']} by {max(gate['excess'], 0.01):.2f}" if gate["excess"] else shown


def _search(sides: list[Report]) -> list[Row]:
    sets = {name: figures for side in sides for name, figures in side["sets"].items()}

    def row(label: str, cell: Callable[[Report], str]) -> Row:
        return label, [cell(figures) for figures in sets.values()]

    def share(*path: str) -> Callable[[Report], str]:
        return lambda figures: _number(at(figures, path), 2)

    return [
        ("set", list(sets)),
        row("questions", lambda figures: str(figures["questions"])),
        row("left out: gold cut in two or not found, %", lambda figures: f"{100 * figures['lost']:.0f}"),
        *(row(f"BM25: gold in the first {cut}", share("bm25", cut)) for cut in ("1", "5", "10", "20", "100")),
        *(
            row(f"BM25 without its article: gold in the first {cut}", share("bm25_apart", cut))
            for cut in ("1", "5", "20")
        ),
        *(row(f"MiniLM: gold in the first {cut}", share("dense", cut)) for cut in ("1", "5", "10", "20", "100")),
        row("question words in the gold: mean (quartiles)", lambda figures: _spread(figures["overlap"])),
        row("score of best distractor / gold: mean (quartiles)", lambda figures: _spread(figures["nearest"])),
        row("the same without the gold's article", lambda figures: _spread(figures["nearest_apart"])),
        row("questions with a distractor above the gold", share("beaten")),
        row("distractors above the gold, median", lambda figures: f"{figures['above']:.0f}"),
    ]


def _cheats(sides: list[Report]) -> list[Row]:
    sets = {name: figures for side in sides for name, figures in side["sets"].items() if "odd" in figures}

    def row(label: str, cell: Callable[[Report], str]) -> Row:
        return label, [cell(figures) for figures in sets.values()]

    def odd(cheat: str) -> Callable[[Report], str]:
        return lambda figures: f"{figures['odd'][cheat]['first']:.2f}, {figures['odd'][cheat]['auc']:.2f}"

    def guess(key: str) -> Callable[[Report], str]:
        return lambda figures: f"{figures['guesses'][key]:.3f}"

    return [
        ("cheat", list(sets)),
        *(row(f"odd one of 20 by `{cheat}`: picked, AUC", odd(cheat)) for cheat in ("surprise", "rare", "long", "lead")),
        row("answer guessed: commonest of the set", guess("commonest")),
        row("the same, first two words of the question", guess("opening")),
        row("the same, template of the question", guess("template")),
        row("answers in the fullest tenth of their passage", lambda f: _number(at(f, ("places", "fullest_tenth")), 2)),
        row("place of the answer: mean (quartiles)", lambda f: _spread(f["places"] and f["places"]["spread"])),
        row("passages of the corpus that hold an answer: median (95 % have at most)", _held),
    ]  # fmt: skip


def _held(figures: Report) -> str:
    return f"{figures['holders']['q50']:.0f} ({figures['holders']['q95']:.0f})"


def _passages(sides: list[Report]) -> list[Row]:
    found = [side["passages"] for side in sides]

    def row(label: str, cell: Callable[[Report], str]) -> Row:
        return label, [cell(each) for each in found]

    def percent(*path: str) -> Callable[[Report], str]:
        return lambda each: _number(at(each, path), 2, 100)

    return [
        ("", [side["name"] for side in sides]),
        row("passages of the corpus", lambda each: f"{each['corpus']:,}"),
        row("articles (titles) of the corpus", lambda each: f"{each['articles']:,}"),
        row("words measured", lambda each: f"{each['words']:,}"),
        row("words of a passage: mean (quartiles)", lambda each: _spread(each["passage_words"], 0)),
        row("words of a sentence: mean (quartiles)", lambda each: _spread(each["sentence_words"], 0)),
        row("different words", lambda each: f"{each['types']:,}"),
        row("compressed by zlib 9, times", lambda each: f"{each['zlib']:.2f}"),
        row("repeated 8-grams within an article, %", percent("repeated", "article")),
        row("repeated 8-grams anywhere, %", percent("repeated", "anywhere")),
        row("repeated 8-grams anywhere, names masked, %", percent("repeated", "masked")),
    ]


def _number(value: float | None, digits: int, scale: float = 1) -> str:
    return _NONE if value is None else f"{scale * value:.{digits}f}"


def _spread(spread: Report | None, digits: int = 2) -> str:
    if spread is None:
        return _NONE
    return f"{spread['mean']:.{digits}f} ({', '.join(f'{spread[key]:.{digits}f}' for key in ('q25', 'q50', 'q75'))})"
