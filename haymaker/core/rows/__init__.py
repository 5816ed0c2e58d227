"""The row: its schema, its source records, its lengths, Parquet files of rows, requests to a model."""
