"""How it all runs: stages, executor, release, command line."""
