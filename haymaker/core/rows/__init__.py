"""Row schema, source records, config names, Parquet files of rows, and model requests."""
