"""bAbI v1.2: stories of facts with questions (Weston et al. 2015; docs/spec/babilong.md 2)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import ClassVar, Literal

from corpora.sources.base import FetchContext, RawFile, Source
from corpora.sources.books import read_text
from haymaker.core.errors import SourceError
from haymaker.core.rng import digest
from haymaker.core.rows.source_records import Split, StoryQuestion

Variant = Literal["en", "en-10k", "en-valid", "en-valid-10k", "hn", "hn-10k", "shuffled", "shuffled-10k"]
_COMMIT = "7a6efee29f5cac03c3c410e6799c80fd2ffe3610"
_URL = f"https://raw.githubusercontent.com/booydar/babilong/{_COMMIT}/data/tasks_1-20_v1-2.zip"
_SUFFIX: dict[Split, str] = {"train": "train", "dev": "valid", "test": "test"}
_FILE = re.compile(r"(qa(?:[1-9]|1[0-9]|20))(?:_[^/]+)?_(train|valid|test)\.txt")
_LINE = re.compile(r"([0-9]{1,9}) (?:([^\t|?]+)|([^\t]+)\t([^\t]+)\t *([0-9]{1,9}(?: +[0-9]{1,9})*) *)")
_AGAIN = "fetch the source again, or fix the file"


class Babi(Source):
    """Options of kind `babi`, the archive in the public BABILong repository.

    Attributes:
        url: address of the archive (zip or tar.gz).
        variant: folder of the archive (docs/spec/babilong.md 2.1).
        train_variant: folder to look in for a train file that `variant` lacks.
    """

    kind: ClassVar[str] = "babi"
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
        files = _story_files(raw)
        mine = [(task, suffix, path) for variant, task, suffix, path in files if variant == self.variant]
        if not mine:
            have = ", ".join(sorted({variant for variant, *_ in files})) or "no stories"
            raise SourceError(f"the archive has no folder {self.variant!r}; it has {have}", where=self.name)
        task, suffix, path = mine[0]
        parse_file(path, task, next(split for split in _SUFFIX if _SUFFIX[split] == suffix))

    def stories(self, raw: Path, task: str, split: Split) -> list[StoryQuestion]:
        return story_questions(raw, task, split, self.variant, self.train_variant, name=self.name)


class BabiMirror(Babi):
    """Options of kind `babi_mirror`: as `babi`, without another address."""

    kind: ClassVar[str] = "babi_mirror"
    url: Literal["mirror:babi/tasks_1-20_v1-2.zip"] = "mirror:babi/tasks_1-20_v1-2.zip"

    def lock_key(self) -> str | None:
        return None


def story_questions(
    raw: Path, task: str, split: Split, variant: str, train_variant: str | None = None, *, name: str = "babi"
) -> list[StoryQuestion]:
    """All questions of one task and split below a folder of the bAbI layout.

    Raises:
        SourceError: no such file (lists the existing ones), two of them, or a damaged one.
    """
    path = find_file(raw, task, split, variant)
    if path is None and split == "train" and train_variant:
        path = find_file(raw, task, split, train_variant)
    if path is None:
        problem = f"no {split} file of {task!r} in {variant!r}; found: {_inventory(raw, variant)}"
        fix = "choose another task, split, variant or train_variant, or fetch the source again"
        raise SourceError(problem, where=f"source {name}", fix=fix)
    return parse_file(path, task, split)


def find_file(raw: Path, task: str, split: Split, variant: str) -> Path | None:
    """The file of a task and split, with or without the task's slug in its name, in any folder named as the variant.

    Raises:
        SourceError: two files match.
    """
    found = [path for *key, path in _story_files(raw) if key == [variant, task, _SUFFIX[split]]]
    if len(found) > 1:
        names = " and ".join(path.relative_to(raw).as_posix() for path in found[:2])
        raise SourceError(f"two files for {task} {split}: {names}", where=variant, fix="remove one")
    return found[0] if found else None


def parse_file(path: Path, task: str, split: Split) -> list[StoryQuestion]:
    """Every question of a bAbI file with the facts before it (docs/spec/babilong.md 2.2, 2.3).

    Earlier questions are dropped; line ids become indices into `facts`, in the file's order. Tolerated: byte-order
    mark, CR LF, trailing blanks, blank lines at the end, no final newline.

    Raises:
        SourceError: any other shape; names file and line and the expected shape.
    """
    questions: list[StoryQuestion] = []
    facts: dict[int, str] = {}  # of the story: line id -> text
    story, last, is_complete = -1, 0, True
    for number, line in enumerate(read_text(path, path.name).rstrip(" \r\n").split("\n"), 1):
        where = f"{path.name}:{number}"
        ident, fields = _fields(line.rstrip(" \r"), where)
        if ident == 1:
            _expect(is_complete, where, f"the story before this line has no question (story {story + 1})")
            facts, story, is_complete = {}, story + 1, False
        else:
            _expect(ident == last + 1, where, f"line id {ident} after {last}; expected {last + 1} or 1")
        last = ident
        if len(fields) == 1:
            facts[ident] = fields[0]
            continue
        question, answer, ids = fields
        supporting, before = _supporting(ids, list(facts), where), tuple(facts.values())
        questions.append(StoryQuestion(task, split, story, len(questions), before, question, answer, supporting))
        is_complete = True
    _expect(is_complete, path.name, "ends without a question: the file is cut short")
    return questions


def _fields(line: str, where: str) -> tuple[int, list[str]]:
    """The id of a line and its fact, or its question, answer and supporting ids."""
    found = _LINE.fullmatch(line)
    fields = [field.strip() for field in found.groups()[1:] if field is not None] if found else []
    if not found or not all(fields):
        shapes = "'<id> <fact>' or '<id> <question><TAB><answer><TAB><ids of facts>'"
        raise SourceError(f"expected {shapes}, found {line!r:.60}", where=where, fix=_AGAIN)
    return int(found[1]), fields


def _supporting(ids: str, known: list[int], where: str) -> tuple[int, ...]:
    """Indices of facts by their line ids."""
    found = list(map(int, ids.split()))
    for key in found:
        _expect(key in known, where, f"supporting id {key} is not an earlier fact of this story")
    return tuple(map(known.index, found))


def _story_files(raw: Path) -> list[tuple[str, str, str, Path]]:
    """Variant, task, suffix and path of every file of stories."""
    named = ((path, _FILE.fullmatch(path.name)) for path in sorted(raw.rglob("qa*.txt")))
    return [(path.parent.name, found[1], found[2], path) for path, found in named if found]


def _inventory(raw: Path, variant: str) -> str:
    """The files of a variant, as 'test of qa 1, 2; train of qa 1', else the variants that exist."""
    files = _story_files(raw)
    tasks: dict[str, list[int]] = {}
    for _, task, suffix, _ in (file for file in files if file[0] == variant):
        tasks.setdefault(suffix, []).append(int(task[2:]))
    if not tasks:
        return "only " + (", ".join(sorted({file[0] for file in files})) or "no story file at all")
    return "; ".join(f"{suffix} of qa {', '.join(map(str, sorted(found)))}" for suffix, found in sorted(tasks.items()))


def _expect(holds: bool, where: str, problem: str) -> None:
    if not holds:
        raise SourceError(problem, where=where, fix=_AGAIN)
