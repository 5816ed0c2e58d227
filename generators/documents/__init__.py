"""Questions on long documents, choices and summaries: tasks that any suite may use (docs/suites/helmet.md)."""
