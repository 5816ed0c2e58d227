"""Comparisons of models on the same rows, and of scores with human labels."""
