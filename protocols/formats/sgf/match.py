"""SGF as gnubg 1.07 writes and reads it, analyses included.

W is player 0, B player 1. Points are letters from player 0's ace point, `y` the bar, `z` off. The
format does not keep refused resignations, interruptions or the number of beavers allowed, and cuts
names to 31 bytes. Comments on the former go to the node before. gnubg keeps no comment on a game,
C of its root: so the comment on the first node begins with it, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import chain

from sixprime.engine.position import (
    BAR,
    OFF,
    PLACES,
    POINTS,
    Checkers,
    Dice,
    Play,
    Position,
    Step,
    Variant,
    parse_dice,
)
from sixprime.protocols.formats.draft import Draft, check_length, with_rules_shown
from sixprime.protocols.formats.legality import uses_enough
from sixprime.protocols.formats.reading import Reading, Remarks, text_reader
from sixprime.protocols.formats.record import (
    Action,
    Analysis,
    BadMatchFile,
    CannotCarry,
    Cube,
    CubeStep,
    Ending,
    Game,
    Interruption,
    Match,
    Player,
    Resignation,
    ResignStep,
    Rules,
    SetBoard,
    Turn,
    day_in,
    number_in,
    on_line,
    plain_names,
    settled,
)
from sixprime.protocols.formats.replay import games_of
from sixprime.protocols.formats.sgf import analysis as sgfanalysis
from sixprime.protocols.formats.sgf import standing
from sixprime.protocols.formats.sgf.marks import read_marks, with_marks, write_marks
from sixprime.protocols.formats.sgf.tree import Node, escape, parse

NAME_BYTES = 31
_PARAGRAPH = "\n\n"  # between comments in one node
COLOURS = "WB"
_RESIGNS = re.compile(r"(resign|accept|reject)(?::(\d{1,6}))?")
_RESIGN_STEPS = {
    "resign": ResignStep.OFFERED,
    "accept": ResignStep.ACCEPTED,
    "reject": ResignStep.REJECTED,
}
_VARIANTS = {
    "Nackgammon": Variant.NACKGAMMON,
    "Hypergammon1": Variant.HYPERGAMMON_1,
    "Hypergammon2": Variant.HYPERGAMMON_2,
    "Hypergammon3": Variant.HYPERGAMMON,
}


# -- coordinates


def _letter(place: int, seat: int) -> str:
    if place in (BAR, OFF):
        return "y" if place == BAR else "z"
    return chr(ord("a") + (place - 1 if seat == 0 else POINTS - place))


def _place(letter: str, seat: int, *, end: bool) -> int:
    if letter in "yz":
        return OFF if end else BAR
    index = ord(letter) - ord("a")
    return index + 1 if seat == 0 else POINTS - index


def letters_of(play: Play, seat: int) -> str:
    """Return the letters of a play: `xvmh` for 24/22 13/8 of player 0."""
    return "".join(_letter(step.start, seat) + _letter(step.end, seat) for step in play)


def play_of(letters: str, seat: int) -> Play:
    """Return the play of the letters; ValueError if there is none."""
    if not re.fullmatch(r"(?:[a-y][a-xz]){0,4}", letters):
        raise ValueError(f"cannot read the move `{letters[:20]}`")
    pairs = zip(letters[::2], letters[1::2], strict=True)
    return tuple(
        Step(_place(start, seat, end=False), _place(end, seat, end=True)) for start, end in pairs
    )


# -- writing


def write_sgf(match: Match) -> str:
    """Return the match as text, one tree a game."""
    if not match.games:
        raise CannotCarry("a match without games")
    names = plain_names(match, NAME_BYTES)
    return "".join(_tree(match, game, number, names) for number, game in enumerate(match.games))


def _tree(match: Match, game: Game, number: int, names: tuple[str, str]) -> str:
    nodes = [_root(match, game, number, names)]
    for action in _noded(game):
        nodes += _nodes(action)
    return "(" + "\n".join(nodes) + ")\n"


def _noded(game: Game) -> list[Turn | Cube | SetBoard]:
    """Return the actions that have nodes, with all comments of the game."""
    noded: list[Turn | Cube | SetBoard] = []
    said: list[list[str]] = []
    for action in settled(game):
        if not isinstance(action, Interruption | Resignation):
            noded.append(action)
            said.append([action.comment])
        elif said:
            said[-1].append(action.comment)
    if said:
        said[0].insert(0, game.comment)
    comments = (_PARAGRAPH.join(filter(None, words)) for words in said)
    return [
        replace(action, comment=comment) for action, comment in zip(noded, comments, strict=True)
    ]


def _root(match: Match, game: Game, number: int, names: tuple[str, str]) -> str:
    parts = [
        ";FF[4]GM[6]CA[UTF-8]AP[Sixprime]",
        f"MI[length:{match.length}][game:{number}][ws:{game.score[0]}][bs:{game.score[1]}]",
        f"PW[{escape(names[0])}]PB[{escape(names[1])}]",
    ]
    if number == 0:
        parts += _about(match)
    rules = _rules(match, game)
    parts += [f"RU[{rules}]"] if rules else []
    parts += [f"CV[{game.cube}]"] if game.cube > 1 else []
    parts += [f"C[{escape(game.comment)}]"] if game.comment else []
    if game.result is not None:
        resigned = "R" if game.result.ending is Ending.RESIGNED else ""
        parts.append(f"RE[{COLOURS[game.result.winner]}+{game.result.points}{resigned}]")
    if game.statistics is not None:
        parts.append(sgfanalysis.write_statistics(game.statistics))
    return "".join(parts)


def _about(match: Match) -> list[str]:
    """Return properties of the match, for its first game only."""
    parts = []
    for colour, player in zip(COLOURS, match.players, strict=True):
        if player.rating_before is not None:
            spent = player.experience_before
            more = "" if spent is None else f" (Exp {spent})"
            parts.append(f"{colour}R[{player.rating_before:.10g}{more}]")
    parts += [f"DT[{match.day.isoformat()}]"] if match.day else []
    texts = {
        "EV": match.event,
        "RO": match.round,
        "PC": match.place,
        "AN": match.annotator,
        "GC": match.comment,
    }
    parts += [f"{name}[{escape(text)}]" for name, text in texts.items() if text]
    return [*parts, standing.write_extras(match)]


def _rules(match: Match, game: Game) -> str:
    rules = match.rules
    words = {
        "Crawford": rules.crawford and match.length > 0,
        "CrawfordGame": game.crawford,
        "Jacoby": rules.jacoby,
        "NoCube": not rules.cube,
    }
    named = {variant: word for word, variant in _VARIANTS.items()}
    chosen = [word for word, holds in words.items() if holds]
    return ":".join(chosen + ([named[rules.variant]] if rules.variant in named else []))


def _nodes(action: Turn | Cube | SetBoard) -> list[str]:
    comment = f"C[{escape(action.comment)}]" if action.comment else ""
    if isinstance(action, SetBoard):
        nodes = _setup_nodes(action)
        return [nodes[0] + comment, *nodes[1:]]
    colour, seat = COLOURS[action.seat], action.seat
    if isinstance(action, Cube):
        word = "double" if action.step is CubeStep.BEAVER else action.step.value
        node = f";{colour}[{word}]"
    else:
        dice = f"{action.dice[0]}{action.dice[1]}"
        if action.play is None:
            node = f";PL[{colour}]DI[{dice}]"
        else:
            node = f";{colour}[{dice}{letters_of(action.play, seat)}]"
    analysis = with_marks(action)
    if analysis is not None:
        node += sgfanalysis.write_analysis(analysis, seat, lambda p: letters_of(p, seat))
    return [node + write_marks(action) + comment]


def _setup_nodes(setup: SetBoard) -> list[str]:
    first = setup.position if setup.on_roll == 0 else setup.position.flipped()
    placed = "".join(
        _add(name, side, seat)
        for seat, (name, side) in enumerate((("AW", first.mine), ("AB", first.theirs)))
    )
    nodes = [f";PL[{COLOURS[setup.on_roll]}]AE[a:y]{placed}"]
    if setup.cube > 1:
        nodes.append(f";CV[{setup.cube}]")
    if setup.cube_owner is not None:
        nodes.append(f";CP[{COLOURS[setup.cube_owner].lower()}]")
    return nodes


def _add(name: str, side: Checkers, seat: int) -> str:
    values = "".join(f"[{_letter(i + 1, seat)}]" * count for i, count in enumerate(side))
    return name + values if values else ""


# -- reading


def read_sgf(text: str) -> Reading:
    """Return the matches in a file; BadMatchFile if it holds no game."""
    matches: list[Match] = []
    remarks = Remarks()
    number = 0  # the file's number for the game in its match
    for tree in remarks.until_broken(parse(text), "the rest is left out"):
        nodes = remarks.until_broken(tree, "the game ends here")
        first = next(nodes, None)
        if first is None or (first.first("GM") or "").strip() != "6":
            continue
        with remarks.instead("the game is left out"):
            root = _Root(first)
            if not matches or not root.goes_on(matches[-1], number):
                matches.append(root.match())
            number = root.number
            game = _game(chain([first], nodes), root, matches[-1], remarks)
            matches[-1] = replace(matches[-1], games=(*matches[-1].games, game))
    found = (with_rules_shown(match) for match in matches if match.games)
    return remarks.reading(found, 1, "no game of backgammon, GM[6], in it")


class _Root:
    def __init__(self, node: Node) -> None:
        self.node = node
        info = dict(_info(node))
        self.length = info.get("length", 0)
        check_length(node.line, self.length)
        self.number = info.get("game", -1)
        self.score = info.get("ws", 0), info.get("bs", 0)
        self.names = _name(node, "PW"), _name(node, "PB")
        words = {word.strip() for word in (node.first("RU") or "").split(":")}
        self.crawford_game = "CrawfordGame" in words
        variants = [variant for word, variant in _VARIANTS.items() if word in words]
        self.rules = Rules(
            crawford="Crawford" in words or self.length == 0 or self.crawford_game,
            jacoby="Jacoby" in words,
            cube="NoCube" not in words,
            variant=variants[0] if variants else Variant.STANDARD,
        )
        self.cube = _cube_value(node)

    def goes_on(self, match: Match, number: int) -> bool:
        """Return whether this is one more game of the match."""
        same = self.names == tuple(player.name for player in match.players)
        if not same or self.length != match.length:
            return False
        if 0 <= self.number <= number:
            return False
        before = match.games[-1].score if match.games else (0, 0)
        return self.score[0] >= before[0] and self.score[1] >= before[1]

    def match(self) -> Match:
        node = self.node
        match = Match(
            players=(
                _player(self.names[0], node, "WR"),
                _player(self.names[1], node, "BR"),
            ),
            length=self.length,
            rules=self.rules,
            date=day_in((node.first("DT") or "").strip()[:10]),
            event=node.text("EV"),
            round=node.text("RO"),
            place=node.text("PC"),
            annotator=node.text("AN"),
            comment=node.text("GC"),
        )
        return standing.read_extras(node, match)

    def result(self) -> tuple[int, int, bool] | None:
        """Return the winner, the points, and whether by resignation; None if it does not say."""
        found = re.fullmatch(r"\s*([WB])\+(\d{1,6})(R\w*)?\s*", self.node.first("RE") or "")
        return (COLOURS.index(found[1]), int(found[2]), bool(found[3])) if found else None


def _info(node: Node) -> list[tuple[str, int]]:
    pairs = []
    for value in node.properties.get("MI", []):
        name, colon, number = value.partition(":")
        if colon and name.strip() in ("length", "game", "ws", "bs"):
            if (count := number_in(number)) is None:
                raise BadMatchFile(node.line, f"MI[{value[:30]}] needs a number")
            pairs.append((name.strip(), count))
    return pairs


def _name(node: Node, name: str) -> str:
    return " ".join(node.text(name).split())


def _player(name: str, node: Node, about: str) -> Player:
    """Return the player with rating and experience, which gnubg writes as `1700 (Exp 12)`."""
    text = node.first(about) or ""
    found = re.search(r"\d{1,5}(?:\.\d{1,10})?", text.partition("(")[0])
    rating = float(found[0]) if found else None
    spent = re.search(r"\(\s*Exp\s+(\d{1,9})\s*\)", text, re.IGNORECASE)
    return Player(name, rating, experience_before=int(spent[1]) if spent else None)


def _cube_value(node: Node) -> int:
    """Return the value in CV; 1 if there is none."""
    value = node.first("CV")
    if value is None:
        return 1
    number = number_in(value) or 0
    if number < 1 or number & (number - 1) or number > 4096:
        raise BadMatchFile(node.line, f"no cube shows {value[:20]}")
    return number


def _game(tree: Iterator[Node], root: _Root, match: Match, remarks: Remarks) -> Game:
    statistics = sgfanalysis.read_statistics(root.node)
    said = root.node.text("C")
    empty = Game(
        root.score, root.crawford_game, cube=root.cube, statistics=statistics, comment=said
    )
    draft = Draft(root.node.line, match.length, match.rules, empty, remarks)
    last = root.node
    for last in tree:
        with remarks.instead("left out"):
            _act(last, draft, is_root=last is root.node)
    if said and draft.actions and draft.actions[0].comment.startswith(said):
        own = draft.actions[0].comment.removeprefix(said).removeprefix(_PARAGRAPH)
        draft.actions[0] = replace(draft.actions[0], comment=own)
    result = root.result()
    if result is not None and draft.replay.result is None:
        winner, points, resigned = result
        if not resigned:
            remarks.add(last.line, "the game has no end", "RE says who won")
        draft.won(last.line, winner, points)
    return draft.done()


def _act(node: Node, draft: Draft, *, is_root: bool) -> None:
    """Add the actions of a node to its game."""
    names = node.properties.keys()
    if {"AE", "AW", "AB"} & names or ({"CV", "CP"} & names and not is_root):
        _set_up(node, draft, is_root=is_root)
    colour = next((name for name in node.properties if name in COLOURS), None)
    comment = "" if is_root else node.text("C")
    if colour is not None:
        _play_or_cube(node, draft, COLOURS.index(colour), comment)
    elif "DI" in names:
        player = (node.first("PL") or "").strip()
        seat = COLOURS.index(player) if player in ("W", "B") else draft.replay.state.on_roll
        dice = _dice(node, (node.first("DI") or "").strip())
        draft.drop_roll(node.line, seat, dice)
        draft.add_action(node.line, Turn(seat, dice, None, _analysis(node, seat, draft), comment))


def _play_or_cube(node: Node, draft: Draft, seat: int, comment: str) -> None:
    value = (node.first(COLOURS[seat]) or "").strip()
    analysis = _analysis(node, seat, draft)
    if resigns := _RESIGNS.fullmatch(value):
        _resign(node, draft, seat, resigns, comment)
        return
    if value in ("double", "take", "drop"):
        draft.drop_roll(node.line, seat)
        draft.cube(node.line, read_marks(node, Cube(seat, CubeStep(value), analysis, comment)))
        return
    dice = _dice(node, value[:2])
    with on_line(node.line):
        play = play_of(value[2:], seat)
    draft.drop_roll(node.line, seat, dice)
    turn = read_marks(node, Turn(seat, dice, play, analysis, comment))
    with suppress(BadMatchFile):
        if uses_enough(draft.position_of(seat), play, dice):
            draft.add_action(node.line, turn)
            return
    draft.add_roll(node.line, replace(turn, play=None), play)


def _resign(node: Node, draft: Draft, seat: int, found: re.Match[str], comment: str) -> None:
    """Add a resignation as gibbon writes it, with the points; gnubg writes none."""
    step = _RESIGN_STEPS[found[1]]
    games = draft.replay.state.resigned
    if step is ResignStep.OFFERED:
        draft.withdraw_resignation()
        games = games_of(int(found[2] or 1), draft.replay.state.cube)
    draft.add_action(node.line, Resignation(seat, step, games, comment))


def _dice(node: Node, text: str) -> Dice:
    try:
        return parse_dice(text)
    except ValueError:
        raise BadMatchFile(node.line, f"no dice show `{text[:20]}`") from None


def _analysis(node: Node, seat: int, draft: Draft) -> Analysis | None:
    try:
        return sgfanalysis.read_analysis(node, seat, lambda letters: play_of(letters, seat))
    except BadMatchFile as error:
        draft.remarks.add(error.line, error.reason, "left out")
        return None


def _set_up(node: Node, draft: Draft, *, is_root: bool) -> None:
    """Set the board, starting from the previous node's."""
    state = draft.replay.state
    seat = state.on_roll
    first = draft.position_of(0)
    if {"AE", "AW", "AB"} & node.properties.keys():
        first = _placed(node, first)
    player = (node.first("PL") or "").strip()
    if player in ("W", "B"):
        seat = COLOURS.index(player)
    owner = state.cube_owner
    if "CP" in node.properties:
        owner = {"w": 0, "b": 1}.get((node.first("CP") or "").strip())
    cube = _cube_value(node) if "CV" in node.properties and not is_root else state.cube
    position = first if seat == 0 else first.flipped()
    setup = SetBoard(seat, position, cube, owner, node.text("C"))
    last: Action | None = draft.actions[-1] if draft.actions else None
    if isinstance(last, SetBoard):
        setup = replace(setup, comment=last.comment or setup.comment)
        draft.actions.pop()
    draft.add_action(node.line, setup)


