"""The stand-in's rule case by case, the model's way of asking with a real T5 of no size, and how a judge is chosen."""

from __future__ import annotations

from pathlib import Path

import pytest

from haymaker.core.errors import EnvironmentProblem, HaymakerError
from haymaker.scoring.judges.entailment import Lexical, TrueNli, active_entailment, open_entailment, use_entailment
from haymaker.scoring.metrics import get
from tests.errors import refused

PASSAGE = "Title: Ada Lovelace\nAda Lovelace, born in London in 1815, wrote what is called the first computer program."


def test_the_stand_in_looks_for_words_names_and_numbers() -> None:
    for claim, entailed in (
        ("Ada Lovelace was born in London in 1815.", True),
        ("The first computer programs were written by Ada Lovelace.", True),  # two of six words are other forms
        ("Ada Lovelace was born in Paris in 1815.", False),  # a name that is not there
        ("Ada Lovelace was born in London in 1816.", False),  # a number that is not there
        ("Ada Lovelace sailed boats around islands.", False),  # too few words
        ("Ada Lovelace was not born in London.", True),  # what it cannot see
        ("It was so.", False),  # nothing is said
        ("", False),
    ):
        assert Lexical().entails(PASSAGE, claim) is entailed, claim
    assert Lexical().entails("red green blue", "red green blue cyan pink") is True
    assert Lexical().entails("red green blue cyan", "red green blue cyan pink gray gold") is False  # 4 of 7


def test_the_stand_in_judges_unless_another_is_named() -> None:
    assert active_entailment().name == "lexical@1"
    assert active_entailment().stand_in
    other = TwoWay()
    with use_entailment(other):
        assert active_entailment() is other
        assert get("citation_recall@strict").title == "citation_recall@strict by two-way"
    assert active_entailment().name == "lexical@1"
    assert isinstance(open_entailment("lexical"), Lexical)


class TwoWay(Lexical):
    """Another judge."""

    name = "two-way"
    stand_in = False


@pytest.mark.parametrize("metric", ["citation_recall@official", "citation_precision@official"])
def test_official_citation_scores_are_not_to_be_had_without_the_model(metric: str) -> None:
    with refused(HaymakerError, "citation scores @official", "lexical@1", fix="@strict"):
        get(metric).function("A [1].", {})


def test_a_model_that_is_not_here_is_one_clear_line(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    with refused(EnvironmentProblem, str(tmp_path), fix="hf download"):
        open_entailment(str(tmp_path))
    with refused(EnvironmentProblem, "", "nobody/nothing", fix="hf download nobody/nothing"):
        open_entailment("nobody/nothing@0123456789abcdef")


@pytest.mark.parametrize(("answer", "entailed"), [("1", True), ("0", False)])
def test_the_model_is_asked_and_its_answer_read(tmp_path: Path, answer: str, entailed: bool) -> None:
    model(tmp_path, answer)
    judge = TrueNli(str(tmp_path), "")
    assert not judge.stand_in
    assert judge.name == str(tmp_path)
    assert judge.entails("Ada was born in London", "Ada was born") is entailed
    with use_entailment(judge):
        row = {
            "prompt": "Ada was born.", "spans": [{"kind": "gold", "title": None, "start": 0, "end": 13}], "context_start": 0,
            "context_end": 13, "metrics": [], "question": "", "answer_groups": [], "metadata": None,
        }  # fmt: skip
        assert get("citation_recall@official").function("Ada was born [1].", row) == float(entailed)


def model(folder: Path, answer: str) -> None:
    """A T5 whose weights are a table of what follows what: after the start the answer, after the answer the end."""
    torch = pytest.importorskip("torch")
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace
    from transformers import PreTrainedTokenizerFast, T5Config, T5ForConditionalGeneration

    said, end, start = 0, 1, 2
    words = Tokenizer(WordLevel({answer: said, "</s>": end, "<pad>": start, "<unk>": 3}, unk_token="<unk>"))
    words.pre_tokenizer = Whitespace()
    special = {"eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}
    PreTrainedTokenizerFast(tokenizer_object=words, **special).save_pretrained(folder)
    config = T5Config(
        vocab_size=4, d_model=2, d_kv=2, d_ff=2, num_layers=1, num_heads=1,
        pad_token_id=start, eos_token_id=end, decoder_start_token_id=start,
    )  # fmt: skip
    network = T5ForConditionalGeneration(config)
    table = torch.zeros(4, 2)
    table[start], table[said], table[end] = (torch.tensor(v) for v in ((1.0, 0.0), (2.0, 1.0), (1.0, 4.0)))
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.zero_()
        network.shared.weight.copy_(table)  # the next word is the one with the largest product with the last
        network.lm_head.weight.copy_(table)
        network.decoder.final_layer_norm.weight.fill_(1)
    network.save_pretrained(folder)
