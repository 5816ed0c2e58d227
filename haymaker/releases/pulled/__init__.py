"""Names of published releases, and the folders into which they are pulled."""
