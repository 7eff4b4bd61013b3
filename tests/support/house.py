"""Measures of the house: each lists the faults of sources, given as text by dotted name."""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from functools import cache
from typing import TypeVar

from tests.support.places import ROOT

FLOORS = ("bot", "engine", "protocols")
MOST_MODULES = 14  # in a folder
MOST_LINES = 500  # in a file
MOST_ATTRIBUTES = 20  # of a class
MOST_PARAMETERS = 8  # of a function, kernels included
WORLD = frozenset({"asyncio", "socket", "time", "os", "random", "selectors", "ssl", "threading"})
CATCH_ALLS = {"utils", "util", "helpers", "common", "manager", "factory", "misc"}
COMMANDS = tuple(f"bot.cli.{room}" for room in ("collection", "engine", "lab", "operator"))
LABS = ("engine.lab", "bot.cli.lab", "bot.sandbox.loadtest")
Node = TypeVar("Node", bound=ast.AST)
Function = ast.FunctionDef | ast.AsyncFunctionDef
Sources = dict[str, str]  # dotted name under sixprime -> text


@cache
def sources() -> Sources:
    """Every module of ours; a package is called by its folder."""
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): (
            path.read_text(encoding="utf-8")
        )
        for floor in FLOORS
        for path in sorted((ROOT / floor).rglob("*.py"))
    }


@cache
def tree_of(text: str) -> ast.Module:
    """Parsed once."""
    return ast.parse(text)


@cache
def nodes_by_kind(text: str) -> dict[type[ast.AST], list[ast.AST]]:
    """Nodes of the tree by their exact class."""
    found: dict[type[ast.AST], list[ast.AST]] = defaultdict(list)
    for node in ast.walk(tree_of(text)):
        found[type(node)].append(node)
    return dict(found)


def nodes_of(text: str, kind: type[Node]) -> list[Node]:
    """Nodes of a class anywhere in the text."""
    return [node for node in nodes_by_kind(text).get(kind, []) if isinstance(node, kind)]


def functions_of(text: str) -> list[Function]:
    """Functions and methods anywhere in the text."""
    return [*nodes_of(text, ast.FunctionDef), *nodes_of(text, ast.AsyncFunctionDef)]


def within(module: str, *packages: str) -> bool:
    """Is the module one of these, or inside one of these?"""
    return any(module == package or module.startswith(package + ".") for package in packages)


def folders(modules: Sources) -> set[str]:
    """Those that hold modules or folders of modules."""
    return _folders(frozenset(modules))


@cache
def _folders(modules: frozenset[str]) -> set[str]:
    found = {name.rpartition(".")[0] for name in modules}
    return {each for each in found if each} | (set(FLOORS) & modules)


def room_of(name: str, modules: Sources) -> str:
    """The folder a module lies in; a package lies in itself."""
    return name if name in folders(modules) else name.rpartition(".")[0]


@cache
def named_in(text: str) -> frozenset[tuple[str, str]]:
    """What its imports name, anywhere, without the root: (module, "") or (package, part)."""
    found = set()
    for node in nodes_of(text, ast.Import):
        found |= {(alias.name.removeprefix("sixprime."), "") for alias in node.names}
    for source in nodes_of(text, ast.ImportFrom):
        assert source.level == 0, f"line {source.lineno}: imports are written in full"
        base = (source.module or "").removeprefix("sixprime.")
        found |= {(base, alias.name) for alias in source.names}
    return frozenset(found)


def imports(name: str, modules: Sources) -> set[str]:
    """Every module that this one imports."""
    return {
        full if (full := f"{base}.{part}") in modules else base
        for base, part in named_in(modules[name])
    }


def is_ours(module: str) -> bool:
    """Is it under the root, or a test?"""
    return within(module, *FLOORS, "tests", "sixprime")


def allowed_in(room: str, modules: Sources) -> list[str]:
    """What the folder's own line says."""
    said = re.search(
        r"^Imports: (.+(?:(?<=,)\n.+)*)$", ast.get_docstring(tree_of(modules[room])) or "", re.M
    )
    assert said, f"{room}/__init__.py does not say what it may import"
    return [] if said[1] == "nothing of ours" else re.split(r",\s", said[1])


