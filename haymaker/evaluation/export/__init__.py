"""Rows of a release in programs that run models: lm-evaluation-harness, Inspect, LightEval. They ask; scores are ours."""
