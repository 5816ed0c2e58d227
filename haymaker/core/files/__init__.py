"""Files on disk and addresses of remote files: atomic writes, hashes, JSON lines, YAML, the Hub client."""
