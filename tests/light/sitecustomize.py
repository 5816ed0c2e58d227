"""Python runs this first in every process that a test starts: nltk comes without scikit-learn and SciPy, no file waits for its disk, and
circles of dead objects are looked for less often.

nltk loads both just because they are there, for parts of it that we never use; that is 5 seconds of work a process
instead of 0.3. Where only the default install is there, neither is found, and nltk works as it does here.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from types import ModuleType

_HIDDEN = ("sklearn", "scipy", "pandas", "matplotlib")


class _Hide(MetaPathFinder):
    """Says that a library is not installed, as long as nltk is being imported."""

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> None:
        nltk = getattr(sys.modules.get("nltk"), "__spec__", None)
        if name.partition(".")[0] in _HIDDEN and getattr(nltk, "_initializing", False):
            raise ModuleNotFoundError(name)


sys.meta_path.insert(0, _Hide())
os.fsync = lambda _: None  # what tests write need not outlive a power cut
gc.set_threshold(50_000, 20, 20)  # as often as Python does by itself, it is a seventh of the work of all tests
