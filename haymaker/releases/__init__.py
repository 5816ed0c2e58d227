"""A finished release: find, download, read, show and verify it."""
