"""The little worlds behind the simulated bAbI tasks: one module per family, `corpora.world.babi` is the public face."""
