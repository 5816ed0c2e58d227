"""How a context is filled, joined and counted: one fit, one Context, one RowWriter."""
