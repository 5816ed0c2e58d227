"""Source code for tasks: definitions, imports between files, and lines that tasks may request."""
