"""Speed benchmarks, as ratios to reference measurements on the same machine."""
