"""Simulated utterances with labels: questions by what they ask for, requests by thing and matter (docs/worlds/README.md)."""
