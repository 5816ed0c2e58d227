"""BABILong: bAbI facts scattered through books."""
