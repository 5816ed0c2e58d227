"""Rows of another task whose context a retriever has shortened (docs/suites/longbench.md, Compressed contexts)."""
