"""The cast, the story, the scenes and the grammar behind `worlds.novels`."""
