"""A classifier of entailment, a real one of no size: its weights are set by hand so that its answers are known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from haymaker.core.errors import EnvironmentProblem
from haymaker.scoring.judges.entailment import Classifier, load_entailment, open_entailment, use_entailment
from haymaker.scoring.metrics import get
from tests.errors import refused
from tests.extras import needs

pytestmark = needs("embed-cpu", "torch")

CONTRADICTION_FIRST = ("contradiction", "entailment", "neutral")  # as the cross-encoders have it
ENTAILMENT_FIRST = ("entailment", "neutral", "contradiction")  # as MoritzLaurer's have it
TWO = ("entailment", "not_entailment")
WORDS = ("[PAD]", "[CLS]", "[SEP]", "[UNK]", "red", "blue", "said", "it", "was", ".")
ROOM = 32  # tokens that a tiny model reads at once


def tokenizer(folder: Path, room: int | None = ROOM) -> None:
    """One token a word, pairs as BERT has them."""
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace
    from tokenizers.processors import TemplateProcessing
    from transformers import PreTrainedTokenizerFast

    words = Tokenizer(WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]"))
    words.pre_tokenizer = Whitespace()
    words.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    special = {"pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]", "unk_token": "[UNK]"}
    most = {} if room is None else {"model_max_length": room}
    PreTrainedTokenizerFast(tokenizer_object=words, **special, **most).save_pretrained(folder)


def labels(names: tuple[str, ...]) -> dict[str, Any]:
    return {"id2label": dict(enumerate(names)), "label2id": {name: number for number, name in enumerate(names)}}


def both_colours(folder: Path, names: tuple[str, ...], room: int | None = ROOM) -> None:
    """Entailed where "red" and "blue" both stand in what it reads: every token looks at all alike, a word has a direction of its own."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification

    tokenizer(folder, room)
    config = BertConfig(
        vocab_size=len(WORDS), hidden_size=4, num_hidden_layers=1, num_attention_heads=1, intermediate_size=4,
        max_position_embeddings=ROOM + 2 * (room is None), **labels(names),
    )  # fmt: skip
    network = BertForSequenceClassification(config)
    layer, entailment = network.bert.encoder.layer[0], names.index("entailment")
    with torch.no_grad():
        for name, parameter in network.named_parameters():
            parameter.fill_(1.0) if name.endswith("LayerNorm.weight") else parameter.zero_()
        for dense in (layer.attention.self.value, layer.attention.output.dense, network.bert.pooler.dense):
            dense.weight.copy_(torch.eye(4))
        network.bert.embeddings.word_embeddings.weight[WORDS.index("red")] = torch.tensor([1.0, -1.0, 0.0, 0.0])
        network.bert.embeddings.word_embeddings.weight[WORDS.index("blue")] = torch.tensor([0.0, 0.0, 1.0, -1.0])
        network.classifier.weight[entailment] = torch.tensor(
            [10.0, 0.0, 10.0, 0.0]
        )  # 15 where both stand there, 9 of one
        network.classifier.bias.fill_(12.0)
        network.classifier.bias[entailment] = 0.0
    network.save_pretrained(folder)


@pytest.mark.parametrize("names", [CONTRADICTION_FIRST, ENTAILMENT_FIRST, TWO])
def test_its_answer_is_the_label_that_is_called_entailment(tmp_path: Path, names: tuple[str, ...]) -> None:
    both_colours(tmp_path, names)
    judge = open_entailment(str(tmp_path))
    assert isinstance(judge, Classifier) and not judge.stand_in and judge.name == str(tmp_path)
    red, blue = "it was red .", "it was blue ."
    pairs = [(red, blue), (red, red), ("", ""), ("blue", "red"), ("", "blue")]
    assert judge.entails_all(pairs) == [True, False, False, True, False]
    assert judge.entails(*pairs[0]) is True


def windows_of(parts: tuple[int, int]) -> str:
    """A premise of words that say nothing, "red" and "blue" at two places."""
    words = ["said"] * 200
    words[parts[0]], words[parts[1]] = "red", "blue"
    return " ".join(words)


def test_a_long_premise_is_read_in_windows_that_overlap(tmp_path: Path) -> None:
    both_colours(tmp_path, CONTRADICTION_FIRST)
    judge = load_entailment(str(tmp_path), "")
    for places, entailed in (
        ((0, 5), True),
        ((195, 199), True),  # what stands at the end is read
        ((23, 28), True),  # on both sides of where a window ends: the next begins in its middle
        ((100, 111), True),  # half a window apart, wherever they stand
        ((100, 150), False),  # further apart than a window
    ):
        assert judge.entails(windows_of(places), "it was .") is entailed, places


def test_of_a_claim_that_has_no_room_the_beginning_is_read(tmp_path: Path) -> None:
    both_colours(tmp_path, TWO, room=None)  # the tokenizer does not say how much there is, the config does
    judge = load_entailment(str(tmp_path), "")
    assert judge.entails(windows_of((150, 151)), "said " * 500) is True
    assert judge.entails("red", "blue " + "said " * 500) is True
    assert judge.entails("red", "said " * 500 + "blue") is False


def test_citations_are_judged_by_it_and_say_so(tmp_path: Path) -> None:
    both_colours(tmp_path, CONTRADICTION_FIRST)
    prompt = "red said. was red."
    spans = [{"kind": "gold", "title": "", "start": start, "end": end} for start, end in ((0, 9), (10, 18))]
    row = {
        "prompt": prompt, "spans": spans, "context_start": 0, "context_end": len(prompt), "metrics": [], "question": "",
        "answer_groups": [], "metadata": None,
    }  # fmt: skip
    with use_entailment(open_entailment(str(tmp_path))):
        for edition in ("strict", "official"):
            recall, precision = (get(f"citation_{name}@{edition}") for name in ("recall", "precision"))
            assert recall.title == f"citation_recall@{edition} by {tmp_path}"
            said = "It was blue [1]. It was said [2]. So blue [1][2]."
            assert recall.function(said, row) == pytest.approx(2 / 3)
            assert precision.function(said, row) == pytest.approx(3 / 4)  # each of the last two entails it alone


def test_a_model_of_something_else_is_refused_by_its_labels(tmp_path: Path) -> None:
    both_colours(tmp_path, TWO)
    config = tmp_path / "config.json"
    config.write_text(config.read_text().replace("not_entailment", "anger").replace('entailment"', 'joy"'))
    with refused(EnvironmentProblem, "", "joy", "anger", "'entailment'"):
        open_entailment(str(tmp_path))
