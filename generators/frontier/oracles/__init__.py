"""Exact solvers of the frontier tasks; they read only the finished prompt."""
