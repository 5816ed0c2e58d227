"""haymaker doctor: check this machine for the requirements of a build, and suggest fixes."""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from rich.markup import escape

from generators.inputs import vocabularies
from haymaker.core.errors import CheckFailed, EnvironmentProblem, HaymakerError
from haymaker.core.extras import BUILD, install_command, require_packages
from haymaker.core.files.json_output import write_json_or_print
from haymaker.core.progress import out
from pipelines.execution import ray_cluster
from pipelines.execution.executor import connect, is_on_ray, worker_count
from pipelines.plan import doctor_gpu
from pipelines.plan.doctor_gpu import Finding
from pipelines.project import MIRROR_VARIABLE, Project


def run(project: Project, json_file: Path | None = None, *, gpu: bool = False) -> None:
    """Print the findings, or write them as JSON; `gpu`: check the GPUs too.

    Raises:
        CheckFailed: a finding prevents a build.
    """
    findings = [*_system(project), *_packages(project), *_inputs(project)]
    if gpu:
        findings += doctor_gpu.findings()
    for level, what, fix in findings:
        mark = {"good": "[green]ok  [/]", "note": "[yellow]note[/]", "bad": "[red]BAD [/]"}[level]
        out.print(f"{mark} {escape(what)}" + (f"  [dim]-> {escape(fix)}[/]" if fix else ""), markup=True)
    bad = sum(level == "bad" for level, _, _ in findings)
    listed = [{"level": level, "finding": what, "fix": fix} for level, what, fix in findings]
    write_json_or_print(json_file, {"passed": not bad, "findings": listed})
    if bad:
        raise CheckFailed(f"{bad} findings prevent a build", fix="fix the lines marked BAD")


def _system(project: Project) -> Iterator[Finding]:
    version = ".".join(map(str, sys.version_info[:3]))
    yield (
        "good" if sys.version_info >= (3, 11) else "bad",
        f"Python {version}",
        "" if sys.version_info >= (3, 11) else "use 3.11+",
    )
    yield from _workers()
    for program, fix in (("dvc", install_command(".[build]")), ("git", "install git")):
        found = shutil.which(program, path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")
        level = "good" if found else "bad" if program == "dvc" else "note"
        yield level, f"{program} {'found' if found else 'not found'}", "" if found else fix
    usage = shutil.disk_usage(project.root)
    yield (
        "good" if usage.free > 5e9 else "note",
        f"{usage.free / 1e9:.0f} GB free",
        "" if usage.free > 5e9 else "large releases need more",
    )
    yield _links(project)


def _workers() -> Iterator[Finding]:
    """Yield the number of worker processes on this machine, or the nodes of the Ray cluster."""
    here = worker_count()
    try:
        if not is_on_ray():
            yield "good", f"{here} workers", ""
            return
        connect()
        nodes, processors = ray_cluster.size()
        yield "good", f"Ray is reachable: nodes {nodes}, processors {processors}", ""
    except EnvironmentProblem as error:
        yield "bad", f"{error.where}: {error.what}".removeprefix(": "), error.fix


def _links(project: Project) -> Finding:
    """Check for hard links: with them a shard, the DVC cache and the release share one copy on disk."""
    try:
        with tempfile.TemporaryDirectory(dir=project.root) as folder:
            first, second = Path(folder, "a"), Path(folder, "b")
            first.write_bytes(b"x")
            os.link(first, second)
    except OSError as error:
        if not os.access(project.root, os.W_OK):
            return "bad", f"cannot write in {project.root}: {error.strerror}", "check owner and mount"
        return "note", "no hard links on this disk", "building takes up to three times the disk"
    return "good", "hard links work: one copy on disk", ""


def _packages(project: Project) -> Iterator[Finding]:
    pins = (
        dict(
            line.strip().split("==")
            for line in (project.root / "constraints.txt").read_text(encoding="utf-8").splitlines()
            if "==" in line
        )
        if (project.root / "constraints.txt").is_file()
        else {}
    )
    for name in ("pyarrow", "numpy", "tiktoken", "datasets", "huggingface-hub", "nltk", "dvc"):
        try:
            version = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            if name != "dvc":  # part of the extra
                yield "bad", f"{name} is not installed", install_command(name)
            continue
        pinned = pins.get(name, version)
        differs = "only the pinned version is known to produce the same bytes" if version != pinned else ""
        yield ("note" if differs else "good"), f"{name} {version}" + (f" (pinned {pinned})" if differs else ""), differs
    try:
        require_packages(*BUILD)
    except EnvironmentProblem as error:
        yield "bad", error.what, error.fix
    if _has("faiss-cpu") or _has("faiss-gpu"):
        yield _faiss()
    extras = {
        "embed-cpu": "faiss-cpu",
        "gpu": "faiss-gpu",
        "ray": "ray",
        "s3": "s3fs",
        "eval": "openai",
        "harnesses": "lm_eval",
    }
    have = [extra for extra, package in extras.items() if _has(package)]
    yield "good", f"further extras installed: {', '.join(have) or 'none (none needed for params/demo.yaml)'}", ""


def _faiss() -> Finding:
    """Check that only one FAISS build is installed: two overwrite each other."""
    from corpora.retrieval.faiss_search import check_faiss

    try:
        check_faiss()
    except EnvironmentProblem as error:
        return "bad", error.what, error.fix
    return "good", "one build of FAISS", ""


def _has(package: str) -> bool:
    try:
        importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def _inputs(project: Project) -> Iterator[Finding]:
    mirror = project.fetch_context().mirror
    if mirror is None:
        yield (
            "note",
            f"no mirror ({MIRROR_VARIABLE} is not set)",
            "needed for params/mirror.yaml and the tests marked real",
        )
    elif (mirror / "SHA256SUMS").is_file():
        yield "good", "mirror found, with SHA256SUMS", ""
    else:
        yield "bad", f"{MIRROR_VARIABLE} is a folder without SHA256SUMS", "set it to the root folder of the mirror"
    for release in project.releases():
        try:
            params = project.with_release(release).params
        except HaymakerError as error:
            yield "bad", f"params/{release}.yaml: {error}", ""
            continue
        yield "good", f"params/{release}.yaml is valid ({params.release.name} {params.release.version})", ""
    active = project.params.tokenizer
    for name in (active.release, *active.also):
        from corpora.tokenizers import tokenizer

        try:
            loaded = tokenizer.load(name, search=[vocabularies(project.data) / name])
            yield "good", f"tokenizer {loaded.fingerprint}, counting rule verified", ""
        except HaymakerError as error:
            yield "note", f"tokenizer {name}: {error.what}", error.fix
