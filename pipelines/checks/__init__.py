"""Checks of finished rows, plots of the checks, the small subset."""
