"""Pages of docs/: references made from the code, and promises that their words keep."""

from __future__ import annotations

import ast
import json
import re
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from sixprime.bot.analysis.collection.dataset import COLUMNS
from sixprime.bot.cli.answers.known import ANSWERS
from sixprime.bot.cli.line.command import every_command
from sixprime.bot.cli.line.parsing import epilog_of
from sixprime.bot.cli.line.shared import SETTINGS_HERE
from sixprime.bot.cli.line.top import COMMANDS, SIXPRIME
from sixprime.bot.cli.main import main
from sixprime.bot.settings.file import read_config
from tests.support.house import nodes_of, sources
from tests.support.places import CONFIG, ROOT

DOCS = ROOT / "docs"
NAMED = re.compile(r"(?<![\w./-])(?:config|deploy|docs|tests)/[\w./-]*\w")  # files of a clone
ONLY_IN_CLONES = {"deploy/Containerfile", "deploy/release"}  # both work on a clone
REFERENCES = runpy.run_path(str(DOCS / "references.py"))["REFERENCES"]
SETTINGS = (DOCS / "settings.md").read_text(encoding="utf-8")
COMPUTING = {  # abbreviations that are not of backgammon
    *("ADR", "API", "ARM", "ASCII", "CI", "CPU", "CPUS", "CSS", "CSV", "DIR", "EPS", "FAQ", "FOR"),
    *("FSRS", "GNU", "GPU", "HTML", "HTTP", "ID", "IDS", "IP", "JSON", "KB", "LF", "MB", "MIT"),
    *("OUT", "PDF", "PNG", "POST", "RUN", "SQL", "SVG", "TAB", "TCP", "TLS", "UBGI", "URL", "UTC"),
    *("WSL", "XML", "YAML", "GIL", "CSI", "TD", "BKG", "BG"),
}


def leaves(tree: dict[str, Any], place: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the settings of a file by their dotted paths."""
    for name, value in tree.items():
        if isinstance(value, dict) and value and not any(" " in key for key in value):
            yield from leaves(value, f"{place}{name}.")
        else:
            yield f"{place}{name}", value


def test_the_reference_has_every_setting_of_the_example_with_its_default() -> None:
    rows = dict(re.findall(r"^`([\w.]+)` \| (.+?) \| ", REFERENCES["settings"](), re.M))
    shipped = dict(leaves(yaml.safe_load((CONFIG / "fibs.yaml").read_text(encoding="utf-8"))))
    assert set(rows) == set(shipped)
    wrong = {
        name: (default, shipped[name])
        for name, default in rows.items()
        if default.startswith("`") and json.loads(default.strip("`")) != shipped[name]
        and len(default) < 60  # longer ones hold escaped pipes
    }  # fmt: skip
    assert wrong == {}


def test_settings_of_the_page_are_right() -> None:
    wishes = re.findall(r"`(\w+: \{.+?\})`", SETTINGS)
    assert len(wishes) > 10
    for wish in wishes:
        text = wish if "account" in wish else f"account: {{user: my_bot}}\n{wish}"
        read_config(text, ROOT / "my_bot.yaml")


def test_the_reference_has_every_command_and_its_options() -> None:
    text = REFERENCES["commands"]()
    for name, command in COMMANDS.items():
        assert f"\n## sixprime {name}\n" in f"\n{text}"
        for option in command.flags:
            assert option.names[-1] in text


def test_the_reference_has_every_column() -> None:
    rows = re.findall(r"^`(\w+)` \| (\w+) \| (.+)$", REFERENCES["data"](), re.M)
    assert rows == [tuple(column) for column in COLUMNS]


def test_the_reference_of_json_has_every_command_and_every_type() -> None:
    text = REFERENCES["json"]()
    assert re.findall(r"^`(.+?)` \| .*\[\w+\]\(", text[: text.index("## ")], re.M) == [*ANSWERS]
    heads = {head.lower() for head in re.findall(r"^## (\w+)$", text, re.M)}
    assert set(re.findall(r"\]\(#(\w+)\)", text)) == heads


def abbreviations(text: str) -> set[str]:
    """Capital words of a page, without code, which has words of its own."""
    prose = re.sub(r"```.*?```|`[^`]*`|\]\([^)]*\)", " ", text, flags=re.DOTALL)
    return set(re.findall(r"\b[A-Z]{2,5}\b", prose))


@pytest.mark.parametrize("page", sorted(path.name for path in DOCS.glob("*.md")))
def test_abbreviations_are_in_the_glossary(page: str) -> None:
    known = abbreviations((DOCS / "glossary.md").read_text(encoding="utf-8")) | COMPUTING
    assert abbreviations((DOCS / page).read_text(encoding="utf-8")) - known == set()


def test_an_abbreviation_of_prose_is_noticed_and_one_of_code_is_not() -> None:
    assert abbreviations("EMG of `PR`, [MWC](XG.md)\n```\nTG\n```\n") == {"EMG", "MWC"}


def test_every_file_that_the_pages_name_is_printed_by_config_example(
    capsys: pytest.CaptureFixture[str],
) -> None:
    pages = [page.read_text(encoding="utf-8") for page in (ROOT / "README.md", *DOCS.glob("*.md"))]
    named = {name for page in pages for name in NAMED.findall(page)}
    files = {name for name in named if name.startswith(("config", "deploy"))} - ONLY_IN_CLONES
    assert len(files) > 5
    for name in files:
        if not (ROOT / name).is_dir():
            assert main(["config", "example", name]) == 0, name
            assert capsys.readouterr().out == (ROOT / name).read_text(encoding="utf-8")


def test_no_help_and_no_message_names_a_file_that_only_a_clone_has() -> None:
    named = [
        f"{module}: {words}"
        for module, text in sources().items()
        if NAMED.search(text)
        for words in _strings(text)
        for name in NAMED.findall(words.replace("config example ", "config example: /"))
        if (ROOT / name).is_file() and Path(name) not in SETTINGS_HERE
    ]
    assert named == []


def _strings(text: str) -> Iterator[str]:
    """Yield strings of a module that are no docstrings."""
    docs = {id(node.value) for node in nodes_of(text, ast.Expr)}
    for node in nodes_of(text, ast.Constant):
        if isinstance(node.value, str) and id(node) not in docs:
            yield node.value


RENAMED = [
    (f"sixprime {' '.join(words)} ", option)
    for words, command in every_command(SIXPRIME)
    for option in command.flags
    if option.old
]


def test_pages_and_examples_have_the_new_words_of_options() -> None:
    folders = (DOCS.glob("*.md"), CONFIG.rglob("*.*"), (ROOT / "deploy").rglob("*.*"))
    texts = [path.read_text(encoding="utf-8") for paths in folders for path in paths]
    texts += [(ROOT / "README.md").read_text(encoding="utf-8")]
    texts += [epilog_of(command) for _, command in every_command(SIXPRIME)]
    old = [
        f"{found}: now {option.names[0]}"
        for start, option in RENAMED
        for text in texts
        for found in re.findall(rf"{start}[^\n`]*{option.old}\b", text)
    ]
    assert old == []
    assert not re.search(r"--(db|archive)\b", "\n".join(texts))
