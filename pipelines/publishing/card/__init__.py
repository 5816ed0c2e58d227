"""What a release says of itself: the manifest holds every fact, and each text of the folder is made from the manifest alone."""
