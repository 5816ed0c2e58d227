"""Needles and chains in German and Chinese: no English words, nothing said twice; phrase files and their mistakes."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from generators.generated.vocabulary import noise
from generators.synthetic import phrases
from generators.synthetic.oracles import needles as oracle
from haymaker.core.errors import HaymakerError, ParamsError
from tests.generators.synthetic import proving, small
from tests.generators.synthetic.proving import row, task_of

LANGUAGES = ("de", "zh")
NIAH = {"lengths": {"4k": 11}}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_proof_names_what_is_said_again(language: str) -> None:
    """A second sentence with the key, or the value elsewhere, in the language's own script."""
    task, each = task_of(f"{language}_shuffled"), row(f"{language}_shuffled", "4k")
    [key], value = json.loads(each["metadata"])["keys"], each["answers"][0]
    decoy = next(span for span in each["spans"] if span["kind"] == "decoy")
    there = each["prompt"][decoy["start"] : decoy["end"]]
    number = re.search(r"\d{7}", there)
    assert number
    wrong = each["prompt"].replace(there, there.replace(number[0], value))
    assert wrong != each["prompt"]
    assert any("outside its needle" in each for each in task.problems({**each, "prompt": wrong}))
    place = each["prompt"].rindex("。" if language == "zh" else ". ", 0, each["context_end"] - 400)
    again = f"{each['prompt'][: place - len(key) - 1]} {key}{each['prompt'][place:]}"
    assert any("outside its needle" in problem for problem in task.problems({**each, "prompt": again}))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_oracle_counts_sentences_that_say_it_and_no_others(language: str) -> None:
    said, each = phrases.load(language, Path()).said, row(f"{language}_shuffled", "4k")
    needle = next(span for span in each["spans"] if span["kind"] == "gold")
    text = each["prompt"][needle["start"] : needle["end"]]
    other = re.sub(r"\d{7}", "7654321", text)
    begun, rest = each["prompt"][: needle["end"]], each["prompt"][needle["end"] :]
    with pytest.raises(ValueError, match="values found"):
        oracle.solve_in(f"{begun} {other}{rest}", said)
    with pytest.raises(ValueError, match="values found"):
        oracle.solve_in(each["prompt"].replace(text, "", 1), said)
    assert oracle.solve_in(f"{begun} X{other}{rest}", said) == each["answers"]  # of another name
    with pytest.raises(ValueError, match="is not a question of a needle task"):
        oracle.solve_in(each["prompt"].replace(each["question"], "?"), said)


@pytest.mark.parametrize("language", LANGUAGES)
def test_filler_is_whole_sentences(language: str) -> None:
    for line in _filler(language):
        assert line.endswith("." if language == "de" else "。")
        assert "{" not in line and "  " not in line and line[0].upper() == line[0]
        assert not re.findall(r"\. |。", line[:-1])


@cache
def _filler(language: str) -> list[str]:
    return noise(1000, "k", grammar=phrases.load(language, Path()).filler())


@pytest.mark.parametrize("language", ("en", *LANGUAGES))
def test_nothing_tells_two_phrases_apart_but_their_words(language: str) -> None:
    """No decoy and no filler says what a needle says, in either wording."""
    said = phrases.load(language, Path())
    for variant in ("same.statement", "other.statement", "same.line", "other.line"):
        if variant not in said.said:
            continue
        form = said.said[variant].format(one=said.form("things.number.one"), key="KEY", value="VALUE")
        statement = re.compile(re.escape(form).replace("KEY", r"\S+").replace("VALUE", r"\d+"))
        one = said.form("things.number.one")
        decoys = [decoy.format(one=one, name="Y-Z", value="1") for decoy in said.several("decoys")]
        assert len(set(decoys)) == len(decoys) >= 8
        lines = decoys + (_filler(language) if language != "en" else [])
        assert not any(statement.fullmatch(line) for line in lines)


def written(folder: Path, **changes: Any) -> str:
    """The German file with changes by path ("same__question__one"), None taking a key away; its name."""
    given = yaml.safe_load((Path(phrases.__file__).with_name("languages") / "de.yaml").read_text(encoding="utf-8"))
    for path, value in changes.items():
        *folders, last = path.split("__")
        at = given
        for name in folders:
            at = at.setdefault(name, {})
        if value is None:
            del at[last]
        else:
            at[last] = value
    (folder / "own.yaml").write_text(yaml.safe_dump(given, allow_unicode=True), encoding="utf-8")
    return "own.yaml"


def test_a_file_of_ones_own_speaks(tmp_path: Path) -> None:
    name = written(tmp_path, same__statement="Zu {key} merke dir die {one} {value}!")
    built = small.spoken("de", {"niah": NIAH}, root=tmp_path, phrases=name)
    task: Any = built.task("niah")
    each = proving.row_of(task, "4k", 0)
    key = json.loads(each["metadata"])["keys"][0]
    assert f"Zu {key} merke dir die Geheimzahl {each['answers'][0]}!" in each["prompt"]
    proving.solved(task, each)
    table = next(iter(built.tables()))
    before = built.fingerprint(table)
    written(tmp_path, same__statement="Zu {key} merke dir die {one} {value}!!")
    again = small.spoken("de", {"niah": NIAH}, root=tmp_path, phrases=name)
    assert again.fingerprint(table) != before  # a changed word builds the rows anew


