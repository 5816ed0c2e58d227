"""Finding pieces of a text that look like a query."""
