"""Scoring of answers: readers, metrics, judges, published tables, statistics."""
