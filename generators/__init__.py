"""Definitions of the benchmarks: tasks, contexts and exact solvers."""
