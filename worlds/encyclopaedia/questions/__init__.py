"""Questions on the encyclopaedia, made from the facts of a block and the sentences that state them."""
