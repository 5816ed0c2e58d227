"""Local files and remote addresses: atomic writes, hashes, JSON Lines, YAML, Hub client."""
