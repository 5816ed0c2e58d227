"""Tasks over source code: the line that comes next, in a file that uses others or in a long one (docs/spec/longbench.md 2.5)."""
