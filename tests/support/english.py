"""Sentences of docstrings and comments that a reader has to read twice.

A sentence has a subject that is a thing of the program, and an active verb right after it; these
rules find the usual departures. `python -m tests.support.english PATH...` prints them by line.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

RELATIVE = r"(?:that|which|who|whose|whom)"
# after these words an indirect question is ordinary English
ASKING = (
    r"(?:say|says|said|saying|tell|tells|told|telling|ask|asks|asked|asking|know|knows|known|"
    r"knowing|see|sees|explain|explains|show|shows|shown|decide|decides|decided|choose|chooses|"
    r"learn|learns|describe|describes|state|states|note|notes|record|records|name|names|find out|"
    r"about|guess|guesses|matter|matters|check|checks|remember|remembers|report|reports|list|lists|"
    r"depends on|no matter|and|or|of|on|out|print|prints|document|documents|define|defines|"
    r"compare|compares|count|counts|understand|understands|determine|determines|question)"
)
VERBS = (
    r"(?:is|are|was|were|has|have|had|does|do|did|can|cannot|could|may|might|must|will|would|"
    r"should|[a-z]{3,}(?:s|ed))"
)
RULES = {
    "headless": re.compile(
        r"^(?:What|Who|Whose|Whom|Which|Those|Whoever|Whatever|Why|Whether)\b(?!.*\?$)"
        r"|^How\b(?!.*\?$)"
        r"|^Where (?!the |a |an |no |there |it |they |we |this |that |both |neither |one |two )"
    ),
    "those of": re.compile(
        r"\b(?:those (?:that|who|which|of|with)|the ones? (?:that|who|which|of)|first one of)\b",
        re.IGNORECASE,
    ),
    "what as a relative": re.compile(
        rf"(?<![a-z])(?!{ASKING}\b)[`\w'’)\]]+[,;:]?\s+(?:what|whatever|whoever)\b(?!\?)",
        re.IGNORECASE,
    ),
    "where without": re.compile(r"\bwhere it would\b"),
    "story": re.compile(
        r"\b(?:in vain|makes? room|gives? itself|tells? most|be made at all|what is ours|of ours)\b"
    ),
    "late verb": re.compile(
        rf"\b{RELATIVE}\b[^.;:]*, or {RELATIVE}\b[^.;:]*, (?:is|are|was|were)\b", re.IGNORECASE
    ),
    "foreign": re.compile(
        r"\bat level about\b|\boffers to lose \d|\bnow it is\b|^Waits for us\b"
        r"|\w+points an? \w+|\bdouble below \w+",
        re.IGNORECASE,
    ),
}
NOUN_THAT = re.compile(rf"^The [^,.;:]*?\b{RELATIVE}\b")
QUESTION = re.compile(
    r"^(?:Is|Are|Was|Does|Did|Has|May|Can|Could|Should|Would|Must|Will|How|Why)\b"
)


def faults_of(text: str) -> list[tuple[str, str]]:
    """Rules that sentences of a text break, each with the sentence."""
    found = []
    for sentence in _sentences(text):
        rule = next((rule for rule, pattern in RULES.items() if pattern.search(sentence)), None)
        if rule or _has_no_verb(sentence):
            found.append((rule or "no verb", sentence))
    return found


def faults_in(source: str) -> Iterator[str]:
    """Faults in docstrings and comments of a module, with their lines."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _in_docstring(node)
    for line, text in _comments(source):
        for rule, sentence in faults_of(text[:1].upper() + text[1:]):
            if rule != "no verb" or text.endswith("."):
                yield f"{line}: {rule}: {sentence}"


def _in_docstring(
    node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef,
) -> Iterator[str]:
    doc = ast.get_docstring(node)
    if not doc:
        return
    line = node.body[0].lineno
    paragraphs = re.split(r"\n\s*\n", doc)
    beside = (" ", ">>>", "|", "Imports:")  # examples, tables, what a folder may import
    prose = "\n\n".join(each for each in paragraphs if not each.startswith(beside))
    for rule, sentence in faults_of(prose):
        yield f"{line}: {rule}: {sentence}"
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and QUESTION.match(doc):
        yield f"{line}: question: {doc.splitlines()[0]}"


def _comments(source: str) -> list[tuple[int, str]]:
    """Comments by line; those on lines that follow each other are one."""
    found: list[tuple[int, str]] = []
    last = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT or token.string.startswith(("#!", "# noqa", "# type:")):
            continue
        text = token.string.lstrip("# ").split("# noqa")[0].rstrip()
        line = token.start[0]
        if found and last + 1 == line and token.line.strip().startswith("#"):
            found[-1] = (found[-1][0], f"{found[-1][1]}\n{text}")
        else:
            found.append((line, text))
        last = line
    return found


def _sentences(text: str) -> list[str]:
    text = re.sub(r"\s+", " ", text).strip()
    return [each for each in re.split(r"(?<=[.?!])\s+(?=[A-Z`\"'(])", text) if each]


def _has_no_verb(sentence: str) -> bool:
    """Return whether `The X that Y` ends before its own verb."""
    if not NOUN_THAT.match(sentence):
        return False
    words = re.sub(r"`[^`]*`", "x", sentence)
    return len(re.findall(rf"\b{VERBS}\b", words)) < 2


def main(words: list[str]) -> None:
    """Print the faults of files and folders."""
    for word in words:
        place = Path(word)
        for path in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
            for fault in faults_in(path.read_text(encoding="utf-8")):
                print(f"{path}:{fault}")  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1:])
