"""`python -m haymaker`: the program `haymaker`."""

from haymaker.cli.main import main

main()
