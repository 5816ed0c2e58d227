"""Tasks over numbered paragraphs, counting and finding them: what LongBench and Marathon share (docs/spec/longbench.md 2.4)."""
