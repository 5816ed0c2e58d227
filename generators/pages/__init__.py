"""Tasks over numbered paragraphs that suites share (docs/spec/longbench.md 2.4)."""
