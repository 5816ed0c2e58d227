"""Tasks over labelled texts: many-shot in-context learning, and questions on how often labels occur (spec/helmet.md 9)."""
