"""The program `haymaker`."""
