"""Publish releases to the Hugging Face Hub or a store. Functions that need huggingface_hub import it themselves."""
