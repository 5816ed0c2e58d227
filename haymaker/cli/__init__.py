"""The command-line program `haymaker`."""

import signal
import sys

if sys.argv and sys.argv[0].rpartition("/")[2] in ("haymaker", "-m"):
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # until main() sets its handler: no traceback while modules load
