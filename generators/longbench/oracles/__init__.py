"""Exact solvers of LongBench's tasks: each reads the finished prompt alone."""
