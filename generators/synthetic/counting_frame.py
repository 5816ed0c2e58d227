"""The words around a context that is counted or followed: instruction, worked example, question."""

from __future__ import annotations

from generators.rows import Frame
from generators.synthetic.family import Tools
from haymaker.sample import Span

CUE = "Answer:"
SEAM = 2  # tokens of a row left for what the context's two ends may cost


def asking(question: str) -> str:
    """The question as it stands behind a context, with the cue."""
    return f"Question: {question}\n{CUE}"


def example(text: str, question: str, answer: str) -> str:
    """A worked example."""
    return f"<example>\n{text}\n\n{asking(question)} {answer}\n</example>"


def framed(tools: Tools, instruction: str, demo: str, tag: str, question: str) -> Frame:
    """Count the words around a context.

    Args:
        tools: what counts.
        instruction: what the context is and how to answer.
        demo: worked example; empty for none.
        tag: what the context stands in.
        question: alone.
    """
    spans = [Span(0, len(instruction), "instruction", token_start=0)]
    if demo:
        start = len(instruction) + 2
        spans.append(Span(start, start + len(demo), "demo", "demo:0"))
    head = "\n\n".join(filter(None, (instruction, demo, f"<{tag}>\n")))
    return tools.writer.frame(head, f"\n</{tag}>\n\n{asking(question)}", cue=CUE, spans=spans)
