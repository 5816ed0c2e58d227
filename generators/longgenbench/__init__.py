"""LongGenBench: long outputs."""
