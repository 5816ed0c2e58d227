"""Reference pages from code: `python -m devtools.reference_pages` writes the generated parts of docs/reference/."""
