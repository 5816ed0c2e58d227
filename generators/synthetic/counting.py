"""What stands most often: common words of a list, frequent coded words (RULER's cwe and fwe, spec/synthetic.md A1)."""

from __future__ import annotations

from generators.synthetic.counting_common import CommonWords
from generators.synthetic.counting_frequent import FrequentWords
from generators.synthetic.family import Kind

_METRICS = ("ruler_all@strict", "ruler_all@official", "ruler_f1@strict")
KINDS = {
    "cwe": Kind(
        "RULER common words: the ten words that stand most often in a numbered list", CommonWords, "aggregation",
        _METRICS, 160, "none: lists do not end before ten million tokens",
    ),
    "fwe": Kind(
        "RULER frequent words: the three most frequent words of a coded text", FrequentWords, "aggregation",
        _METRICS, 64, "none: coded words do not end",
    ),
}  # fmt: skip
