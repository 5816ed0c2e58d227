"""The small worlds of the simulated bAbI tasks: one module per family. `worlds.babi` is the public interface."""
