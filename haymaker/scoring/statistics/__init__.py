"""Means over groups, confidence intervals, agreement with people."""
