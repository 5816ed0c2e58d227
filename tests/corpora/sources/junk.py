"""Other values to put in place of a value of a record."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import strategies as st

WRONG = [None, True, -1, 0, 7, 10**30, 1.5, "", " ", "x", "7", "\ud800", [], ["x"], [None], [[]], {}, {"x": 1}, [{}]]
JUNK = st.sampled_from([*WRONG, "[]", '["\\ud800"]'])


def places(value: Any, path: tuple = ()) -> list[tuple]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, item in inner for place in places(item, (*path, key)))]


def replaced(value: Any, path: tuple, junk: Any) -> Any:
    if not path:
        return junk
    changed = copy.copy(value)
    changed[path[0]] = replaced(value[path[0]], path[1:], junk)
    return changed
