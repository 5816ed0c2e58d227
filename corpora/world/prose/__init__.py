"""The grammar, the lexicon and the discourse behind `corpora.world.novels`."""
