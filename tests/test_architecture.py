"""What the house may look like, kept by this page and not by good intentions.

Each folder says in its `__init__.py` what it is for and, in the line `Imports:`, what of ours it
may import. Every measure below lists faults, and has a case that shows it finds one.
"""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from sixprime.bot.archive.archive import Archive
from sixprime.bot.settings.schema import ArchiveSettings
from tests.support.counted import (
    MOST_BROAD_EXCEPTS,
    MOST_COMMON_NAMES,
    MOST_DOCS_WORDS,
    MOST_EXCEPTIONS,
    MOST_FILES_OF_A_NAME,
    MOST_IMPORTS_IN_FUNCTIONS,
    MOST_SOURCE_LINES,
    broad_excepts,
    common_names,
    exception_classes,
    late_imports,
    long_documents,
    long_source,
)
from tests.support.house import (
    MOST_ATTRIBUTES,
    MOST_LINES,
    MOST_MODULES,
    badly_named,
    circles,
    circles_of_rooms,
    crowded_folders,
    fat_classes,
    forbidden_imports,
    imports,
    long_files,
    long_signatures,
    mixed_tests,
    only_tests_use,
    possessive_groups,
    repeated_classes,
    sources,
    within,
)

MEASURES = {
    "imports": forbidden_imports,
    "circles": circles,
    "circles of rooms": circles_of_rooms,
    "modules in a folder": crowded_folders,
    "lines in a file": long_files,
    "class names": repeated_classes,
    "attributes": fat_classes,
    "parameters": long_signatures,
    "names of files": badly_named,
    "patterns": possessive_groups,
    "used": only_tests_use,
    "tests": mixed_tests,
    "common names": common_names,
    "exceptions": exception_classes,
    "broad excepts": broad_excepts,
    "late imports": late_imports,
    "source": long_source,
    "documents": long_documents,
}


@cache
def faults_now(measure: str) -> list[str]:
    """Faults of the sources as they are."""
    return MEASURES[measure](sources())


@pytest.mark.parametrize("measure", MEASURES)
def test_the_house_is_in_order(measure: str) -> None:
    assert not faults_now(measure), "\n".join(faults_now(measure))


A_ROOM = '"""A room.\n\nImports: nothing of ours\n"""\n'
EIGHT = ", ".join("abcdefgh")
BROKEN: dict[str, dict[str, str]] = {
    "imports": {"bot.matchlog.events": "from sixprime.bot.client.client import Client"},
    "circles": {
        "engine.one": "def f():\n    from sixprime.engine import two",
        "engine.two": "from sixprime.engine import one",
    },
    "circles of rooms": {
        "engine.nets.one": "from sixprime.engine.search.plies import Search",
        "engine.search.two": "from sixprime.engine.nets.weights import digest",
    },
    "modules in a folder": {f"engine.nets.more{i}": "" for i in range(MOST_MODULES)},
    "lines in a file": {"engine.long": "\n" * (MOST_LINES + 1)},
    "class names": {"engine.one": "class Twin: ...", "protocols.two": "class Twin: ..."},
    "attributes": {
        "engine.fat": "class Fat:\n    def f(self):\n"
        + "".join(f"        self.a{i} = {i}\n" for i in range(MOST_ATTRIBUTES + 1))
    },
    "parameters": {"engine.wide": f"def f({EIGHT}, i): ..."},
    "names of files": {"engine.utils": ""},
    "patterns": {"protocols.one": 'NAME = re.compile(r"(?:a|:b)*+:")'},
    "used": {"engine.unused": "def nobody_calls_me(): ..."},
    "tests": {"tests.bot.test_one": "from tests.bot.test_two import helper"},
    "common names": {
        f"engine.crowd{i}": "".join(f"def f{n}(): ...\n" for n in range(MOST_COMMON_NAMES + 1))
        for i in range(MOST_FILES_OF_A_NAME + 1)
    },
    "exceptions": {
        "engine.many": "class E0(Exception): ...\n"
        + "".join(f"class E{i + 1}(E{i}): ...\n" for i in range(MOST_EXCEPTIONS))
    },
    "broad excepts": {
        "engine.broad": "try: ...\nexcept (KeyError, Exception): ...\n" * (MOST_BROAD_EXCEPTS + 1)
    },
    "late imports": {
        "engine.late": "def f():\n" + "    import os\n" * (MOST_IMPORTS_IN_FUNCTIONS + 1)
    },
    "source": {"engine.long": "\n" * (MOST_SOURCE_LINES + 1)},
    "documents": {"docs/more.md": "word " * (MOST_DOCS_WORDS + 1)},
}


