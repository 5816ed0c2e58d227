"""haymaker doctor --gpu: the card, its libraries, one small search compared with the CPU, and the expected speed."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator

from corpora.stores.passages.cost import SHAPES, UTILISATION, peak_flops
from haymaker.core.errors import EnvironmentProblem
from haymaker.core.extras import install_command

Finding = tuple[str, str, str]  # level (good, note or bad), finding, fix

_EXTRA = install_command(".[build,gpu]")
_VECTORS, _DIMENSIONS, _QUERIES, _K = 20_000, 64, 8, 100
_MODEL = "Alibaba-NLP/gte-large-en-v1.5"


def findings() -> Iterator[Finding]:
    """Check every GPU that PyTorch can use."""
    try:
        from corpora.retrieval.models import gpu_count

        count = gpu_count()
    except EnvironmentProblem as error:
        yield "bad", error.what, _EXTRA
        return
    yield _driver()
    if not count:
        yield "bad", "PyTorch can use no GPU", f"check the driver, or install PyTorch for GPUs: {_EXTRA}"
        return
    for number in range(count):
        yield from _card(number)
    yield _faiss()
    yield from searches("cuda:0")


def _driver() -> Finding:
    """Read the version of the driver."""
    program = shutil.which("nvidia-smi")
    if not program:
        return "note", "nvidia-smi not found: version of the driver unknown", ""
    command = [program, "--query-gpu=driver_version", "--format=csv,noheader"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    versions = sorted(set(done.stdout.split()))
    return (
        ("bad", "nvidia-smi finds no driver", "install the driver")
        if done.returncode
        else ("good", f"driver {', '.join(versions)}", "")
    )


def _card(number: int) -> Iterator[Finding]:
    import torch

    name = torch.cuda.get_device_name(number)
    free, total = torch.cuda.mem_get_info(number)
    yield "good", f"GPU {number}: {name}, {free / 2**30:,.0f} of {total / 2**30:,.0f} GiB free", ""
    peak = peak_flops(name)
    if peak:
        rate = peak * UTILISATION / SHAPES[_MODEL].flops()
        yield "good", f"GPU {number}: about {rate:,.0f} passages/s expected with {_MODEL}", ""
    else:
        yield (
            "note",
            f"GPU {number}: no expected speed is known for this card",
            "measure it: haymaker dev bench retrieval",
        )


def _faiss() -> Finding:
    from corpora.retrieval.faiss_search import check_faiss, on_gpu

    try:
        build = check_faiss()
    except EnvironmentProblem as error:
        return "note", error.what, error.fix
    if on_gpu("cuda:0"):
        return "good", f"{build} can use the GPU", ""
    return "note", f"{build} cannot use the GPU; `backend: exact` can", f"pip uninstall -y faiss-cpu, then {_EXTRA}"


def searches(device: str) -> Iterator[Finding]:
    """Search a few random vectors on a device with every library, and compare with the CPU."""
    import numpy as np
    import torch

    from corpora.retrieval.exact import exact_search
    from corpora.retrieval.faiss_search import faiss_module, on_gpu, to_gpu

    noise = torch.randn(_VECTORS, _DIMENSIONS, generator=torch.Generator().manual_seed(0))
    vectors = torch.nn.functional.normalize(noise, dim=1).half().numpy()
    queries = vectors[:_QUERIES].astype(np.float32)
    wanted = [hits.passages.tolist() for hits in exact_search(queries, [(0, vectors)], _K)]
    found = [hits.passages.tolist() for hits in exact_search(queries, [(0, vectors)], _K, device, half=True)]
    yield _compared("exact search", device, same=found == wanted)
    try:
        index = faiss_module().IndexFlatIP(_DIMENSIONS)
    except EnvironmentProblem:
        return
    index.add(vectors.astype(np.float32))
    _, numbers = (to_gpu(index) if on_gpu(device) else index).search(queries, 1)
    yield _compared("search of a FAISS index", device, same=numbers[:, 0].tolist() == [row[0] for row in wanted])


def _compared(what: str, device: str, *, same: bool) -> Finding:
    if same:
        return "good", f"{what} on {device}: the same passages as on the CPU", ""
    return "bad", f"{what} on {device}: other passages than on the CPU", "check the driver and the memory of the card"
