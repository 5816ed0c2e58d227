"""Published releases on the Hugging Face Hub and object stores: listing and download."""
