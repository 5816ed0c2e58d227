"""Parts of the bAbI oracle (generators/babilong/oracle.py): words, sentence shapes, solvers; shares no code with the simulator."""
