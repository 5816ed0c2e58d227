"""Prepared text: sentences, passages, documents with questions, labelled texts, mined questions."""
