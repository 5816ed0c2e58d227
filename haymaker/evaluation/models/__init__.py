"""`haymaker ask` and `haymaker eval`: send requests to a model (file formats: haymaker/core/rows/model_requests.py)."""
