"""An encyclopaedia of an invented world: articles, and questions with the positions of their answers (docs/worlds/README.md)."""

ENCYCLOPAEDIA_VERSION = 8  # raised whenever the bytes change
