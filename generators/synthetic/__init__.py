"""Synthetic tasks: RULER, needle in a haystack, JSON-KV, InfiniteBench's made-up six (spec/synthetic.md)."""
