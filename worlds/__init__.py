"""Simulated sources: the offline, leak-proof twins of the real ones."""
