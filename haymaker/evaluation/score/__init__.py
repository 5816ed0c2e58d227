"""Scores of model outputs: per row, as means, as tables and files."""
