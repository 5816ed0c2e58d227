"""LongBench and LongBench-E: one document, several articles, shots, passages (docs/suites/longbench.md)."""
