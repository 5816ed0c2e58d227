"""Exact solvers of Marathon's simulated twins: each reads the finished prompt alone."""
