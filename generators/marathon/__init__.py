"""Marathon: choices on long texts."""
