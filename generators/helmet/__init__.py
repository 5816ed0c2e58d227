"""HELMET: retrieval-augmented answering, re-ranking and citing over mined passages (spec/helmet.md)."""
