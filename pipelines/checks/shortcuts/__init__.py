"""Shortcut baselines: scores of simple strategies that ignore most of the context, without a model."""
