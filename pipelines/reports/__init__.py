"""What a person reads: rows, scores, lists of sources and tasks."""