@pytest.mark.parametrize(
    ("changes", "task", "entry", "line"),
    [
        ({"same__question__one": None}, "niah", {}, r"own\.yaml: has no phrase 'same\.question\.one', .*tasks\.niah.* Next: add same\.question\.one; in English it is 'What is"),
        ({"same__statement": "Die {one} von {key} lautet {valeu}."}, "niah", {}, r"own\.yaml: same\.statement: unknown placeholder \{valeu\}\. Next: did you mean 'value'"),
        ({"same__statement": "Die {one} von {key}."}, "niah", {}, r"own\.yaml: same\.statement: has no \{value\}\. Next: add \{value\}"),
        ({"same__statement": "Die {one von {key}."}, "niah", {}, r"own\.yaml: same\.statement: .* Next: write \{word\}, with both brackets"),
        ({"same__statment": "x"}, "niah", {}, r"own\.yaml: unknown key 'same\.statment'\. Next: did you mean 'same\.statement'"),
        ({"language": None}, "niah", {}, r"own\.yaml: key 'language' is missing\. Next: add language; in English it is 'en'"),
        ({"language": "nl"}, "niah", {}, r"corpus 'village' is in 'de', but the text hidden in it would be in 'nl'.*suites\.synthetic\.phrases: de"),
        ({"decoys": None}, "niah", {}, r"own\.yaml: has no 'decoys'.*tasks\.niah"),
        ({"decoys": ["{name} hat {value}.", "{name} hat {value}."]}, "niah", {}, r"own\.yaml: decoys: .* appears twice"),
        ({"decoys": ["Die {one} von {name} lautet {value}."]}, "niah", {}, r"own\.yaml: decoys\.0: has the words of a needle"),
        ({"keys__joined": "", "keys__first": [*(f"Wort{c}" for c in "abcdefgh"), "Wor"]}, "niah", {}, r"own\.yaml: keys: '\w+' is part of '\w+', and `joined` is empty"),
        ({"keys__first": [f"a b{c}" for c in "abcdefghijklmnop"]}, "niah", {}, r"own\.yaml: keys: 'a ba' contains a space"),
        ({"absent__format__one": "Nichts."}, "niah", {}, r"own\.yaml: absent\.format\.one: must state that the answer is the word none"),
        ({"filler__frames__plain": {"share": 1, "forms": ["{who} ging."]}}, "niah", {}, r"own\.yaml: filler\.frames\.plain: '\{who\} ging\.' makes 30 sentences, but 100,000 are needed"),
        ({"filler__frames__plain": {"share": 1, "forms": ["{whom} ging."]}}, "niah", {}, r"own\.yaml: filler\.frames\.plain: unknown placeholder \{whom\}\. Next: did you mean 'who'"),
        ({"filler": None}, "niah_single_1", {}, r"has no 'filler'.*niah_single_1.* Next: .*haystack: essay"),
        ({"filler": None}, "vt", {}, r"has no 'filler'.*tasks\.vt"),
        ({"vt__told": None}, "vt", {"ruler_prompt": True}, r"has no phrase 'vt\.told'"),
        ({"same__statement": "{key} hat {one} {value}."}, "niah_multikey_2", {}, r"is not a line: it must begin with a word.* Next: add same\.line"),
        ({"absent": None}, "niah_single_2", {"unanswerable": True}, r"has no phrase 'absent\.announce\.prose'"),
        ({"single": None}, "passkey", {}, r"has no phrase 'single\.statement'"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_file_is_one_line_with_what_to_write(
    tmp_path: Path, changes: dict[str, Any], task: str, entry: dict[str, Any], line: str
) -> None:
    """What an entry does not need may be left out."""
    name = written(tmp_path, **changes)
    with pytest.raises(ParamsError, match=line) as error:
        small.spoken("de", {task: {**NIAH, **entry}}, root=tmp_path, phrases=name)
    assert "\n" not in str(error.value)
    if set(changes) & {"filler", "vt", "vt__told", "absent", "single"}:
        assert small.spoken("de", {"niah": NIAH}, root=tmp_path, phrases=name).entries


def test_a_text_is_not_asked_in_another_language() -> None:
    niah = {"niah": NIAH}
    line = r"tasks\.niah: corpus 'village' is in 'de', .* in 'en'.* Next: set suites\.synthetic\.phrases: de"
    with pytest.raises(ParamsError, match=line):
        small.spoken("de", niah)
    with pytest.raises(ParamsError, match=r"is in 'de', .* in 'zh'"):
        small.spoken("de", niah, phrases="zh")
    assert small.spoken("de", niah, phrases="en").entries  # who says so wants it
    assert small.spoken("de", {"niah_single_1": {"lengths": {"4k": 10}}}).entries  # hidden in no corpus
    with pytest.raises(
        ParamsError, match=r"there are no phrases for language 'fr'\. Next: known: de, en, zh.*own-language"
    ):
        small.spoken("de", niah, phrases="fr")
    with pytest.raises(HaymakerError, match=r"texts/fr\.yaml: no such file"):
        small.spoken("de", niah, phrases="texts/fr.yaml")
    assert small.spoken("de", {"cwe": {"lengths": {"4k": 1}}}).task("cwe").language == "en"  # type: ignore[attr-defined]


def test_shipped_phrases_by_heart() -> None:
    """A changed word is other rows: raise the version of the tasks that say it."""
    assert {code: phrases.load(code, Path()).digest for code in LANGUAGES} == {
        "de": "5f97f0d44ad80ac6616dac46576b525d",
        "zh": "2bc3bfe7d52277d6790b3d78406ae0b2",
    }
