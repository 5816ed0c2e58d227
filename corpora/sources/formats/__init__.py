"""How raw files are read: lines, tables, Parquet, members of archives."""