def forbidden_imports(modules: Sources) -> list[str]:
    """Who imports what its room, or a rule for all, does not allow."""
    faults = []
    for name in modules:
        room = room_of(name, modules)
        allowed = allowed_in(room, modules)
        for module in imports(name, modules):
            if is_ours(module):
                may = within(module, room, *allowed)
                lab = within(module, *LABS) and not within(name, *LABS)
                command = within(room, *COMMANDS) and within(module, *COMMANDS)
                stranger = command and not within(module, room)
                faults += [f"{name} imports {module}"] if not may or lab or stranger else []
            elif within(name, "protocols") and module.split(".")[0] in WORLD:
                faults.append(f"{name} does I/O: {module}")
            elif within(name, "engine.kernels") and not within(module, "__future__", *allowed):
                faults.append(f"{name} knows more than arrays: {module}")
    return faults


def circles(modules: Sources) -> list[str]:
    """Modules that import each other, at the top or inside a function, however long the way is."""
    graph = {
        name: {each for each in imports(name, modules) if each in modules and each != name}
        for name in modules
    }
    return [" <-> ".join(group) for group in _knots(graph)]


def circles_of_rooms(modules: Sources) -> list[str]:
    """Folders that import each other; a folder and its own sub-folders are one house."""
    graph: dict[str, set[str]] = defaultdict(set)
    for name in modules:
        room = room_of(name, modules)
        for module in imports(name, modules):
            other = room_of(module, modules) if module in modules else ""
            if other and other != room:
                graph[room].add(other)
    return [" <-> ".join(group) for group in _knots(graph)]


