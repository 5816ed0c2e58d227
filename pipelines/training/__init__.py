"""Endless streams of training rows."""
