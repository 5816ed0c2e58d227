"""Readers of raw file formats: lines, tables, Parquet, members of JSON files."""
