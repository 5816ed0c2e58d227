"""Judges that metrics call: textual entailment, and the replies of a language model."""
