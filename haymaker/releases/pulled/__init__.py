"""Names of published releases and their download folders."""
