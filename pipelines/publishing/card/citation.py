"""CITATION.cff (Citation File Format 1.2.0) and BibTeX entry of a release: title, version and sources."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from pipelines.publishing.card.hub_address import page

_OURS = "Haymaker"


def citation(manifest: Mapping[str, Any], address: str) -> str:
    """Return the content of CITATION.cff, without persons and dates: a build does not know them.

    Args:
        manifest: manifest of the release.
        address: a folder, or ORG/NAME on the Hub.
    """
    found = page(address, manifest["version"])
    content = {
        "cff-version": "1.2.0",
        "message": "If you use these rows, please cite the release and the sources that they were made of.",
        "type": "dataset",
        "title": manifest["title"],
        "version": manifest["version"],
        "authors": [{"name": _OURS}],
        "abstract": f"Rows of {manifest['name']} {manifest['version']}, a long-context benchmark built from seed {manifest['seed']}.",
        "keywords": ["long context", "benchmark", "question answering"],
        **({"url": found} if found else {}),
        "references": list(_references(manifest)),
    }
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=120)


def _references(manifest: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield one reference per source; the author of simulated sources is Haymaker."""
    for name, source in manifest["sources"].items():
        homepage = source.get("homepage")
        yield {
            "type": "dataset" if homepage else "generic",
            "title": source["title"],
            "authors": [{"name": f"The authors of {source['title']}" if homepage else _OURS}],
            **({"url": homepage} if homepage else {}),
            "notes": f"source {name}; licence: {source['licence']}",
        }


def bibtex(manifest: Mapping[str, Any], address: str) -> str:
    """Return the BibTeX entry of a release."""
    name, version, found = manifest["name"], manifest["version"], page(address, manifest["version"])
    # braces, backslashes and backquotes would end the entry or the code block
    title = re.sub(r"[^\w\s.,:()+-]", " ", manifest["title"])
    fields = {
        "title": f"{{{' '.join(title.split())}}}",
        "author": f"{{{_OURS}}}",
        "version": version,
        "note": f"Dataset {name}, seed {manifest['seed']}",
    }
    fields |= {"url": found} if found else {}
    lines = ",\n".join(f"  {key} = {{{value}}}" for key, value in fields.items())
    return f"@misc{{{re.sub(r'[^A-Za-z0-9]+', '_', f'{name}_{version}')},\n{lines}\n}}"
