"""`haymaker params`: describe the keys of parameter files."""

from __future__ import annotations

import typer

app = typer.Typer(help="Describe the keys of parameter files.\n\nExample: haymaker params schema", no_args_is_help=True)


@app.command("schema")
def schema() -> None:
    """Print the JSON schema of parameter files, for editors (params/schema.json).

    Example: haymaker params schema > params/schema.json
    """
    from pipelines.parameters import json_schema

    typer.echo(json_schema.text(), nl=False)


@app.command("reference")
def reference() -> None:
    """Print the page with every key, type, default and meaning (docs/reference/parameters.md).

    Example: haymaker params reference > docs/reference/parameters.md
    """
    from haymaker.core.files.yaml_file import read_yaml
    from pipelines.parameters import reference_page
    from pipelines.project import Project

    example = read_yaml(Project.here().root / "params" / "demo.yaml")
    typer.echo(reference_page.text(example), nl=False)
