"""A run: the project lock, DVC, and what is checked before and after it."""
