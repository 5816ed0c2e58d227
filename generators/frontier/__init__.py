"""Frontier tasks: MRCR and GraphWalks, regenerated at any length (docs/suites/frontier.md)."""
