"""Simulated replies to requests such as "Write a poem about night trains." (`write`), and a check of their form (`shape`)."""
