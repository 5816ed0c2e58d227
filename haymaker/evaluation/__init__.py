"""Outputs of models: request, score, compare, report, export to other harnesses."""
