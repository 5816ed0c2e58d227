"""How files come here: addresses, the Hub, the lock file, archives."""
