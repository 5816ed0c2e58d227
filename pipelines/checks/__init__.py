"""Checks of finished rows, plots of the results, and the mini subset."""
