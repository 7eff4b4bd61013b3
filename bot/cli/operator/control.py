"""`sixprime control`: steers the bots of a running `sixprime play`."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from sixprime.bot.cli.declaring import file, flag
from sixprime.bot.cli.settingsfile import add_config, settings_file

if TYPE_CHECKING:
    import socket

EPILOG = """\
examples:
  sixprime control status --config my_bot.yaml
  sixprime control pause --config my_bot.yaml
  sixprime control invite ben 5 --profile anna
  sixprime control say 'Back in a minute'
  sixprime control level expert --now

It prints one line, and exits with 1 if the action was not done. Without `--profile` an action is
for all bots of the process. What it sets holds until the process ends.
"""
WITHIN_S = 700.0  # a new level may have to be compiled first
ACTIONS = {
    "pause": "stay logged in, but begin no match",
    "resume": "undo pause",
    "finish": "stop, after the match",
    "leave": "leave the match; it stays saved, and is not resumed for a day",
    "invite": "invite a user, or resume a saved match",
    "say": "say something to the opponent",
    "block": "begin no match with this user",
    "allow": "accept this user whatever the settings say",
    "reload": "read the settings file again, as SIGHUP does",
    "level": "play at another level from the next match on",
    "status": "what the bots are doing",
}


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, line in ACTIONS.items():
        action = actions.add_parser(name, help=line, description=line[0].upper() + line[1:] + ".")
        if name in ("invite", "block", "allow"):
            action.add_argument("name", metavar="NAME", help="a user of the server")
        if name == "invite":
            action.add_argument("length", metavar="N", type=int, help="points")
        if name == "say":
            action.add_argument("text", metavar="TEXT", nargs="+")
        if name == "level":
            action.add_argument("level", metavar="LEVEL", help="a level's name, or a rating")
            flag(action, "--now", "from the next decision on")
        which = "the process with this bot" if name == "reload" else "only this bot"
        action.add_argument("--profile", metavar="NAME", help=which)
        where = action.add_mutually_exclusive_group()
        add_config(where)
        file(where, "--socket", "the control.socket of the process", metavar="PATH")


def run(options: argparse.Namespace) -> int:
    import json

    from sixprime.bot.cli.operator.status import line_of
    from sixprime.bot.process.printable import printable

    names = ("action", "name", "length", "text", "level", "now", "profile")
    request = {name: given for name in names if (given := getattr(options, name, None)) is not None}
    if options.action == "reload":
        request.pop("profile", None)
    if options.action == "say":
        request["text"] = " ".join(options.text)
    if options.action == "level" and options.level.isdecimal():
        request["level"] = {"target_rating": int(options.level)}
    try:
        with _connected(options) as connection:
            connection.settimeout(WITHIN_S)
            connection.sendall(json.dumps(request).encode() + b"\n")
            answer: dict[str, Any] = json.loads(connection.makefile("rb").readline())
    except OSError as error:
        return _failed(f"{error.strerror or error}")
    except ValueError:
        return _failed("the process ended before it answered")
    if not answer["done"]:
        return _failed(printable(answer["text"]))
    for line in map(line_of, answer["status"]) if "status" in answer else [answer["text"]]:
        print(printable(line))
    return 0


def _failed(why: str) -> int:
    print(f"sixprime control: {why}", file=sys.stderr)
    return 1


def _connected(options: argparse.Namespace) -> socket.socket:
    """A connection to the process; OSError says in clear words why there is none."""
    from sixprime.bot.control.controlsocket import connected, likely_places
    from sixprime.bot.settings.file import control_of
    from sixprime.bot.settings.schema import AUTO
    from sixprime.engine.system.errors import ConfigError

    profile = options.profile
    places, fault = [options.socket], ""
    if options.socket is None:
        options.config = settings_file(options.config)
        try:
            named = control_of(options.config).socket
        except ConfigError as error:
            named, fault = AUTO, f" ({error})"
        if named is None:
            raise OSError(f"{options.config}: control.socket is null, so nothing listens")
        places = likely_places(options.config, profile) if named == AUTO else [named]
    found, why = [], ""
    for place in places:
        try:
            found.append(connected(place))
        except OSError as error:
            why = why or f"nothing answers at {place}: {error.strerror or error}; is it running?"
        if found and (profile or place == places[0]):
            break
    if len(found) == 1:
        return found[0]
    for each in found:
        each.close()
    raise OSError("several processes play this file; give --profile" if found else why + fault)
