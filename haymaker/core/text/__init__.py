"""Text as data: strings, normalization, English grammar, equivalent forms of an answer."""
