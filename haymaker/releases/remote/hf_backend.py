"""Backend for dataset repositories on the Hugging Face Hub: a version is a tag, a revision is a commit."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from haymaker.core.errors import HubError
from haymaker.core.files.disk import disk_errors
from haymaker.releases.pulled.ref import version_of
from haymaker.releases.remote.backend import RemoteFile, Stopped
from haymaker.releases.remote.hf_errors import hub_api, hub_errors, print_library_warnings

REPO_TYPE = "dataset"


@dataclass
class HfBackend:
    """Backend for the Hugging Face Hub (see Backend).

    Attributes:
        address: ORG/NAME.
    """

    address: str
    title: ClassVar[str] = "the Hub"

    @cached_property
    def api(self) -> Any:
        """Return the Hub client."""
        return hub_api()

    @contextmanager
    def session(self) -> Iterator[None]:
        """See Backend."""
        with print_library_warnings(), hub_errors(self.address):
            yield

    def versions(self) -> dict[str, str]:
        """See Backend; returns tagged version -> commit."""
        from huggingface_hub.errors import RepositoryNotFoundError

        with hub_errors(self.address):
            try:
                refs = self.api.list_repo_refs(self.address, repo_type=REPO_TYPE)
            except RepositoryNotFoundError:
                fix = "check the name; for a private one, hf auth login, or set HF_TOKEN"
                what = "no such data set on the Hub, or it is private"
                raise HubError(what, where=self.address, fix=fix) from None
        return {version: ref.target_commit for ref in refs.tags if (version := version_of(ref.name))}

    def listing(self, revision: str) -> dict[str, RemoteFile]:
        """See Backend."""
        from huggingface_hub import RepoFile

        with hub_errors(self.address):
            found = self.api.list_repo_tree(self.address, recursive=True, revision=revision, repo_type=REPO_TYPE)
            return {
                node.path: RemoteFile(node.size, node.lfs.sha256 if node.lfs else "", node.blob_id)
                for node in found
                if isinstance(node, RepoFile)
            }

    def names_present(self, names: tuple[str, ...], revision: str) -> set[str]:
        """See Backend."""
        with hub_errors(self.address):
            found = self.api.get_paths_info(self.address, list(names), revision=revision, repo_type=REPO_TYPE)
        return {info.path for info in found} & set(names)

    def read(self, name: str, revision: str) -> bytes:
        """See Backend."""
        with tempfile.TemporaryDirectory() as folder, hub_errors(f"{self.address} {name}"):
            path = self.api.hf_hub_download(
                self.address, name, revision=revision, repo_type=REPO_TYPE, local_dir=folder
            )
            return Path(path).read_bytes()

    def download(self, name: str, revision: str, folder: Path, stop: threading.Event) -> Path:
        """See Backend."""
        where = f"{self.address}/{name}"
        with disk_errors(folder / name), hub_errors(where), _plainly(where):
            return Path(
                self.api.hf_hub_download(
                    self.address,
                    name,
                    repo_type=REPO_TYPE,
                    revision=revision,
                    local_dir=folder,
                    tqdm_class=_silent(stop),
                )
            )


def _silent(stop: threading.Event) -> type[Any]:
    """Return a silent progress bar class that ends its download when `stop` is set."""
    from huggingface_hub.utils.tqdm import silent_tqdm

    class Bar(silent_tqdm):  # type: ignore[misc, unused-ignore]
        def update(self, n: float | None = 1) -> None:
            if stop.is_set():
                raise Stopped

    return Bar


@contextmanager
def _plainly(where: str) -> Iterator[None]:
    """Unwrap errors that the library wraps, and convert size mismatches to HubError."""
    from huggingface_hub.errors import LocalEntryNotFoundError

    try:
        yield
    except LocalEntryNotFoundError as error:
        raise error.__cause__ or error from None
    except OSError as error:
        if "Consistency check failed" not in str(error):
            raise
        fix = "the same command goes on from where it stopped"
        raise HubError("the Hub sent fewer or more bytes than it said", where=where, fix=fix) from None
