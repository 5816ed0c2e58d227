"""The length unit: joins are exact, mistakes are one clear line."""

import os
import shutil
from itertools import islice, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora.tokenizers import checks, find
from corpora.tokenizers.bytepair import tiktoken_engine
from corpora.tokenizers.counting import Tokenizer
from corpora.tokenizers.cuts import REGEX_BPE, unknown_alternatives
from corpora.tokenizers.tokenizer import CountedText, load
from haymaker.core.errors import TokenizerError
from tests.errors import refused
from tests.extras import LONG
from tests.growth import TIMES, grows

MIRROR = os.environ.get("HAYMAKER_MIRROR")
needs_mirror = pytest.mark.skipif(not MIRROR, reason="set HAYMAKER_MIRROR to the folder of real raw files")
MIRROR_FILES = {"llama2": "llama2/tokenizer.model", "mistral_v1": "mistral_v1/tokenizer.model.v1"}
HERE = ["tekken", "gpt2"]
CORPUS = [
    'the old man said: don\'t go, the sea is high.\n\nHe went, 1234 miles; "home".',
    "def f(x):\n    return x",
] * 4
MIRRORED = ["cl100k", "o200k", "llama2", "mistral_v1"]
EVERY = [*HERE, *(pytest.param(name, marks=[pytest.mark.real, needs_mirror]) for name in MIRRORED)]

JOINERS = [" ", "\n", "\n\n", "\r\n", "\t", "\n    ", "", ", ", ". ", "  ", " \n", "\n\n\n ", ": ", "\\n", "/", "\r"]
TEXTS = [
    *checks.NASTY,
    "The quick brown fox jumps over the lazy dog.",
    "“I can't,” said he; “you'll see.” ‘Tis—'twas—o'clock ROCK'N'ROLL",
    "'s", "'LL", "he'", "'", "''", "s", "ll", "d",
    "naïve café cafe\u0301 o\u0308\u0323", "\u200b", "\u200d", "\u2028", "\u0085", "\u001c", "\u202f1\u202f000", "\ufeff",
    "🙂🙃", "🇩🇪🇫🇷", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "<s>", "<|endoftext|>", "<0x0A>", "<unk>",
    "吾輩は猫である。名前はまだ無い。", "中文，没有空格的长句子" * 30, "한국어 문장입니다.", "שלום עולם", "नमस्ते दुनिया",
    "def f(x):\n\treturn {'a': x[0]}  # why?\n\n", "// comment\n/* x */", "https://a.b/c?d=e&f=g#h", "a_b__c", "CamelCASEWord",
    '{"id": "9f8b-77aa", "n": [1, 2.50, -3e10], "t": "a\\tb"}', "0123456789" * 20, "1,234.5%", "$5", "½ ² Ⅷ ٣",
    "    indented", "trailing   ", " \t \n mixed \r\n ", "   \n\n   ", "a" * 700, "-" * 300, "▁▁a ▁", "x▁y",
]  # fmt: skip
TEXT = st.one_of(st.sampled_from(TEXTS), st.text(max_size=12), st.text("ab'.,\n\r\t /▁1é。 ", max_size=8))
PIECES = st.lists(st.tuples(TEXT, st.sampled_from(JOINERS), st.booleans()), min_size=1, max_size=7)


def get(name: str) -> Tokenizer:
    if name in MIRROR_FILES:
        return load(f"file:{MIRROR}/tokenizers/{MIRROR_FILES[name]}")
    return load(name)


def as_slice(part: CountedText) -> CountedText:
    return CountedText(part.tokens, utf8=memoryview(str(part).encode()))


# ------------------------------------------------------------------------------------------------------------- joins


@pytest.mark.parametrize("name", EVERY)
@settings(derandomize=True)
@given(pieces=PIECES)
def test_joined_is_the_count_of_the_whole(name, pieces):
    tokenizer = get(name)
    parts = []
    for text, joiner, bytewise in pieces:
        for piece in (text, joiner):
            part = tokenizer.part(piece)
            parts.append(as_slice(part) if bytewise else part)
    assert tokenizer.joined(parts) == tokenizer.count("".join(map(str, parts)))


@pytest.mark.parametrize("name", EVERY)
def test_every_pair_of_nasty_texts_joins_exactly(name):
    tokenizer = get(name)
    parts = [tokenizer.part(text) for text in TEXTS if len(text) < 100]
    wrong = []
    step = 1 if os.environ.get(LONG) else 7 if name == "tekken" else 31  # the others join by the same rules
    for left, joiner, right in islice(product(parts, map(tokenizer.part, JOINERS), parts), None, None, step):
        if tokenizer.joined([left, joiner, right]) != tokenizer.count(f"{left}{joiner}{right}"):
            wrong.append((str(left), str(joiner), str(right)))
    assert wrong == []


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("run", ["a", "1", "中", "'", "\n "])
def test_long_runs_without_a_cut_are_looked_at_whole(name, run):
    tokenizer = get(name)
    for size, more in product(range(70, 90, 3), (1, 4)):
        long, short = tokenizer.part(run * size), tokenizer.part(run * more)
        for parts in ([long, short], [short, as_slice(long)], [as_slice(long), short, long]):
            assert tokenizer.joined(parts) == tokenizer.count("".join(map(str, parts))), (size, more)


def test_a_join_never_tokenises_a_long_part():
    tokenizer, body = get("tekken"), memoryview((" The old man looked at her." * 40_000).encode())
    head, tail = tokenizer.part("Text:\n"), tokenizer.part("\n\nQuestion: who?")
    assert grows(lambda size: tokenizer.joined([head, CountedText(0, utf8=body[:size]), tail]), 200_000) < TIMES / 2


