"""`haymaker report`: one page of HTML about a release and what models made of it (docs/reference/report.md)."""
