"""Front matter of a release card: YAML that the Hub and `datasets` read (licence, categories, configs)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from haymaker.core.rows.schema import LEAN_COLUMNS
from haymaker.releases.configs import Config, configs
from pipelines.publishing.card.licences import hub_ids

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_CATEGORIES = {
    "rerank": "text-retrieval",
    "icl": "text-classification",
    "summ": "summarization",
    "summaries": "summarization",
    "long_output": "text-generation",
}
"""Task category -> name on the Hub; the default is question-answering."""
_OPTIONS = ("option@", "mc@")  # metrics of multiple-choice tasks
Manifest = Mapping[str, Any]


class _Yaml(yaml.SafeDumper):
    """Writer of the front matter: the columns of a config on one line, without aliases, which some parsers limit."""

    def ignore_aliases(self, data: object) -> bool:
        """Write every list out."""
        return True


class _Columns(list[str]):
    """Columns of a config."""


_LEAN = _Columns(LEAN_COLUMNS)
_Yaml.add_representer(
    _Columns, lambda dumper, names: dumper.represent_sequence("tag:yaml.org,2002:seq", names, flow_style=True)
)


def front_matter(manifest: Manifest) -> str:
    """Return the front matter as YAML."""
    content = _content(manifest)
    return yaml.dump(content, Dumper=_Yaml, sort_keys=False, allow_unicode=True, width=240)


def _content(manifest: Manifest) -> dict[str, Any]:
    count = manifest["verification"]["rows"]
    return {
        "pretty_name": " ".join(manifest["title"].split()),
        "language": [manifest["language"]],
        "license": _licence(manifest),
        "task_categories": _categories(manifest),
        "tags": ["long-context", "benchmark", "haymaker", f"{manifest['edition']}-edition"],
        "size_categories": [next((name for limit, name in _SIZES if count < limit), "n>1M")],
        **_made_by_machine(manifest),
        "configs": [_listed(config, default=not i) for i, config in enumerate(configs(manifest))],
    }


def _listed(config: Config, *, default: bool) -> dict[str, Any]:
    files = [
        {"split": split, "path": paths[0] if len(paths) == 1 else list(paths)} for split, paths in config.files.items()
    ]
    columns = {"columns": _LEAN} if config.columns else {}
    return {"config_name": config.name, **({"default": True} if default else {}), **columns, "data_files": files}


def _categories(manifest: Manifest) -> list[str]:
    """Return the task categories of the Hub, most common first."""
    found: dict[str, int] = {}
    for facts in manifest["suites"].values():
        for task in facts["tasks"]:
            chosen = any(metric.startswith(_OPTIONS) for metric in task["metrics"])
            name = "multiple-choice" if chosen else _CATEGORIES.get(task["category"], "question-answering")
            found[name] = found.get(name, 0) + 1
    return sorted(found, key=lambda name: (-found[name], name))


def _made_by_machine(manifest: Manifest) -> dict[str, Any]:
    """Return the machine-generated labels if every source is simulated, else nothing."""
    if manifest["edition"] != "simulated" or any(s.get("edition") != "simulated" for s in manifest["sources"].values()):
        return {}
    return {"annotations_creators": ["machine-generated"], "language_creators": ["machine-generated"]}


def _licence(manifest: Manifest) -> str | list[str]:
    """Return the Hub's licence identifiers of all sources, the strictest first; a single one as a string."""
    found = hub_ids(manifest)
    return found[0] if len(found) == 1 else found
