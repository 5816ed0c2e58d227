"""Rows for training, without end."""
