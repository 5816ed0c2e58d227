"""Execute shards of work on a process pool or a Ray cluster."""
