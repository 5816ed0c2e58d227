"""Check that a text has the form that was requested, without the writer of the text."""

from __future__ import annotations

import re

_LENGTHS, _SHORT = range(600, 2401), range(30, 301)  # characters of a text, and of a caption
_BANNED = re.compile(r"^(?:User|Assistant):| $|[<>\[\]?]|[^\n -~]", re.MULTILINE)

_TITLE = r"[A-Z][^\n.\d]{1,78}[^\n.,\d]"
_PARAGRAPH = r"[^\n]{20,}[.\"]"
_PARAGRAPHS = rf"{_PARAGRAPH}(?:\n\n{_PARAGRAPH})*"
_VERSE = r"(?:[^\n]{8,99}\n){3}[^\n]{8,99}"
_MONTH = "(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_SIGNED = r"\n\n[A-Z][a-z ]{2,30},\n[A-Z][^\n.]{2,60}"

_SHAPES = {
    "blog post": (rf"{_TITLE}\nPosted [^\n]{{3,60}}\n\n{_PARAGRAPHS}", "a title, the time of posting and paragraphs"),
    "short essay": (rf"{_TITLE}\n\n{_PARAGRAPHS}", "a title and paragraphs"),
    "article": (rf"{_TITLE}\n(?:From|By) [^\n]{{3,60}}\n\n{_PARAGRAPHS}", "a headline, a byline and paragraphs"),
    "social media post": (rf"{_PARAGRAPHS}\n\n#\w+(?: #\w+){{1,3}}", "paragraphs and 2 to 4 hashtags"),
    "diary entry": (rf"[A-Z][a-z]+day, \d\d? {_MONTH}\n\n{_PARAGRAPHS}", "a date and paragraphs"),
    "speech": (
        rf"[A-Z][A-Za-z, ]+[,.]\n\n{_PARAGRAPHS}\n\nThank you[^\n]{{0,40}}\.",
        "a greeting, paragraphs and thanks",
    ),
    "letter": (rf"Dear [^\n]{{2,40}},\n\n{_PARAGRAPHS}{_SIGNED}", "a salutation, paragraphs and a closing"),
    "email": (
        rf"Subject: [^\n]{{3,80}}\n\n[A-Z][a-z ]{{1,40}},\n\n{_PARAGRAPHS}{_SIGNED}",
        "a subject line, a salutation, paragraphs and a closing",
    ),
    "review": (rf"{_TITLE}\n\n{_PARAGRAPHS}\n\n[A-Z][a-z ]+: [a-z ]+ out of five", "a title, paragraphs and a rating"),
    "photo caption": (r"[^\n]+[.\"]", "one line"),
    "poem": (rf"{_TITLE}(?:\n\n{_VERSE}){{3,}}", "a title and at least three verses of four lines"),
}


def misshapen(form: str, text: str) -> str:
    """Return why a text is not a text of this form, or an empty string.

    Raises:
        KeyError: the form is unknown.
    """
    pattern, expected = _SHAPES[form]
    lengths = _SHORT if form == "photo caption" else _LENGTHS
    if len(text) not in lengths:
        return f"has {len(text):,} characters, not {lengths[0]:,} to {lengths[-1]:,}"
    if banned := _BANNED.search(text):
        return f"contains {banned[0]!r} at character {banned.start():,}"
    return "" if re.fullmatch(pattern, text) else f"is not a {form}: expected {expected}"
