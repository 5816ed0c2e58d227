"""HELMET: answering, ranking and citing over mined passages, many-shot labels, long documents, summaries (docs/suites/helmet.md)."""
