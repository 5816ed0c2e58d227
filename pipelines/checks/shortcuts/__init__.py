"""Baselines of shortcuts: what somebody scores who does not read the long context, from finished rows and without a model."""
