"""Find, download, read, show and verify finished releases."""
