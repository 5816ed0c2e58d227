"""Articles cut into passages of about 100 words."""
