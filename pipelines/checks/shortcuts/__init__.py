"""Shortcut baselines: scores of simple strategies that ignore most of the context, computed from finished rows without a model."""
