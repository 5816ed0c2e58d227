"""Simulated documents with questions: stories and chronicles, all invented."""

ARCHIVE_VERSION = 12  # raised whenever the bytes change
