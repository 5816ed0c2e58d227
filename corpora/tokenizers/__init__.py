"""The length unit; import from `corpora.tokenizers.tokenizer`."""
