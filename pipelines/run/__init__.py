"""The command `haymaker run`: project lock, DVC, and the checks before and after DVC."""