def _knots(graph: dict[str, set[str]]) -> list[list[str]]:
    """Groups of names each of which reaches all others (Tarjan's strong components)."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    open_ones: list[str] = []
    knots: list[list[str]] = []

    def visit(name: str) -> None:
        number[name] = lowest[name] = len(number)
        open_ones.append(name)
        for other in graph.get(name, ()):
            if other not in number:
                visit(other)
            if other in open_ones:
                lowest[name] = min(lowest[name], lowest[other])
        if lowest[name] == number[name]:
            start = open_ones.index(name)
            knot = sorted(open_ones[start:])
            del open_ones[start:]
            if len(knot) > 1:
                knots.append(knot)

    for name in graph:
        if name not in number:
            visit(name)
    return sorted(knots)


def crowded_folders(modules: Sources) -> list[str]:
    """Folders with too many modules, `__init__.py` not counted."""
    count = Counter(name.rpartition(".")[0] for name in modules if name not in folders(modules))
    return [f"{room}: {n} modules" for room, n in count.items() if n > MOST_MODULES]


def long_files(modules: Sources) -> list[str]:
    """Files with too many lines."""
    lengths = {name: len(text.splitlines()) for name, text in modules.items()}
    return [f"{name}: {length} lines" for name, length in lengths.items() if length > MOST_LINES]


def repeated_classes(modules: Sources) -> list[str]:
    """Public names that two classes have."""
    places = defaultdict(list)
    for name, text in modules.items():
        for node in tree_of(text).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(name)
    return [f"{each}: {', '.join(where)}" for each, where in places.items() if len(where) > 1]


def fat_classes(modules: Sources) -> list[str]:
    """Classes that hold too many values: declared in the body, or set on `self` anywhere."""
    faults = []
    for name, text in modules.items():
        for node in nodes_of(text, ast.ClassDef):
            count = len(_attributes(node))
            faults += [f"{name}.{node.name}: {count}"] if count > MOST_ATTRIBUTES else []
    return faults


@cache
def _attributes(node: ast.ClassDef) -> set[str]:
    found = {
        each.target.id
        for each in node.body
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
    }
    for each in ast.walk(node):
        targets: list[ast.expr] = []
        if isinstance(each, ast.Assign):
            targets = each.targets
        elif isinstance(each, ast.AnnAssign | ast.AugAssign):
            targets = [each.target]
        for target in targets:
            for part in ast.walk(target):
                if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name):
                    found |= {part.attr} if part.value.id == "self" else set()
    return found


def long_signatures(modules: Sources) -> list[str]:
    """Functions with too many parameters; `self` and `cls` are none."""
    faults = []
    for name, text in modules.items():
        for node in functions_of(text):
            given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            count = len([each for each in given if each.arg not in ("self", "cls")])
            faults += [f"{name}.{node.name}: {count}"] if count > MOST_PARAMETERS else []
    return faults


def only_tests_use(modules: Sources) -> list[str]:
    """Functions, classes and methods whose name stands nowhere in the source but at home.

    Names are compared, not meanings: one that something else has too is not found.
    """
    used = _names_used(modules)
    return [
        f"{name}.{node.name}"
        for name, text in modules.items()
        for scope in _scopes(text)
        for node in scope.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and not node.name.startswith("__")
        and node.name not in CALLED_FROM_OUTSIDE
        and not used[node.name]
        and not any(_is_registered(each) for each in node.decorator_list)
    ]


def _names_used(modules: Sources) -> Counter[str]:
    used: Counter[str] = Counter()
    for template in (ROOT / "bot").rglob("*.html"):
        used.update(re.findall(r"\w+", template.read_text(encoding="utf-8")))
    for text in modules.values():
        used.update(_names_in(text))
    return used


@cache
def _names_in(text: str) -> Counter[str]:
    names = [node.id for node in nodes_of(text, ast.Name) if isinstance(node.ctx, ast.Load)]
    names += [node.attr for node in nodes_of(text, ast.Attribute)]
    names += [node.arg for node in nodes_of(text, ast.keyword) if node.arg is not None]
    for node in nodes_of(text, ast.Constant):
        if isinstance(node.value, str) and len(node.value) < LONGEST_NAME:
            names += re.findall(r"\w+", node.value)  # found by name: getattr, tables
    return Counter(names)


def _scopes(text: str) -> list[ast.Module | ast.ClassDef]:
    return [tree_of(text), *nodes_of(text, ast.ClassDef)]


def _is_registered(decorator: ast.expr) -> bool:
    """Pydantic and Python call what these mark, and `line` puts it into a table."""
    text = ast.unparse(decorator)
    if text.startswith("line("):
        return True
    return any(word in text for word in ("validator", "serializer", "overload", "listens_for"))


def badly_named(modules: Sources) -> list[str]:
    """A file is named after what it knows."""
    return [name for name in modules if name.rsplit(".", 1)[-1] in CATCH_ALLS]


def possessive_groups(modules: Sources) -> list[str]:
    """Python before 3.11.5 does not go back where their last round fails; `(?>(...)*)` does."""
    return [
        f"{name}: {line.strip()}"
        for name, text in modules.items()
        for line in text.splitlines()
        if POSSESSIVE_GROUP.search(line)
    ]


@cache
def sources_of_tests() -> Sources:
    """Every module of tests/, by its dotted name."""
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts): path.read_text(encoding="utf-8")
        for path in sorted((ROOT / "tests").rglob("*.py"))
    }


def mixed_tests(modules: Sources) -> list[str]:
    """Test modules that another module imports, and helpers that are not apart from tests."""
    tests = {**sources_of_tests(), **{n: t for n, t in modules.items() if within(n, "tests")}}
    faults = []
    for name, text in tests.items():
        file = name.rpartition(".")[2]
        faults += [f"{name} imports {module}" for module in IMPORTED_TEST.findall(text)]
        helper = within(name, "tests.support") and not file.startswith("test_")
        if helper and re.search(r"^\s*(?:async )?def test_", text, re.M):
            faults.append(f"{name} holds a test")
        elif not helper and not file.startswith(("test_", "conftest", "__init__")):
            faults.append(f"{name} is a helper outside tests/support")
    return faults


# by argparse, logging, http.server, SQLAlchemy, torch, notebooks, and by bot.cli.main
CALLED_FROM_OUTSIDE = frozenset({"arguments", "run", "error", "exit", "emit", "flush", "write"})
CALLED_FROM_OUTSIDE |= {"_print_message", "process_bind_param", "process_result_value", "forward"}
CALLED_FROM_OUTSIDE |= {"load_overload", "save_overload", "_numba_type_"}  # by numba
CALLED_FROM_OUTSIDE |= {"_repr_html_", "_repr_svg_"}
CALLED_FROM_OUTSIDE |= {"http_open", "https_open"}  # by urllib
LONGEST_NAME = 40
IMPORTED_TEST = re.compile(
    r"^\s*(?:from|import) (tests\.[\w.]*\btest_\w+)", re.M
)  # in scripts, too
POSSESSIVE_GROUP = re.compile(r"\)(?:[*+?]|\{[^()]*\})\+")
