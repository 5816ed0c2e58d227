"""Tasks over labelled texts: many-shot in-context learning, and questions on how often labels occur (docs/spec/helmet.md 9)."""
