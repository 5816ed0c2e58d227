"""The Hugging Face Hub: publish a release, pull one, name one. The library huggingface_hub is imported by the functions that need it."""
