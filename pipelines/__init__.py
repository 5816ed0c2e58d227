"""How it all runs: stages, executor, release, command line."""

import signal
import sys

if sys.argv and sys.argv[0].rpartition("/")[2] in ("haymaker", "-m"):
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # until main() listens: no traceback out of a half-loaded program
