"""Exact solvers of Marathon's simulated versions, which read only the finished prompt."""
