"""Export of a model's scores to Every Eval Ever 0.3: one JSON file of means, one JSON line per row and metric.

Metrics that a model decides are left out: their official editions can exceed 1, and the format wants their prompts.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

from haymaker import __version__
from haymaker.core.errors import ReleaseError
from haymaker.core.files.disk import json_text, sha256_file, write_json, written
from haymaker.core.files.json_lines import without_surrogates
from haymaker.core.files.output_files import check_output_folder
from haymaker.evaluation.models.row_requests import is_base
from haymaker.evaluation.predictions import read_outputs
from haymaker.evaluation.score.figures import cell_figures, primary_rows
from haymaker.evaluation.score.options import ScoringOptions
from haymaker.evaluation.score.overall import summary
from haymaker.evaluation.score.row_scores import RowScore, release_of
from haymaker.evaluation.score.run import scored
from haymaker.releases.folder import rows
from haymaker.releases.selection import Selection
from haymaker.scoring.metrics import get
from haymaker.scoring.reader import strip_reasoning
from haymaker.scoring.statistics.intervals import LEVEL

SCHEMA = "0.3.0"
_OVERALL, _SUITE = "haymaker.overall", "haymaker.suite_mean"
_FORMULA = "primary metrics: mean over the lengths of a task, then over the tasks of a suite, then over suites"
_SCALE = {
    "metric_unit": "proportion",
    "lower_is_better": False,
    "score_type": "continuous",
    "min_score": 0,
    "max_score": 1,
}


class Record(NamedTuple):
    """The facts that all parts of an export share.

    Attributes:
        release: name, version, edition and digest.
        model: ORG/NAME.
        organization: who ran the model, or "".
        prompting: "chat" or "base".
        time_s: seconds since 1970, of SOURCE_DATE_EPOCH or of the file of outputs.
        folder: folder of both files, from data/.
        uuid: name of both files.
    """

    release: Mapping[str, str]
    model: str
    organization: str
    prompting: str
    time_s: int
    folder: Path
    uuid: str

    @property
    def id(self) -> str:
        """Id of the evaluation."""
        return f"{self.release['name']}/{self.model}/{self.time_s}"

    @property
    def samples(self) -> Path:
        """File of row scores, from data/."""
        return self.folder / f"{self.uuid}_samples.jsonl"


def export_scores(
    out: Path, release: Path, outputs: Path, choice: Selection, *, model: str, organization: str, prompting: str
) -> Path:
    """Score outputs by all metrics of the rows, write both files below `out`, and return the file of means.

    Args:
        out: folder for `data/`.
        release: release folder.
        outputs: file of a model's outputs.
        choice: rows to score.
        model: ORG/NAME.
        organization: who ran the model, or "".
        prompting: "chat" or "base".

    Raises:
        ReleaseError: the outputs cannot be scored, or no row has a score.
    """
    is_base(prompting)
    check_output_folder(out)
    record = _record(release, outputs, choice, model, organization, prompting)
    options = ScoringOptions(prompting=prompting, selection=choice)
    every = [row for row in scored(release, outputs, options).rows if not row.judge]
    if not any(row.score is not None for row in every):
        raise ReleaseError("no row has a score", where=str(outputs), fix="haymaker score prints why")
    with written(out / record.samples) as temporary, temporary.open("w", encoding="utf-8") as file:
        count = 0
        for count, line in enumerate(_samples(record, release, outputs, every), 1):  # noqa: B007
            file.write(json.dumps(line) + "\n")  # ASCII: the validator splits lines at any Unicode line break
    means = out / record.folder / f"{record.uuid}.json"
    write_json(means, _means(record, every, sha256_file(out / record.samples), count))
    return means


def _record(release: Path, outputs: Path, choice: Selection, model: str, organization: str, prompting: str) -> Record:
    of = release_of(release)
    of |= {"name": of["name"] or release.resolve().name}
    named = [of["digest"], sha256_file(outputs), model, organization, prompting, str(choice)]
    uuid = UUID(bytes=hashlib.sha256(json_text(named).encode()).digest()[:16], version=4)  # the format wants version 4
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    time_s = int(epoch if epoch.isdecimal() else outputs.stat().st_mtime)
    developer, _, name = model.partition("/")
    folder = Path("data", of["name"], developer, name.replace("/", "_"))
    return Record(of, model, organization, prompting, time_s, folder, str(uuid))


def _means(record: Record, every: Sequence[RowScore], checksum: str, count: int) -> dict[str, Any]:
    """Return the content of the file of means."""
    developer, _, name = record.model.partition("/")
    first_party = record.organization.lower() == developer.lower()
    return {
        "schema_version": SCHEMA,
        "evaluation_id": record.id,
        "retrieved_timestamp": str(record.time_s),
        "source_metadata": {
            "source_name": f"{record.release['name']} {record.release['version']}",
            "source_type": "evaluation_run",
            "source_organization_name": record.organization or "unknown",
            "evaluator_relationship": "first_party"
            if first_party
            else "third_party"
            if record.organization
            else "other",
        },
        "eval_library": {
            "name": "haymaker",
            "version": __version__,
            "additional_details": {"prompting": record.prompting},
        },
        "model_info": {
            "name": name,
            "id": record.model,
            "developer": developer,
            "additional_details": {"deployment_type": "unknown", "model_availability": "unknown"},
        },
        "evaluation_results": list(_results(record, every)),
        "detailed_evaluation_results": {
            "format": "jsonl",
            "file_path": record.samples.as_posix(),
            "hash_algorithm": "sha256",
            "checksum": checksum,
            "total_rows": count,
        },
    }


def _results(record: Record, every: Sequence[RowScore]) -> Iterator[dict[str, Any]]:
    """Yield the overall score, the mean of each suite, and the mean of each task, length and metric."""
    if found := summary(primary_rows(every, None)):
        for name, of in {"overall": found.overall, **found.suites}.items():
            figures = of._asdict() | {"standard_error": of.error, "groups": of.questions}
            yield _result(record, name, _OVERALL if name == "overall" else _SUITE, _FORMULA, figures)
    for cell in cell_figures(every):
        if cell["mean"] is not None:
            name, metric = f"{cell['suite']}/{cell['task']}/{cell['length']}", get(cell["metric"])
            yield _result(record, name, metric.id, metric.doc, cell, metric_version=str(cell["metric_version"]))


def _result(
    record: Record, name: str, metric: str, description: str, of: Mapping[str, Any], **details: str
) -> dict[str, Any]:
    """Return one mean with its uncertainty."""
    uncertainty: dict[str, Any] = {"num_samples": of["groups"]}
    if of["standard_error"] is not None:
        uncertainty["standard_error"] = {"value": of["standard_error"], "method": "analytic, questions as clusters"}
    if of["low"] is not None:
        interval = {"lower": of["low"], "upper": of["high"], "confidence_level": LEVEL, "method": "Wilson"}
        uncertainty["confidence_interval"] = interval
    counts = {key: str(of[key]) for key in ("rows", "missing", "no_score") if key in of}
    release = {key: record.release[key] for key in ("version", "edition", "digest")}
    config = {"evaluation_description": description, "metric_id": metric, "metric_name": metric}
    return {
        "evaluation_result_id": f"{name}/{metric}",
        "evaluation_name": name,
        "source_data": {
            "dataset_name": record.release["name"],
            "source_type": "other",
            "additional_details": release,
        },
        "metric_config": config | _SCALE | {"additional_details": details},
        "score_details": {"score": of["mean"], "details": counts, "uncertainty": uncertainty},
    }


def _samples(record: Record, release: Path, outputs: Path, every: Iterable[RowScore]) -> Iterator[dict[str, Any]]:
    """Yield one line per row and metric with a score; memory holds one row group of prompts."""
    said, scores = read_outputs(outputs), defaultdict[str, list[RowScore]](list)
    for each in every:
        if each.score is not None:
            scores[each.id].append(each)
    for row in rows(release, lambda file: ("prompt", "prompt_tokens", "question", "answers", "choices"), scores.keys()):
        shared = _sample(record, row)
        for score in scores[row["id"]]:
            yield shared | _of_metric(score, without_surrogates(said[row["id"]]))


def _sample(record: Record, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a row that do not depend on the metric, with a hash instead of the prompt."""
    digest = hashlib.sha256(row["prompt"].encode()).hexdigest()
    raw = f"{row['question'] or ''}\n\n[The long context is not included: row {row['id']}, SHA-256 of its prompt {digest}]"
    answers = list(row["answers"] or ())
    content = {"raw": raw, "reference": answers} | ({"choices": list(row["choices"])} if row["choices"] else {})
    return {
        "schema_version": SCHEMA,
        "evaluation_id": record.id,
        "model_id": record.model,
        "sample_id": row["id"],
        "sample_hash": hashlib.sha256("\n".join([raw, *answers]).encode()).hexdigest(),
        "interaction_type": "single_turn",
        "input": content,
        "metadata": {
            "group_id": row["group_id"],
            "prompt_sha256": digest,
            "prompt_tokens": str(row["prompt_tokens"]),
        },
    }


def _of_metric(row: RowScore, output: str) -> dict[str, Any]:
    assert row.score is not None
    name, is_strict = "/".join(row.table), row.metric.endswith("@strict")
    read = {
        "turn_idx": 0,
        "source": "output.raw",
        "extracted_value": strip_reasoning(output) if is_strict else output,
        "extraction_method": "reasoning removed" if is_strict else "whole output",
        "is_terminal": True,
    }
    return {
        "evaluation_name": name,
        "evaluation_result_id": f"{name}/{row.metric}",
        "output": {"raw": [output]},
        "answer_attribution": [read],
        "evaluation": {"score": row.score, "is_correct": row.score == 1},
    }
