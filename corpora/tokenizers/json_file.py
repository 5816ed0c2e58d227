"""Engines on `tokenizers` files (tokenizer.json): byte-level BPE, Metaspace BPE, and word splitters."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from corpora.tokenizers.counting import Engine
from corpora.tokenizers.cuts import (
    MARK,
    PIECE_BPE,
    PIECE_BPE_NEWLINES,
    REGEX_BPE,
    SPACE,
    Cuts,
    alternatives,
    not_additive,
    unknown_alternatives,
)
from corpora.tokenizers.pieces import check_newlines, check_pieces
from haymaker.core.errors import TokenizerError
from haymaker.core.extras import require_packages

_WORD_SPLITTERS = {"BertPreTokenizer", "Whitespace", "WhitespaceSplit"}
_KEEPS_CUTS = {"NFC"}
_KEEPS_SPACES = {"NFC", "NFD", "NFKC", "NFKD", "Lowercase", "BertNormalizer", "StripAccents"}


def json_engine(path: Path) -> Engine:
    """Return the engine of a tokenizer.json; special tokens in a text count as text, truncation and padding are off."""
    require_packages("tokenizers")
    import tokenizers

    raw = path.read_bytes()
    try:
        tokenizer = tokenizers.Tokenizer.from_str(raw.decode())
        spec = json.loads(raw)
    except Exception as error:  # the library raises bare Exception
        raise TokenizerError(f"not a tokenizer.json ({str(error)[:80]})", where=str(path)) from None
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True
    cuts, prefixed = _family(spec)
    _check_added(spec, cuts, prefixed)
    return _engine(tokenizer, cuts, prefixed, hashlib.sha256(raw).hexdigest())


def _engine(tokenizer: Any, cuts: Cuts, prefixed: bool, digest: str) -> Engine:
    def plain(text: str) -> int:
        return len(tokenizer.encode(text, add_special_tokens=False))

    newline = plain("\n")

    def in_join(text: str) -> int:
        return plain("\n" + text) - newline

    def units(units: list[str]) -> list[int]:
        texts = ["\n" + unit for unit in units] if prefixed else units
        drop = newline if prefixed else 0
        return [len(found) - drop for found in tokenizer.encode_batch_fast(texts, add_special_tokens=False)]

    size = tokenizer.get_vocab_size()
    return Engine(plain, in_join if prefixed else plain, units, cuts, prefixed, size, digest)


def _family(spec: dict[str, Any]) -> tuple[Cuts, bool]:
    """Return the safe cuts of a tokenizer.json, and whether the first text counts differently."""
    normalisers = list(_steps(spec.get("normalizer"), "normalizers"))
    splitters = list(_steps(spec.get("pre_tokenizer"), "pretokenizers"))
    kinds = [step["type"] for step in splitters]
    if _is_metaspace(normalisers, splitters):
        return _metaspace(spec, normalisers, splitters)
    names = {step["type"] for step in normalisers}
    if names - _KEEPS_SPACES:
        raise not_additive(f"the normalizer {min(names - _KEEPS_SPACES)} may move or remove spaces")
    if kinds and kinds[0] in _WORD_SPLITTERS:
        return SPACE, False
    if kinds and kinds[-1] == "ByteLevel":
        _check_splits(splitters)
        in_text = [token["content"] for token in spec.get("added_tokens") or () if not token["special"]]
        has_all_cuts = names <= _KEEPS_CUTS and not any(map(REGEX_BPE.first, in_text))  # such as '<dsml:'
        return (REGEX_BPE if has_all_cuts else SPACE), False
    raise not_additive(f"the pre-tokenizer ({', '.join(kinds) or 'none'}) does not split text at spaces in a known way")


def _steps(step: dict[str, Any] | None, inner: str) -> Iterator[dict[str, Any]]:
    if step is None:
        return
    if step["type"] == "Sequence":
        for part in step[inner]:
            yield from _steps(part, inner)
    else:
        yield step


def _check_splits(splitters: list[dict[str, Any]]) -> None:
    """Check that every split of a byte-level file has known cuts and that one of them splits at spaces."""
    split_at_spaces = False
    for step in splitters:
        if step["type"] == "Split":
            pattern = step["pattern"].get("Regex")
            if pattern is None or step["behavior"] != "Isolated" or step["invert"]:
                raise not_additive(f"the split {json.dumps(step['pattern'])} ({step['behavior']}) is unknown")
            if unknown := unknown_alternatives(pattern):
                raise not_additive(f"the split pattern {unknown[0]!r} is unknown")
            split_at_spaces = split_at_spaces or r"\s+" in alternatives(pattern)
        elif step["type"] == "ByteLevel":
            split_at_spaces = split_at_spaces or step.get("use_regex", True)
            if step["add_prefix_space"]:
                raise not_additive("a space is added before each text (add_prefix_space)")
        elif step["type"] != "Digits":
            raise not_additive(f"the pre-tokenizer {step['type']} is unknown")
    if not split_at_spaces:
        raise not_additive("text is not split at spaces")


def _is_metaspace(normalisers: list[dict[str, Any]], splitters: list[dict[str, Any]]) -> bool:
    replaces = {"type": "Replace", "pattern": {"String": " "}, "content": MARK} in normalisers
    return replaces or any(step["type"] == "Metaspace" for step in splitters)


def _metaspace(
    spec: dict[str, Any], normalisers: list[dict[str, Any]], splitters: list[dict[str, Any]]
) -> tuple[Cuts, bool]:
    """SentencePiece-like files: spaces become marks, then one BPE runs over the whole text."""
    allowed = [{"type": "Replace", "pattern": {"String": " "}, "content": MARK}, {"type": "Prepend", "prepend": MARK}]
    gemma = {"type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithPrevious", "invert": False}
    metaspaces = [step for step in splitters if step["type"] == "Metaspace"]
    if (
        any(step not in allowed for step in normalisers)
        or any(step not in metaspaces and step != gemma for step in splitters)
        or any(step["replacement"] != MARK for step in metaspaces)
    ):
        raise not_additive("this combination of normalizers and pre-tokenizers is unknown")
    model = spec["model"]
    if model["type"] != "BPE" or not model.get("byte_fallback") or "<0x0A>" not in model["vocab"]:
        raise not_additive("the model is not BPE with byte pieces")
    prefixed = allowed[1] in normalisers or any(step.get("prepend_scheme") != "never" for step in metaspaces)
    check_pieces(model["vocab"] if model.get("ignore_merges") else map(_merged, model["merges"]))
    if prefixed:
        check_newlines(model["vocab"])
    return (PIECE_BPE_NEWLINES if any("\n" in piece for piece in model["vocab"]) else PIECE_BPE), prefixed


def _merged(merge: str | list[str]) -> str:
    """Return the piece that a merge makes: "a b", or ["a", "b"]."""
    return "".join(merge.split(" ") if isinstance(merge, str) else merge)


def _check_added(spec: dict[str, Any], cuts: Cuts, prefixed: bool) -> None:
    """Check that added tokens found in ordinary text do not cross a safe cut."""
    for token in spec.get("added_tokens") or ():
        text = token["content"]
        shown = text.replace(MARK, " ") if cuts in (PIECE_BPE, PIECE_BPE_NEWLINES) else text
        cut = cuts.first(text) or cuts.first(shown)
        if token["special"]:
            continue
        if cut:
            raise not_additive(f"the added token {text!r} crosses a place where texts are joined, after {text[:cut]!r}")
        if token["lstrip"] or token["rstrip"] or token["single_word"]:
            raise not_additive(f"the added token {text!r} depends on the characters next to it")
        if prefixed:
            raise not_additive(f"a space is added after the added token {text!r}")
