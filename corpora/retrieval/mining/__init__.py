"""Mining: from questions and a searcher to gold and hard negatives, in small steps that can be tested separately.

locate      place of the answer: evidence of the source -> passage numbers      locate.py and its helpers
search      ranked passages per question                                        search.py
filter      exclude passages that cannot be distractors, by reason              filter.py (words.py, duplicates.py, stubs.py)
sample      choose questions and distractors                                    miner.py
format      texts, counts and scores as one row of data/retrieval_sets/<set>.parquet     format.py

The rules are in docs/spec/helmet.md 4, 5, 6, 7.
"""

MINED_RULES_VERSION = 11  # raised when the same search results could give other rows
