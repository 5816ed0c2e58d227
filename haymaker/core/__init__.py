"""Errors, randomness, parameters, files, text and the row schema: used by every other package."""
