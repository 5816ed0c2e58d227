"""Exact solvers: each reads a finished prompt alone and shares nothing with what built it."""
