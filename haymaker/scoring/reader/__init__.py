"""The answer reader of all strict metrics, in four steps: strip_reasoning, final_answer, canonical, compare.

docs/reference/reading-answers.md has examples; `haymaker score --explain ID` prints the result of each step for one row.
"""

from haymaker.scoring.reader.answer import Row, answer, chooses, line, long_text, states, watched
from haymaker.scoring.reader.canonical import canonical, clean
from haymaker.scoring.reader.compare import bag_f1, contains, equals, harmonic, word_f1
from haymaker.scoring.reader.final import budget_of, final_answer
from haymaker.scoring.reader.reasoning import strip_reasoning

__all__ = [
    "Row", "answer", "bag_f1", "budget_of", "canonical", "chooses", "clean", "contains", "equals", "final_answer", "harmonic", "line",
    "long_text", "states", "strip_reasoning", "watched", "word_f1",
]  # fmt: skip
