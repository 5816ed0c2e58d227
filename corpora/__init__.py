"""Where text comes from: raw sources, simulated sources, tokenizers, text stores."""
