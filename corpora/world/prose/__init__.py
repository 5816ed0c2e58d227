"""The cast, the story, the scenes and the grammar behind `corpora.world.novels`."""
