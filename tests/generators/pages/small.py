"""A corpus of passages small enough to make in a test: sentences of invented words, some passages alike; the suite over it."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from corpora import sources
from corpora.sources.base import FetchContext
from corpora.stores.passages.build import build_store
from corpora.stores.passages.store import PassageParams
from corpora.tokenizers import tokenizer
from generators.inputs import Inputs
from generators.longbench.suite import SUITE
from generators.pages.task import PagesTask
from generators.spec import Table
from generators.suite import ReleaseSuite, Suite
from haymaker.core.rng import Stream
from haymaker.core.rows.row_checks import Check
from haymaker.core.rows.schema import Sample, to_table
from haymaker.core.rows.source_records import Passage, Split
from haymaker.scoring.metrics import all_metrics
from tests.generators import kit

CORPUS, SUMMARIES = "pages", "notes"
TOKENIZERS = ("tekken",)
Row = dict[str, Any]
_SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu".split()


def sentence(stream: Stream, least: int = 9, most: int = 14) -> str:
    """A sentence of words that nobody else has."""
    words = ["".join(stream.choice(_SYLLABLES) for _ in range(2)) for _ in range(stream.between(least, most))]
    return " ".join(words).capitalize() + "."


def passage(number: int, sentences: int = 5, text: str = "") -> Passage:
    """Passage `number`, alone in its article; its text has a line break."""
    stream = Stream("small pages", number)
    said = text or "\n".join([" ".join(sentence(stream) for _ in range(sentences - 1)), sentence(stream)])
    return Passage(f"p{number}-0", f"p{number}", f"Title {number}", "", said)


@cache
def plain(count: int = 900) -> tuple[Passage, ...]:
    """Passages that differ; every tenth has too few words, and is not used."""
    return tuple(passage(number, 2 if number % 10 == 9 else 5) for number in range(count))


def chinese(number: int, size: int, purpose: str = "small chinese pages") -> str:
    """A text of so many characters, with commas."""
    stream = Stream(purpose, number)
    characters = [chr(code) for code in range(0x4E00, 0x4E00 + 900)]
    return "".join(stream.choice(characters) + "，" * (place % 20 == 19) for place in range(size)) + "。"


def data(
    folder: Path, passages: Iterable[Passage], summaries: Sequence[tuple[str, str]] = (),
    tokenizers: Sequence[str] = TOKENIZERS, lines: Sequence[dict[str, Any]] = (),
) -> Path:  # fmt: skip
    """A data folder with a corpus, and questions: summaries (text, id of the article that it was written from), or whole lines."""
    counters = [tokenizer.load(name) for name in tokenizers]
    (folder / "corpora").mkdir(parents=True)
    build_store(passages, folder / "corpora" / CORPUS, PassageParams(source="web"), counters, {"kind": "x"})
    lines = lines or [
        {"id": f"s{number}", "question": text, "split": "test", "evidence": [{"article_id": article, "grade": 3}]}
        for number, (text, article) in enumerate(summaries)
    ]
    if lines:
        file = folder / "notes.jsonl"
        file.write_text("".join(json.dumps(line) + "\n" for line in lines))
        _fetched(folder, SUMMARIES, "questions_jsonl", None, path=str(file))
    return folder


def summarised(folder: Path, texts: Sequence[str] = ()) -> Path:
    """50 passages, of which four (p3, p8, p6, p7) are summed up, by words of their own or by texts; p7 is nearly p6."""
    passages = [passage(number) for number in range(50)]
    passages[7] = passage(7, text=passages[6].text + " Haje kilo.")
    named = [3, 8, 6, 7]
    texts = texts or [" ".join(passages[number].text.split()[3:12]) for number in named]
    return data(folder, passages, [(text, f"p{number}") for text, number in zip(texts, named, strict=True)])


def real(mirror: Path, folder: Path, kind: str, name: str = SUMMARIES) -> Path:
    """A data folder with the passages of a source of the mirror, which is also the source of questions."""
    source, raw = _fetched(folder, name, kind, mirror), folder / "raw" / name
    return data(folder, (each for batch in source.batches(raw) for each in source.passages(raw, batch)))


def _fetched(folder: Path, name: str, kind: str, mirror: Path | None, **options: Any) -> Any:
    source = sources.create(name, kind, options, where="test")
    source.fetch(folder / "raw" / name, FetchContext(mirror, folder / "cache", folder / "lock.json"))
    return source


def bm25(documents: Sequence[Sequence[str]], query: Sequence[str]) -> list[float]:
    """The score of each document for a query, worked out from counts."""
    mean = sum(map(len, documents)) / len(documents)
    weights = dict[str, float]()
    for term in query:
        df = sum(term in words for words in documents)
        weights[term] = weights.get(term, 0.0) + math.log(1 + (len(documents) - df + 0.5) / (df + 0.5))
    tfs = [(Counter(words), 1.2 * (0.25 + 0.75 * len(words) / mean)) for words in documents]
    return [sum(weight * tf[term] / (tf[term] + base) for term, weight in weights.items()) for tf, base in tfs]


def suite(
    folder: Path, tasks: dict[str, Any], tokenizers: Sequence[str] = TOKENIZERS, of: Suite = SUITE,
    notes: dict[str, Any] | None = None, **options: Any,
) -> ReleaseSuite:  # fmt: skip
    """LongBench, or another suite, with these entries over a data folder; `notes` is a source of summaries that are not the user's."""
    notes = notes or {"kind": "questions_jsonl", "path": str(folder / "notes.jsonl")}
    built = kit.params(
        {of.name: {"passages": CORPUS, "tasks": tasks, **options}},
        tokenizers,
        release=kit.RELEASE | {"seed": 9},
        sources={"web": {"kind": "articles_jsonl", "path": "x"}, SUMMARIES: notes},
        passages={CORPUS: {"source": "web"}},
    )
    return ReleaseSuite(of, built.suites[of.name], Inputs(built, folder))