@pytest.mark.parametrize("measure", BROKEN)
def test_each_measure_finds_what_breaks_it(measure: str) -> None:
    assert set(BROKEN) == set(MEASURES)
    after = MEASURES[measure]({**sources(), **BROKEN[measure]})
    assert set(after) - set(faults_now(measure))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tests.bot.test_one", "SCRIPT = '''\nfrom tests.bot.test_two import helper\n'''"),
        ("tests.support.one", "def test_nothing() -> None: ..."),
        ("tests.bot.helper", ""),
    ],
)
def test_helpers_stay_apart_from_tests(name: str, text: str) -> None:
    assert mixed_tests({name: text})


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("protocols.formats.ids", "from sixprime.engine.rules import legal_plays"),
        ("protocols.formats.ids", "import asyncio.streams"),
        ("engine.kernels.moves", "from sixprime.engine.position import Position"),
        ("engine.kernels.moves", "import os"),
        ("engine.rules", "from sixprime.protocols.formats import ids"),
        ("engine.search.decide", "from sixprime.engine.lab.training import train"),
        ("bot.client.service", "from sixprime.bot.cli.main import main"),
        ("bot.client.service", "from tests.support.engine.reference import board"),
        ("bot.cli.engine.hint", "from sixprime.bot.cli.collection import convert"),
    ],
)
def test_the_floors_stay_apart(name: str, text: str) -> None:
    assert forbidden_imports({**sources(), name: text})


def test_torch_is_imported_where_nets_are_fitted() -> None:
    users = {n for n in sources() for module in imports(n, sources()) if within(module, "torch")}
    learners = {f"engine.lab.training.{name}" for name in ("life", "model", "sides")}
    assert users == learners | {"engine.lab.people.fitting"}


HEAVY = {"numpy", "numba", "torch", "sqlalchemy", "pydantic", "structlog", "rich", "asyncio"}
HEAVY |= {"jinja2"}
HEAVY |= {"sixprime.protocols.fibs.wire.commands"}  # every message of a server


@pytest.mark.parametrize(
    ("code", "needed"),
    [
        ("import sixprime", set()),
        ("import sixprime.engine.position", set()),
        ("import sixprime.protocols.formats.notation", set()),
        ("main([])", set()),
        ("main(['config', 'check', 'bot.yaml'])", {"pydantic"}),
        ("main(['status', '--config', 'bot.yaml'])", {"pydantic"}),
        (
            "main(['archive', 'list', '--config', 'bot.yaml'])",
            {"pydantic", "sqlalchemy", "asyncio"},
        ),
    ],
)
def test_what_starts_often_imports_nothing_heavy(
    code: str, needed: set[str], tmp_path: Path
) -> None:
    settings = "account: {user: me}\nmetrics: {listen: '127.0.0.1:9'}\n"
    database = f"sqlite:///{tmp_path / 'archive.db'}"
    (tmp_path / "bot.yaml").write_text(f"{settings}archive: {{database: '{database}'}}\n")
    Archive(ArchiveSettings(database=database)).close()
    program = (
        "import sys; from sixprime.bot.cli.main import main; "
        f"{code}; print('imported:', *sorted({HEAVY} & set(sys.modules)))"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert set(run.stdout.partition("imported:")[2].split()) == needed
