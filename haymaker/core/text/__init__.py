"""Text utilities: strings, normalization, English grammar, equivalent forms of an answer."""
