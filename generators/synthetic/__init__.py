"""Synthetic tasks: RULER, needle in a haystack, JSON-KV, InfiniteBench's made-up six (docs/spec/synthetic.md)."""
