"""Plan a release: size, cost and requirements, before anything is built."""
