"""Simulated utterances with labels: questions by subject, requests by thing and matter (docs/worlds/README.md)."""
