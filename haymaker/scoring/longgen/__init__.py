"""Scoring of long outputs that are written entry by entry (LongGenBench, docs/spec/longgenbench.md 3, 4)."""
