"""Downloads of raw files: addresses, the Hub, the lock file and archives."""
