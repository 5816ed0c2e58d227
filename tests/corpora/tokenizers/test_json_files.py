"""Files tokenizer.json: what adds up joins exactly, what does not is refused."""

import pytest
from hypothesis import given, settings
from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers, trainers

from corpora.tokenizers.tokenizer import load
from haymaker.core.errors import TokenizerError
from tests.corpora.tokenizers.test_tokenizer import CORPUS, PIECES
from tests.errors import refused

CL100K = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
DEEPSEEK_V3 = (
    r"\p{N}{1,3}",
    "[一-龥぀-ゟ゠-ヿ]+",
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+"
    "| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+",
)


def trained(*splits, normalizer=None, prefix=False):
    """Byte-level pairs of CORPUS."""
    own = pre_tokenizers.ByteLevel(add_prefix_space=prefix, use_regex=not splits)
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([*splits, own]) if splits else own
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=500, initial_alphabet=alphabet, special_tokens=["</s>"], show_progress=False
    )
    tokenizer.train_from_iterator(CORPUS, trainer)
    return tokenizer


def byte_level(normalizer=None, pattern=None, behavior="isolated", **options):
    splits = [pre_tokenizers.Split(Regex(pattern), behavior)] if pattern else []
    return trained(*splits, normalizer=normalizer and getattr(normalizers, normalizer)(), **options)


def deepseek_v3():
    """The structure of DeepSeek-V3's file: three splits, line breaks themselves in a pattern, ▁ in added tokens."""
    splits = (pre_tokenizers.Split(Regex(pattern), "isolated") for pattern in DEEPSEEK_V3)
    tokenizer = trained(*splits, normalizer=normalizers.Sequence([]))
    tokenizer.add_special_tokens([AddedToken("<｜begin▁of▁sentence｜>")])
    tokenizer.add_tokens([AddedToken("<｜fim▁hole｜>"), AddedToken("<｜User｜>", normalized=False)])
    return tokenizer


def with_bytes(pieces, *merges):
    """Pairs of characters, with bytes for what is not a piece."""
    every = ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), *"▁theolds", "th", "the", "▁the", *pieces]
    vocab = {piece: index for index, piece in enumerate(dict.fromkeys(every))}
    merges = [("t", "h"), ("th", "e"), ("▁", "the"), *merges]
    return Tokenizer(models.BPE(vocab, merges, byte_fallback=True, unk_token="<unk>", fuse_unk=True))


def gemma3(*merges):
    """The structure of Gemma 3's file: ▁ in place of spaces, bytes, a split that finds no space, added white space."""
    tokenizer = with_bytes([*"></\n", "</", "▁</", ">▁</"], ("<", "/"), *merges)
    tokenizer.normalizer = normalizers.Replace(" ", "▁")
    tokenizer.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous")
    tokenizer.add_tokens([AddedToken(text, normalized=False) for text in ("\n\n", "▁▁", "<unused0>", "<table>")])
    return tokenizer


def metaspace(*extra, scheme="first"):
    pieces = ["▁▁", *(piece for each in extra for piece in (each, each[:-1]))]
    tokenizer = with_bytes(pieces, ("▁", "▁"), *((piece[:-1], piece[-1]) for piece in extra))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(split=False, prepend_scheme=scheme)
    return tokenizer


def word_piece():
    words = ["[UNK]", *"abcdefghijklmnopqrstuvwxyz.,:;'", *(f"##{c}" for c in "abcdefghijklmnopqrstuvwxyz"), "the"]
    tokenizer = Tokenizer(models.WordPiece({word: index for index, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    return tokenizer


def unigram():
    return Tokenizer(models.Unigram([("<unk>", 0.0), ("a", -1.0), ("b", -1.0), ("a b", -1.5)], 0, False))


def write_json(path, tokenizer):
    tokenizer.save(str(path))
    return f"file:{path}"


GOOD = {
    "gpt2 split": byte_level,
    "llama3 split": lambda: byte_level(pattern=CL100K),
    "nfkc": lambda: byte_level("NFKC", CL100K),
    "metaspace first": metaspace,
    "metaspace never": lambda: metaspace("\n\n", scheme="never"),
    "word pieces": word_piece,
    "deepseek v3": deepseek_v3,
    "gemma without merges across spaces": lambda: gemma3(("▁", "</")),
}
BAD = {
    "unigram without splits": (unigram, "none"),
    "no split at spaces": (lambda: byte_level(pattern=r"\p{N}"), "spaces"),
    "strange split": (lambda: byte_level(pattern=r"\w+ \w+|\s+"), "'\\\\w"),
    "removed": (lambda: byte_level(pattern=CL100K, behavior="removed"), "Removed"),
    "prefix": (lambda: byte_level(prefix=True), "add_prefix_space"),
    "space inside": (lambda: metaspace("the▁"), "'the▁'"),
    "gemma 3": (lambda: gemma3(("▁", "</"), (">", "▁</")), "merges cross spaces (piece '>▁</')"),
}


@pytest.fixture(scope="session", params=GOOD)
def good(request, tmp_path_factory):
    return load(write_json(tmp_path_factory.mktemp("json") / "tokenizer.json", GOOD[request.param]()))


@settings(derandomize=True, max_examples=10)
@given(pieces=PIECES)
def test_json_tokenizers_join_anything(good, pieces):
    parts = [good.part(piece) for text, joiner, _ in pieces for piece in (text, joiner)]
    assert good.joined(parts) == good.count("".join(map(str, parts)))


@pytest.mark.parametrize("kind", BAD)
def test_json_tokenizers_that_do_not_add_up_are_refused(kind, tmp_path):
    make, message = BAD[kind]
    name = write_json(tmp_path / "tokenizer.json", make())
    with refused(TokenizerError, "tokenizer.json", message, fix="tekken"):
        load(name)


def test_json_truncation_padding_and_special_tokens_do_not_count(tmp_path):
    tokenizer = byte_level()
    tokenizer.enable_truncation(5)
    tokenizer.enable_padding(length=50)
    loaded = load(write_json(tmp_path / "tokenizer.json", tokenizer))
    assert loaded.count("a") == 1
    assert loaded.count("x y z " * 20) > 50
    assert loaded.count("</s>") > 1


def test_added_tokens_that_swallow_joints_are_refused(tmp_path):
    for number, token in enumerate([AddedToken("old man"), AddedToken("tag", lstrip=True)]):
        tokenizer = byte_level()
        tokenizer.add_tokens([token])
        with refused(TokenizerError, "", repr(token.content)):
            load(write_json(tmp_path / f"{number}.json", tokenizer))
    tokenizer = byte_level()
    tokenizer.add_tokens([AddedToken("<tag>"), AddedToken("    "), AddedToken("<tag:")])
    loaded = load(write_json(tmp_path / "fine.json", tokenizer))
    assert loaded.count("a<tag>") == 2
    parts = [loaded.part(text) for text in ("a <tag", ": b", " <tag: c", "<tag:")]
    assert loaded.joined(parts) == loaded.count("a <tag: b <tag: c<tag:")
