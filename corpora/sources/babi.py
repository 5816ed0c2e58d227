"""bAbI v1.2: stories of facts with questions (Weston et al. 2015; docs/spec/babilong.md 2).

Kinds `babi` (the archive in the public BABILong repository) and `babi_mirror` (the offline mirror's copy).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar, Literal, NoReturn

from corpora.sources.babi_shapes import fact_lookalike_patterns, near_facts_pattern
from corpora.sources.base import FetchContext, RawFile, Source, SourceInfo
from haymaker.core.errors import SourceError
from haymaker.core.rng import digest
from haymaker.core.rows.source_records import Split, StoryQuestion

__all__ = [
    "Babi",
    "BabiMirror",
    "fact_lookalike_patterns",
    "find_file",
    "near_facts_pattern",
    "parse_file",
    "story_questions",
]

Variant = Literal["en", "en-10k", "en-valid", "en-valid-10k", "hn", "hn-10k", "shuffled", "shuffled-10k"]
_COMMIT = "7a6efee29f5cac03c3c410e6799c80fd2ffe3610"
_URL = f"https://raw.githubusercontent.com/booydar/babilong/{_COMMIT}/data/tasks_1-20_v1-2.zip"
_ARCHIVE = "tasks_1-20_v1-2.zip"
_SUFFIX: dict[Split, str] = {"train": "train", "dev": "valid", "test": "test"}
_FILE = re.compile(r"(qa(?:[1-9]|1[0-9]|20))(?:_[^/]+)?_(train|valid|test)\.txt")
_LINE = re.compile(r"([0-9]{1,9}) (.*)", re.DOTALL)


class Babi(Source):
    """Options of kind `babi`.

    Attributes:
        url: address of the archive (zip or tar.gz).
        variant: folder of the archive (docs/spec/babilong.md 2.1).
        train_variant: folder to look in for a train file that `variant` lacks.
    """

    kind: ClassVar[str] = "babi"
    info: ClassVar[SourceInfo] = SourceInfo(
        title="bAbI tasks v1.2",
        homepage="https://github.com/facebookarchive/bAbI-tasks",
        licence="CC BY 3.0",
        roles=("stories",),
        languages=("en", "hi"),
        download_bytes=16_000_000,
        note="the archive kept by the BABILong repository, at a commit",
    )
    url: str = _URL
    variant: Variant = "en-10k"
    train_variant: Variant | None = None

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        name = self.url.split("?", 1)[0].rsplit("/", 1)[-1]
        return [RawFile(name, self.url)]

    def resolve(self, context: FetchContext) -> str | None:
        return _COMMIT if self.url == _URL else None

    def lock_key(self) -> str | None:
        return self.kind if self.url == _URL else f"{self.kind}@{digest(self.url, size=6).hex()}"

    def check(self, raw: Path) -> None:
        mine = [path for path in _story_files(raw) if _in_variant(path, self.variant)]
        if not mine:
            have = sorted({path.parent.name for path in _story_files(raw)})
            raise SourceError(
                f"the archive has no folder {self.variant!r}; it has {', '.join(have) or 'no stories'}", where=self.name
            )
        task, suffix = _identity(mine[0])
        parse_file(mine[0], task, next(part for part in _SUFFIX if _SUFFIX[part] == suffix))

    def stories(self, raw: Path, task: str, part: Split) -> list[StoryQuestion]:
        return story_questions(raw, task, part, self.variant, self.train_variant, name=self.name)


class BabiMirror(Babi):
    """Options of kind `babi_mirror`: as `babi`, without an address."""

    kind: ClassVar[str] = "babi_mirror"
    info: ClassVar[SourceInfo] = SourceInfo(
        title="bAbI tasks v1.2 (mirror copy: en, en-10k)",
        homepage="https://github.com/facebookarchive/bAbI-tasks",
        licence="CC BY 3.0",
        roles=("stories",),
        download_bytes=3_265_049,
        note="re-zipped from a public copy; lacks the en-10k train file of qa3 (set train_variant: en)",
    )
    url: Literal["mirror:babi/tasks_1-20_v1-2.zip"] = "mirror:babi/tasks_1-20_v1-2.zip"

    def resolve(self, context: FetchContext) -> str | None:
        return None

    def lock_key(self) -> str | None:
        return None


def story_questions(
    raw: Path, task: str, part: Split, variant: str, train_variant: str | None = None, *, name: str = "babi"
) -> list[StoryQuestion]:
    """All questions of one task and part below a folder of the bAbI layout.

    Raises:
        SourceError: no such file (lists what is there), two of them, or a damaged one.
    """
    path = find_file(raw, task, part, variant)
    if path is None and part == "train" and train_variant:
        path = find_file(raw, task, part, train_variant)
    if path is None:
        raise SourceError(
            f"no {part} file of {task!r} in {variant!r}; there is {_inventory(raw, variant)}",
            where=f"source {name}",
            fix="choose another task, part, variant or train_variant"
            if _story_files(raw)
            else "fetch the source again",
        )
    return parse_file(path, task, part)


def find_file(raw: Path, task: str, part: Split, variant: str) -> Path | None:
    """The file of a task and part, with or without the task's slug in its name, wherever the root folder lies.

    Raises:
        SourceError: two files match.
    """
    found = [
        path for path in _story_files(raw) if _in_variant(path, variant) and _identity(path) == (task, _SUFFIX[part])
    ]
    if len(found) > 1:
        names = " and ".join(path.relative_to(raw).as_posix() for path in found[:2])
        raise SourceError(f"two files for {task} {part}: {names}", where=variant, fix="remove one")
    return found[0] if found else None


def parse_file(path: Path, task: str, part: Split) -> list[StoryQuestion]:
    """Every question of a bAbI file with the facts before it (docs/spec/babilong.md 2.2, 2.3).

    Earlier questions are dropped; line ids become indices into `facts`, in the file's order. Tolerated: byte-order
    mark, CR LF, trailing blanks, blank lines at the end, no final newline.

    Raises:
        SourceError: any other shape; names file and line and what was expected.
    """
    questions: list[StoryQuestion] = []
    facts: dict[int, int] = {}
    texts: list[str] = []
    story, last, has_question = -1, 0, True
    for number, line in _lines(path):
        where = f"{path.name}:{number}"
        ident, text = _split(line, where)
        if ident == 1:
            _expect(has_question, where, f"the story before this line has no question (story {story + 1})")
            facts, texts, story, has_question = {}, [], story + 1, False
        elif ident != last + 1 or story < 0:
            _fail(where, f"line id {ident} after {last}; expected {last + 1}, or 1 for a new story")
        last = ident
        if "\t" not in text:
            facts[ident] = len(texts)
            texts.append(_fact(text, where))
            continue
        question, answer, supporting = _question(text, ident, facts, where)
        questions.append(StoryQuestion(task, part, story, len(questions), tuple(texts), question, answer, supporting))
        has_question = True
    _expect(bool(questions) and has_question, path.name, "ends without a question: the file is empty or cut short")
    return questions


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Line number from 1 and text, without the blank lines at the end."""
    raw = path.read_bytes()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        _fail(f"{path.name}:{line}", f"not UTF-8 at byte {error.start:,} (0x{raw[error.start]:02x})")
    yield from enumerate((line.rstrip(" \r") for line in text.rstrip(" \r\n").split("\n")), 1)


