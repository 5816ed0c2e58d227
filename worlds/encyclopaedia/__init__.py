"""An encyclopaedia of an invented world: articles, and questions that know where their answers stand (docs/worlds/README.md)."""

ENCYCLOPAEDIA_VERSION = 8  # raised whenever the bytes change
