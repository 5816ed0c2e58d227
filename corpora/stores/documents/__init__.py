"""Long documents and the questions on them."""
