"""Speeds, as ratios to what is measured beside them on the same machine."""
