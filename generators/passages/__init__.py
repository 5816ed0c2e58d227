"""Tasks over passages: what HELMET (RAG, re-ranking, citing) and RULER (its two QA tasks) share (docs/spec/helmet.md 5, 6, 7)."""