def _split(line: str, where: str) -> tuple[int, str]:
    found = _LINE.fullmatch(line)
    if not found or not found.group(2).strip():
        _fail(where, f"expected '<id> <text>', not {line!r:.60}")
    return int(found.group(1)), found.group(2)


def _fact(text: str, where: str) -> str:
    if "|" in text:
        _fail(where, f"'|' stands where a question line must have a TAB: {text!r:.60}")
    _expect("?" not in text, where, f"a question without '<TAB>answer<TAB>ids': {text!r:.60}")
    return text.strip()


def _question(text: str, ident: int, facts: dict[int, int], where: str) -> tuple[str, str, tuple[int, ...]]:
    fields = [field.strip() for field in text.split("\t")]
    _expect(len(fields) == 3, where, f"expected 'question<TAB>answer<TAB>ids', found {len(fields)} fields")
    question, answer, ids = fields
    _expect(bool(facts), where, "a question before any fact of its story")
    _expect(bool(question), where, "empty question")
    _expect(bool(answer), where, "empty answer")
    _expect(bool(ids), where, "no supporting ids")
    supporting = []
    for part in ids.split():
        if not (part.isascii() and part.isdigit() and len(part) < 10):
            _fail(where, f"supporting id {part!r:.40} is no number; ids are separated by spaces")
        if int(part) not in facts:
            why = "later than the question" if int(part) >= ident else "no fact of this story"
            _fail(where, f"supporting id {part} is {why}")
        supporting.append(facts[int(part)])
    return question, answer, tuple(supporting)


def _story_files(raw: Path) -> list[Path]:
    return sorted(path for path in raw.rglob("qa*.txt") if _FILE.fullmatch(path.name))


def _in_variant(path: Path, variant: str) -> bool:
    return path.parent.name == variant


def _identity(path: Path) -> tuple[str, str]:
    found = _FILE.fullmatch(path.name)
    return (found.group(1), found.group(2)) if found else ("", "")


def _inventory(raw: Path, variant: str) -> str:
    """What a variant holds, for an error line: 'test of qa1..; train of ...', else the variants that exist."""
    files = _story_files(raw)
    tasks: dict[str, list[int]] = {}
    for task, suffix in (_identity(path) for path in files if _in_variant(path, variant)):
        tasks.setdefault(suffix, []).append(int(task[2:]))
    if not tasks:
        return "only " + (", ".join(sorted({path.parent.name for path in files})) or "no story file at all")
    return "; ".join(f"{suffix} of qa {', '.join(map(str, sorted(found)))}" for suffix, found in sorted(tasks.items()))


def _expect(holds: bool, where: str, problem: str) -> None:
    if not holds:
        _fail(where, problem)


def _fail(where: str, problem: str) -> NoReturn:
    raise SourceError(problem, where=where, fix="fetch the source again, or mend the file")
