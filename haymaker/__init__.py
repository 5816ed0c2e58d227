"""The floor of Haymaker and its public face."""

__version__ = "0.1.0"
