"""Wrong options for questions on documents: written by a language model, filtered, and reviewed by people."""
