"""Errors as a deck of cards for Anki: the board and the question, the best choices behind.

A card keeps its name (the GUID of its note), and a deck its number, so that Anki replaces cards
that are imported again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO, NamedTuple

from sixprime.bot.process.printable import printable
from sixprime.bot.reports import board_svg
from sixprime.bot.reports.templating import rendered
from sixprime.bot.reports.text import SHOWN_PLAYS, ShownTable, identified
from sixprime.bot.reports.turns import ShownError
from sixprime.engine.analysis.values import What
from sixprime.engine.system.errors import Unavailable

_MODEL = 1_851_203_417  # the number of the note type; changed fields need another
_FIELDS = ("Board", "Question", "Answer")
_FRONT = "{{Board}}<p>{{Question}}</p>"
_BACK = "{{FrontSide}}<hr id=answer>{{Answer}}"
_STYLE = """
.card { font-family: sans-serif; text-align: center; }
.card img { max-width: 100%; max-height: 60vh; }
.plays { margin: auto; border-collapse: collapse; }
.plays td, .plays th { padding: 0.1em 0.5em; text-align: right; }
.plays td:first-child { text-align: left; }
.played { font-weight: bold; }
.soft { opacity: 0.6; font-size: 80%; }
"""


class AnkiCard(NamedTuple):
    """An error as a card; the key identifies the question whatever the analysis says."""

    key: str
    shown: ShownError
    choices: str  # the possible answers, in words
    tags: Sequence[str]


def write_deck(file: BinaryIO, name: str, cards: Iterable[AnkiCard]) -> None:
    """Write the deck as an .apkg file; Unavailable without genanki."""
    try:
        import genanki
    except ModuleNotFoundError as error:
        raise Unavailable("it needs the extra `anki`: pip install 'sixprime[anki]'") from error
    fields = [{"name": field} for field in _FIELDS]
    sides = [{"name": "Error", "qfmt": _FRONT, "afmt": _BACK}]
    model = genanki.Model(_MODEL, "Sixprime error", fields=fields, templates=sides, css=_STYLE)
    number = int.from_bytes(sha256(name.encode()).digest()[:4], "big") | 1 << 30
    deck = genanki.Deck(number, name)
    with TemporaryDirectory() as folder:
        pictures = []
        for card in cards:
            picture = Path(folder, f"sixprime-{sha256(card.key.encode()).hexdigest()[:20]}.svg")
            picture.write_text(_board(card.shown), encoding="utf-8")
            pictures.append(str(picture))
            deck.add_note(
                genanki.Note(
                    model=model,
                    fields=[f'<img src="{picture.name}">', _question(card), _answer(card.shown)],
                    tags=[printable(tag).replace(" ", "-") for tag in card.tags],
                    guid=genanki.guid_for("sixprime", card.key),
                )
            )
        genanki.Package(deck, media_files=pictures).write_to_file(file)


def _board(shown: ShownError) -> str:
    """Draw the board as the player sees it who decides, below and dark."""
    error, analysis = shown.error, shown.turn.analysis
    state, position = analysis.state_at(error), shown.turn.turn.position
    if error.what is What.ANSWER:
        state, position = state.with_(on_roll=error.seat), position.flipped()
    return board_svg.draw(position, state, state.dice)


def _question(card: AnkiCard) -> str:
    return rendered("anki.html", side="front", error=card.shown, choices=card.choices, table=None)


def _answer(shown: ShownError) -> str:
    turn = shown.turn
    player = turn.analysis.statistics[shown.error.seat]
    pr = "" if player.pr is None else f"PR {player.pr:.2f} in this match: {player.rating}"
    table = _best(turn.plays) if shown.rolled else turn.cube
    ids = identified(turn.analysis, shown.error)
    return rendered("anki.html", side="back", error=shown, table=table, pr=pr, ids=ids)


def _best(plays: ShownTable) -> ShownTable:
    """Cut the table after the best plays; the player's own play stays in it."""
    chosen = plays.played
    rows = list(plays.rows[:SHOWN_PLAYS])
    if chosen is not None and chosen >= len(rows):
        rows, chosen = [*rows, plays.rows[chosen]], len(rows)
    return plays._replace(rows=rows, played=chosen)
