"""README.md of a release (the dataset card), generated from its manifest."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

import yaml

from generators.marathon import leaks
from haymaker.core.lengths import MIN_FILL, is_natural
from haymaker.releases.configs import EVERY, MOST, Config, configs, example_rows, unlisted_lengths
from haymaker.releases.display.facts import plain, short, verification
from haymaker.releases.exact_tasks import EXACT, exact_tasks
from haymaker.releases.folder import MINI, SPLITS
from haymaker.releases.pulled.ref import tag
from pipelines.publishing.card import sections
from pipelines.publishing.card.columns import columns
from pipelines.publishing.card.hub_address import is_on_hub
from pipelines.publishing.card.licences import hub_ids

if TYPE_CHECKING:
    from jinja2 import Template

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


def readme(manifest: Manifest, checksum: str, address: str) -> str:
    """Return the card as Markdown.

    Args:
        manifest: manifest of the release.
        checksum: SHA-256 of manifest.json.
        address: address for loading: ORG/NAME on the Hub, or a folder such as data/releases/NAME.
    """
    return _template().render(
        front_matter=yaml.safe_dump(_front_matter(manifest), sort_keys=False, allow_unicode=True, width=120),
        manifest=manifest,
        checksum=checksum,
        verification=manifest["verification"],
        mini=_small(manifest),
        **_reading(manifest, address),
        **_contents(manifest),
        **verification_tables(manifest),
    )


@cache
def _template() -> Template:
    """Compile the template once, since compiling takes longer than rendering."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701
    )
    environment.filters |= {
        "plain": plain,
        "short": short,
        "linked": sections.linked,
        "number": "{:,}".format,
    }
    text = resources.files(__package__).joinpath("card.md.j2").read_text(encoding="utf-8")
    return environment.from_string(text)


def _reading(manifest: Manifest, address: str) -> dict[str, Any]:
    """Return the values for the section on loading: address, configs and examples."""
    listed, first = configs(manifest), example_rows(manifest)
    of_lengths = {(config.group, config.length): config.name for config in listed if config.group}
    lengths_of = [of_lengths.get((group, first.length), "") for group in (EVERY, first.suite)]
    on_hub = is_on_hub(address)
    return {
        "address": address,
        "revision": f', revision="{tag(manifest["version"])}"' if on_hub else "",
        "release": f"{address}@{manifest['version']}" if on_hub else address,
        "on_hub": on_hub,
        "configs": listed,
        "default": listed[0].name,
        "exact": EXACT if exact_tasks(manifest) else "",
        "example": first,
        "example_config": first.config if first.config in {config.name for config in listed} else lengths_of[1],
        "lengths_of": lengths_of,
        "unlisted": unlisted_lengths(manifest),
        "most": MOST,
    }


def _contents(manifest: Manifest) -> dict[str, Any]:
    suites = {name: facts for name, facts in manifest["suites"].items() if facts["tasks"]}
    tasks = [task for facts in suites.values() for task in facts["tasks"]]
    lengths = {length for task in tasks for length in task["lengths"]}
    return {
        "overview": sections.overview(manifest),
        "suites": [sections.suite(name, facts) for name, facts in suites.items()],
        "outputs": [facts["title"] for facts in suites.values() if any(task["of_output"] for task in facts["tasks"])],
        "tasks": tasks,
        "natural": any(map(is_natural, lengths)),
        "ranges": "8k+" in lengths or "0-4k" in lengths or "4-8k" in lengths,
        "parted": any(split != SPLITS[0] for task in tasks for splits in task["lengths"].values() for split in splits),
        "continued": not all(task["use_chat_template"] for task in tasks),
        "columns": columns(),
    }


def verification_tables(manifest: Manifest) -> dict[str, Any]:
    """Return the checks of `verification`, and tables of shortcuts, baselines and option leaks."""
    suites = [facts for facts in manifest["suites"].values() if facts["tasks"]]
    measured = [sections.measures(facts) for facts in suites]
    tables = ("shortcuts", "baselines", "leaks")
    return {
        **verification(manifest),
        **{name: [found for found in measured if found[name]] for name in tables},
        "leak_limits": leaks.LIMITS,
        "least_fill": f"{100 * MIN_FILL:g}",
    }


def _front_matter(manifest: Manifest) -> dict[str, Any]:
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
    return {"config_name": config.name, **({"default": True} if default else {}), "data_files": files}


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


def _small(manifest: Manifest) -> dict[str, Any] | None:
    """Return rule, rows and tokens of the small set, or None."""
    if MINI not in manifest:
        return None
    tasks = [task for found in manifest[MINI]["tasks"].values() for task in found.values()]
    price = {key: sum(task[key] for task in tasks) for key in ("rows", "prompt_tokens", "output_tokens")}
    return {**price, "tasks": len(tasks), "rule": manifest[MINI]["rule"]}


def _licence(manifest: Manifest) -> str | list[str]:
    """Return the Hub's licence identifiers of all sources, the strictest first; a single one as a string."""
    found = hub_ids(manifest)
    return found[0] if len(found) == 1 else found
