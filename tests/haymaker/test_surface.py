"""One surface for all texts: what dumps, tokenizers and pages left goes, what is damaged is restored, what writers wrote stays."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from haymaker.core.text.fix_text import LOST, fix_text
from haymaker.core.text.normalize import clean, plain
from haymaker.core.text.sentence_gaps import with_gaps
from haymaker.core.text.strings import padded

_MARKS = [
    *"()[]{}\",;:.!?'`-$ \n<&|",
    *"&amp; &lt; amp; <b> b> <br/> [[ ]] {{ }} `` '' \"\"".split(),
    "  ",
    " - ",
    " -- ",
]
_WORDS = ["the", "Oath", "1984", "12", "a", "s", "n't", "'s ", "-LRB-", "\u200e", "\u2019", "\u201c", "e\u0301"]
TEXTS = st.lists(st.sampled_from(_MARKS + _WORDS), max_size=14).map("".join)


@pytest.mark.parametrize(
    ("found", "meant"),
    [
        ("Teutberga( died 11 November 875) was a queen", "Teutberga (died 11 November 875) was a queen"),
        ("Amherst ( ) is a town, Ii (; ) another", "Amherst is a town, Ii another"),
        ("Fermi ( ; ] ; 29 September 1901 – 28 November 1954)", "Fermi (29 September 1901 – 28 November 1954)"),
        ("in 2015 , at Drenas . With a height of , it", "in 2015, at Drenas. With a height of, it"),
        ('the film" Dark River"( 1952) and" Carnage".', 'the film "Dark River" (1952) and "Carnage".'),
        ("``I See Fire ''is a song, the ``Oath, ''8 C.F.R.", '"I See Fire" is a song, the "Oath," 8 C.F.R.'),
        ('of ""When in Rome"", the "" series', 'of "When in Rome", the series'),
        ("free - standing quarks, winning back - to - back", "free-standing quarks, winning back-to-back"),
        ("Marie- Thérèse of Mecklenburg- Güstrow", "Marie-Thérèse of Mecklenburg-Güstrow"),
        ("1879 -- 1966, 1976 -- 77, (2015 - 11 - 20), Lennon -- McCartney", "1879–1966, 1976–77, (2015-11-20), Lennon – McCartney"),
        ("You Ca n't go, the dog 's over$ 490 million", "You Can't go, the dog's over $490 million"),
        ("results.[citation needed] However, some [who?] say", "results. However, some say"),
        ("in [[Telugu language|Telugu]] and ''[[Aina]]''", 'in Telugu and "Aina"'),
        ("Gillard, {'1': '', '2': '', '3': 'R', '4': ''} (born 1961)", "Gillard (born 1961)"),
        ("Sidney (October 4, 1916May 5, 2002), Mott (1785December 1865)", "Sidney (October 4, 1916 – May 5, 2002), Mott (1785 – December 1865)"),
        ("Fletcher (18921954), Rivaz (17111772)", "Fletcher (1892–1954), Rivaz (1711–1772)"),
        ("H<sub>2</sub>O &amp; more<br/>of it", "H2O & more of it"),
        ("he found out and - under pressure - sold it", "he found out and – under pressure – sold it"),
        ("a well-known fort - consisting of walls", "a well-known fort – consisting of walls"),
        *((same, same) for same in (
            'Ada (born 1901), who said "No.", wrote f(x) and tin(II) in .HTM ... she did.',
            'first- and second-year students on a 12" and a 7" single',
            'who said so." Then "Dark River" and "Carnage" came',
            "It was a fort-like house. A fort – the last of them – fell; 3-2, 1914–18, Bo's",
            "if a <b and c> d & e, print(), R&D; 5%: 10:30",
            "Meninx (/ˈmiːnɪŋks/ or /ˈmɛnɪŋks/), and/or others",
            'He said: "The man [who] came [edited] – it is- the last."',
            "one line\n- another, of a list",
        )),
    ],
)  # fmt: skip
def test_marks_of_dumps_and_tokenizers_go_and_what_was_written_stays(found: str, meant: str) -> None:
    assert clean(found) == meant


@given(TEXTS)
def test_what_is_clean_stays_as_it_is(text: str) -> None:
    assert clean(clean(text)) == clean(text)
    assert plain(plain(text)) == plain(text)


@given(st.lists(st.sampled_from([*"()[],;:.!?\"' \n", "  ", "Oath", "1984", "Bö", "--"]), max_size=20).map("".join))
def test_words_stay(text: str) -> None:
    assert padded(clean(text)) == padded(text)


def test_pages_lose_tags_and_keep_their_lines() -> None:
    page = "<html><head><title>Alien</title></head><pre>\n<b>INT. SHIP</b>\n\tRIPLEY\nIt&#39;s &quot;Ash&quot; &amp;&nbsp;me.<br>Go!<script>x<1</script></pre>"
    assert plain(page).split() == ["INT.", "SHIP", "RIPLEY", "It's", '"Ash"', "&", "me.", "Go!"]
    assert "me.\nGo!" in plain(page)
    assert plain("1 < 2 & a<b, AT&T; &nosuch;") == "1 < 2 & a<b, AT&T; &nosuch;"


@pytest.mark.parametrize(
    ("glued", "meant"),
    [
        ("It had more votes.Frye won.", "It had more votes. Frye won."),
        ("Of the members (all).The rest, in 1984.Then", "Of the members (all). The rest, in 1984. Then"),
        ('He said "it is so."The rest', 'He said "it is so." The rest'),
        ('It is so."The rest" was said', 'It is so. "The rest" was said'),
        ("Wi' a hundred pipers an' a',Wi' a hundred", "Wi' a hundred pipers an' a', Wi' a hundred"),
        *(
            (same, same)
            for same in (
                "in the U.S.A. by J.R.R.Tolkien, a Ph.D. of St.Louis",
                "see e.g.Foo, i.e.Bar and 3.5 m or 1,000 of No.5",
                "at www.example.com/About.The, example.com and Mail.Ru",
                "call java.lang.Runtime.exec or Math.round(x) and node.Run(x)",
                "on 28.January.2018 a D.Clin.Psych. of Hey!Say!JUMP",
                "Aldnoah.Zero is a series; Aldnoah.Zero ended",
                "使用Git,Github和Gitlab",
                "a mark... And more?! Yes",
            )
        ),
    ],
)
def test_glued_sentences_are_parted(glued: str, meant: str) -> None:
    """What looks alike stays: abbreviations, initials, addresses, decimals, code, names."""
    assert with_gaps(glued) == clean(glued) == meant
    assert with_gaps("votes,Frye won.Then", "\n") == "votes, Frye won.\nThen"


ANY = st.text(alphabet=st.characters(exclude_characters=f"&<{LOST}") | st.sampled_from("\x1b\x9b\u202e\ud800\n\t a"))
RIGHT = (
    "Å", "”Å”", "»Å«", "Åland", "på", "Å…", "Ä–Ö", "ÄÖ", "SÃO", "NÃO»", "MANHÃ”", "São", "À", "École", "été", "Âge", "Â«ge»", "«Â»",
    "R&D", "&c.", "AT&T;", "Q&A", "a<b", "b>c", "<p>", "<file_gif>", "&foo;", "&notit;", "—", "“so”", "it’s",
)  # fmt: skip


@given(ANY)
def test_what_is_taken_out_is_counted_and_white_space_stays(text):
    assume(not any(one in "\xc2\xc3\xc4\xc5" or "\xc3" <= one <= "\xef" for one in text))
    kept, found = fix_text(text)
    assert len(kept) + found == len(text) and fix_text(kept) == (kept, 0)
    assert [each for each in kept if each.isspace()] == [each for each in text if each.isspace()]
    assert all(unicodedata.category(each) in ("Cc", "Cf", "Co") for each in set(text) - set(kept))
    assert not set(kept) & set("\x00\x1b\x7f\x9b\u202a\u202e\u2066\u2069\u2060\ufeff\ue000")


@given(st.lists(st.sampled_from(RIGHT)))
def test_right_texts_of_any_language_stay(words):
    assert fix_text(" ".join(words))[0] == " ".join(words)


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1"])
def test_every_letter_with_a_mark_is_read_again_within_a_word(encoding):
    read = []
    for letter in map(chr, range(0xC0, 0x180)):
        try:
            wrong = f"a{letter}b".encode().decode(encoding)
        except UnicodeDecodeError:  # five bytes stand for nothing there
            continue
        if not wrong[2].isspace():
            read.append(fix_text(wrong)[0] == f"a{letter}b")
    assert all(read) and len(read) > 170


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("the liver\u00e2\x80\x99s job", "the liver\u2019s job"),
        ("\u00c3\x89cole", "\u00c9cole"),
        ("\ufeff \u6e5b\u6c5f", " \u6e5b\u6c5f"),
        ("good \uf04a!", "good !"),
        ("\u00e2\x80", "\u00e2"),
        ("Hydro-QuÃ©bec’s grid, WaÅ‚Ä™sa", "Hydro-Québec’s grid, Wałęsa"),
        ("won Â£14,000 at 50Â° Â© him", "won £14,000 at 50° © him"),
        ("Sam &amp; Max &#8226; R&ouml;ntgen &quot;x&#39;", "Sam & Max • Röntgen \"x'"),
        ("&amp;amp;amp;nbsp;&amp;amp;lt;!--iframe--&amp;amp;gt;x", "\xa0x"),
        (f"that water?{LOST}? said “so,{LOST}?", "that water?” said “so,”"),
        (f"can{LOST}t, Alec{LOST}s, 18{LOST} 00' N", "can’t, Alec’s, 18° 00' N"),
        (f"黄绍{LOST}f Investiga{LOST}{LOST}o", f"黄绍{LOST}f Investiga{LOST}{LOST}o"),
        ('<h2>甲</h2><divclass="d"><p>乙<b>丙</b><br/>丁</p>', "\n\n甲\n\n\n\n\n\n乙丙\n\n丁\n\n"),
    ],
)
def test_what_was_damaged_is_as_it_was_meant(text, kept):
    assert fix_text(text)[0] == kept
