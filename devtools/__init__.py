"""Developer tools, not installed with Haymaker: speed benchmarks, and comparisons of simulated with real text."""
