"""croissant.json of a release: files and columns in Croissant 1.1, for search engines and other loaders.

Each suite and the small set `mini` have a record set with the lean columns, so that you can download a single one. The record
set FULL has all columns of all suites.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from haymaker.core.rows.config_name import FULL_SUFFIX
from haymaker.core.rows.schema import FIELD_NOTES, LEAN_COLUMNS, arrow_schema
from haymaker.releases.configs import EVERY
from haymaker.releases.folder import MINI
from haymaker.releases.pulled.ref import tag
from pipelines.publishing.card.citation import bibtex
from pipelines.publishing.card.hub_address import page, repository

_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "annotation": "cr:annotation",
    "arrayShape": "cr:arrayShape",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "containedIn": "cr:containedIn",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataBiases": "cr:dataBiases",
    "dataCollection": "cr:dataCollection",
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "excludes": "cr:excludes",
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isArray": "cr:isArray",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "personalSensitiveInformation": "cr:personalSensitiveInformation",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "readLines": "cr:readLines",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "sdVersion": "cr:sdVersion",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
    "unArchive": "cr:unArchive",
    "value": "cr:value",
}
FULL = f"{EVERY}{FULL_SUFFIX}"
_REPOSITORY = "repository"
_NO_CHECKSUM = (
    "https://github.com/mlcommons/croissant/issues/80"  # Croissant's placeholder for the checksum of a repository
)


def croissant(manifest: Mapping[str, Any], address: str) -> str:
    """Return the content of croissant.json.

    Args:
        manifest: manifest of the release.
        address: a folder, or ORG/NAME on the Hub.
    """
    sets = [(name, f"data/{name}/*/*/*.parquet", facts["title"]) for name, facts in manifest["suites"].items() if facts["tasks"]]  # fmt: skip
    if MINI in manifest:
        sets.insert(0, (MINI, f"{MINI}/*/*/*.parquet", f"A small set: {manifest[MINI]['rule']}"))
    sets.append((FULL, "data/*/*/*/*.parquet", "All suites, with all columns"))
    found = repository(address)
    content = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.1",
        "name": manifest["name"],
        "description": f"{manifest['title']}: {manifest['verification']['rows']} rows of a long-context benchmark. Canary: {manifest['canary']}",
        "version": manifest["version"],
        "license": sorted({source["licence"] for source in manifest["sources"].values()}),
        "inLanguage": manifest["language"],
        "keywords": ["long context", "benchmark", f"{manifest['edition']} edition"],
        "creator": {"@type": "sc:Organization", "name": "Haymaker"},
        "citeAs": bibtex(manifest, address),
        **({"url": page(address, manifest["version"])} if found else {}),
        "distribution": [*_repository(found, manifest["version"]), *(_files(name, glob, bool(found)) for name, glob, _ in sets)],
        "recordSet": [_records(name, title) for name, _, title in sets],
    }  # fmt: skip
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _repository(found: str, version: str) -> Iterator[dict[str, Any]]:
    """Yield the git repository that contains the files, if the release is on the Hub."""
    if found:
        yield {
            "@type": "cr:FileObject",
            "@id": _REPOSITORY,
            "name": _REPOSITORY,
            "description": "the repository on the Hub",
            "contentUrl": f"{found}/tree/{tag(version)}",
            "encodingFormat": "git+https",
            "sha256": _NO_CHECKSUM,
        }


def _files(name: str, glob: str, on_hub: bool) -> dict[str, Any]:
    return {
        "@type": "cr:FileSet",
        "@id": f"files-{name}",
        "name": f"files-{name}",
        **({"containedIn": {"@id": _REPOSITORY}} if on_hub else {}),
        "encodingFormat": "application/x-parquet",
        "includes": glob,
    }


def _records(name: str, title: str) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": title,
        "key": {"@id": f"{name}/id"},
        "field": [
            _field(name, arrow_schema().field(each))
            for each in (arrow_schema().names if name == FULL else LEAN_COLUMNS)
        ],
    }


def _field(records: str, column: Any) -> dict[str, Any]:
    """Return the field of a column: plain, a list, or a list of structures with one subfield per member."""
    import pyarrow as pa

    address, kind = f"{records}/{column.name}", column.type
    source = {"fileSet": {"@id": f"files-{records}"}, "extract": {"column": column.name}}
    field = {"@type": "cr:Field", "@id": address, "name": address, "description": FIELD_NOTES[column.name]}
    is_list = pa.types.is_list(kind)
    inner = kind.value_type if is_list else kind
    array = {"isArray": True, "arrayShape": "-1"} if is_list else {}
    if pa.types.is_struct(inner):
        return field | {**array, "source": source, "subField": [_sub(address, source, part) for part in inner]}
    return field | {"dataType": _type(inner), **array, "source": source}


def _sub(address: str, source: Mapping[str, Any], part: Any) -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": f"{address}/{part.name}",
        "name": f"{address}/{part.name}",
        "dataType": _type(part.type),
        "source": {**source, "transform": {"jsonPath": part.name}},
    }


def _type(kind: Any) -> str:
    """Return Croissant's name of a type; nested lists are text in Croissant."""
    import pyarrow as pa

    if pa.types.is_boolean(kind):
        return "sc:Boolean"
    if pa.types.is_integer(kind):
        return "sc:Integer"
    return "sc:Float" if pa.types.is_floating(kind) else "sc:Text"
