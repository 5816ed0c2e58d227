"""The parameter keys as data: a JSON schema for editors, and the reference page."""
