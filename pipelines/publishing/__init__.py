"""The Hugging Face Hub and stores: publish a release, pull one. The library huggingface_hub is imported by the functions that need it."""
