"""Export rows to lm-evaluation-harness, Inspect and LightEval: they run the models, Haymaker scores the outputs."""
