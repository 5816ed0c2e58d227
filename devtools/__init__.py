"""Tools for developers of Haymaker, not installed with it: speed benchmarks and comparisons of simulated with real text."""
