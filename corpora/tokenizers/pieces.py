"""Engines on SentencePiece models (BPE, no normalisation)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from corpora.tokenizers.counting import Engine
from corpora.tokenizers.cuts import MARK, PIECE_BPE, not_additive
from haymaker.core.errors import TokenizerError
from haymaker.core.extras import require_packages

_TRAINER, _NORMALISER = 2, 3
_MODEL_TYPE, _BPE = 3, 2
_CHARSMAP, _PREFIX, _FOLD, _ESCAPE = 2, 3, 4, 5
_NEWLINE_BYTE = "<0x0A>"


def sentencepiece_engine(path: Path) -> Engine:
    """Return the engine of a SentencePiece model file."""
    require_packages("sentencepiece")
    import sentencepiece

    model = path.read_bytes()
    processor = sentencepiece.SentencePieceProcessor()
    try:
        processor.LoadFromSerializedProto(model)
        fields = _message(model)
    except (RuntimeError, IndexError, ValueError):
        raise TokenizerError("not a SentencePiece model", where=str(path), fix="fetch the file again") from None
    prefixed = _check_settings(fields)
    pieces = [processor.id_to_piece(i) for i in range(processor.get_piece_size()) if not _is_reserved(processor, i)]
    check_pieces(pieces)
    check_newlines(pieces)
    if not processor.is_byte(processor.piece_to_id(_NEWLINE_BYTE)):
        raise not_additive("the model has no byte pieces, so it cannot encode newlines")
    return _engine(processor, prefixed, hashlib.sha256(model).hexdigest())


def check_pieces(pieces: Iterable[str]) -> None:
    """Check that no piece has the space mark after another character."""
    for piece in pieces:
        if MARK in piece.lstrip(MARK):
            raise not_additive(f"merges cross spaces (piece {piece!r})")


def check_newlines(pieces: Iterable[str]) -> None:
    """Check that no piece contains a newline."""
    for piece in pieces:
        if "\n" in piece:
            raise not_additive(f"piece {piece!r} contains a newline")


def _engine(processor: Any, prefixed: bool, digest: str) -> Engine:
    encode = processor.encode
    newline = len(encode("\n"))

    def plain(text: str) -> int:
        return len(encode(text))

    def in_join(text: str) -> int:
        return len(encode("\n" + text)) - newline

    def units(units: list[str]) -> list[int]:
        start = 1 if prefixed else 0  # the dummy prefix plays the part of the first space
        return [len(encode(unit[start:])) for unit in units]

    size = processor.get_piece_size()
    return Engine(plain, in_join if prefixed else plain, units, PIECE_BPE, prefixed, size, digest)


def _is_reserved(processor: Any, piece: int) -> bool:
    return bool(processor.is_control(piece) or processor.is_unknown(piece) or processor.is_byte(piece))


def _check_settings(model: dict[int, Any]) -> bool:
    """Refuse models that rewrite text or are no BPE; say whether a dummy prefix is added."""
    trainer, normaliser = _message(model.get(_TRAINER, b"")), _message(model.get(_NORMALISER, b""))
    if trainer.get(_MODEL_TYPE, 1) != _BPE:
        raise not_additive("the model is not BPE (a unigram model segments whole texts)")
    if normaliser.get(_CHARSMAP) or normaliser.get(_FOLD, 1) or not normaliser.get(_ESCAPE, 1):
        raise not_additive("the model rewrites text before it splits it")
    return bool(normaliser.get(_PREFIX, 1))


def _message(data: bytes) -> dict[int, Any]:
    """The last value of each field of a protobuf message; submessages stay bytes."""
    return dict(_fields(data))


def _fields(data: bytes) -> Iterator[tuple[int, Any]]:
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        kind = tag & 7
        if kind == 0:
            value, at = _varint(data, at)
            yield tag >> 3, value
            continue
        if kind not in (1, 2, 5):
            raise ValueError(kind)
        size, at = _varint(data, at) if kind == 2 else ({1: 8, 5: 4}[kind], at)
        yield tag >> 3, data[at : at + size]
        at += size


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value, shift, at = value | (byte & 0x7F) << shift, shift + 7, at + 1
        if byte < 0x80:
            return value, at
