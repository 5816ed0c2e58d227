"""Questions on long documents, choices and summaries (spec/helmet.md 8)."""
