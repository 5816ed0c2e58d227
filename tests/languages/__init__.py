"""Two small corpora of our own, in German and in Chinese: different sentences of a small grammar, in paragraphs."""

from __future__ import annotations

from pathlib import Path

from generators.generated.vocabulary import Grammar, noise
from haymaker.core.files.yaml_file import read_yaml

NAMES = {"de": "german", "zh": "chinese"}


def sentences(language: str, count: int) -> list[str]:
    """Different sentences, most of them as long as a needle or longer."""
    read = read_yaml(Path(__file__).with_name(f"{NAMES[language]}.yaml"))
    return noise(count, "languages", grammar=Grammar.of(read.pop("frames"), read, ""))


def texts(language: str, count: int, size: int = 240) -> list[str]:
    """So many texts of so many sentences, four to a paragraph."""
    told, between = sentences(language, count * size), "" if language == "zh" else " "
    parts = [told[at : at + size] for at in range(0, len(told), size)]
    return ["\n\n".join(between.join(part[at : at + 4]) for at in range(0, size, 4)) + "\n" for part in parts]


def write(folder: Path, language: str, **parts: int) -> None:
    """A folder of texts by split: `write(folder, "de", test=6, train=2)`."""
    every = iter(texts(language, sum(parts.values())))
    for part, count in parts.items():
        (folder / part).mkdir(parents=True, exist_ok=True)
        for number in range(count):
            (folder / part / f"{NAMES[language]}-{number}.txt").write_text(next(every), encoding="utf-8")
