"""`haymaker ask`: a file of requests goes to a model, a file of replies comes back (haymaker/core/rows/model_requests.py)."""
