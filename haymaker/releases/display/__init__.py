"""Releases, rows and prompts in the terminal."""
