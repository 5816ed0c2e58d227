"""Errors, randomness, parameters, files, text and the row schema: shared by all other packages."""
