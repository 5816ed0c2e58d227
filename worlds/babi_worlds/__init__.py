"""The little worlds behind the simulated bAbI tasks: one module per family, `worlds.babi` is the public face."""