def task(
    folder: Path, name: str, tokenizers: Sequence[str] = TOKENIZERS, of: Suite = SUITE, **entry: Any
) -> PagesTask[Any]:
    """One task; lengths are of no selection here."""
    built = suite(folder, {name: {"lengths": {"4k": 4}, **entry}}, tokenizers, of).task(name)
    assert isinstance(built, PagesTask)
    return built


def table(name: str, length: str, split: Split = "test", rows: int = 1) -> Table:
    """What Task.row asks for."""
    return Table("longbench", name, length, split, rows)


def sample(made: PagesTask[Any], length: str, number: int, split: Split = "test") -> Sample:
    """The row of a candidate, by its number."""
    return made.row(table(made.entry.name, length, split), made.pool(split).candidate(number), 0)


def row(made: PagesTask[Any], length: str, number: int, split: Split = "test") -> Row:
    """The same as a reader of the file has it."""
    found: Row = to_table([sample(made, length, number, split)]).to_pylist()[0]
    return found


def rows(made: PagesTask[Any], length: str, count: int) -> list[Row]:
    """The first rows of a length, as selection takes them; all variants of each candidate."""
    asked, found, number = table(made.entry.name, length), list[Row](), 0
    while len(found) < count:
        candidate = made.pool("test").candidate(number)
        if not made.rejection_reason(candidate) and not made.rejection_reason_at(asked, candidate):
            found += to_table([made.row(asked, candidate, each) for each in range(made.variants)]).to_pylist()
        number += 1
    return found


def prove(made: PagesTask[Any], row: Row, tokenizers: Sequence[str] = TOKENIZERS) -> None:
    """Counts, budget, fill, spans, checks and strict metrics of one row; the oracle where there is one."""
    kit.counted(row, tokenizers)
    prompt, first = row["prompt"], tokenizer.load(tokenizers[0])
    if row["length_tokens"]:
        assert row["prompt_tokens"] + 32 + 64 + row["unused_tokens"] == row["length_tokens"]
        assert 0 <= row["unused_tokens"] <= 0.005 * row["length_tokens"]
    else:
        assert row["unused_tokens"] is None
        context = prompt[row["context_start"] : row["context_end"]]
        told = [row["question"], context, *row["answers"]]
        words = len("".join(told)) if row["language"] == "zh" else len(" ".join(told).split())
        assert json.loads(row["metadata"])["length"] == words
    for span in row["spans"][1 :: 1 + row["num_segments"] // 20]:
        assert span["token_start"] == first.count(prompt[: span["start"] - 1])
    assert [s["start"] for s in row["spans"]] == sorted(s["start"] for s in row["spans"])
    assert not (found := list(made.problems(row))), found
    if Check.ORACLE in made.spec.checks:
        assert made.solve(prompt) == row["answers"]
    for name in {name for name in row["metrics"] if name.endswith("@strict")} & all_metrics().keys():
        function = all_metrics()[name].function
        assert (function(row["answers"][0], row), function("", row)) == (1.0, 0.0)
