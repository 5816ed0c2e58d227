"""What a release will be and cost, before anything is made."""