# ----------------------------------------------------------------------------------------------------- slices of units


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("unit", [" He said “no.”", " 👩‍👩‍👧🏽 é", " ▁x", " 中" * 9])
def test_dropped_leading_space_is_exact(name, unit):
    tokenizer = get(name)
    data = (unit * 40).encode()
    whole = CountedText(sum(tokenizer.count_units([unit] * 40)), utf8=memoryview(data))
    cut = tokenizer.drop_leading_space(whole)
    assert str(cut) == data.decode()[1:]
    assert cut.tokens == tokenizer.count_part(str(cut))
    for before, part in product(["", "Text:\n", "…", " "], (whole, cut)):
        parts = [tokenizer.part(before), part, tokenizer.part("\nQ")]
        assert tokenizer.joined(parts) == tokenizer.count("".join(map(str, parts))), before


def test_parts_that_are_not_whole_are_refused():
    for part in ("é".encode()[1:], "aé".encode()[:2]):
        with refused(TokenizerError, "", "UTF-8"):
            _ = CountedText(1, utf8=part).head(4), CountedText(1, utf8=part).tail(4)


@pytest.mark.parametrize("unit", ["a", "", " ", "  a", " a ", " a\n", "\na", " \u00a0a"])
def test_units_that_do_not_add_up_are_refused(unit):
    with refused(TokenizerError, "", "add"):
        get("tekken").count_units([" fine.", unit])


# --------------------------------------------------------------------------------------------------- known tokenizers


@pytest.mark.parametrize(
    ("name", "fingerprint"),
    [
        ("tekken", "tekken-131072-1948e2d48b0e"),
        ("gpt2", "gpt2-50257-1ce1664773c5"),
        *(
            pytest.param(*each, marks=[pytest.mark.real, needs_mirror])
            for each in (
                ("cl100k", "cl100k-100277-223921b76ee9"),
                ("o200k", "o200k-200019-446a9538cb6c"),
                ("llama2", "file:tokenizer.model-32000-9e556afd4421"),
                ("mistral_v1", "file:tokenizer.model.v1-32000-dadfd56d7667"),
            )
        ),
    ],
)
def test_known_tokenizers(name, fingerprint):
    assert get(name).fingerprint == fingerprint
    assert get(name).count("Hello world") == 2
    assert get(name).joined([]) == 0


# ----------------------------------------------------------------------------------------------------------- mistakes


def test_vocabularies_are_found_in_folders_and_in_the_cache_of_tiktoken(tmp_path, monkeypatch):
    """No mirror, no cache, no package that carries vocabularies."""
    source = find.published_file("gpt2", [])
    monkeypatch.delenv("HAYMAKER_MIRROR", raising=False)
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR", raising=False)
    monkeypatch.setattr(find.importlib.util, "find_spec", lambda name: None)
    with refused(TokenizerError, "", "tekken"):
        load("tekken", search=[tmp_path])
    for root, inner in (("a", ""), ("b", "gpt2"), ("c", "tokenizers/gpt2")):
        (tmp_path / root / inner).mkdir(parents=True)
        shutil.copy(source, tmp_path / root / inner / "vocab.bpe")
        assert load("gpt2", search=[tmp_path / root]).count("Hello world") == 2
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    shutil.copy(source, tmp_path / "6d1cbeee0f20b3d9449abfede4726ed8212e3aee")
    assert load("gpt2").fingerprint == "gpt2-50257-1ce1664773c5"


def test_files_that_are_no_tokenizers(tmp_path):
    for name in ("tokenizer.json", "tokenizer.model", "tokenizer.txt"):
        (tmp_path / name).write_text("{}")
    for name in ("tokenizer.json", "tokenizer.model", "tokenizer.txt", "absent.json"):
        with refused(TokenizerError, name):
            load(f"file:{tmp_path}/{name}")


# -------------------------------------------------------------------------------------------------- the verification itself


def test_the_check_refuses_wrong_cuts():
    inner = get("tekken")._engine
    wrong = type(REGEX_BPE)(r"[\s\S](?=[\s\S])")  # a cut anywhere
    with refused(TokenizerError, "", "add up"):
        checks.check_counting(Tokenizer("wrong", type(inner)(**{**vars(inner), "cuts": wrong})))


def test_sentencepiece_unigram_is_refused(tmp_path):
    import sentencepiece

    lines = tmp_path / "lines.txt"
    lines.write_text("\n".join(CORPUS * 20))
    for kind, message in (("unigram", "BPE"), ("bpe", "rewrites")):
        sentencepiece.SentencePieceTrainer.train(
            input=str(lines), model_prefix=str(tmp_path / kind), vocab_size=60, model_type=kind,
            hard_vocab_limit=False, minloglevel=2,
        )  # fmt: skip
        with refused(TokenizerError, "", "add up", message):
            load(f"file:{tmp_path}/{kind}.model")


def test_unknown_split_patterns():
    assert unknown_alternatives(r"'s| ?\p{L}++|\p{N}{1,3}+|\s++$|\s+(?!\S)") == []
    assert unknown_alternatives(r"\s+|(?:a|b)[|)]c|\|") == [r"(?:a|b)[|)]c", r"\|"]
    assert (
        unknown_alternatives("[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+|[\\u4e00-\\u9fa5\\x{3040}-\\x{309f}゠-ヿ]+")
        == []
    )
    with refused(TokenizerError, "", "add up"):
        tiktoken_engine(r"\S+ \S+", {b"a": 0}, 1, "0")
