"""`haymaker report`: an HTML page about a release and the results of models (docs/reference/report.md)."""
