"""Resolve imports between the files of one project, and find where names are defined."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache

from corpora.code.model import Reading, Use
from corpora.code.python import Import, PythonFile

_HOPS = 4  # files through which a name may be given on


class Project:
    """Files that may import one another: path, with forward slashes -> text."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = texts
        self._files: dict[str, PythonFile | None] = {}
        self._known: dict[str, Reading | None] = {}

    def reading(self, path: str) -> Reading | None:
        """Return the parsed facts of a file; None if the parser refuses it."""
        if path not in self._known:
            self._known[path] = self._read(path)
        return self._known[path]

    def _read(self, path: str) -> Reading | None:
        file = self._file(path)
        if file is None:
            return None
        uses = sorted(self._uses(path, file), key=lambda use: (use.line, use.path, use.name))
        return Reading(file.defined, file.asked, tuple(uses))

    def _file(self, path: str) -> PythonFile | None:
        if path not in self._files:
            self._files[path] = _parsed(self.texts[path])
        return self._files[path]

    def told_by(self, use: Use) -> set[str]:
        """Return names that the definition of a used name shows: parameters, methods, attributes."""
        file = self._file(use.path)
        return file.told_by(use.name) if file and use.name in file.defined else set()

    def _uses(self, path: str, file: PythonFile) -> Iterator[Use]:
        """Yield the first use of every imported name, and of every name taken from an imported module."""
        for each in file.imports:
            seen: set[tuple[str, str]] = set()
            for line, attribute in file.loads.get(each.local, ()):
                found = self._meant(path, each, attribute) if each.line <= line < each.last else None
                if found is None or path in found[0]:
                    continue
                files, name = found
                if (files[-1], name) not in seen:
                    yield Use(line, files[-1], name, files[:-1])
                seen.add((files[-1], name))

    def _meant(self, path: str, each: Import, attribute: str) -> tuple[tuple[str, ...], str] | None:
        """Return the files that lead to an imported name or attribute, and its name in the last one."""
        module = self.module(path, each.module, each.level)
        if each.name:
            if module and (found := self.defining(module, each.name)):
                return found
            dotted = f"{each.module}.{each.name}" if each.module else each.name
            module = self.module(path, dotted, each.level)
        return self.defining(module, attribute) if module and attribute else None

    def defining(self, path: str, name: str, hops: int = _HOPS) -> tuple[tuple[str, ...], str] | None:
        """Return the files that lead from a file to the definition of a name, and its name in the last one."""
        file = self._file(path)
        if not file or name in file.defined:
            return ((path,), name) if file else None
        given = (each for each in file.imports if hops and each.local == name and each.is_top and each.name)
        for each in given:
            module = self.module(path, each.module, each.level)
            found = self.defining(module, each.name, hops - 1) if module and module != path else None
            return ((path, *found[0]), found[1]) if found else None
        return None

    def module(self, path: str, dotted: str, level: int) -> str | None:
        """Return the file of a module as imported by a file; None if outside the project or ambiguous."""
        parts = dotted.split(".") if dotted else []
        if level:
            folder = path.split("/")[:-1]
            if level - 1 > len(folder):
                return None
            return self._at("/".join([*folder[: len(folder) - level + 1], *parts]))
        return self._at("/".join(parts)) or self._by_end.get("/".join(parts))

    def _at(self, stem: str) -> str | None:
        return next((path for path in (f"{stem}.py", f"{stem}/__init__.py") if path in self.texts), None)

    @cached_property
    def _by_end(self) -> dict[str, str]:
        """Return end of a module path -> its only file with that end; a project may lie below src/."""
        found: dict[str, str | None] = {}
        for path in self.texts:
            if not path.endswith(".py"):
                continue
            parts = path.removesuffix(".py").removesuffix("/__init__").split("/")
            for start in range(1, len(parts)):
                end = "/".join(parts[start:])
                found[end] = None if end in found else path
        return {end: path for end, path in found.items() if path}


@lru_cache(maxsize=32)
def _parsed(text: str) -> PythonFile | None:
    """Parse a file; cached by its text, since checks read the same file in several rows."""
    try:
        return PythonFile(text)
    except SyntaxError:
        return None
