"""Manifest and texts of a release: the manifest contains all facts, and every text is generated from it."""