def _placed(node: Node, position: Position) -> Position:
    sides = [list(position.mine), list(position.theirs)]
    for index in _places(node, "AE"):
        for side in (0, 1):
            if index == BAR - 1:
                sides[side][index] = 0
            else:
                sides[side][index if side == 0 else POINTS - 1 - index] = 0
    for side, name in enumerate(("AW", "AB")):
        for index in _places(node, name):
            flipped = side == 1 and index != BAR - 1
            sides[side][POINTS - 1 - index if flipped else index] += 1
    with on_line(node.line):
        return Position(tuple(sides[0]), tuple(sides[1]), position.checkers).checked()


def _places(node: Node, name: str) -> list[int]:
    """Return indices 0..23 from player 0's ace point, 24 the bar; ranges expanded, without `z`."""
    places: list[int] = []
    for value in node.properties.get(name, []):
        found = re.fullmatch(r"\s*([a-z])(?:\s*:\s*([a-z]))?\s*", value)
        if not found:
            raise BadMatchFile(node.line, f"{name}[{value[:20]}] names no place")
        low, high = ord(found[1]) - ord("a"), ord(found[2] or found[1]) - ord("a")
        places += range(low, min(high + 1, PLACES))
    return places


_BEGINS = re.compile(r"^[^;\n]*\(\s*+;", re.MULTILINE)  # a line of a comment in .mat begins with ;
READER = text_reader("sgf", "SGF", (".sgf",), _BEGINS.search, read_sgf)
