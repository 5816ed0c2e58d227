"""Exact solvers: each reads only the finished prompt and shares no code with the generator."""
