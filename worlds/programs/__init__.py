"""Simulated programs: small Python packages whose modules import one another, compile and run (docs/worlds/README.md)."""

PROGRAMS_VERSION = 3
