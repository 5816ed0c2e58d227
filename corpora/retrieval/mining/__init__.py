"""Mining: from questions and a searcher to gold and hard negatives, in small steps that can be tested alone.

    locate      where the answer stands: evidence of the source -> passage numbers      locate.py (retrieved.py, places.py, answers.py, variants.py, forms.py, relations.py)
    search      ranked passages per question                                            search.py
    filter      what must not be a distractor goes, counted by reason                   filter.py (words.py, duplicates.py)
    sample      which questions, and which of the distractors that are left             sample.py
    format      texts, counts and scores as one row of data/mined/<set>.parquet         format.py

The rules are those of docs/spec/helmet.md 4, 5, 6, 7.
"""

MINED_RULES_VERSION = 9  # raised when the same search results could give other rows
