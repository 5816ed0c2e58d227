"""What a scan finds is what the regular expressions of haymaker.core.text.strings find, whatever the script."""

import re
import sys

from hypothesis import given
from hypothesis import strategies as st

from haymaker.core.text.strings import SPACELESS, WORD
from haymaker.core.text.word_index import WordIndex, codes

MIXED = st.text(alphabet="ab9_ .?!;\n\t\u00a0\u2003éẞſΣσİK漢字々かカ。…”-", max_size=60)
TEXTS = MIXED | st.text(max_size=60) | st.text(alphabet="aB1 .\n;", max_size=60)


def spans(pattern: str | re.Pattern[str], text: str) -> list[tuple[int, int]]:
    return [found.span() for found in re.finditer(pattern, text)]


@given(TEXTS)
def test_words_pairs_and_white_space_are_those_of_the_patterns(text: str) -> None:
    scan = WordIndex(text)
    starts, ends = scan.words
    assert [*zip(starts.tolist(), ends.tolist(), strict=True)] == spans(WORD, text)
    assert scan.pairs.tolist() == [at for at, _ in spans(f"[{SPACELESS}](?=[{SPACELESS}])", text)]
    starts, ends, behind, feeds = (found.tolist() for found in scan.spaces)
    assert [*zip(starts, ends, strict=True)] == spans(r"\s+", text)
    assert behind == [text[max(0, at - 1) : at] in tuple(".?!;") for at in starts]
    assert feeds == [text.find("\n", start, end) for start, end in zip(starts, ends, strict=True)]
    assert scan.has_spaceless == bool(re.search(f"[{SPACELESS}]", text))
    assert scan.has_wide_ends == bool(set("。！？；…") & set(text))
    assert "".join(map(chr, codes(text).tolist())) == text


def test_a_letter_is_of_the_same_kind_in_lower_case() -> None:
    """Words in lower case are found where those of the text stand."""
    for code in range(sys.maxunicode + 1):
        if len(lower := chr(code).lower()) == 1 and lower != chr(code):
            assert bool(WORD.fullmatch(chr(code))) == bool(WORD.fullmatch(lower)), hex(code)
            assert not re.search(f"[{SPACELESS}]", chr(code) + lower), hex(code)
