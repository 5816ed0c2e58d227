"""The length unit, in parts: finding files, engines, safe cuts, counting, proof. Public face: `corpora.tokenizers.tokenizer`."""
