"""Exact solvers of Marathon's simulated twins, which read only the finished prompt."""
