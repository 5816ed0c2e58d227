"""The parts of the bAbI oracle: words, sentence shapes, and one solver per task (face: generators/babilong/oracle.py).

Nothing here is shared with the simulator or with corpora/: an oracle that read the writer's tables would confirm its
mistakes.
"""
