"""Background text, sentence by sentence."""
