"""README.md of a release (the dataset card) and its long tables, generated from the manifest."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache, partial
from importlib import resources
from typing import TYPE_CHECKING, Any

from generators.marathon import leaks
from haymaker.core.choices import SPLITS
from haymaker.core.lengths import MIN_FILL, is_natural
from haymaker.core.rows.schema import LEAN_COLUMNS
from haymaker.releases.configs import EVERY, MOST, configs, example_rows, unlisted_lengths
from haymaker.releases.display.facts import plain, short, verification
from haymaker.releases.exact_tasks import EXACT, exact_tasks
from haymaker.releases.folder import MINI
from haymaker.releases.manifest import BASELINES, CARD, CHECKS, PICTURE, TASKS
from haymaker.releases.pulled.ref import tag
from pipelines.publishing.card import sections
from pipelines.publishing.card.citation import bibtex
from pipelines.publishing.card.columns import columns
from pipelines.publishing.card.front_matter import front_matter
from pipelines.publishing.card.hub_address import is_on_hub
from pipelines.publishing.card.licences import licence

if TYPE_CHECKING:
    from jinja2 import Template

_PAGES = {CARD: "card.md.j2", TASKS: "tasks.md.j2", BASELINES: "baselines.md.j2", CHECKS: "checks.md.j2"}
Manifest = Mapping[str, Any]


def pages(manifest: Manifest, checksum: str, address: str) -> dict[str, str]:
    """Return file name -> Markdown: the card, and its tables of tasks, baselines and checks.

    Args:
        manifest: manifest of the release.
        checksum: SHA-256 of manifest.json.
        address: address for loading: ORG/NAME on the Hub, or a folder such as data/releases/NAME.
    """
    values = {
        "front_matter": front_matter(manifest),
        "manifest": manifest,
        "checksum": checksum,
        "verification": manifest["verification"],
        "mini": _small(manifest),
        "picture": PICTURE,
        "bibtex": bibtex(manifest, address),
        **_reading(manifest, address),
        **_contents(manifest),
        **_licences(manifest),
        **verification_tables(manifest),
    }
    return {name: _template(file).render(values) for name, file in _PAGES.items()}


@cache
def _template(file: str) -> Template:
    """Compile a template once, since compiling takes longer than rendering."""
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
        "json": partial(json.dumps, ensure_ascii=False),
    }
    text = resources.files(__package__).joinpath(file).read_text(encoding="utf-8")
    return environment.from_string(text)


def _reading(manifest: Manifest, address: str) -> dict[str, Any]:
    """Return the values for the section on loading: address, configs and examples."""
    listed, first = configs(manifest), example_rows(manifest)
    of_lengths = {(config.group, config.length): config.name for config in listed if config.group and config.columns}
    lengths_of = [of_lengths.get((group, first.length), "") for group in (EVERY, first.suite)]
    on_hub = is_on_hub(address)
    return {
        "address": address,
        "revision": f', revision="{tag(manifest["version"])}"' if on_hub else "",
        "release": f"{address}@{manifest['version']}" if on_hub else address,
        "on_hub": on_hub,
        "configs": listed,
        "default": listed[0].name,
        "full": next((config.name for config in listed if not config.columns), ""),
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
        "lean": LEAN_COLUMNS,
    }


def verification_tables(manifest: Manifest) -> dict[str, Any]:
    """Return the checks of `verification`, and tables of shortcuts, baselines, floors and option leaks."""
    suites = [facts for facts in manifest["suites"].values() if facts["tasks"]]
    measured = [sections.measures(facts) for facts in suites]
    tables = ("shortcuts", "baselines", "floors", "leaks")
    return {
        **verification(manifest),
        **{name: [found for found in measured if found[name]] for name in tables},
        "failures": sum(manifest["verification"]["failed"].values()),
        "leak_limits": leaks.LIMITS,
        "least_fill": f"{100 * MIN_FILL:g}",
    }


def _small(manifest: Manifest) -> dict[str, Any] | None:
    """Return rule, rows and tokens of the small set, or None."""
    if MINI not in manifest:
        return None
    tasks = [task for found in manifest[MINI]["tasks"].values() for task in found.values()]
    price = {key: sum(task[key] for task in tasks) for key in ("rows", "prompt_tokens", "output_tokens")}
    return {**price, "tasks": len(tasks), "rule": manifest[MINI]["rule"]}


def _licences(manifest: Manifest) -> dict[str, Any]:
    """Return the licence of the rows, and each licence with its sources."""
    found: dict[str, list[str]] = {}
    for name, source in manifest["sources"].items():
        found.setdefault(source["licence"], []).append(name)
    return {"licence": licence(manifest["sources"], manifest["sources"]), "licences": sorted(found.items())}
