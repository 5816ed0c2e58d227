"""Wrong options for questions on documents: who writes them, and what keeps bad ones out."""
