"""The command-line program `haymaker`."""
